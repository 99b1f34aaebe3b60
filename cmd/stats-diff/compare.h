/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-diff: declarations shared by its files. One store has both sides, so a column, a word and an option have the
 * same number on both. Side 0 is A, side 1 is B.
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

/* A figure is equal if it is within either of the two. */
struct tolerance {
	char *pattern;
	double absolute, relative;
};

/* A name on the command line that must occur in a result. */
struct asked {
	const char *option;
	char *name;
	bool met;
};

struct diff_options {
	struct namelist select, ignore;
	struct kselect *kernels;
	struct picks *weights; /* picks of --weights, or NULL */
	struct tolerance *tolerance;
	uint32_t n_tolerances;
	struct asked *asked;
	uint32_t n_asked;
	enum diff_form form;
	uint32_t top; /* --top: this many places of a profile; 0: figures */
	int by;       /* enum hotspots_by */
	bool all, quiet, summary, options, full;
};

struct side {
	uint32_t first_kernel, n_kernels, first_run, n_runs;
	const char *path;
	bool log;
	bool lists_figures;      /* the records omit figures of single units */
	struct namelist written; /* names and patterns of trace-sim -s: its records have no others */
};

struct pair {
	uint32_t a, b;
}; /* kernels of the store + 1; 0: none */

struct change {
	const char *name;
	bool has[2], moved;
	bool minor; /* an entry of a histogram with a small count, whose relative change means little */
	struct result_value value[2];
	/* difference divided by A; infinite where A is 0, NaN where a side lacks the figure */
	double relative;
};

struct diff {
	const struct diff_options *o;
	struct store *store;
	struct side side[2];
	bool *seen[2];        /* by column */
	bool *seen_family[2]; /* by row of stats.def */
	struct pair *pair;
	uint32_t n_pairs, cap_pairs;
	struct change *change; /* changes of the current pair */
	uint32_t n_changes, cap_changes;
	struct result_value *cell[2]; /* by column; decimals INT8_MAX: none */
	uint32_t n_moved, n_same, n_only[2];
	bool stopped_early, differs, trouble;
};

/* load.c: -1 after a message when a side cannot be read. */
int diff_load(struct diff *d, int side, const char *path);
/* True if the records of a side have the figure where it is not 0. */
bool diff_has_figure(const struct side *s, const char *name, const struct figure *about);
/* True if the figure is compared. */
bool diff_wanted(const struct diff_options *o, const char *name);
/* asked.c: adds a name; adds the names of a list that stats.def does not guarantee. */
void asked_add(struct diff_options *o, const char *option, const char *name);
void asked_names(struct diff_options *o, const char *option, const struct namelist *l);
/* Notes that a side has this figure, or a kernel of -k. */
void asked_figure(const struct diff_options *o, const char *name);
void asked_kernel(const struct diff_options *o);
/* Fatal error if a name did not occur. */
void asked_check(const struct diff_options *o);
void asked_free(struct diff_options *o);
void pair_kernels(struct diff *d);
/* top.c: returns an exit status. */
int diff_top(const struct diff_options *o, FILE *out, const char *a, const char *b, const char *heading);
/* Fills change[] for a pair, the largest change first. Returns the number of figures that moved. */
uint32_t compare_pair(struct diff *d, const struct pair *p);
/* Returns the last -T that matches name, or NULL. */
const struct tolerance *tolerance_of(const struct diff_options *o, const char *name);
/*
 * weighted.c: prints a line for each figure of the application and sets differs. Returns -1 after a message if
 * a pick was not run.
 */
int diff_print_weighted(struct diff *d, FILE *out, const char *heading);
/* Prints each pair that moved; sets differs. */
void print_diff(struct diff *d, FILE *out, const char *heading);
void print_summary(struct diff *d, FILE *out, const char *heading);
void print_lone(enum diff_form form, FILE *out, const char *name, int side);
/* Prints the name of a pair of files, or both paths. */
void print_heading(const struct diff *d, FILE *out, const char *heading);
/* Prints a text of the input: unprintable bytes as \xNN, characters of Markdown with a backslash. */
void print_name(FILE *out, const char *text, enum diff_form form);
int print_name_width(const char *text); /* columns that DIFF_TEXT takes */
/* Prints text as DIFF_TEXT, and blanks up to width columns. */
void print_name_padded(FILE *out, const char *text, int width);
json_t *print_json_text(const char *text);
/* Prints o on one line and releases it. */
void print_json_line(json_t *o, FILE *out);
/*
 * option.c: prints the options that differ, after a heading unless one was printed. Returns whether one was printed.
 */
bool option_print(const struct diff *d, FILE *out, const char *heading, bool headed);

#endif
