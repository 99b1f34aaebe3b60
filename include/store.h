/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs kept for a second look: what must be known of all kernels before the first can be printed.
 *
 * Always true: figures lie in an unnamed temporary file, memory holds a few words a kernel, the
 * configurations (each value once) and the distinct names; so an input of any length is kept.
 */
#ifndef STORE_H
#define STORE_H

#include "results.h"

struct store_value {
	uint32_t column;
	struct result_value value;
};

struct store_column {
	char *name;
	const struct figure *about;
};

struct store_kernel {
	uint32_t run; /* index into run[] */
	uint32_t position;
	uint64_t id, stream;
	uint64_t first_cycle, cycles;       /* of an interval */
	uint32_t name, grid, block, status; /* words: store_word() */
	uint32_t n;                         /* figures */
	uint64_t at;
};

struct store_run {
	uint32_t name;   /* word: the file, "#2" behind it for its second run */
	uint32_t status; /* word; 0 until store_end() */
	enum result_form form;
	uint32_t *option; /* word of the value, by option; 0: not known */
	uint32_t n_options;
	uint32_t picks; /* word: the hash of the picks that it took, picks_hash(); 0: not known, or no picks */
	uint32_t total; /* its row in total[] + 1; 0: none */
};

struct store {
	struct store_run *run;
	struct store_kernel *kernel;
	struct store_kernel *total; /* one for each run that ended */
	struct store_column *column;
	char **option; /* names */
	uint32_t n_runs, n_kernels, n_totals, n_columns, n_options;
	bool keep_about; /* set before the first run: where a run comes from is kept among its options */
	/* private */
	uint32_t cap_runs, cap_kernels, cap_totals, cap_columns, cap_options;
	struct store_words *words, *columns, *options;
	struct store_spool *spool;
};

struct store *store_new(void); /* empty; the caller's */
void store_free(struct store *s);
/* The text of a word; equal texts are one word. It lives as long as the store. */
const char *store_word(const struct store *s, uint32_t word);
uint32_t store_column(struct store *s, const char *name); /* made when it is new */
/* Its column, n_columns when there is none. */
uint32_t store_find_column(const struct store *s, const char *name);
uint32_t store_start(struct store *s, const char *file, const struct result_item *item);
/* Is this the name of something about where a run comes from, and no option's? */
bool store_is_about(const char *option);
/* RESULT_DONE: how the run ended. */
void store_end(struct store *s, const struct result_item *item);
/* Keep a kernel (or, at RESULT_DONE, the run's totals) with n figures. */
void store_keep(struct store *s, const struct result_item *item, const struct store_value *v, uint32_t n);
/* The figures of a row, in a buffer that the next call uses again. */
const struct store_value *store_load(struct store *s, const struct store_kernel *k);

#endif
