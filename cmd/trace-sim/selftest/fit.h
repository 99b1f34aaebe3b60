/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --fit: a plain search for values of options. Used by selftest.c.
 *
 * Option by option, in the order given, and round after round until nothing changes: the value that gives the
 * least mean error of the rows that can be made, with the others as they are. Whole numbers only.
 */
#ifndef SELFTEST_FIT_H
#define SELFTEST_FIT_H

#include "selftest/table.h"

#define MAX_MACHINES 8u

/* The configuration, and the configuration under the conditions of tools. */
struct machines {
	const struct measured *with;
	const char *tool[MAX_MACHINES];
	struct subject subject[MAX_MACHINES];
	uint32_t n;
};

/* free() gives it back. */
struct machines *machines_new(const struct selftest *t, const struct measured *with);
const struct subject *machines_for(struct machines *s, const struct selftest *t, const char *tool);
/* Run every row that can be made. */
void selftest_simulate(struct figure_table *t, unsigned threads);

/* Search, and print each step and the values found, as lines that a configuration may hold. */
void fit_run(const struct selftest *t, struct figure_table *table, const struct machines *m, FILE *out);

#endif
