/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Store of runs, for output that depends on all kernels, such as a table with a column for each figure of any kernel.
 *
 * Always true: figures are in an unnamed temporary file. Memory contains only a few words per kernel, the
 * configurations (each value once) and the distinct names, so it suffices for input of any length.
 */
#ifndef STORE_H
#define STORE_H

#include "results.h"

struct store_value {
	uint32_t column; /* index in store.column */
	struct result_value value;
};

struct store_column {
	char *name;
	const struct figure *description; /* row of the figure; NULL: unknown */
};

struct store_kernel {
	uint32_t run; /* index of its run in run[] */
	uint32_t position;
	uint64_t id, stream;
	uint64_t first_cycle;               /* first cycle of an interval */
	uint64_t cycles;                    /* length of an interval in cycles */
	uint32_t name, grid, block, status; /* words: store_word() */
	uint32_t n;                         /* number of the kernel's figures */
	uint64_t offset;                    /* offset of the figures in the temporary file */
};

struct store_run {
	uint32_t name;   /* name of the file as a word, with "#2" appended for the second run of a file */
	uint32_t status; /* status as a word; 0 until store_end_run() */
	enum result_form form;
	uint32_t *option; /* values of the options as words; 0: unknown */
	uint32_t n_options;
	uint32_t picks;             /* picks_hash() of the run's picks as a word; 0: unknown, or no picks */
	uint32_t total;             /* index of its totals in total[] plus 1; 0: none */
	uint64_t skipped;           /* number of missing kernels that trace-sim --skip-missing skipped */
	uint32_t skipped_positions; /* positions of the skipped kernels as a word */
};

struct store {
	struct store_run *run;
	struct store_kernel *kernel;
	struct store_kernel *total; /* totals of the runs that ended */
	struct store_column *column;
	char **option; /* option names */
	uint32_t n_runs, n_kernels, n_totals, n_columns, n_options;
	bool keep_about; /* true to store the origin of runs with their options; set at first */
	/* private */
	uint32_t cap_runs, cap_kernels, cap_totals, cap_columns, cap_options;
	struct store_words *words, *columns, *options; /* tables of distinct texts */
	struct store_spool *spool;                     /* temporary file with the figures */
};

struct store *store_new(void); /* returns an empty store, which the caller frees */
void store_free(struct store *s);
/* Returns the text of a word, valid until the store is freed. Equal texts have one word. */
const char *store_word(const struct store *s, uint32_t word);
/* Returns the column with the name. Adds it if there is none. */
uint32_t store_column(struct store *s, const char *name);
/* Returns the index of the column with the name; n_columns if there is none. */
uint32_t store_find_column(const struct store *s, const char *name);
/* Adds a run at RESULT_START and returns its index. */
uint32_t store_add_run(struct store *s, const char *file, const struct result_item *item);
/* Prints one warning if any run skipped missing kernels. */
void store_warn_skipped(const struct store *s);
/* Returns true if a name is not an option's name but about a run's origin. */
bool store_is_about(const char *option);
/* Stores the status of the run at RESULT_DONE. */
void store_end_run(struct store *s, const struct result_item *item);
/* Stores a kernel with n figures (at RESULT_DONE, the totals of the run). */
void store_add_row(struct store *s, const struct result_item *item, const struct store_value *v, uint32_t n);
/* Returns the figures of a row, in a buffer that the next call reuses. */
const struct store_value *store_load_figures(struct store *s, const struct store_kernel *k);

#endif
