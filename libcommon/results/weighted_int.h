/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of one run, by pick: shared by weighted.c and weighted_regress.c. */
#ifndef WEIGHTED_INT_H
#define WEIGHTED_INT_H

#include "weighted.h"

#define MISSES "L2_total_cache_misses"

struct weighted {
	struct store *s;
	const struct picks *p;
	double *value;             /* column times picks; NaN: the pick lacks it */
	struct store_value *total; /* figures of the whole run, owned */
	uint32_t n_total;
	uint32_t *name;         /* kernel name (word) by pick */
	bool cold;              /* kernels were left out and did not warm the caches */
	double *missed;         /* 1 if the pick has L2 misses, else 0, by pick; NULL: no regression */
	double *missed_stray;   /* missed minus its mean in the stratum or the name, by pick */
	double missed_spread;   /* sum of missed_stray times the deviation of missed from a rate per size */
	uint32_t missed_differ; /* picks whose missed_stray is not 0 */
	double missed_surplus;  /* kernels with L2 misses, minus their estimate from the picks */
};

/* Sum over picks of weight times y[pick]. */
double weighted_total(const struct picks *p, const double *y);
/* Values of a column by pick; NaN: the pick lacks it. */
double *weighted_values(const struct weighted *w, uint32_t column);
/* Total of a figure that the run recorded; 0 without one. */
double weighted_run_total(const struct weighted *w, const char *name);

/*
 * Prepares the regression; estimates are not regressed if the run does not count the kernels with L2 misses. It
 * needs a kernel of a fully picked stratum that differs in missed from the picks of its name, and another pick that
 * differs from its stratum or name. Without these, the few picks of the other strata may all be without misses, or the
 * slope may fit a single pick.
 */
void weighted_prepare_regression(struct weighted *w);
/* Estimates the sum of y over the application. y is not regressed if its slope is below twice its deviation. */
double weighted_regressed_total(const struct weighted *w, const double *y);
/* Subtracts from y, by pick, the part that the regression explains. */
void weighted_subtract_regression(const struct weighted *w, double *y);
/*
 * Variance that the slope adds to an estimate, from the rest that the regression left of it by pick, and its degrees
 * of freedom; 0 without a regression.
 */
double weighted_slope_variance(const struct weighted *w, const double *rest, double *freedom);

#endif
