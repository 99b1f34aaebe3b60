/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * STEM: kernels of one name with similar execution times are alike. A name's kernels, by time, are cut
 * in two where that leaves the least deviation within the parts, as long as a cut takes away half of it: then
 * fewer samples are needed for the same error, which is STEM's rule. The number of samples follows from the
 * deviation that is left (allocate.c).
 *
 * Launch costs and estimated times hide the work of kernels, so parts whose instructions vary much are cut as Sieve's
 * strata are. Otherwise few large kernels among many small ones are missed, and totals of instructions are wrong.
 *
 * After Chung et al., "Swift and Trustworthy Large-Scale GPU Simulation with Fine-Grained Error Modeling and
 * Hierarchical Clustering" (STEM+ROOT), MICRO 2025.
 */
#include <math.h>
#include <stdlib.h>
#include "arena.h"
#include "pick.h"

#define STOP_CV 0.02 /* times that vary less are one */
#define GAIN    0.5

/* Returns the deviation times n, from the sums of times and of their squares. */
static double weight_of_spread(double n, double sum, double squares)
{
	double var = squares / n - sum / n * (sum / n);

	return n * sqrt(var > 0 ? var : 0);
}

static uint32_t cut_by_time(const struct ranked *t, uint32_t n)
{
	double sum = 0, squares = 0, s = 0, q = 0, best;
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += t[i].value;
		squares += t[i].value * t[i].value;
	}
	if (weight_of_spread(n, sum, squares) <= STOP_CV * sum)
		return 0;
	best = GAIN * weight_of_spread(n, sum, squares);
	for (uint32_t i = 1; i < n; i++) {
		s += t[i - 1].value;
		q += t[i - 1].value * t[i - 1].value;
		double w = weight_of_spread(i, s, q) + weight_of_spread(n - i, sum - s, squares - q);

		if (t[i].value > t[i - 1].value && w < best) {
			best = w;
			at = i;
		}
	}
	return at;
}

static double time_of(const struct pick_kernel *k) { return k->time; }

uint32_t method_stem(const struct app *a, const struct wish *w, uint32_t *of)
{
	return sieve_cuts(a, of, method_cuts(a, of, method_by_name(a, w, of), time_of, cut_by_time));
}
