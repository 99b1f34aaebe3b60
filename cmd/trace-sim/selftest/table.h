/* SPDX-License-Identifier: BSD-2-Clause */
/* What a selftest prints: a row a figure, a summary by group. */
#ifndef SELFTEST_TABLE_H
#define SELFTEST_TABLE_H

#include <stdio.h>
#include "selftest/probe.h"
#include "selftest/selftest.h"

struct figure_row {
	const struct measured_row *row;
	struct probe probe;
	const struct subject *subject; /* NULL: not made, and why */
	const char *why;
	double simulated;
};

struct figure_table {
	const char *machine, *rows_of; /* rows_of: the files' names */
	struct figure_row *row;
	uint32_t n, n_other; /* n_other: rows of other GPUs, which were left out */
};

/* Percent; 0 where nothing was made. */
double table_error(const struct figure_row *r);
void table_print(const struct figure_table *t, enum selftest_format format, FILE *out);

#endif
