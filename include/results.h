/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of results of trace-sim (text, JSON, msgpack) and logs of Accel-Sim, one kernel at a time.
 *
 * The form is recognised by content, so one stream may contain several runs in different forms. Always true: memory
 * is bounded by one record and the distinct names, for any length of the input. A kernel's figures are its own unless
 * RESULT_RUNNING requests running values: a log's running totals are subtracted and its rates recomputed, see
 * trace-stats(5). Undefined and unknown figures are absent, never 0. A figure that the run record lists and a record
 * omits is 0. Every run that starts also ends, with the status "cut" if the input ends early.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"
#include "figure.h"
#include "input.h"

#define RESULT_NAMES_MAX (1u << 17) /* largest number of distinct names in one input; more are a fault */
#define RESULT_EXACT     INT8_MIN

enum result_form { RESULT_TEXT, RESULT_JSON, RESULT_MSGPACK, RESULT_ACCELSIM };

struct result_value {
	double real;     /* value as a floating-point number */
	uint64_t count;  /* value as an integer, if is_whole is true */
	bool is_whole;   /* true if the value is an integer, exact in 64 bits */
	int8_t decimals; /* decimal places of the printed value; RESULT_EXACT: exact value */
};

struct result_figure {
	const char *name;                 /* name, valid until the reader is freed */
	const struct figure *description; /* description; NULL: trace-stats(5) does not have the figure */
	uint32_t id;                      /* number of the name in the input, from 0 */
	struct result_value value;
};

struct result_option {
	const char *name;  /* name of the option without the dash */
	const char *value; /* value of the option */
	bool about;        /* true for a property of the run that is not an option, such as "version" */
};

struct result_kernel {
	uint32_t position; /* position of the kernel in the run; 0: unknown */
	uint64_t id, stream;
	const char *name;
	char grid[40], block[40]; /* dimensions such as "6x1x1"; "": unknown */
	char status[16];          /* "unfinished" if the run ended in the kernel; else "" */
	char hash[33];            /* hash of the kernel's text; "": unknown */
	char checksum[17];        /* checksum of the kernel's decoded thread blocks; "": unknown */
	uint32_t reused_from;     /* kernel from which the figures were copied; 0: its own figures */
};

enum result_event { RESULT_END_OF_INPUT, RESULT_START, RESULT_KERNEL, RESULT_DONE, RESULT_INTERVAL };

/* Event of results_next(). Its pointers are valid until the next call. */
struct result_item {
	enum result_form form;
	uint32_t run; /* number of the run in the input, from 1 */
	uint64_t end; /* RESULT_KERNEL: offset of the end of the kernel's record; 0 for logs */
	const struct result_option *option; /* RESULT_START: resolved configuration, as far as known */
	uint32_t n_options;                 /* number of options */
	/* RESULT_START: true if records omit figures that are 0, and figures of single units unless -s names them. */
	bool lists_figures;
	struct result_kernel kernel; /* kernel of RESULT_KERNEL */
	uint64_t first_cycle;        /* RESULT_INTERVAL: first cycle, counted from the start of the run */
	uint64_t cycles;             /* RESULT_INTERVAL: length in cycles */
	/* Figures of the kernel or interval; RESULT_DONE: figures of the whole run. */
	const struct result_figure *figure; /* array of n_figures figures */
	uint32_t n_figures;
	const char *hash;   /* RESULT_DONE: hash of all kernels' texts; "": unknown */
	const char *status; /* RESULT_DONE: complete, limit, deadlock, interrupted or cut */
	struct fault cut;   /* place and reason, if the status is "cut" */
};

enum result_flags {
	RESULT_RUNNING = 1,  /* gives running values of kernels, as Accel-Sim's log has them */
	RESULT_INTERVALS = 2 /* gives interval records as RESULT_INTERVAL instead of skipping them */
};

struct results;

/* Opens path; "-" is standard input. Returns NULL and sets *f on failure. */
struct results *results_open(const char *path, unsigned flags, struct fault *f);
/* Returns a reader of in. The reader owns in. */
struct results *results_new(struct input *in, unsigned flags);
/*
 * Limits figures to the wanted ones. The reader skips other figures, except in logs of Accel-Sim. Calls wanted() once
 * for each name. Totals of a run that was cut lack figures that depend on unwanted ones. Called before the first
 * results_next().
 */
typedef bool results_wanted(void *ctx, const char *name);
void results_limit_figures(struct results *r, results_wanted *wanted, void *ctx);
/*
 * Reads the next event. Returns its enum result_event, or -1 and sets *f. An input without any run is a fault
 * "no-run".
 */
int results_next(struct results *r, struct result_item *item, struct fault *f);
/* Returns the value of a figure of the current item; NULL if it has no such figure. */
const struct result_value *results_find(const struct results *r, const char *name);
/*
 * Writes the two names of a figure's formula "A/B" to num and den (cap bytes each), with the indices that name has.
 * Returns false if the figure has no formula.
 */
bool results_formula(const struct figure *about, const char *name, char *num, char *den, size_t cap);
void results_close(struct results *r);

#endif
