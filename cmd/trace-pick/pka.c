/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the method pka: kernels are points in a space of counts, which are replaced by their principal
 * components. The strata are clusters found by k-means. Their number is the smallest with which at most a
 * tenth of the variance remains within clusters.
 *
 * The published method uses counts of a profiler. Here the counts come from a trace: instructions by class,
 * sectors of global and local accesses, shared accesses, atomics, active lanes, thread blocks. Published by
 * Baddouh, Khairy, Green, Payer and Rogers, "Principal Kernel Analysis: A Tractable Methodology to Simulate
 * Scaled GPU Workloads", MICRO 2021.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "pick.h"

#define EXTRA      9u
#define N_FEATURES (N_CLASSES + EXTRA)
#define SHARE      0.99 /* share of the variance that the principal components must have */
#define WITHIN     0.1  /* share of that variance that may remain within clusters */
#define MOST_K     64u

/* Fills x with the features of a kernel. They are logarithms, because counts differ by powers of ten. */
static void compute_pka_features(const struct pick_kernel *k, double *x)
{
	for (uint32_t i = 0; i < N_CLASSES; i++)
		x[i] = log1p((double)k->tally.of_class[i]);
	const double more[EXTRA] = {(double)k->insts, (double)k->tally.loads, (double)k->tally.stores,
		(double)k->tally.local, (double)k->tally.shared, (double)k->tally.atomics, (double)k->blocks,
		(double)k->block[0] * k->block[1] * k->block[2], 0};

	for (uint32_t i = 0; i + 1 < EXTRA; i++)
		x[N_CLASSES + i] = log1p(more[i]);
	x[N_FEATURES - 1] = k->insts ? (double)k->tally.lanes / (32 * (double)k->insts) : 0; /* divergence */
}

static double total_variance(const struct points *p)
{
	uint32_t *one = xcalloc(p->n_rows, sizeof(*one));
	double sum = linear_kmeans(p, 1, 1, one);

	free(one);
	return sum;
}

/*
 * Renumbers the strata without gaps, in the order of the kernels, because k-means may leave a cluster empty.
 * With `per_stream`, splits strata by stream.
 */
static uint32_t renumber_strata(uint32_t *of, const struct app *a, bool per_stream)
{
	uint32_t n = 0, *first = xmalloc(a->n_kernels * sizeof(*first)),
		 *is = xmalloc(a->n_kernels * sizeof(*is));

	for (uint32_t i = 0; i < a->n_kernels; i++) {
		uint32_t s = 0;

		while (s < n &&
			(is[s] != of[i] || (per_stream && a->kernel[first[s]].stream != a->kernel[i].stream)))
			s++;
		if (s == n) {
			first[n] = i;
			is[n++] = of[i];
		}
		of[i] = s;
	}
	free(first);
	free(is);
	return n;
}

uint32_t method_pka(const struct app *a, const struct pick_options *w, uint32_t *of)
{
	double *x = xmalloc((size_t)a->n_kernels * N_FEATURES * sizeof(*x));
	struct points p = {.x = x, .n_rows = a->n_kernels, .stride = N_FEATURES};
	uint32_t k = 1, most = a->n_kernels < MOST_K ? a->n_kernels : MOST_K;

	for (uint32_t i = 0; i < a->n_kernels; i++)
		compute_pka_features(&a->kernel[i], x + (size_t)i * N_FEATURES);
	p.n_columns = linear_components(x, a->n_kernels, N_FEATURES, SHARE);
	double all = total_variance(&p);
	memset(of, 0, a->n_kernels * sizeof(*of));
	while (k < most && linear_kmeans(&p, k, w->seed, of) > WITHIN * all)
		k++;
	if (k == most)
		linear_kmeans(&p, k, w->seed, of);
	free(x);
	return renumber_strata(of, a, w->per_stream);
}
