/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measured files: one figure of a real GPU per row, with thirteen columns separated by tabs
 *   id gpu workload params metric value unit min max clock_mhz tool source note
 * whose names are in the first line. Lines that begin with '#' are comments, except
 *   #with TOOL NAME=VALUE...
 *   #params TOOL NAME=VALUE...
 * The first sets options of the configuration for the rows of a tool: conditions that differ from those of
 * other measurements. The second sets parameters of the tool's rows that do not name them themselves.
 *
 * Always true of a file that was read: every row has all columns and a unique id; its text lives as long as
 * the struct. The workload is not interpreted here.
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
	double value;     /* value of text, or the first of its list */
	bool number;      /* text is a number or a list of numbers */
	double clock_mhz; /* 0: not given */
	struct place place;
};

struct measured_with {
	const char *tool, *define; /* "NAME=VALUE" */
	bool param;                /* a parameter of rows, not an option */
	struct place place;
};

struct measured {
	struct measured_row *row;
	struct measured_with *with;
	uint32_t n_rows, cap_rows, n_with, cap_with;
	struct arena arena;
};

/* Adds the rows and conditions of a file. Returns 0, or -1 and sets *f. */
int measured_read(struct measured *m, const char *path, struct fault *f);
/* The same for an open input. */
int measured_parse(struct measured *m, struct input *in, struct fault *f);
void measured_free(struct measured *m);

/*
 * Path of the measured file next to a configuration NAME.config, allocated in a; NULL: none, or config is
 * NULL or has another name.
 */
const char *measured_of_config(const char *config, struct arena *a);

/*
 * Value of key in "key=number,key=number"; a comma or a blank separates the items. Returns false if absent.
 * The value of a range FROM..TO is its geometric mean.
 */
bool measured_param(const char *params, const char *key, double *value);
/* The same for the parameters of a row, or else for the #params lines of its tool. */
bool measured_row_param(
	const struct measured *with, const struct measured_row *r, const char *key, double *value);
/* Copies the text of key's value, up to a comma, to out. */
bool measured_word(const char *params, const char *key, char *out, size_t cap);

#endif
