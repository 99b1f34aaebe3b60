/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates for an application from its picks: totals, rates and their confidence intervals.
 *
 * A total is the sum of weight times value; a rate is the ratio of two totals, never a mean of rates; a
 * maximum is the largest of the picks. The 95 % interval is the larger of two: Student's, from the deviations
 * of the picks of a stratum from their common rate per size; and that of a normal model in which the expected
 * spread of the stratum counts as one more pick.
 */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include "picks.h"
#include "store.h"

/* 97.5 % quantile of Student's t distribution for degrees of freedom above 0; below 1 as for 1. */
double weighted_student(double freedom);

/* Figures of one run, by pick. */
struct weighted;
/*
 * Figures of a run whose kernels are the n_kernels at kernel. NULL and *f: they lack a pick, or the run used
 * other picks.
 */
struct weighted *weighted_new(struct store *s, const struct picks *p, const struct store_run *run,
	const struct store_kernel *kernel, uint32_t n_kernels, struct fault *f);
void weighted_free(struct weighted *w);

/*
 * Estimates the figure of a column over the application. false: a pick lacks it, or the parts of a rate are
 * missing. stray[pick] is set to the pick's contribution, for weighted_half(). *bounded false: the error is
 * unknown, as for a maximum, and for misses and DRAM bytes that a run with --warm also counts for the
 * kernels left out.
 */
bool weighted_figure(const struct weighted *w, uint32_t column, double *value, double *stray, bool *bounded);

/*
 * Half of the 95 % interval of a figure, from its stray values or, for a difference of runs, from the differences of
 * their stray values and the second run; 0 where every kernel was picked. NaN: unknown, because a stratum of several
 * kernels has only one pick.
 */
double weighted_half(const struct weighted *w, const double *stray);

/*
 * Widths by which cold caches extend the interval of a figure, below and above; 0 where no kernel was left
 * out, or kernels left out warmed the caches. A pick with L2 misses may lose all that it has above the rate per
 * size of the picks without L2 misses: those of its stratum, else those of its name. Without these, it may
 * lose the share (1 - hit / miss) (1 - shortest / cycles): the smallest mean and the largest latency of a
 * request, and the fewest cycles, of all picks. false: unknown, because the run lacks these figures.
 */
bool weighted_cold(const struct weighted *w, const double *stray, double *below, double *above);

/* Reports whether other figures need this figure of a run, so that it must be in the store. */
bool weighted_needs(const char *figure);

#endif
