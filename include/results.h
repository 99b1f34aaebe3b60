/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading results: what trace-sim writes (text, JSON, msgpack) and logs of Accel-Sim, one kernel at a time.
 *
 * The form is recognised by content, so that one stream may hold several runs in different forms. Always
 * true: memory is that of one record and of the distinct names met, whatever the length of the input; a
 * kernel's figures are its own (a log's running totals are subtracted and its rates divided anew, see
 * trace-stats(5)) unless RESULT_RUNNING asks for running values; what is undefined or cannot be known is
 * absent, never 0. Every run that starts also ends, with the status "cut" where the input stopped early.
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
	uint64_t count;  /* the same where whole */
	bool whole;      /* a count of events, exact in 64 bits */
	int8_t decimals; /* known to one unit of this decimal place, as printed; RESULT_EXACT: exact */
};

struct result_figure {
	const char *name;           /* lives as long as the reader */
	const struct figure *about; /* NULL: not in trace-stats(5) */
	uint32_t id;                /* of the name, from 0, small; the same all over the input */
	struct result_value value;
};

struct result_option {
	const char *name, *value; /* name without dash */
	bool about;               /* no option: where the run comes from, "given.define", "version" */
};

struct result_kernel {
	uint32_t position; /* in the run; 0: not known */
	uint64_t id, stream;
	const char *name;
	char grid[40], block[40]; /* "6x1x1"; "" when not known */
	char status[16];          /* "unfinished" where the run ended in it; else "" */
	char hash[33];            /* of its text; "" when not known */
	char checksum[17];        /* of its decoded thread blocks; "" when not known */
};

enum result_event { RESULT_END_OF_INPUT, RESULT_START, RESULT_KERNEL, RESULT_DONE, RESULT_INTERVAL };

/* What results_next() gives; pointers are good until the next call. */
struct result_item {
	enum result_form form;
	uint32_t run; /* which run of the input, from 1 */
	uint64_t end; /* RESULT_KERNEL: bytes of the input up to the end of its record; not of logs */
	const struct result_option *option; /* RESULT_START: the resolved configuration, as far as known */
	uint32_t n_options;
	struct result_kernel kernel; /* RESULT_KERNEL */
	uint64_t first_cycle,
		cycles; /* RESULT_INTERVAL: of the kernel's; where it began in the run, its length */
	const struct result_figure *figure; /* RESULT_KERNEL: the kernel's; RESULT_DONE: of the whole run */
	uint32_t n_figures;
	const char *hash;   /* RESULT_DONE: of all kernels' texts; "" when not known */
	const char *status; /* RESULT_DONE: complete, limit, deadlock, interrupted or cut */
	struct fault cut;   /* status "cut": where and how the input stopped */
};

enum result_flags {
	RESULT_RUNNING = 1,  /* kernels have running values, as Accel-Sim's block has */
	RESULT_INTERVALS = 2 /* RESULT_INTERVAL is given; else such records are passed over */
};

struct results;

struct results *results_open(const char *path, unsigned flags, struct fault *f); /* "-": standard input */
/* Takes in over, also on failure. */
struct results *results_new(struct input *in, unsigned flags);
/* An enum result_event, or -1 and *f. An input without any run is a fault "no-run". */
int results_next(struct results *r, struct result_item *item, struct fault *f);
/* The value of a figure of the item; NULL when it is absent. */
const struct result_value *results_find(const struct results *r, const char *name);
/*
 * The two names of a figure's formula "A/B", indices filled in from name; false when it has none. The
 * texts have room for cap bytes each.
 */
bool results_formula(const struct figure *about, const char *name, char *num, char *den, size_t cap);
void results_close(struct results *r);

#endif
