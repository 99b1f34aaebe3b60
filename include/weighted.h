/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From picks to the application: totals, rates and how far they may be off.
 *
 * A total is the sum of weight times value; a rate is the ratio of two totals, never a mean of rates; a
 * maximum is the largest of the picks. The 95 % interval is the larger of two: Student's, by how far the
 * picks of a stratum stray from their common rate, per size; and that of a normal model in which what was
 * expected of the stratum counts as one pick more.
 */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include "picks.h"
#include "store.h"

/*
 * Half of the 95 % interval of the sum over picks of weight times y[pick]; 0 where every kernel was picked.
 * NaN: it cannot be told, as a stratum of several kernels has one pick.
 */
double weighted_half(const struct picks *p, const double *y);

/* The point of Student's t that 2.5 % lie above; freedom, its degrees, above 0: that of one for less. */
double weighted_student(double freedom);

/* The figures of one run, by pick. */
struct weighted;
/*
 * kernel: those of the store that belong to the run. NULL and *f: a pick is not among them, or the run says
 * that it took other picks.
 */
struct weighted *weighted_new(struct store *s, const struct picks *p, const struct store_run *run,
	const struct store_kernel *kernel, uint32_t n_kernels, struct fault *f);
void weighted_free(struct weighted *w);

/*
 * The figure of a column over the application. false: it cannot be had, as a pick lacks it, or a rate its
 * parts. stray gets, by pick, what its value contributes to the figure, for weighted_half(). *bounded false:
 * its error is not known, as of a maximum, and of misses and DRAM bytes that a run with --warm counts of the
 * kernels left out, too.
 */
bool weighted_figure(const struct weighted *w, uint32_t column, double *value, double *stray, bool *bounded);

/* Is that a figure of a run from which others follow, so that it must be in the store? */
bool weighted_needs(const char *figure);

#endif
