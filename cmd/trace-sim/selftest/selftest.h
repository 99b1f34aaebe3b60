/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The selftest (trace-sim --selftest): errors of a configuration relative to measurements of the real GPU.
 *
 *   measured.c  measured figures        probe*.c  micro-traces that reproduce them
 *   micro.c     text of micro-traces    bench.c   GPUs that run them
 *   jobs.c      worker processes        table.c   output
 *   fit.c       --fit
 *
 * Always true: the result depends only on the configuration and the files, not on -j or the order of rows.
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
	const char *name;            /* name in the gpu column of rows; NULL to use all rows */
	const char *shipped;         /* measured file of the configuration; NULL if there is none */
	const char *const *measured; /* files whose rows are used instead of those of `shipped` */
	uint32_t n_measured;
	const char *const *fit; /* options to fit, "NAME" or "NAME=FROM..TO" */
	uint32_t n_fit;
	const struct namelist *only; /* ids or groups of the rows to use; empty to use all rows */
	const struct isa *isa;
	enum selftest_format format;
	double tolerance; /* error limit in percent; negative if there is no limit */
	unsigned threads;
	const char *output;
	bool force;
};

/*
 * Runs the selftest. Returns the exit status: 0, or 1 if the error of a figure exceeds the tolerance. Ends
 * the program if an input has an error.
 */
int selftest_run(const struct selftest *t);

#endif
