/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Regression of estimates from picks on the kernels with L2 misses.
 *
 * A kernel that is the first to access its data waits for DRAM and takes longer than other kernels of its stratum. A
 * run with warmed caches counts the kernels with L2 misses among all kernels, so estimates are regressed on this
 * number (Cochran, Sampling Techniques, chapter 7): the slope times the difference between the number and its
 * estimate from the picks is added. The slope is the same for all strata. The error then consists of the error of
 * the regression's residuals and the error of the slope. The variance of the slope is White's estimate (A
 * heteroskedasticity-consistent covariance matrix estimator, Econometrica 48, 1980), because misses have unequal
 * costs. The slope has no meaning for figures that do not depend on misses, or if sizes do not predict cycles in the
 * strata; such figures are not regressed.
 */
#include <math.h>
#include <stdlib.h>
#include "arena.h"
#include "weighted_int.h"

struct rate_sums {
	double values, sizes;
};

/* Returns true if all kernels of the stratum of pick i are picked. */
static bool is_fully_picked(const struct picks *p, uint32_t i)
{
	const struct pick_stratum *s = &p->stratum[p->pick[i].stratum];

	return s->picked >= s->kernels;
}

/*
 * Sets out[pick] to the deviation of y[pick] from a rate, which is per size or per kernel: the rate of its stratum
 * or, if all kernels of the stratum are picked, the rate of the picks of its kernel name in other strata. Without
 * such picks the deviation is 0.
 */
static void set_deviations(const struct weighted *w, const double *y, bool by_size, double *out)
{
	const struct picks *p = w->picks;
	uint32_t names = 0;

	for (uint32_t i = 0; i < p->n; i++)
		names = w->name[i] > names ? w->name[i] : names;
	struct rate_sums *stratum = xcalloc(p->n_strata, sizeof(*stratum)),
			 *name = xcalloc((size_t)names + 1, sizeof(*name));
	for (uint32_t i = 0; i < p->n; i++) {
		double x = by_size ? p->pick[i].size : 1, weight = p->pick[i].weight;

		if (is_fully_picked(p, i))
			continue;
		stratum[p->pick[i].stratum].values += y[i];
		stratum[p->pick[i].stratum].sizes += x;
		name[w->name[i]].values += weight * y[i];
		name[w->name[i]].sizes += weight * x;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		const struct rate_sums *s =
			is_fully_picked(p, i) ? &name[w->name[i]] : &stratum[p->pick[i].stratum];

		out[i] = s->sizes > 0 ? y[i] - s->values / s->sizes * (by_size ? p->pick[i].size : 1) : 0;
	}
	free(stratum);
	free(name);
}

/* Returns the slope of stray, a figure's deviations, on missed_stray. */
static double slope_of_strays(const struct weighted *w, const double *stray)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->picks->n; i++)
		sum += stray[i] * w->missed_stray[i];
	return sum / w->missed_spread;
}

/* Returns the variance of the slope, from the deviations of the figure's residuals. */
static double slope_variance(const struct weighted *w, const double *stray)
{
	double sum = 0, n = w->missed_differ;

	for (uint32_t i = 0; i < w->picks->n; i++)
		sum += stray[i] * stray[i] * w->missed_stray[i] * w->missed_stray[i];
	return sum * n / (n - 1) / (w->missed_spread * w->missed_spread);
}

/*
 * Returns the difference in y between kernels with and without L2 misses. Returns 0 if the difference is less than
 * twice its standard deviation, since the picks then do not show that y depends on misses.
 */
static double slope_of_misses(const struct weighted *w, const double *y)
{
	const uint32_t n = w->picks->n;
	double *stray, *rest, slope;

	if (!w->missed)
		return 0;
	stray = xmalloc(n * sizeof(*stray));
	rest = xmalloc(n * sizeof(*rest));
	set_deviations(w, y, true, stray);
	slope = slope_of_strays(w, stray);
	for (uint32_t i = 0; i < n; i++)
		rest[i] = y[i] - slope * w->missed[i];
	set_deviations(w, rest, true, stray);
	if (!(slope * slope >= 4 * slope_variance(w, stray)))
		slope = 0;
	free(stray);
	free(rest);
	return slope;
}

/*
 * Sets *all to the number of kernels of the application with L2 misses, simulated and omitted. Returns false if the
 * run did not count these kernels.
 */
static bool count_missed(const struct weighted *w, const double *missed, double *all)
{
	double left_out = weighted_run_total(w, "warmed_kernels"),
	       kernels = weighted_run_total(w, "warmed_kernels_with_L2_misses");

	*all = kernels;
	for (uint32_t i = 0; i < w->picks->n; i++)
		*all += missed[i];
	return left_out > 0 && !w->picks->n_part && left_out + w->picks->n == picks_represented(w->picks) &&
	       (kernels > 0 || weighted_run_total(w, "warmed_L2_misses") == 0);
}

void weighted_prepare_regression(struct weighted *w)
{
	const uint32_t column = store_find_column(w->store, MISSES), n = w->picks->n;
	bool informed = false;
	double all, *by_size;

	if (column == w->store->n_columns)
		return;
	w->missed = xmalloc(n * sizeof(*w->missed));
	w->missed_stray = xmalloc(n * sizeof(*w->missed_stray));
	for (uint32_t i = 0; i < n; i++)
		w->missed[i] = weighted_values(w, column)[i] > 0;
	set_deviations(w, w->missed, false, w->missed_stray);
	by_size = xmalloc(n * sizeof(*by_size));
	set_deviations(w, w->missed, true, by_size);
	for (uint32_t i = 0; i < n; i++) {
		w->missed_spread += w->missed_stray[i] * by_size[i];
		w->missed_differ += fabs(w->missed_stray[i]) > 0;
		informed |= is_fully_picked(w->picks, i) && fabs(w->missed_stray[i]) > 0;
	}
	free(by_size);
	if (informed && w->missed_differ > 1 && w->missed_spread > 0 && count_missed(w, w->missed, &all)) {
		w->missed_surplus = all - weighted_total(w->picks, w->missed);
		return;
	}
	free(w->missed);
	w->missed = NULL;
}

double weighted_regressed_total(const struct weighted *w, const double *y)
{
	return weighted_total(w->picks, y) + slope_of_misses(w, y) * w->missed_surplus;
}

void weighted_subtract_regression(const struct weighted *w, double *y)
{
	double slope = slope_of_misses(w, y);

	for (uint32_t i = 0; w->missed && i < w->picks->n; i++)
		y[i] -= slope * w->missed[i];
}

double weighted_slope_variance(const struct weighted *w, const double *rest, double *freedom)
{
	double *stray, variance = 0, slope;

	*freedom = (double)w->missed_differ - 1;
	if (!w->missed)
		return 0;
	stray = xmalloc(w->picks->n * sizeof(*stray));
	set_deviations(w, rest, true, stray);
	slope = slope_of_strays(w, stray);
	variance = slope_variance(w, stray);
	free(stray);
	/*
	 * If the residuals still have a slope, no part was subtracted from the figure, so the slope adds no variance.
	 */
	return slope * slope < 1e-12 * variance ? variance * w->missed_surplus * w->missed_surplus : 0;
}
