/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates of an application's figures from its picks: totals, rates and their confidence intervals.
 *
 * A total is the sum of the picks' weights times their values. A rate is the ratio of two totals, never a mean of
 * rates. A maximum is the largest value of the picks. The 95 % interval is the larger of two intervals: Student's
 * interval, from the deviations of a stratum's picks from their common rate per size; and the interval of a normal
 * model in which the expected spread of the stratum counts as one more pick.
 */
#ifndef WEIGHTED_H
#define WEIGHTED_H

#include "picks.h"
#include "store.h"

/*
 * Returns the 97.5 % quantile of Student's t distribution. `freedom` must be above 0; values below 1 are treated as
 * 1.
 */
double weighted_student(double freedom);

/* Figures of one run, in the order of the picks. */
struct weighted;
/*
 * Returns the figures of a run. kernel[n_kernels] is the run's kernels. Returns NULL and sets *f if the run lacks a
 * pick or used other picks.
 */
struct weighted *weighted_new(struct store *s, const struct picks *p, const struct store_run *run,
	const struct store_kernel *kernel, uint32_t n_kernels, struct fault *f);
void weighted_free(struct weighted *w);

/*
 * Estimates the figure of a column over the application. Returns false if a pick lacks it or a part of a rate is
 * missing. Sets stray[pick] to the pick's contribution to the error, for weighted_half_interval(). Sets *bounded to
 * false if the error is unknown: for a maximum, and for misses and DRAM bytes of a run with --warm, because that also
 * counts kernels that were not picked.
 */
bool weighted_figure(const struct weighted *w, uint32_t column, double *value, double *stray, bool *bounded);

/*
 * Returns half of the 95 % interval of a figure from its stray values; for a difference of two runs, from the second
 * run and the differences of their stray values. Returns 0 if every kernel was picked, and NaN if the interval is
 * unknown, because a stratum of several kernels has only one pick.
 */
double weighted_half_interval(const struct weighted *w, const double *stray);

/*
 * Sets the widths by which cold caches extend the interval of a figure below and above: 0 if every kernel was picked,
 * or if kernels that were not picked warmed the caches. A pick with L2 misses may lose its excess over the rate per
 * size of picks without L2 misses, of its stratum or else of its name. If there are no such picks, it may lose the
 * share (1 - hit / miss) (1 - shortest / cycles). Of all picks, hit is the smallest mean latency of a request, miss the
 * largest latency of a request, and shortest the fewest cycles. Returns false if the run lacks these figures.
 */
bool weighted_cold_widths(const struct weighted *w, const double *stray, double *below, double *above);

/* Returns true if estimates of other figures need this figure of a run. Such a figure must be in the store. */
bool weighted_needs(const char *figure);

#endif
