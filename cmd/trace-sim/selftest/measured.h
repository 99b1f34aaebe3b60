/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measured files: one figure of a real GPU per row, with thirteen columns that are separated by tabs and
 * named in the first line:
 *   id gpu workload params metric value unit min max clock_mhz tool source note
 * Lines that begin with '#' are comments, except
 *   #with TOOL NAME=VALUE...
 *   #params TOOL NAME=VALUE...
 * "#with" sets options of the configuration for the rows of a tool, which measured under other conditions.
 * "#params" sets parameters for the rows of a tool that do not have them.
 *
 * Always true of a file that was read: every row has all columns and a unique id. Its text lives as long as
 * the struct. This module does not interpret the workload.
 */
#ifndef SELFTEST_MEASURED_H
#define SELFTEST_MEASURED_H

#include <stdbool.h>
#include <stdint.h>
#include "arena.h"
#include "diag.h"
#include "input.h"

#define MEASURED_NONE "not validated" /* value of a figure that was not measured on this GPU */

struct measured_row {
	const char *id, *gpu, *workload, *params, *metric, *text, *unit, *tool, *source, *note;
	double value;      /* value of `text`, or first value if `text` is a list */
	bool is_number;    /* true if `text` is a number or a list of numbers */
	bool is_predicted; /* the value is MEASURED_NONE: the row is simulated and compared with nothing */
	double clock_mhz;  /* clock rate in MHz; 0 if the file does not give it */
	struct place place;
};

struct measured_with {
	const char *tool;   /* "#with" holds for the rows of this tool */
	const char *define; /* "NAME=VALUE" */
	bool is_param;      /* true for a parameter of rows, false for an option */
	struct place place;
};

struct measured {
	struct measured_row *row;
	struct measured_with *with;
	uint32_t n_rows, cap_rows, n_with, cap_with;
	struct arena arena;
};

/* Adds the rows and the #with and #params lines of a file to m. Returns 0, or -1 and sets *f. */
int measured_read(struct measured *m, const char *path, struct fault *f);
/* Like measured_read(), but reads from an open input. */
int measured_parse(struct measured *m, struct input *in, struct fault *f);
void measured_free(struct measured *m);

/*
 * Returns the path of the measured file next to the configuration file NAME.config, allocated in a. Returns
 * NULL if there is no such file, or if config is NULL or has another suffix.
 */
const char *measured_path_of_config(const char *config, struct arena *a);

/*
 * Finds the value of `key` in "key=number,key=number". A comma or a blank separates the items. The value of a
 * range FROM..TO is its geometric mean. Returns false if the key is absent.
 */
bool measured_param(const char *params, const char *key, double *value);
/*
 * Finds the value of `key` in the params of row r or, if they lack it, in the #params lines of the row's
 * tool.
 */
bool measured_row_param(
	const struct measured *with, const struct measured_row *r, const char *key, double *value);
/*
 * Copies the text after "key=", up to a comma, to `out`. Returns false if the key is absent or the text does
 * not fit.
 */
bool measured_copy_value(const char *params, const char *key, char *out, size_t cap);

#endif
