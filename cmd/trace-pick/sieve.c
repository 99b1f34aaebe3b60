/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sieve: kernels of one name whose warp instructions vary little are alike. Names whose instructions vary more (a
 * coefficient of variation of 0.4 and above) are split at the valleys of a kernel density estimate over the logarithm of the
 * instructions, or in halves where it has none, until none varies so much.
 *
 * Always true: a stratum is an interval of instructions within one name. After Naderan-Tahan, SeyyedAghaei and Eeckhout,
 * "Sieve: Stratified GPU-Compute Workload Sampling", ISPASS 2023.
 */
#include <math.h>
#include <stdlib.h>
#include "arena.h"
#include "pick.h"

#define MOST_CV   0.4
#define GRID      128u /* points of the density */
#define MOST_DEEP 24

struct by_size {
	double size;
	uint32_t kernel;
};

static int order(const void *a, const void *b)
{
	const struct by_size *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

static double variation(const struct by_size *k, uint32_t n)
{
	double mean = 0, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		mean += k[i].size;
	mean /= n;
	for (uint32_t i = 0; i < n; i++)
		sum += (k[i].size - mean) * (k[i].size - mean);
	return n && mean > 0 ? sqrt(sum / n) / mean : 0;
}

/* Gaussian density of the sorted logarithms v at x; far points do not count. */
static double density(const double *v, uint32_t n, double x, double width)
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

/* Where the density is least between two of its peaks; NAN: it has one peak. */
static double valley(const double *v, uint32_t n)
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
		at[i] = density(v, n, v[0] + i * step, width);
	for (uint32_t i = 1; i + 1 < GRID; i++) {
		peak = at[i] > peak ? at[i] : peak;
		if (at[i] <= at[i - 1] && at[i] < at[i + 1] && at[i] < 0.9 * peak && at[i] < best) {
			best = at[i];
			place = v[0] + i * step;
		}
	}
	return place;
}

/* How many of the n kernels, sorted by size, go to the lower part; from 1 to n - 1. */
static uint32_t cut(const struct by_size *k, uint32_t n)
{
	double *v = xmalloc(n * sizeof(*v)), place;
	uint32_t lower = 0;

	for (uint32_t i = 0; i < n; i++)
		v[i] = log(k[i].size);
	place = valley(v, n);
	if (isnan(place))
		place = (v[0] + v[n - 1]) / 2;
	while (lower < n && v[lower] <= place)
		lower++;
	free(v);
	return lower == 0 ? 1 : lower == n ? n - 1 : lower;
}

static void split(const struct by_size *k, uint32_t n, uint32_t *of, uint32_t *n_strata, unsigned deep)
{
	if (n > 1 && deep < MOST_DEEP && k[0].size < k[n - 1].size && variation(k, n) >= MOST_CV) {
		uint32_t lower = cut(k, n);

		split(k, lower, of, n_strata, deep + 1);
		split(k + lower, n - lower, of, n_strata, deep + 1);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		of[k[i].kernel] = *n_strata;
	++*n_strata;
}

uint32_t method_sieve(const struct app *a, const struct wish *w, uint32_t *of)
{
	struct by_size *k = xmalloc(a->n * sizeof(*k));
	struct groups g;
	uint32_t n_strata = 0;

	groups_by_name(&g, a, w->per_stream);
	for (uint32_t i = 0; i < g.n; i++) {
		uint32_t n = 0;

		for (uint32_t j = g.first[i]; j != UINT32_MAX; j = g.next[j])
			k[n++] = (struct by_size){a->kernel[j].insts ? (double)a->kernel[j].insts : 1, j};
		qsort(k, n, sizeof(*k), order);
		split(k, n, of, &n_strata, 0);
	}
	groups_free(&g);
	free(k);
	return n_strata;
}
