/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regression of estimates from picks on the kernels with L2 misses.
 *
 * A kernel that touches data first waits for DRAM and takes longer than others of its stratum. A run with warmed
 * caches counts the kernels with L2 misses among all kernels, so estimates are regressed on it (Cochran, Sampling
 * Techniques, chapter 7): the slope times the difference between that number and its estimate from the picks is
 * added. The slope is the same for all strata. Errors are then those of the residuals of the regression, and that of
 * the slope, whose variance is the estimate of White (A heteroskedasticity-consistent covariance matrix estimator,
 * Econometrica 48, 1980), because misses have unequal costs. Strata whose sizes do not predict cycles, such as those of
 * sieve, give a slope without meaning; then nothing is regressed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "weighted_int.h"

struct rate_sums {
	double y, x;
};

/* True if all kernels of the stratum of pick i are picked. */
static bool is_fully_picked(const struct picks *p, uint32_t i)
{
	const struct pick_stratum *s = &p->stratum[p->pick[i].stratum];

	return s->picked >= s->kernels;
}

/*
 * Sets out[pick] to the deviation of y[pick] from a rate: that of its stratum or, if all kernels of the stratum are
 * picked, that of the other strata's picks of its kernel name; 0 without these. The rate is per size, or per kernel.
 */
static void set_strays(const struct weighted *w, const double *y, bool by_size, double *out)
{
	const struct picks *p = w->p;
	uint32_t names = 0;

	for (uint32_t i = 0; i < p->n; i++)
		names = w->name[i] > names ? w->name[i] : names;
	struct rate_sums *stratum = xcalloc(p->n_strata, sizeof(*stratum)),
			 *name = xcalloc((size_t)names + 1, sizeof(*name));
	for (uint32_t i = 0; i < p->n; i++) {
		double x = by_size ? p->pick[i].size : 1, weight = p->pick[i].weight;

		if (is_fully_picked(p, i))
			continue;
		stratum[p->pick[i].stratum].y += y[i];
		stratum[p->pick[i].stratum].x += x;
		name[w->name[i]].y += weight * y[i];
		name[w->name[i]].x += weight * x;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		const struct rate_sums *s =
			is_fully_picked(p, i) ? &name[w->name[i]] : &stratum[p->pick[i].stratum];

		out[i] = s->x > 0 ? y[i] - s->y / s->x * (by_size ? p->pick[i].size : 1) : 0;
	}
	free(stratum);
	free(name);
}

/* Returns the slope of y, by pick, on missed: the value that a kernel with L2 misses has more. */
static double miss_slope(const struct weighted *w, const double *y)
{
	double *stray, sum = 0;

	if (!w->missed)
		return 0;
	stray = xmalloc(w->p->n * sizeof(*stray));
	set_strays(w, y, true, stray);
	for (uint32_t i = 0; i < w->p->n; i++)
		sum += stray[i] * w->missed_stray[i];
	free(stray);
	return sum / w->missed_squares;
}

/* Returns the variance of the slope, from the rest that it leaves of a figure by pick. */
static double slope_variance(const struct weighted *w, const double *rest)
{
	double *stray = xmalloc(w->p->n * sizeof(*stray)), sum = 0, n = w->missed_differ;

	set_strays(w, rest, true, stray);
	for (uint32_t i = 0; i < w->p->n; i++)
		sum += stray[i] * stray[i] * w->missed_stray[i] * w->missed_stray[i];
	free(stray);
	return sum * n / (n - 1) / (w->missed_squares * w->missed_squares);
}

/* Reports whether cycles depend on misses: the slope is at least twice its standard deviation. */
static bool is_slope_significant(const struct weighted *w)
{
	const uint32_t column = store_find_column(w->s, "gpu_sim_cycle"), n = w->p->n;
	double *rest = xmalloc(n * sizeof(*rest)), slope = 0;
	bool significant = column < w->s->n_columns;

	if (significant) {
		memcpy(rest, weighted_values(w, column), n * sizeof(*rest));
		slope = miss_slope(w, rest);
		weighted_subtract_regression(w, rest);
		significant = slope * slope >= 4 * slope_variance(w, rest);
	}
	free(rest);
	return significant;
}

/*
 * Sets *all to the kernels with L2 misses of the application, simulated and left out. false: unknown, because the run
 * did not count them.
 */
static bool count_missed(const struct weighted *w, const double *missed, double *all)
{
	double left_out = weighted_run_total(w, "warmed_kernels"),
	       kernels = weighted_run_total(w, "warmed_kernels_with_L2_misses");

	*all = kernels;
	for (uint32_t i = 0; i < w->p->n; i++)
		*all += missed[i];
	return left_out > 0 && !w->p->n_part && left_out + w->p->n == picks_represented(w->p) &&
	       (kernels > 0 || weighted_run_total(w, "warmed_L2_misses") == 0);
}

void weighted_prepare_regression(struct weighted *w)
{
	const uint32_t column = store_find_column(w->s, MISSES), n = w->p->n;
	bool informed = false;
	double all;

	if (column == w->s->n_columns)
		return;
	w->missed = xmalloc(n * sizeof(*w->missed));
	w->missed_stray = xmalloc(n * sizeof(*w->missed_stray));
	for (uint32_t i = 0; i < n; i++)
		w->missed[i] = weighted_values(w, column)[i] > 0;
	set_strays(w, w->missed, false, w->missed_stray);
	for (uint32_t i = 0; i < n; i++) {
		w->missed_squares += w->missed_stray[i] * w->missed_stray[i];
		w->missed_differ += fabs(w->missed_stray[i]) > 0;
		informed |= is_fully_picked(w->p, i) && fabs(w->missed_stray[i]) > 0;
	}
	if (informed && w->missed_differ > 1 && count_missed(w, w->missed, &all) && is_slope_significant(w)) {
		w->missed_surplus = all - weighted_total(w->p, w->missed);
		return;
	}
	free(w->missed);
	w->missed = NULL;
}

double weighted_regressed_total(const struct weighted *w, const double *y)
{
	return weighted_total(w->p, y) + miss_slope(w, y) * w->missed_surplus;
}

void weighted_subtract_regression(const struct weighted *w, double *y)
{
	double slope = miss_slope(w, y);

	for (uint32_t i = 0; w->missed && i < w->p->n; i++)
		y[i] -= slope * w->missed[i];
}

double weighted_slope_variance(const struct weighted *w, const double *rest, double *freedom)
{
	*freedom = (double)w->missed_differ - 1;
	return w->missed ? slope_variance(w, rest) * w->missed_surplus * w->missed_surplus : 0;
}
