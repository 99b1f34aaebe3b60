/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the table of kernels, runs or intervals, in wide or long form, and the list of figures.
 *
 * Always true: columns are in the order of -s. Columns of one pattern are in the order of trace-stats(5),
 * then of their names, in which sequences of digits compare as numbers. The table does not depend on the
 * format of the input.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "job.h"

/* ---- columns ---------------------------------------------------------------------------------- */

/* Compares two names. Sequences of digits compare as numbers. */
static int compare_natural(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t na = 0, nb = 0;
			int c;

			for (; *a == '0' && isdigit((unsigned char)a[1]); a++)
				;
			for (; *b == '0' && isdigit((unsigned char)b[1]); b++)
				;
			while (isdigit((unsigned char)a[na]))
				na++;
			while (isdigit((unsigned char)b[nb]))
				nb++;
			if (na != nb)
				return na < nb ? -1 : 1;
			c = strncmp(a, b, na);
			if (c)
				return c;
			a += na;
			b += nb;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return *a ? 1 : *b ? -1 : 0;
}

struct sort_key {
	long item;
	const struct figure *about;
	const char *name;
	uint32_t column;
};

static int compare_keys(const void *pa, const void *pb)
{
	const struct sort_key *a = pa, *b = pb;

	if (a->item != b->item)
		return a->item < b->item ? -1 : 1;
	if (a->about != b->about)
		return !a->about ? 1 : !b->about ? -1 : a->about < b->about ? -1 : 1;
	return compare_natural(a->name, b->name);
}

/* Returns the sort position of a figure by -s. Derived figures come last, in the order of their options. */
static long sort_position_of(const struct csv_job *j, const char *name)
{
	for (uint32_t i = 0; i < j->n_derived; i++)
		if (!strcmp(j->derived[i].name, name))
			return (long)(j->select.n + i + 1);
	return namelist_find(&j->select, name);
}

struct shown_columns shown_columns(const struct csv_job *j)
{
	const struct store *s = j->store;
	struct sort_key *key = xcalloc(s->n_columns + 1u, sizeof(*key));
	struct shown_columns c = {xcalloc(s->n_columns + 1u, sizeof(uint32_t)), 0,
		xcalloc(s->n_columns + 1u, sizeof(uint32_t))};

	for (uint32_t i = 0; i < s->n_columns; i++)
		if (i < j->cap_shown && j->shown[i] == COLUMN_SHOWN)
			key[c.n++] = (struct sort_key){sort_position_of(j, s->column[i].name),
				s->column[i].description, s->column[i].name, i};
	qsort(key, c.n, sizeof(*key), compare_keys);
	for (uint32_t i = 0; i < c.n; i++) {
		c.column[i] = key[i].column;
		c.place[key[i].column] = i + 1;
	}
	free(key);
	return c;
}

static bool option_differs(const struct store *s, uint32_t option)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < s->n_runs; i++) {
		uint32_t v = option < s->run[i].n_options ? s->run[i].option[option] : 0;

		if (v && first && v != first)
			return true;
		first = v ? v : first;
	}
	return false;
}

/*
 * Adds the options that --options names, in its order. The options that match one pattern are in the order of
 * the configuration.
 */
static void add_named_options(const struct csv_job *j, struct shown_options *o)
{
	const struct store *s = j->store;

	for (size_t k = 0; k < j->options.n; k++) {
		uint32_t had = o->n;

		for (uint32_t i = 0; i < s->n_options; i++)
			if (!store_is_about(s->option[i]) &&
				namelist_find(&j->options, s->option[i]) == (long)k)
				o->option[o->n++] = i;
		if (o->n == had)
			diag_warn(
				NOWHERE, "--options %s: no such option in the input", j->options.pattern[k]);
	}
}

struct shown_options shown_options(const struct csv_job *j)
{
	const struct store *s = j->store;
	struct shown_options o = {xcalloc(s->n_options + 1u, sizeof(uint32_t)), 0};

	/* fields about the origin of a run, which only --provenance writes */
	for (uint32_t i = 0; i < s->n_options; i++)
		if (store_is_about(s->option[i]))
			o.option[o.n++] = i;
	if (j->options.n)
		add_named_options(j, &o);
	for (uint32_t i = 0; i < s->n_options && !j->options.n && !j->no_options; i++)
		if (!store_is_about(s->option[i]) && option_differs(s, i))
			o.option[o.n++] = i;
	return o;
}

/* ---- rows -------------------------------------------------------------------------------------- */

struct csv_rows {
	struct csv_job *job;
	struct store *store;
	struct shown_columns columns;
	struct shown_options options;
	struct writer writer;
	const struct result_value **cell;
	bool has_status; /* true if the table has the column "status" */
};

bool table_shows_status(const struct store *s)
{
	for (uint32_t i = 0; i < s->n_runs; i++)
		if (strcmp(store_word(s, s->run[i].status), "complete"))
			return true;
	return false;
}

