/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of results of trace-sim (text, JSON, msgpack) and logs of Accel-Sim, one kernel at a time.
 *
 * The form is recognised by content, so one stream may contain several runs in different forms. Always true: memory
 * is bounded by one record and the distinct names, for any length of the input; a kernel's figures are its own (a
 * log's running totals are subtracted and its rates recomputed, see trace-stats(5)) unless RESULT_RUNNING requests
 * running values; undefined and unknown figures are absent, never 0; a figure that the run record lists and a record
 * omits is 0 (trace-stats(5)). Every run that starts also ends, with the status "cut" if the input ends early.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"
#include "figure.h"
#include "input.h"

#define RESULT_NAMES_MAX (1u << 17) /* distinct names of one input; more are a fault */
#define RESULT_EXACT     INT8_MIN

enum result_form { RESULT_TEXT, RESULT_JSON, RESULT_MSGPACK, RESULT_ACCELSIM };

struct result_value {
	double real;
	uint64_t count;  /* the value, if `whole` is true */
	bool whole;      /* whole number, exact in 64 bits */
	int8_t decimals; /* decimal places of the printed value; RESULT_EXACT: exact */
};

struct result_figure {
	const char *name;           /* valid as long as the reader */
	const struct figure *about; /* NULL: the figure is not in trace-stats(5) */
	uint32_t id;                /* number of the name in the input, from 0 */
	struct result_value value;
};

struct result_option {
	const char *name, *value; /* option name without dash */
	bool about;               /* not an option but about the run's origin: "given.define", "version" */
};

struct result_kernel {
	uint32_t position; /* position in the run; 0: unknown */
	uint64_t id, stream;
	const char *name;
	char grid[40], block[40]; /* such as "6x1x1"; "": unknown */
	char status[16];          /* "unfinished" if the run ended in the kernel; else "" */
	char hash[33];            /* hash of its text; "" where unknown */
	char checksum[17];        /* checksum of its decoded thread blocks; "" where unknown */
	uint32_t reused_from;     /* position of the kernel from which its figures were copied; 0: its own */
};

enum result_event { RESULT_END_OF_INPUT, RESULT_START, RESULT_KERNEL, RESULT_DONE, RESULT_INTERVAL };

/* Event of results_next(); pointers are valid until the next call. */
struct result_item {
	enum result_form form;
	uint32_t run;                       /* number of the run in the input, from 1 */
	uint64_t end;                       /* RESULT_KERNEL: offset of the end of its record; 0 for logs */
	const struct result_option *option; /* RESULT_START: resolved configuration, as far as it is known */
	uint32_t n_options;
	/* RESULT_START: records omit figures that are 0, and figures of single units unless -s names them */
	bool lists_figures;
	struct result_kernel kernel; /* set if kind is RESULT_KERNEL */
	uint64_t first_cycle;        /* RESULT_INTERVAL: first cycle in the run */
	uint64_t cycles;             /* with RESULT_INTERVAL: length in cycles */
	/* Figures of the kernel or interval; for RESULT_DONE, of the whole run. */
	const struct result_figure *figure;
	uint32_t n_figures;
	const char *hash;   /* RESULT_DONE: hash of all kernels' texts; "" where unknown */
	const char *status; /* RESULT_DONE: complete, limit, deadlock, interrupted or cut */
	struct fault cut;   /* with status "cut": place and reason */
};

enum result_flags {
	RESULT_RUNNING = 1,  /* kernels have running values, as in Accel-Sim's log */
	RESULT_INTERVALS = 2 /* interval records give RESULT_INTERVAL; else they are skipped */
};

struct results;

struct results *results_open(
	const char *path, unsigned flags, struct fault *f); /* path "-": standard input */
/* Returns a reader of in, which it owns. */
struct results *results_new(struct input *in, unsigned flags);
/*
 * Limits figures to the wanted ones; the reader skips others, except in logs of Accel-Sim. wanted() is called once
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
/* Returns the value of a figure of the current item; NULL if absent. */
const struct result_value *results_find(const struct results *r, const char *name);
/*
 * Writes the two names of a figure's formula "A/B", with the indices of name, to num and den (cap bytes each).
 * Returns false if the figure has no formula.
 */
bool results_formula(const struct figure *about, const char *name, char *num, char *den, size_t cap);
void results_close(struct results *r);

#endif
