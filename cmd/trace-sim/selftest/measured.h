/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measured files: one figure of a real GPU a row, tab-separated, with the thirteen columns
 *   id gpu workload params metric value unit min max clock_mhz tool source note
 * named in the first line. Lines that begin with '#' are comments, but for
 *   #with TOOL NAME=VALUE...
 *   #params TOOL NAME=VALUE...
 * The first sets options of the configuration for the rows of that tool: conditions of a measurement that
 * differ from those of the others. The second says what the tool's program is: parameters of its rows that do
 * not name them.
 *
 * Always true of a file that was read: every row has all columns and an id of its own; its text lives as long
 * as the struct. What a workload means is not judged here.
 */
#ifndef SELFTEST_MEASURED_H
#define SELFTEST_MEASURED_H

#include <stdbool.h>
#include <stdint.h>
#include "arena.h"
#include "diag.h"
#include "input.h"

struct measured_row {
	const char *id, *gpu, *workload, *params, *metric, *text, *unit, *tool, *source, *note;
	double value;     /* of text, or the first of its list */
	bool number;      /* text is a number or a list of them */
	double clock_mhz; /* 0: not given */
	struct place at;
};

struct measured_with {
	const char *tool, *define; /* "NAME=VALUE" */
	bool param;                /* of the rows, not an option */
	struct place at;
};

struct measured {
	struct measured_row *row;
	struct measured_with *with;
	uint32_t n_rows, cap_rows, n_with, cap_with;
	struct arena arena;
};

/* Rows and conditions of one more file. 0, or -1 and *f. */
int measured_read(struct measured *m, const char *path, struct fault *f);
/* The same from an open input. */
int measured_parse(struct measured *m, struct input *in, struct fault *f);
void measured_free(struct measured *m);

/*
 * The measured file beside a configuration NAME.config, in a; NULL: there is none, or no such name (NULL is
 * none).
 */
const char *measured_of_config(const char *config, struct arena *a);

/*
 * Value of key in "key=number,key=number", where key may be what stands before '=' of any item. false: not
 * there. A range FROM..TO gives its geometric middle.
 */
bool measured_param(const char *params, const char *key, double *value);
/* The same of a row, or else of what the file says of its tool's rows. */
bool measured_row_param(
	const struct measured *with, const struct measured_row *r, const char *key, double *value);
/* The text of key's value up to a comma, in out. */
bool measured_word(const char *params, const char *key, char *out, size_t cap);

#endif
