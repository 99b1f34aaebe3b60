/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Store of runs: distinct words in a hash table, figures in an unnamed temporary file. Always true: word 0 means
 * none; rows are written once, in order, and read back by their offset.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "num.h"
#include "output.h"
#include "store.h"
#include "table.h"

struct store_words {
	struct arena arena; /* texts of the words */
	const char **word;  /* texts by number */
	uint32_t n, cap;
	struct table table;
};

struct store_spool {
	FILE *file;
	uint64_t end; /* offset of the end of the file */
	bool reading; /* whether the last access was a read */
	struct store_value *buffer;
	uint32_t cap;
};

/* ---- words -------------------------------------------------------------------------------- */

static void words_free(struct store_words *w)
{
	arena_free(&w->arena);
	table_free(&w->table);
	free(w->word);
	free(w);
}

/* Returns the number of a word, from 1; 0 if it is unknown. */
static uint32_t find_store_word(const struct store_words *w, const char *text)
{
	FOR_TABLE (at, &w->table, table_hash(text, strlen(text)))
		if (!strcmp(w->word[at.number], text))
			return at.number + 1;
	return 0;
}

static uint32_t add_store_word(struct store_words *w, const char *text)
{
	uint32_t found = find_store_word(w, text);

	if (found)
		return found;
	grow(&w->word, &w->cap, w->n + 1, sizeof(*w->word));
	w->word[w->n] = arena_strndup(&w->arena, text, strlen(text));
	table_add(&w->table, table_hash(text, strlen(text)), w->n);
	return ++w->n;
}

static uint32_t store_intern_word(struct store *s, const char *text)
{
	return add_store_word(s->words, text);
}

const char *store_word(const struct store *s, uint32_t word) { return word ? s->words->word[word - 1] : ""; }

/* ---- the file ----------------------------------------------------------------------------- */

static uint64_t spool_write(struct store_spool *p, const struct store_value *v, uint32_t n)
{
	uint64_t at = p->end;

	if (!p->file)
		p->file = output_open_unnamed();
	if (p->reading && fseeko(p->file, 0, SEEK_END))
		die_errno("cannot write a temporary file");
	p->reading = false;
	if (n && fwrite(v, sizeof(*v), n, p->file) != n)
		die_errno("cannot write a temporary file");
	p->end += (uint64_t)n * sizeof(*v);
	return at;
}

const struct store_value *store_load_figures(struct store *s, const struct store_kernel *k)
{
	struct store_spool *p = s->spool;

	grow(&p->buffer, &p->cap, k->n + 1, sizeof(*p->buffer));
	if (!k->n)
		return p->buffer;
	p->reading = true;
	if (fseeko(p->file, (off_t)k->offset, SEEK_SET) ||
		fread(p->buffer, sizeof(*p->buffer), k->n, p->file) != k->n)
		die_errno("cannot read a temporary file");
	return p->buffer;
}

/* ---- runs --------------------------------------------------------------------------------- */

struct store *store_new(void)
{
	struct store *s = xcalloc(1, sizeof(*s));

	s->words = xcalloc(1, sizeof(struct store_words));
	s->columns = xcalloc(1, sizeof(struct store_words));
	s->options = xcalloc(1, sizeof(struct store_words));
	s->spool = xcalloc(1, sizeof(*s->spool));
	return s;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_runs; i++)
		free(s->run[i].option);
	if (s->spool->file)
		fclose(s->spool->file);
	free(s->spool->buffer);
	free(s->spool);
	words_free(s->words);
	words_free(s->columns);
	words_free(s->options);
	free(s->run);
	free(s->kernel);
	free(s->total);
	free(s->column);
	free(s->option);
	free(s);
}

uint32_t store_column(struct store *s, const char *name)
{
	uint32_t c = add_store_word(s->columns, name);

	if (c > s->n_columns) {
		grow(&s->column, &s->cap_columns, c, sizeof(*s->column));
		s->column[s->n_columns++] =
			(struct store_column){(char *)(uintptr_t)s->columns->word[c - 1], figure_find(name)};
	}
	return c - 1;
}

uint32_t store_find_column(const struct store *s, const char *name)
{
	uint32_t c = find_store_word(s->columns, name);

	return c ? c - 1 : s->n_columns;
}

