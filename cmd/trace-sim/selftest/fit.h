/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --fit: a search for values of options. Used by selftest.c.
 *
 * It goes option by option in the given order, and repeats until nothing changes. For each option it takes
 * the value with the smallest mean error over the rows that have a probe, with the other options unchanged.
 * Only integers.
 */
#ifndef SELFTEST_FIT_H
#define SELFTEST_FIT_H

#include "selftest/table.h"

#define MAX_SUBJECTS 8u

/* The configuration, and its variants under the conditions of tools (#with lines). */
struct subjects {
	const struct measured *with;
	const char *tool[MAX_SUBJECTS];
	struct subject subject[MAX_SUBJECTS];
	uint32_t n;
};

/* Starts with the configuration itself. Caller frees. */
struct subjects *subjects_new(const struct selftest *t, const struct measured *with);
/* Returns the configuration for the rows of a tool. */
const struct subject *subjects_for(struct subjects *s, const struct selftest *t, const char *tool);
/* Simulates every row that has a probe. */
void selftest_simulate(struct figure_table *t, unsigned threads);

/* Searches; prints each step and the final values, in the syntax of a configuration file. */
void fit_run(const struct selftest *t, struct figure_table *table, const struct subjects *s, FILE *out);

#endif
