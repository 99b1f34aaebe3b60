/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-csv: declarations shared by its files.
 *
 *   main.c      the command line
 *   collect.c   reads results into a store
 *   table.c     the table of kernels or runs; the list of figures
 *   group.c     sums over groups of kernels; sums.c: the values of one figure in a group
 *   weighted.c  totals of the application, from runs of its picks
 *   top.c       the places with most cycles in profiles
 *   writer.c    cells as CSV, TSV or Markdown
 */
#ifndef STATS_CSV_H
#define STATS_CSV_H

#include <stdio.h>
#include "arena.h"
#include "demangle.h"
#include "expr.h"
#include "klist.h"
#include "namelist.h"
#include "store.h"

enum table_form { TABLE_CSV, TABLE_TSV, TABLE_MARKDOWN };

enum agg {
#define AGG(name, word) AGG_##name,
#include "aggs.def"
#undef AGG
	N_AGGS
};

struct derived {
	char *name;
	struct expr *expr;
	double value; /* value for the current kernel */
	bool *found;  /* for each name in the expression, true if a kernel has the figure */
};

struct csv_job {
	/* `options` has the names of --options; empty for all options that differ */
	struct namelist select, group, options;
	struct kselect *kernels;
	struct picks *weights; /* picks of --weights, or NULL */
	struct derived *derived;
	uint32_t n_derived;
	enum agg agg[N_AGGS];
	uint32_t n_aggs;
	enum table_form form;
	enum demangle_form names;
	const char *output;
	uint32_t top; /* number of places of a profile (--top); 0 for a table of figures */
	int top_by;   /* enum hotspots_by */
	/* `long_form` is true if --long is given */
	bool one_row_per_run, long_form, list, running, force, quiet, no_options, by_given;
	bool per_interval, provenance;

	struct store *store;
	uint8_t *shown; /* use of each column of the store: enum column_use */
	uint32_t cap_shown;
	bool *matched; /* for each item of `select`, true if a figure matches it */
	/* true if the input has kernels, if it has intervals, and if at least one row is selected */
	bool any_kernel, any_interval, any_row;
	int status;
};

enum column_use { COLUMN_NEW, COLUMN_NO, COLUMN_PART, COLUMN_SHOWN };

/* The figures that the table shows, as columns of the store. */
struct shown_columns {
	uint32_t *column, n;
	uint32_t *place;
}; /* `place` is the position of each column of the store in `column`, plus 1, or 0 if it is not shown */
/*
 * The options that the table shows: the options that --options selects or, without it, all options that
 * differ between runs.
 */
struct shown_options {
	uint32_t *option, n;
};

/* Reads the results in a file into j->store and prints rows that need no store. Ends the program on a fault. */
void collect(struct csv_job *j, const char *path);
/* Adds a column for each figure whose full name is in -s, even if the column remains empty. */
void collect_add_named_columns(struct csv_job *j);
/* Warns about names of -s that match nothing. Ends the program if a name is misspelt or nothing is selected. */
void collect_warn(const struct csv_job *j);
/* Ends the program if the input has kernels but none is selected. */
void collect_check_selection(const struct csv_job *j);

/* Return the columns and the options of the table. The caller frees their arrays. */
struct shown_columns shown_columns(const struct csv_job *j);
struct shown_options shown_options(const struct csv_job *j);
/* Returns true if a run is not complete. Each table then has the column "status". */
bool table_shows_status(const struct store *s);
void csv_print_table(struct csv_job *j, FILE *out);
void csv_print_list(struct csv_job *j, FILE *out);
void csv_print_groups(struct csv_job *j, FILE *out);
void csv_print_top(struct csv_job *j, FILE *out, int n, char **path);
bool group_is_key(const char *name);

/* sums.c: sums over the values of one figure in one group. */
struct sums {
	uint64_t n;     /* number of values */
	uint64_t count; /* sum of the values, if `whole` */
	double sum;     /* sum */
	double mean;    /* mean */
	double squares; /* sum of squared distances from the mean */
	double min;     /* smallest value */
	double max;     /* largest value */
	/* `log_sum` is the sum of the logarithms of ratios to the first value */
	double first_value, log_first, log_sum;
	double *value; /* all values, if they are kept */
	uint32_t cap_values;
	bool whole;    /* all values are whole numbers, and `count` has not wrapped around */
	bool positive; /* all values are above 0 */
	bool sorted;   /* `value` is sorted */
};
bool sums_needs_values(enum agg agg); /* Returns true if agg requires all values. */
void sums_add(struct sums *s, const struct result_value *v, bool keep);
double sums_aggregate(struct sums *s, enum agg agg); /* NaN if there are no values */

/* weighted.c: totals of the application that the picks of --weights represent. */
void csv_weights_read(struct csv_job *j, const char *path);
void csv_weights_free(struct csv_job *j);
void csv_weights_check(struct csv_job *j); /* Checks --weights after all options are set. */
void csv_print_weighted(struct csv_job *j, FILE *out);

/* writer.c: writer of rows. `n_cells` is the number of cells written of the current row. */
struct writer {
	FILE *out;
	enum table_form form;
	uint32_t n_cells;
};
/* Column names that writer_write_head() writes. */
struct head {
	char **name;
	bool *is_number; /* Markdown: right-aligned */
	uint32_t n, cap_names, cap_numbers;
};
void head_add_text(struct head *h, const char *name);
void head_add_number(struct head *h, const char *fmt, ...) PRINTF_LIKE(2, 3);
void writer_write_head(struct writer *w, struct head *h); /* Frees the contents of *h. */
void writer_write_text(struct writer *w, const char *text);
/* Writes the name of a kernel in the form of --names. */
void writer_write_kernel(struct writer *w, const struct csv_job *j, const char *name);
/* Writes the value; NULL writes an empty cell. */
void writer_write_value(struct writer *w, const struct result_value *v);
void writer_write_real(struct writer *w, double x); /* Writes x; NaN writes an empty cell. */
void writer_end(struct writer *w);

#endif
