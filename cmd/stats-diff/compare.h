/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-diff: what its files share. Both sides lie in one store, so a column, a word and an option have the
 * same number on both; side 0 is A, side 1 is B.
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

/* Within either of the two a figure counts as equal. */
struct tolerance {
	char *pattern;
	double absolute, relative;
};

/* What an option names that some result must have. */
struct asked {
	const char *option;
	char *name;
	bool met;
};

struct diff_options {
	struct namelist select, ignore;
	struct kselect *kernels;
	struct picks *weights; /* of --weights, or NULL */
	struct tolerance *tolerance;
	uint32_t n_tolerances;
	struct asked *asked;
	uint32_t n_asked;
	enum diff_form form;
	uint32_t top; /* --top: this many places of a profile; 0: figures */
	int by;       /* enum hotspots_by */
	bool all, quiet, summary, options;
};

struct side {
	uint32_t first_kernel, n_kernels, first_run, n_runs;
	const char *path;
	bool log;
};

struct pair {
	uint32_t a, b;
}; /* kernels of the store + 1; 0: none */

struct change {
	const char *name;
	bool has[2], moved;
	struct result_value value[2];
	double relative; /* of A; infinite where A is 0, NaN where a side has none */
};

struct diff {
	const struct diff_options *o;
	struct store *store;
	struct side side[2];
	bool *seen[2];        /* by column */
	bool *seen_family[2]; /* by row of stats.def */
	struct pair *pair;
	uint32_t n_pairs, cap_pairs;
	struct change *change; /* of the pair at hand */
	uint32_t n_changes, cap_changes;
	struct result_value *cell[2]; /* by column; decimals INT8_MAX: none */
	uint32_t n_moved, n_same, n_only[2];
	bool stopped_early, differs, trouble;
};

/* load.c: -1 after a message when a side cannot be read. */
int diff_load(struct diff *d, int side, const char *path);
/* Is the figure to be compared? */
bool diff_wanted(const struct diff_options *o, const char *name);
/* asked.c: of option; of each name of a list that is not sure to be there. */
void asked_add(struct diff_options *o, const char *option, const char *name);
void asked_names(struct diff_options *o, const char *option, const struct namelist *l);
/* A side has this figure; a kernel of -k. */
void asked_figure(const struct diff_options *o, const char *name);
void asked_kernel(const struct diff_options *o);
/* Ends the program with a message where something was not met. */
void asked_check(const struct diff_options *o);
void asked_free(struct diff_options *o);
void pair_kernels(struct diff *d);
/* top.c: an exit status. */
int diff_top(const struct diff_options *o, FILE *out, const char *a, const char *b, const char *heading);
/* Fill change[] for a pair, what moved first and most first; returns how many moved. */
uint32_t compare_pair(struct diff *d, const struct pair *p);
/* The last -T that matches name, or NULL. */
const struct tolerance *tolerance_of(const struct diff_options *o, const char *name);
/*
 * weighted.c: a line for each figure of the application;
 * sets differs. -1 after a message: a pick was not run.
 */
int diff_print_weighted(struct diff *d, FILE *out, const char *heading);
/* A line for each pair; sets differs. */
void print_diff(struct diff *d, FILE *out, const char *heading);
void print_summary(struct diff *d, FILE *out, const char *heading);
void print_lone(enum diff_form form, FILE *out, const char *name, int side);
/* The name of a pair of files, or both paths. */
void print_heading(const struct diff *d, FILE *out, const char *heading);
/* A text of the input, with what would break the form made harmless. */
void print_name(FILE *out, const char *text, enum diff_form form);
json_t *print_json_text(const char *text);
/* One object a line; takes o over. */
void print_json_line(json_t *o, FILE *out);
/*
 * option.c: the options that differ, under a heading of
 * their own unless there is one. True: there is one now.
 */
bool option_print(const struct diff *d, FILE *out, const char *heading, bool headed);

#endif