static uint32_t find_or_add_option(struct store *s, const char *name)
{
	uint32_t o = add_store_word(s->options, name);

	if (o > s->n_options) {
		grow(&s->option, &s->cap_options, o, sizeof(*s->option));
		s->option[s->n_options++] = (char *)(uintptr_t)s->options->word[o - 1];
	}
	return o - 1;
}

static void set_option(struct store *s, struct store_run *run, const char *name, const char *value)
{
	uint32_t o = find_or_add_option(s, name);

	if (o >= run->n_options) {
		run->option = xrealloc(run->option, o + 1, sizeof(*run->option));
		while (run->n_options <= o)
			run->option[run->n_options++] = 0;
	}
	run->option[o] = store_intern_word(s, value);
}

#define TRACES_HASH "traces_hash"

bool store_is_about(const char *option)
{
	static const char *const names[] = {"tool", "version", "config_hash", TRACES_HASH};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(option, names[i]))
			return true;
	return !strncmp(option, "given.", 6) || !strncmp(option, "provenance.", 11) ||
	       !strncmp(option, "skipped.", 8);
}

void store_warn_skipped(const struct store *s)
{
	const struct store_run *first = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_runs; i++)
		if (s->run[i].skipped && !n++)
			first = &s->run[i];
	if (!n)
		return;
	struct place at = {.file = store_word(s, first->name)};
	const char *kernels = first->skipped == 1 ? "kernel was" : "kernels were";
	unsigned long long skipped = first->skipped;
	if (n == 1)
		diag_warn(at, "%llu %s missing and skipped: sums do not include %s", skipped, kernels,
			skipped == 1 ? "it" : "them");
	else
		diag_warn(at,
			"%llu %s missing and skipped, and others in %u more of %u runs: sums do not include them",
			skipped, kernels, n - 1, s->n_runs);
}

uint32_t store_add_run(struct store *s, const char *file, const struct result_item *item)
{
	struct store_run run = {.form = item->form};
	size_t cap = strlen(file) + 16;
	char *name = xmalloc(cap);

	if (item->run > 1)
		snprintf(name, cap, "%s#%u", file, item->run);
	else
		snprintf(name, cap, "%s", file);
	run.name = store_intern_word(s, name);
	free(name);
	for (uint32_t i = 0; i < item->n_options; i++) {
		if (s->keep_about || !item->option[i].about)
			set_option(s, &run, item->option[i].name, item->option[i].value);
		if (!strcmp(item->option[i].name, "given.picks"))
			run.picks = store_intern_word(s, item->option[i].value);
		else if (!strcmp(item->option[i].name, "skipped.kernels"))
			run.skipped = num_leading(item->option[i].value);
		else if (!strcmp(item->option[i].name, "skipped.positions"))
			run.skipped_positions = store_intern_word(s, item->option[i].value);
	}
	grow(&s->run, &s->cap_runs, s->n_runs + 1, sizeof(*s->run));
	s->run[s->n_runs] = run;
	return s->n_runs++;
}

void store_end_run(struct store *s, const struct result_item *item)
{
	struct store_run *run = &s->run[s->n_runs - 1];

	run->status = store_intern_word(s, item->status);
	if (s->keep_about && *item->hash)
		set_option(s, run, TRACES_HASH, item->hash);
}

void store_add_row(struct store *s, const struct result_item *item, const struct store_value *v, uint32_t n)
{
	struct store_kernel k = {.run = s->n_runs - 1, .n = n, .offset = spool_write(s->spool, v, n)};

	if (item->status) {
		grow(&s->total, &s->cap_totals, s->n_totals + 1, sizeof(*s->total));
		s->total[s->n_totals++] = k;
		s->run[k.run].total = s->n_totals;
		return;
	}
	k.first_cycle = item->first_cycle;
	k.cycles = item->cycles;
	k.position = item->kernel.position;
	k.id = item->kernel.id;
	k.stream = item->kernel.stream;
	k.name = store_intern_word(s, item->kernel.name);
	k.grid = store_intern_word(s, item->kernel.grid);
	k.block = store_intern_word(s, item->kernel.block);
	k.status = *item->kernel.status ? store_intern_word(s, item->kernel.status) : 0;
	grow(&s->kernel, &s->cap_kernels, s->n_kernels + 1, sizeof(*s->kernel));
	s->kernel[s->n_kernels++] = k;
}
