/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the method stem: kernels of one name with similar execution times are alike. The kernels of a
 * name, sorted by time, are cut in two where the deviation within the parts is smallest. A cut is made only
 * if it halves the deviation, because fewer samples are then needed for the same error. The remaining
 * deviation determines the number of samples (allocate.c).
 *
 * Launch costs and estimated times hide the work of kernels, so parts with a large variation of instructions
 * are cut like the strata of Sieve. Otherwise a few large kernels among many small ones would be missed, and
 * totals of instructions would be wrong.
 *
 * Published by Chung et al., "Swift and Trustworthy Large-Scale GPU Simulation with Fine-Grained Error
 * Modeling and Hierarchical Clustering" (STEM+ROOT), MICRO 2025.
 */
#include <math.h>
#include <stdlib.h>
#include "arena.h"
#include "pick.h"

#define STOP_CV 0.02 /* largest coefficient of variation of times that are not cut */
#define GAIN    0.5

/*
 * Returns the standard deviation of n execution times, multiplied by n. It is computed from their sum and the
 * sum of their squares.
 */
static double n_times_deviation(double n, double sum, double squares)
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
	if (n_times_deviation(n, sum, squares) <= STOP_CV * sum)
		return 0;
	best = GAIN * n_times_deviation(n, sum, squares);
	for (uint32_t i = 1; i < n; i++) {
		s += t[i - 1].value;
		q += t[i - 1].value * t[i - 1].value;
		double w = n_times_deviation(i, s, q) + n_times_deviation(n - i, sum - s, squares - q);

		if (t[i].value > t[i - 1].value && w < best) {
			best = w;
			at = i;
		}
	}
	return at;
}

static double time_of_pick_kernel(const struct pick_kernel *k) { return k->time; }

uint32_t method_stem(const struct app *a, const struct pick_options *w, uint32_t *of)
{
	return sieve_split_strata(a, of,
		method_split_strata(a, of, method_by_name(a, w, of), time_of_pick_kernel, cut_by_time));
}
