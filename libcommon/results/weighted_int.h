/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of one run, by pick. weighted.c and weighted_regress.c share them. */
#ifndef WEIGHTED_INT_H
#define WEIGHTED_INT_H

#include "weighted.h"

#define MISSES "L2_total_cache_misses"

struct weighted {
	struct store *store; /* store with the run */
	const struct picks *picks;
	double *value;             /* values, columns times picks; NaN: the pick lacks the figure */
	struct store_value *total; /* figures of the whole run, owned */
	uint32_t n_total;
	uint32_t *name; /* kernel name of each pick, as a word */
	bool cold;      /* true if some kernels were omitted and did not warm the caches */
	double *missed; /* 1 for a pick with L2 misses, else 0; NULL: no regression */
	/* For each pick, missed minus its mean in the pick's stratum or over the picks of its name. */
	double *missed_stray;
	double missed_spread; /* sum of missed_stray times missed's deviation from the rate per size */
	uint32_t missed_differ; /* number of picks that differ from the mean of their stratum or name in missed */
	double missed_surplus; /* number of kernels with L2 misses, minus its estimate from the picks */
};

/* Returns the sum over picks of weight times y[pick]. */
double weighted_total(const struct picks *p, const double *y);
/* Returns the values of a column by pick; NaN where the pick lacks it. */
double *weighted_values(const struct weighted *w, uint32_t column);
/* Returns the total of a figure that the run recorded; 0 if it recorded none. */
double weighted_run_total(const struct weighted *w, const char *name);

/*
 * Prepares the regression. Estimates are not regressed if the run does not count the kernels with L2 misses. The
 * regression requires a kernel of a fully picked stratum whose `missed` differs from that of the picks of its name,
 * and another pick that differs from its stratum or name. Otherwise the few picks of the other strata may all have no
 * misses, or the slope may fit a single pick.
 */
void weighted_prepare_regression(struct weighted *w);
/*
 * Estimates the sum of y over the application. y is not regressed if the slope is below twice its standard
 * deviation.
 */
double weighted_regressed_total(const struct weighted *w, const double *y);
/* Subtracts from y[pick] the part that the regression explains. */
void weighted_subtract_regression(const struct weighted *w, double *y);
/*
 * Returns the variance that the slope adds to an estimate, and sets *freedom to its degrees of freedom. Returns 0
 * without a regression. rest[pick] is the value after weighted_subtract_regression().
 */
double weighted_slope_variance(const struct weighted *w, const double *rest, double *freedom);

#endif
