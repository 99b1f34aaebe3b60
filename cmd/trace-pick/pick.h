/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace-pick: declarations shared by its stages.
 *
 *   main.c      the command line
 *   features.c  one pass over all kernels, on several threads; count.c one kernel
 *   times.c     measured times of kernels; estimate.c: guessed ones
 *   method.c    the table of methods; sieve.c photon.c pka.c stem.c simple.c: a partition of kernels each
 *   linear.c    principal components, k-means
 *   allocate.c  how many of each stratum, which, and their weights
 *   report.c    the file of picks
 *
 * Always true: memory is some hundred bytes a kernel, whatever its length. Every stage processes kernels in the order of
 * the list, so that the result does not depend on the number of threads.
 */
#ifndef TRACE_PICK_H
#define TRACE_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "klist.h"
#include "tally.h"

/* Depth of reading a kernel; each includes those before it. */
enum pick_depth { READ_SUMMARY, READ_COUNTS, READ_CODE };
enum size_kind { SIZE_ONE, SIZE_INSTS, SIZE_TIME };

#define CODE_BINS 64u /* bins of a folded basic-block vector */

struct pick_kernel {
	uint32_t position; /* in the list, from 1 */
	bool left_out;     /* its name is not selected */
	char *name;
	uint64_t stream;
	uint32_t grid[3], block[3];
	uint64_t blocks, insts; /* warp instructions */
	double time;            /* 0: not known */
	/* READ_COUNTS */
	struct tally tally;
	/* READ_CODE: share of the warp instructions in each bin of code addresses */
	float code[CODE_BINS];
};

struct app {
	struct klist list;
	const struct kselect *select; /* part of the list to pick from; NULL: all */
	bool skip_missing;            /* --skip-missing */
	struct pick_kernel *kernel;   /* selected kernels that exist, in the order of the list */
	uint32_t n;
	uint32_t n_listed;            /* kernels of the list */
	struct klist_skipped skipped; /* selected kernels that are missing */
	bool timed;
};

struct wish {
	const char *part; /* operand of -k; NULL: not given */
	double error;     /* half of the 95 % interval, as a fraction of the total */
	uint32_t most;    /* kernels; UINT32_MAX: any number */
	uint64_t seed;
	bool per_stream, one;
};

/* ---- features.c, count.c ---- */

/* Reads the selected kernels of the list to that depth; a fault is fatal. a: select and skip_missing are set. */
void features_read(struct app *a, const char *path, enum pick_depth reading, unsigned threads);
void features_free(struct app *a);

struct counter;
struct counter *counter_new(const struct isa *isa, enum pick_depth reading, const struct kselect *select);
void counter_free(struct counter *c);
/* Reads one kernel of the list into *k, up to its name if that is not selected. Returns 0, or -1 and *f. */
int counter_read(struct counter *c, struct klist *list, uint32_t cmd, struct pick_kernel *k, struct fault *f);

/* ---- methods ---- */

/* Sets of[i], the stratum of each kernel, from 0; returns their number; none is empty. */
typedef uint32_t method_fn(const struct app *a, const struct wish *w, uint32_t *of);
#define METHOD(name, fn, ...) method_fn fn;
#include "methods.def"
#undef METHOD

struct method {
	const char *name;
	method_fn *strata;
	enum pick_depth reading;
	enum size_kind size;
	const char *help;
};

extern const struct method methods[];
extern const size_t n_methods;
const struct method *method_find(const char *name); /* NULL: none */

/* Returns the size of kernel k that the weights of a stratum add up; above 0. */
double method_size(const struct method *m, const struct pick_kernel *k);

/* method.c: a number with a value, sorted by value, then by number. */
struct ranked {
	double value;
	uint32_t number;
};
int method_rank_order(const void *a, const void *b);

/* method.c: one stratum for each name, with --per-stream for each name and stream. */
method_fn method_by_name;
/*
 * method.c: splits n strata. Sorts the kernels of each stratum by value and splits them in two where cut()
 * requests it, repeatedly. cut() returns the number of kernels of the lower part, from 1 to m - 1, or 0 to
 * keep the stratum whole. Returns the number of strata.
 */
typedef double value_fn(const struct pick_kernel *k);
typedef uint32_t cut_fn(const struct ranked *r, uint32_t m);
uint32_t method_cuts(const struct app *a, uint32_t *of, uint32_t n, value_fn *value, cut_fn *cut);
/* sieve.c: splits n strata by instructions until all have little variation. Returns the number of strata. */
uint32_t sieve_cuts(const struct app *a, uint32_t *of, uint32_t n);

/*
 * linear.c: overwrites x, n rows of d values, with the components of the rows along the axes of largest
 * variance, which together hold `share` of the variance. The columns are first scaled to mean 0 and deviation
 * 1. Returns the number of components.
 */
uint32_t linear_components(double *x, uint32_t n, uint32_t d, double share);
/*
 * Assigns n rows of d values (stride doubles apart) to k clusters in of[]. Returns the sum of squared distances from
 * the centres.
 */
double linear_kmeans(
	const double *x, uint32_t n, uint32_t d, uint32_t stride, uint32_t k, uint64_t seed, uint32_t *of);
/* Returns the next number of splitmix64, which is the same on every host. */
uint64_t linear_random(uint64_t *state);

/* ---- allocate.c ---- */

struct choice {
	uint32_t *stratum; /* by kernel */
	bool *picked;      /* by kernel */
	double *weight;    /* by stratum */
	double *spread;    /* by stratum: struct pick_stratum; 0: all picked */
	uint32_t *kernels; /* by stratum */
	uint32_t *label;   /* by stratum, from 1 in the order of their first kernels */
	uint32_t n, n_picked;
	double error; /* expected */
};
void choice_make(struct choice *c, const struct app *a, const struct method *m, const struct wish *w);
void choice_free(struct choice *c);

/* ---- times.c, estimate.c: a time above 0 for each kernel ---- */

void estimate_times(struct app *a); /* wants READ_COUNTS */
void times_read(struct app *a, const char *path);
/* Like times_read(), from an open input, which the caller closes. Returns 0, or -1 and *f. */
int times_parse(struct app *a, struct input *in, struct fault *f);

/* ---- report.c ---- */

void report(
	FILE *out, const struct app *a, const struct method *m, const struct wish *w, const struct choice *c);

#endif
