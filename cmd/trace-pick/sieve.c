/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the method sieve: kernels of one name are alike if their numbers of warp instructions vary
 * little. If they vary more (a coefficient of variation of 0.4 or more), the kernels of the name are split at
 * the minima of a kernel density estimate over the logarithm of the instructions, or in halves if there is no
 * minimum. This is repeated until no part varies that much.
 *
 * Always true: a stratum is an interval of instructions within one name. Published by Naderan-Tahan,
 * SeyyedAghaei and Eeckhout, "Sieve: Stratified GPU-Compute Workload Sampling", ISPASS 2023.
 */
#include <math.h>
#include <stdlib.h>
#include "arena.h"
#include "pick.h"

#define MOST_CV 0.4
#define GRID    128u /* number of points at which the density is evaluated */

static double coefficient_of_variation(const struct ranked *k, uint32_t n)
{
	double mean = 0, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += k[i].value;
	mean /= n;
	for (uint32_t i = 0; i < n; i++)
		sum += (k[i].value - mean) * (k[i].value - mean);
	return n && mean > 0 ? sqrt(sum / n) / mean : 0;
}

/*
 * Returns the Gaussian density of the sorted logarithms v at x. Ignores points that are farther away than 4
 * widths.
 */
static double density_at(const double *v, uint32_t n, double x, double width)
{
	double sum = 0;
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t m = lo + (hi - lo) / 2;

		if (v[m] < x - 4 * width)
			lo = m + 1;
		else
			hi = m;
	}
	for (uint32_t i = lo; i < n && v[i] <= x + 4 * width; i++) {
		double u = (v[i] - x) / width;

		sum += exp(-0.5 * u * u);
	}
	return sum;
}

/* Returns the lowest point of the density between two peaks, or NAN if it has only one peak. */
static double lowest_point_between_peaks(const double *v, uint32_t n)
{
	double mean = 0, var = 0, at[GRID], best = INFINITY, place = NAN, peak = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += v[i] / n;
	for (uint32_t i = 0; i < n; i++)
		var += (v[i] - mean) * (v[i] - mean) / n;
	double width = 1.06 * sqrt(var) * pow(n, -0.2), step = (v[n - 1] - v[0]) / (GRID - 1);
	if (!(width > 0))
		return NAN;
	for (uint32_t i = 0; i < GRID; i++)
		at[i] = density_at(v, n, v[0] + i * step, width);
	for (uint32_t i = 1; i + 1 < GRID; i++) {
		peak = at[i] > peak ? at[i] : peak;
		if (at[i] <= at[i - 1] && at[i] < at[i + 1] && at[i] < 0.9 * peak && at[i] < best) {
			best = at[i];
			place = v[0] + i * step;
		}
	}
	return place;
}

static uint32_t cut_by_insts(const struct ranked *k, uint32_t n)
{
	if (n < 2 || k[0].value >= k[n - 1].value || coefficient_of_variation(k, n) < MOST_CV)
		return 0;
	double *v = xmalloc(n * sizeof(*v)), place;
	uint32_t lower = 0;
	for (uint32_t i = 0; i < n; i++)
		v[i] = log(k[i].value);
	place = lowest_point_between_peaks(v, n);
	if (isnan(place))
		place = (v[0] + v[n - 1]) / 2;
	while (lower < n && v[lower] <= place)
		lower++;
	free(v);
	return lower == 0 ? 1 : lower == n ? n - 1 : lower;
}

static double insts_or_one(const struct pick_kernel *k) { return k->insts ? (double)k->insts : 1; }

uint32_t sieve_split_strata(const struct app *a, uint32_t *of, uint32_t n)
{
	return method_split_strata(a, of, n, insts_or_one, cut_by_insts);
}

uint32_t method_sieve(const struct app *a, const struct pick_options *w, uint32_t *of)
{
	return sieve_split_strata(a, of, method_by_name(a, w, of));
}
