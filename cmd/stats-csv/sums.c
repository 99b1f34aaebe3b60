/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums the values of one figure in one group, and implements the functions of --agg.
 *
 * Always true: a missing value is ignored. Values are kept only for quantiles, which interpolate between
 * neighbours. The standard deviation is the sample standard deviation (divisor n - 1), which is undefined for
 * one value. A geometric mean requires values above 0. It is computed from logarithms of ratios to the first
 * value, so that the mean of equal values is exact.
 */
#include <math.h>
#include <stdlib.h>
#include "job.h"

void sums_add(struct sums *s, const struct result_value *v, bool keep)
{
	double x = v->real, from_mean;

	if (!s->n) {
		s->first_value = s->min = s->max = x;
		s->whole = s->positive = true;
		s->log_first = x > 0 ? log(x) : 0;
	}
	from_mean = x - s->mean;
	s->n++;
	s->mean += from_mean / (double)s->n;
	s->squares += from_mean * (x - s->mean);
	s->sum += x;
	s->count += v->count;
	s->whole &= v->is_whole && s->count >= v->count; /* false if the sum has wrapped around */
	s->positive &= x > 0;
	s->log_sum += x > 0 ? log(x) - s->log_first : 0;
	s->min = x < s->min ? x : s->min;
	s->max = x > s->max ? x : s->max;
	if (keep) {
		grow(&s->value, &s->cap_values, (uint32_t)s->n, sizeof(*s->value));
		s->value[s->n - 1] = x;
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile_of(struct sums *s, double part)
{
	double at = part * (double)(s->n - 1);
	uint64_t below = (uint64_t)at;

	if (!s->sorted)
		qsort(s->value, s->n, sizeof(*s->value), compare_doubles);
	s->sorted = true;
	if (below + 1 >= s->n)
		return s->value[s->n - 1];
	return s->value[below] + (at - (double)below) * (s->value[below + 1] - s->value[below]);
}

bool sums_needs_values(enum agg agg) { return agg == AGG_MEDIAN || agg == AGG_P90; }

double sums_aggregate(struct sums *s, enum agg agg)
{
	double n = (double)s->n;

	if (!s->n)
		return (double)NAN;
	switch (agg) {
	case AGG_MEAN: return s->sum / n;
	case AGG_GEOMEAN: return s->positive ? s->first_value * exp(s->log_sum / n) : (double)NAN;
	case AGG_MEDIAN: return quantile_of(s, 0.5);
	case AGG_P90: return quantile_of(s, 0.9);
	case AGG_STDDEV: return s->n > 1 ? sqrt(s->squares / (n - 1)) : (double)NAN;
	case AGG_MIN: return s->min;
	case AGG_MAX: return s->max;
	default: return s->sum;
	}
}
