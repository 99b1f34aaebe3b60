/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches for option values that reduce the error (--fit).
 *
 * The search changes one option at a time, in the given order, and starts over until no value changes. For
 * each option it selects the integer with the smallest mean error over the rows that have a probe, while the
 * other options keep their values.
 */
#ifndef SELFTEST_FIT_H
#define SELFTEST_FIT_H

#include "selftest/table.h"

#define MAX_SUBJECTS 8u

/* The configuration, and a variant of it for each tool with #with lines. */
struct subjects {
	const struct measured *measured;
	const char *tool[MAX_SUBJECTS];
	struct subject subject[MAX_SUBJECTS];
	uint32_t n_subjects;
};

/* Returns subjects that contain only the configuration itself. The caller frees them. */
struct subjects *subjects_new(const struct selftest *t, const struct measured *with);
/* Returns the subject for the rows of a tool. */
const struct subject *subjects_for_tool(struct subjects *s, const struct selftest *t, const char *tool);
/* Simulates every row that has a probe. */
void selftest_simulate(struct figure_table *t, unsigned threads);

/*
 * Searches for values of t->fit. Prints each trial and the final values, in the syntax of a configuration
 * file.
 */
void fit_run(const struct selftest *t, struct figure_table *table, const struct subjects *s, FILE *out);

#endif
