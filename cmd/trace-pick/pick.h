/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace-pick: declarations shared by its stages.
 *
 *   main.c      the command line
 *   features.c  one pass over all kernels, on several threads; count.c: reads one kernel
 *   times.c     measured times of kernels; estimate.c: estimated times
 *   method.c    the table of methods; sieve.c photon.c pka.c stem.c simple.c: the methods
 *   linear.c    principal components, k-means
 *   allocate.c  the number of picks per stratum, the picks and their weights
 *   report.c    the picks file
 *
 * Always true: a few hundred bytes of memory per kernel suffice, regardless of its length. Every stage
 * processes kernels in the order of the list, so the result does not depend on the number of threads.
 */
#ifndef TRACE_PICK_H
#define TRACE_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "klist.h"
#include "tally.h"

/* Depth to which a kernel is read. Each depth includes the previous ones. */
enum pick_depth { READ_SUMMARY, READ_COUNTS, READ_CODE };
enum size_kind { SIZE_ONE, SIZE_INSTS, SIZE_TIME };

#define CODE_BINS 64u /* number of bins of a folded basic-block vector */

struct pick_kernel {
	uint32_t position; /* position in the list, counted from 1 */
	bool left_out;     /* true if -k does not select the kernel's name */
	char *name;
	uint64_t stream;
	uint32_t grid[3], block[3];
	uint64_t blocks; /* number of thread blocks */
	uint64_t insts;  /* number of warp instructions */
	double time;     /* execution time; 0 if unknown */
	/* READ_COUNTS */
	struct tally tally;
	/* READ_CODE: share of the warp instructions in each bin of code addresses */
	float code[CODE_BINS];
};

struct app {
	struct klist list;
	const struct kselect *select; /* kernels to pick from; NULL for all kernels */
	bool skip_missing;            /* --skip-missing */
	struct pick_kernel *kernel;   /* selected kernels that exist, in the order of the list */
	uint32_t n_kernels;
	uint32_t n_listed;            /* number of kernels in the list */
	struct klist_skipped skipped; /* selected kernels that are missing */
	bool has_times;
};

struct pick_options {
	const char *selection; /* operand of -k; NULL if not given */
	double error;          /* wanted error: half of the 95 % interval, as a fraction of the total */
	uint32_t max_picks;    /* maximum number of picks; UINT32_MAX for any number */
	uint64_t seed;
	bool per_stream; /* option --per-stream */
	bool one;        /* option --one: one pick per stratum */
};

/* ---- features.c, count.c ---- */

/*
 * Reads the selected kernels of the list to depth `reading`. A fault ends the program. a->select and
 * a->skip_missing must be set.
 */
void features_read(struct app *a, const char *path, enum pick_depth reading, unsigned threads);
void features_free(struct app *a);

struct counter;
struct counter *counter_new(const struct isa *isa, enum pick_depth reading, const struct kselect *select);
void counter_free(struct counter *c);
/*
 * Reads the kernel of command `cmd` into *k. Reads only its header if its name is not selected. Returns 0, or
 * -1 and sets *f.
 */
int counter_read(struct counter *c, struct klist *list, uint32_t cmd, struct pick_kernel *k, struct fault *f);

/* ---- methods ---- */

/*
 * A method. Sets of[i] to the stratum of kernel i, counted from 0. Returns the number of strata. No stratum
 * is empty.
 */
typedef uint32_t method_fn(const struct app *a, const struct pick_options *w, uint32_t *of);
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
const struct method *method_find(const char *name); /* Returns NULL if there is no such method. */

/*
 * Returns the size of kernel k, which is greater than 0. The weighted sizes of the picks add up to the size
 * of the stratum.
 */
double method_size(const struct method *m, const struct pick_kernel *k);

/*
 * method.c: number of a kernel or stratum, with a value. Arrays of these are sorted by value, then by number.
 */
struct ranked {
	double value;
	uint32_t number;
};
int method_rank_order(const void *a, const void *b);

/* method.c: the method with one stratum per name, or per name and stream with --per-stream. */
method_fn method_by_name;
/*
 * method.c: splits n strata further. Sorts the kernels of each stratum by value, and splits them in two
 * repeatedly. cut() returns the number of kernels in the lower part, from 1 to m - 1, or 0 to keep the
 * stratum whole. Returns the number of strata.
 */
typedef double value_fn(const struct pick_kernel *k);
typedef uint32_t cut_fn(const struct ranked *r, uint32_t m);
uint32_t method_split_strata(const struct app *a, uint32_t *of, uint32_t n, value_fn *value, cut_fn *cut);
/* sieve.c: splits n strata by instructions until each has little variation. Returns the number of strata. */
uint32_t sieve_split_strata(const struct app *a, uint32_t *of, uint32_t n);

/*
 * linear.c: replaces x, n rows of d values, by the principal components of the rows that together have the
 * share `share` of the variance. The columns are first scaled to mean 0 and deviation 1. Returns the number
 * of components.
 */
uint32_t linear_components(double *x, uint32_t n, uint32_t d, double share);
/* Points: row i is the n_columns doubles starting at x + i * stride. */
struct points {
	const double *x;
	uint32_t n_rows, n_columns, stride;
};
/*
 * Assigns the points to at most k clusters, and sets of[] to the cluster of each point. Returns the sum of the squared
 * distances from the centres.
 */
double linear_kmeans(const struct points *p, uint32_t k, uint64_t seed, uint32_t *of);
/* Returns the next number of the splitmix64 generator, which is the same on every host. */
uint64_t linear_next_random(uint64_t *state);

/* ---- allocate.c ---- */

struct pick_choice {
	uint32_t *stratum; /* stratum of each kernel */
	bool *picked;      /* for each kernel, true if it is picked */
	double *weight;    /* weight of the picks of each stratum */
	double *spread;    /* spread of each stratum, see struct pick_stratum; 0 if all kernels are picked */
	uint32_t *kernels; /* number of kernels of each stratum */
	uint32_t *label;   /* number of each stratum, from 1, in the order of their first kernels */
	uint32_t n, n_picked;
	double error; /* expected error, as a fraction of the total */
};
void pick_choice_make(
	struct pick_choice *c, const struct app *a, const struct method *m, const struct pick_options *w);
void pick_choice_free(struct pick_choice *c);

/* ---- times.c and estimate.c: execution times of kernels, all greater than 0 ------------------- */

void estimate_times(struct app *a); /* requires depth READ_COUNTS */
void times_read(struct app *a, const char *path);
/* Like times_read(), but reads from an open input, which the caller closes. Returns 0, or -1 and sets *f. */
int times_parse(struct app *a, struct input *in, struct fault *f);

/* ---- report.c ---- */

void report_picks(FILE *out, const struct app *a, const struct method *m, const struct pick_options *w,
	const struct pick_choice *c);

#endif
