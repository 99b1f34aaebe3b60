/* SPDX-License-Identifier: BSD-2-Clause */
/* The result of a selftest: one row per figure, and a summary for each group. */
#ifndef SELFTEST_TABLE_H
#define SELFTEST_TABLE_H

#include <stdio.h>
#include "selftest/probe.h"
#include "selftest/selftest.h"

struct figure_row {
	const struct measured_row *row;
	struct probe probe;
	const struct subject *subject; /* NULL if the row is not simulated; `why` is then the reason */
	const char *reason;
	double simulated;
};

struct figure_table {
	const char *config;        /* name of the configuration */
	const char *measured_name; /* name of the measured file */
	struct figure_row *row;
	uint32_t n,
		n_rows_of_other_gpus; /* number of rows; number of rows of other GPUs, which are excluded */
};

/* Error of the simulated figure in percent, or 0 if the row was not simulated, or has nothing to compare with. */
double table_error(const struct figure_row *r);
void table_print(const struct figure_table *t, enum selftest_format format, FILE *out);

#endif
