/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The selftest: how far the figures of a configuration are from measured ones (trace-sim --selftest).
 *
 *   measured.c  the figures            probe*.c  what each of them asks for, as micro-traces
 *   micro.c     text of micro-traces   bench.c   machines that run them
 *   jobs.c      several at a time      table.c   what is printed
 *   fit.c       --fit
 *
 * Always true: the result depends on configuration and files only, never on -j or on the order of rows.
 */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdbool.h>
#include "gpuconf.h"
#include "isa.h"
#include "namelist.h"

enum selftest_format { SELFTEST_TEXT, SELFTEST_JSON, SELFTEST_TSV };

struct selftest {
	const struct gpuconf *conf;
	const char *name;    /* of the machine, and the rows' gpu; NULL: rows of every gpu are taken */
	const char *shipped; /* the measured file that comes with the machine, NULL: none */
	const char *const *measured; /* files whose rows are taken instead of the shipped ones */
	uint32_t n_measured;
	const char *const *fit; /* "NAME" or "NAME=FROM..TO": options to search, none: only compare */
	uint32_t n_fit;
	const struct namelist *only; /* ids or groups of the rows that are taken; empty: all */
	const struct isa *isa;
	enum selftest_format format;
	double tolerance; /* in percent; negative: none */
	unsigned threads;
	const char *output;
	bool force;
};

/* Exit status: 0 compared, 1 a figure is beyond the tolerance. Dies of trouble. */
int selftest_run(const struct selftest *t);

#endif
