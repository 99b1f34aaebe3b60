/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * STEM: kernels of one name whose execution times lie together are alike. A name's kernels, by time, are cut in two where
 * that leaves the least deviation within the parts, as long as a cut takes away half of it: then fewer samples are needed
 * for the same error, which is STEM's rule. The number of samples follows from the deviation that is left (allocate.c).
 *
 * After Chung et al., "Swift and Trustworthy Large-Scale GPU Simulation with Fine-Grained Error Modeling and Hierarchical
 * Clustering" (STEM+ROOT), MICRO 2025.
 */
#include <math.h>
#include <stdlib.h>
#include "arena.h"
#include "pick.h"

#define STOP_CV   0.02 /* times that vary less are one */
#define GAIN      0.5
#define MOST_DEEP 24

struct timed {
	double time;
	uint32_t kernel;
};

static int order(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* Deviation times number, from sums of times and of their squares. */
static double weight(double n, double sum, double squares)
{
	double var = squares / n - sum / n * (sum / n);

	return n * sqrt(var > 0 ? var : 0);
}

/* Where to cut, 0: nowhere. */
static uint32_t cut(const struct timed *t, uint32_t n)
{
	double sum = 0, squares = 0, s = 0, q = 0, best;
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += t[i].time;
		squares += t[i].time * t[i].time;
	}
	if (weight(n, sum, squares) <= STOP_CV * sum)
		return 0;
	best = GAIN * weight(n, sum, squares);
	for (uint32_t i = 1; i < n; i++) {
		s += t[i - 1].time;
		q += t[i - 1].time * t[i - 1].time;
		double w = weight(i, s, q) + weight(n - i, sum - s, squares - q);

		if (t[i].time > t[i - 1].time && w < best) {
			best = w;
			at = i;
		}
	}
	return at;
}

static void split(const struct timed *t, uint32_t n, uint32_t *of, uint32_t *n_strata, unsigned deep)
{
	uint32_t at = deep < MOST_DEEP ? cut(t, n) : 0;

	if (at) {
		split(t, at, of, n_strata, deep + 1);
		split(t + at, n - at, of, n_strata, deep + 1);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		of[t[i].kernel] = *n_strata;
	++*n_strata;
}

uint32_t method_stem(const struct app *a, const struct wish *w, uint32_t *of)
{
	struct timed *t = xmalloc(a->n * sizeof(*t));
	struct groups g;
	uint32_t n_strata = 0;

	groups_by_name(&g, a, w->per_stream);
	for (uint32_t i = 0; i < g.n; i++) {
		uint32_t n = 0;

		for (uint32_t j = g.first[i]; j != UINT32_MAX; j = g.next[j])
			t[n++] = (struct timed){a->kernel[j].time, j};
		qsort(t, n, sizeof(*t), order);
		split(t, n, of, &n_strata, 0);
	}
	groups_free(&g);
	free(t);
	return n_strata;
}
