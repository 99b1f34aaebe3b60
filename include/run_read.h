/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading results: what trace-sim writes (text, JSON, msgpack) and logs of Accel-Sim, one kernel at a time.
 *
 * The form is recognised by content, so that one stream may hold several runs in different forms. Always
 * true: memory is that of one record and of the distinct names met, whatever the length of the input; a
 * kernel's figures are its own (a log's running totals are subtracted and its rates divided anew, see
 * trace-stats(5)) unless RUN_RUNNING asks for running values; what is undefined or cannot be known is
 * absent, never 0. Every run that starts also ends, with the status "cut" where the input stopped early.
 */
#ifndef RUN_READ_H
#define RUN_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"
#include "figure.h"
#include "input.h"

#define RUN_NAMES_MAX (1u << 17) /* distinct names of one input; more are a fault */
#define RUN_EXACT     INT8_MIN

enum run_form { RUN_TEXT, RUN_JSON, RUN_MSGPACK, RUN_ACCELSIM };

struct run_value {
	double real;
	uint64_t count;  /* the same where whole */
	bool whole;      /* a count of events, exact in 64 bits */
	int8_t decimals; /* known to one unit of this decimal place, as printed; RUN_EXACT: exact */
};

struct run_figure {
	const char *name;           /* lives as long as the reader */
	const struct figure *about; /* NULL: not in trace-stats(5) */
	uint32_t id;                /* of the name, from 0, small; the same all over the input */
	struct run_value value;
};

struct run_option {
	const char *name, *value; /* name without dash */
	bool about;               /* no option: where the run comes from, "given.define", "version" */
};

struct run_kernel {
	uint32_t position; /* in the run; 0: not known */
	uint64_t id, stream;
	const char *name;
	char grid[40], block[40]; /* "6x1x1"; "" when not known */
	char status[16];          /* "unfinished" where the run ended in it; else "" */
	char hash[33];            /* of its text; "" when not known */
};

enum run_event { RUN_END_OF_INPUT, RUN_START, RUN_KERNEL, RUN_DONE, RUN_INTERVAL };

/* What run_next() gives; pointers are good until the next call. */
struct run_item {
	enum run_form form;
	uint32_t run; /* which run of the input, from 1 */
	uint64_t end; /* RUN_KERNEL: bytes of the input up to the end of its record; not of logs */
	const struct run_option *option; /* RUN_START: the resolved configuration, as far as known */
	uint32_t n_options;
	struct run_kernel kernel; /* RUN_KERNEL */
	uint64_t first_cycle,
		cycles; /* RUN_INTERVAL: of the kernel's; where it began in the run, its length */
	const struct run_figure *figure; /* RUN_KERNEL: the kernel's; RUN_DONE: of the whole run */
	uint32_t n_figures;
	const char *hash;   /* RUN_DONE: of all kernels' texts; "" when not known */
	const char *status; /* RUN_DONE: complete, limit, deadlock, interrupted or cut */
	struct fault cut;   /* status "cut": where and how the input stopped */
};

enum run_flags {
	RUN_RUNNING = 1,  /* kernels have running values, as Accel-Sim's block has */
	RUN_INTERVALS = 2 /* RUN_INTERVAL is given; else such records are passed over */
};

struct run_reader;

struct run_reader *run_open(const char *path, unsigned flags, struct fault *f); /* "-": standard input */
/* Takes in over, also on failure. */
struct run_reader *run_reader_new(struct input *in, unsigned flags);
/* An enum run_event, or -1 and *f. An input without any run is a fault "no-run". */
int run_next(struct run_reader *r, struct run_item *item, struct fault *f);
/* The value of a figure of the item; NULL when it is absent. */
const struct run_value *run_find(const struct run_reader *r, const char *name);
/*
 * The two names of a figure's formula "A/B", indices filled in from name; false when it has none. The
 * texts have room for cap bytes each.
 */
bool run_formula(const struct figure *about, const char *name, char *num, char *den, size_t cap);
void run_close(struct run_reader *r);

#endif
