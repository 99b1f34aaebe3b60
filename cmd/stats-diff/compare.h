/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-diff: declarations shared by its files. One store has the results of both sides, so a column, a word
 * or an option has the same number on both sides. Side 0 is A, side 1 is B.
 */
#ifndef STATS_DIFF_H
#define STATS_DIFF_H

#include <jansson.h>
#include <stdio.h>
#include "arena.h"
#include "klist.h"
#include "namelist.h"
#include "store.h"

enum diff_form { DIFF_TEXT, DIFF_JSON, DIFF_MARKDOWN };

/*
 * A figure is considered equal if its difference is within either limit. A negative limit means that it is
 * not given.
 */
struct tolerance {
	char *pattern;
	double absolute, relative;
};

/* A name from the command line that must occur in a result. Also used for -k. */
struct required {
	const char *given_by; /* option that gives the name */
	char *name;
	bool found;
};

struct diff_options {
	struct namelist select, ignore;
	struct kselect *kernels;
	struct picks *weights; /* picks of --weights, or NULL */
	struct tolerance *tolerance;
	uint32_t n_tolerances;
	struct required *required;
	uint32_t n_required;
	enum diff_form form;
	uint32_t top; /* number of places of a profile (--top); 0 to compare figures */
	int top_by;   /* enum hotspots_by */
	bool all, quiet, summary, options, full;
};

struct side {
	uint32_t first_kernel, n_kernels, first_run, n_runs;
	const char *path;
	bool is_log, is_profile;
	bool lists_figures;      /* true if the records omit figures that their run record does not list */
	struct namelist written; /* names and patterns of trace-sim -s, if given */
};

struct pair {
	uint32_t kernel_a, kernel_b;
}; /* numbers of the kernels in the store, plus 1; 0 if there is none */

struct change {
	const char *name;
	bool has_figure[2]; /* by side: true if the side has the figure */
	bool moved;         /* true if the change exceeds the tolerance */
	bool minor;         /* true for a histogram entry with small counts */
	struct result_value value[2];
	double relative; /* difference divided by A; NaN if a side lacks the figure */
};

struct diff {
	const struct diff_options *options;
	struct store *store;
	struct side side[2];
	bool *seen[2];       /* for each column, true if the side has the figure */
	bool *has_family[2]; /* for each row of stats.def, true if the side has a figure of the row */
	struct pair *pair;
	uint32_t n_pairs, cap_pairs;
	struct change *change; /* changes of the current pair */
	uint32_t n_changes, cap_changes;
	/* values of the current kernel, by column; `decimals` is INT8_MAX for a missing value */
	struct result_value *cell[2];
	uint32_t n_changed, n_same, n_lone_kernels[2];
	bool has_incomplete_run, differs;
};

/* load.c: reads a result into one side. Returns 0, or -1 after a message if it cannot be read. */
int diff_load(struct diff *d, int side, const char *path);
/* Returns true if the records of a side have the figure whenever it is not 0. */
bool diff_has_figure(const struct side *s, const char *name, const struct figure *about);
/* Returns true if the options select the figure for comparison. */
bool diff_compares_figure(const struct diff_options *o, const char *name);
/*
 * required.c: required_add() adds a name that must occur. required_add_list() adds the names of a list that
 * are not in stats.def.
 */
void required_add(struct diff_options *o, const char *option, const char *name);
void required_add_list(struct diff_options *o, const char *option, const struct namelist *l);
/* Record that a side has the figure `name`, or that it has a kernel that -k selects. */
void required_note_figure(const struct diff_options *o, const char *name);
void required_note_kernel(const struct diff_options *o);
/* Ends the program if a name has not occurred. */
void required_check(const struct diff_options *o);
void required_free(struct diff_options *o);
void pair_kernels(struct diff *d);
/* top.c: compares the places of two profiles. Returns an exit status. */
int diff_top(const struct diff_options *o, FILE *out, const char *a, const char *b, const char *heading);
/*
 * Stores the changes of a pair in d->change, the largest first. Returns the number of figures that differ.
 */
uint32_t compare_pair(struct diff *d, const struct pair *p);
/* Returns the tolerance of the last -T that matches `name`, or NULL. */
const struct tolerance *tolerance_of(const struct diff_options *o, const char *name);
/*
 * weighted.c: prints a line for each figure of the application, and sets d->differs. Returns -1 after a
 * message if a pick has no result.
 */
int diff_print_weighted(struct diff *d, FILE *out, const char *heading);
/* Prints each pair of kernels that differs, and sets d->differs. */
void print_diff(struct diff *d, FILE *out, const char *heading);
void print_summary(struct diff *d, FILE *out, const char *heading);
void print_lone_file(enum diff_form form, FILE *out, const char *name, int side);
/* Prints `heading`, or both paths if it is NULL. */
void print_heading(const struct diff *d, FILE *out, const char *heading);
/*
 * Prints a text from the input: unprintable bytes as \xNN, special characters of Markdown with a backslash.
 */
void print_name(FILE *out, const char *text, enum diff_form form);
/* Returns the number of columns that the text takes when it is printed as DIFF_TEXT. */
int printed_width(const char *text);
/* Prints `text` as DIFF_TEXT, followed by blanks up to `width` columns. */
void print_name_padded(FILE *out, const char *text, int width);
/* Returns a new JSON string with the text as valid UTF-8. */
json_t *printed_json_string(const char *text);
/* Prints JSON value o on one line and releases it. */
void print_json_line(json_t *o, FILE *out);
/*
 * option.c: prints the options that differ, after a heading unless `headed`. Returns true if a heading has
 * been printed.
 */
bool option_print(const struct diff *d, FILE *out, const char *heading, bool headed);

#endif
