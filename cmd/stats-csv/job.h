/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-csv: declarations shared by its files.
 *
 *   main.c      the command line
 *   collect.c   results into a store
 *   table.c     the table of kernels or runs; the list of figures
 *   group.c     kernels added up, sums.c the values of one figure in a group
 *   weighted.c  the whole application, from runs of its picks
 *   top.c       profiles: the places with most cycles
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
	bool *found;  /* by name in the expression: a kernel had the figure */
};

struct csv_job {
	struct namelist select, group, options; /* options: of --options, none: those that differ */
	struct kselect *kernels;
	struct picks *weights; /* picks of --weights, or NULL */
	struct derived *derived;
	uint32_t n_derived;
	enum agg agg[N_AGGS];
	uint32_t n_aggs;
	enum table_form form;
	enum demangle_form names;
	const char *output;
	uint32_t top; /* --top: this many places of a profile; 0: a table of figures */
	int by;       /* enum hotspots_by */
	bool per_run, tidy, list, running, force, quiet, no_options, by_given; /* tidy: --long */
	bool per_interval, provenance;

	struct store *store;
	uint8_t *shown; /* by column of the store: enum column_use */
	uint32_t cap_shown;
	bool *matched; /* by item of select */
	/* there were kernels, or intervals, in the input; a row was chosen */
	bool any_kernel, any_interval, any_row;
	int status;
};

enum column_use { COLUMN_NEW, COLUMN_NO, COLUMN_PART, COLUMN_SHOWN };

/* Figures shown, by their column of the store. */
struct shown_columns {
	uint32_t *column, n;
	uint32_t *place;
}; /* place: by column of the store, +1 */
/* Options shown: those of --options, else those that differ between runs. */
struct shown_options {
	uint32_t *option, n;
};

void collect(struct csv_job *j, const char *path);
void collect_named(struct csv_job *j);
void collect_warn(const struct csv_job *j);
/* Fatal error if the input had kernels and none was selected. */
void collect_some(const struct csv_job *j);

struct shown_columns shown_columns(const struct csv_job *j);
struct shown_options shown_options(const struct csv_job *j);
/* True if a run is not complete: each table then has the column "status". */
bool table_shows_status(const struct store *s);
void csv_print_table(struct csv_job *j, FILE *out);
void csv_print_list(struct csv_job *j, FILE *out);
void csv_print_groups(struct csv_job *j, FILE *out);
void csv_print_top(struct csv_job *j, FILE *out, int n, char **path);
bool group_is_key(const char *name);

/* sums.c: the values of one figure in one group. */
struct sums {
	uint64_t n, count;
	double sum, mean, squares, min, max; /* squares: of the distances from the mean */
	double first, log_first, logs;       /* logs: of the ratios to the first */
	double *value;                       /* each of them, where it was kept */
	uint32_t cap;
	bool whole, positive, sorted;
};
bool sums_keep(enum agg agg); /* true: agg needs every value */
void sums_add(struct sums *s, const struct result_value *v, bool keep);
double sums_value(struct sums *s, enum agg agg); /* NaN: none */

/* weighted.c: totals of the application that the picks of --weights represent. */
void csv_weights_read(struct csv_job *j, const char *path);
void csv_weights_free(struct csv_job *j);
void csv_weights_check(struct csv_job *j); /* Checks --weights after all options are set. */
void csv_print_weighted(struct csv_job *j, FILE *out);

/* writer.c: writes one row at a time; counts the cells of a row. */
struct writer {
	FILE *out;
	enum table_form form;
	uint32_t at;
};
/* Column names, collected for writer_head(). */
struct head {
	char **name;
	bool *number; /* Markdown: right-aligned */
	uint32_t n, cap_names, cap_numbers;
};
void head_text(struct head *h, const char *name);
void head_number(struct head *h, const char *fmt, ...) PRINTF_LIKE(2, 3);
void writer_head(struct writer *w, struct head *h); /* frees what is in *h */
void writer_text(struct writer *w, const char *text);
/* Writes the name of a kernel in the form of --names. */
void writer_kernel(struct writer *w, const struct csv_job *j, const char *name);
void writer_value(struct writer *w, const struct result_value *v); /* NULL: missing */
void writer_real(struct writer *w, double x);                      /* NaN: missing */
void writer_end(struct writer *w);

#endif