static void write_run_cells(struct csv_rows *t, const struct store_kernel *k)
{
	const struct store_run *run = &t->store->run[k->run];

	writer_write_text(&t->writer, store_word(t->store, run->name));
	for (uint32_t i = 0; i < t->options.n; i++) {
		uint32_t o = t->options.option[i];

		writer_write_text(&t->writer, o < run->n_options ? store_word(t->store, run->option[o]) : "");
	}
	if (t->has_status)
		writer_write_text(&t->writer, store_word(t->store, k->status ? k->status : run->status));
	if (t->job->one_row_per_run)
		return;
	writer_write_kernel(&t->writer, t->job, store_word(t->store, k->name));
	writer_write_value(
		&t->writer, k->id ? &(struct result_value){.count = k->id, .is_whole = true} : NULL);
	if (!t->job->per_interval)
		return;
	writer_write_value(&t->writer, &(struct result_value){.count = k->first_cycle, .is_whole = true});
	writer_write_value(&t->writer, &(struct result_value){.count = k->cycles, .is_whole = true});
}

static void fill_row_cells(struct csv_rows *t, const struct store_kernel *k)
{
	const struct store_value *v = store_load_figures(t->store, k);

	memset(t->cell, 0, (t->columns.n + 1u) * sizeof(*t->cell));
	for (uint32_t i = 0; i < k->n; i++)
		if (t->columns.place[v[i].column])
			t->cell[t->columns.place[v[i].column] - 1] = &v[i].value;
}

static void write_wide_row(struct csv_rows *t, const struct store_kernel *k)
{
	fill_row_cells(t, k);
	write_run_cells(t, k);
	for (uint32_t i = 0; i < t->columns.n; i++)
		writer_write_value(&t->writer, t->cell[i]);
	writer_end(&t->writer);
}

static void write_long_rows(struct csv_rows *t, const struct store_kernel *k)
{
	fill_row_cells(t, k);
	for (uint32_t i = 0; i < t->columns.n; i++) {
		const struct store_column *c = &t->store->column[t->columns.column[i]];

		if (!t->cell[i])
			continue;
		write_run_cells(t, k);
		writer_write_text(&t->writer, c->name);
		writer_write_value(&t->writer, t->cell[i]);
		writer_write_text(&t->writer,
			c->description && strcmp(c->description->unit, "-") ? c->description->unit : "");
		writer_end(&t->writer);
	}
}

static void write_table_head(struct csv_rows *t)
{
	struct head h = {0};

	head_add_text(&h, "run");
	for (uint32_t i = 0; i < t->options.n; i++)
		head_add_text(&h, t->store->option[t->options.option[i]]);
	if (t->has_status)
		head_add_text(&h, "status");
	if (!t->job->one_row_per_run) {
		head_add_text(&h, "kernel_name");
		head_add_number(&h, "id");
	}
	if (t->job->per_interval) {
		head_add_number(&h, "first_cycle");
		head_add_number(&h, "cycles");
	}
	if (t->job->long_form) {
		head_add_text(&h, "statistic");
		head_add_number(&h, "value");
		head_add_text(&h, "unit");
	}
	for (uint32_t i = 0; i < t->columns.n && !t->job->long_form; i++)
		head_add_number(&h, "%s", t->store->column[t->columns.column[i]].name);
	writer_write_head(&t->writer, &h);
}

void csv_print_table(struct csv_job *j, FILE *out)
{
	struct store *s = j->store;
	struct csv_rows t = {.job = j,
		.store = s,
		.columns = shown_columns(j),
		.options = shown_options(j),
		.writer = {out, j->form, 0},
		.has_status = j->one_row_per_run || table_shows_status(s)};
	uint32_t n = j->one_row_per_run ? s->n_totals : s->n_kernels;
	const struct store_kernel *row = j->one_row_per_run ? s->total : s->kernel;

	t.cell = xcalloc(t.columns.n + 1u, sizeof(*t.cell));
	write_table_head(&t);
	for (uint32_t i = 0; i < n; i++)
		(j->long_form ? write_long_rows : write_wide_row)(&t, &row[i]);
	free(t.cell);
	free(t.columns.column);
	free(t.columns.place);
	free(t.options.option);
}

void csv_print_list(struct csv_job *j, FILE *out)
{
	struct head h = {0};
	struct shown_columns c = shown_columns(j);
	struct writer w = {out, j->form, 0};
	const struct figure *last = NULL;

	head_add_text(&h, "name");
	head_add_text(&h, "unit");
	head_add_text(&h, "kind");
	head_add_text(&h, "description");
	writer_write_head(&w, &h);
	for (uint32_t i = 0; i < c.n; i++) {
		const struct store_column *k = &j->store->column[c.column[i]];

		if (k->description && k->description == last)
			continue;
		last = k->description;
		writer_write_text(&w, last ? last->name : k->name);
		writer_write_text(&w, last && strcmp(last->unit, "-") ? last->unit : "");
		writer_write_text(&w, last ? figure_kind_name(last->kind) : "");
		writer_write_text(&w, last ? last->help : "");
		writer_end(&w);
	}
	free(c.column);
	free(c.place);
}
