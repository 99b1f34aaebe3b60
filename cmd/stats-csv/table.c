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
				s->column[i].about, s->column[i].name, i};
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
	struct csv_job *j;
	struct store *s;
	struct shown_columns c;
	struct shown_options o;
	struct writer w;
	const struct result_value **cell;
	bool status; /* true if the table has the column "status" */
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
	const struct store_run *run = &t->s->run[k->run];

	writer_text(&t->w, store_word(t->s, run->name));
	for (uint32_t i = 0; i < t->o.n; i++) {
		uint32_t o = t->o.option[i];

		writer_text(&t->w, o < run->n_options ? store_word(t->s, run->option[o]) : "");
	}
	if (t->status)
		writer_text(&t->w, store_word(t->s, k->status ? k->status : run->status));
	if (t->j->one_row_per_run)
		return;
	writer_kernel(&t->w, t->j, store_word(t->s, k->name));
	writer_value(&t->w, k->id ? &(struct result_value){.count = k->id, .whole = true} : NULL);
	if (!t->j->per_interval)
		return;
	writer_value(&t->w, &(struct result_value){.count = k->first_cycle, .whole = true});
	writer_value(&t->w, &(struct result_value){.count = k->cycles, .whole = true});
}

static void fill_row_cells(struct csv_rows *t, const struct store_kernel *k)
{
	const struct store_value *v = store_load_figures(t->s, k);

	memset(t->cell, 0, (t->c.n + 1u) * sizeof(*t->cell));
	for (uint32_t i = 0; i < k->n; i++)
		if (t->c.place[v[i].column])
			t->cell[t->c.place[v[i].column] - 1] = &v[i].value;
}

static void write_wide_row(struct csv_rows *t, const struct store_kernel *k)
{
	fill_row_cells(t, k);
	write_run_cells(t, k);
	for (uint32_t i = 0; i < t->c.n; i++)
		writer_value(&t->w, t->cell[i]);
	writer_end(&t->w);
}

static void write_long_rows(struct csv_rows *t, const struct store_kernel *k)
{
	fill_row_cells(t, k);
	for (uint32_t i = 0; i < t->c.n; i++) {
		const struct store_column *c = &t->s->column[t->c.column[i]];

		if (!t->cell[i])
			continue;
		write_run_cells(t, k);
		writer_text(&t->w, c->name);
		writer_value(&t->w, t->cell[i]);
		writer_text(&t->w, c->about && strcmp(c->about->unit, "-") ? c->about->unit : "");
		writer_end(&t->w);
	}
}

static void write_table_head(struct csv_rows *t)
{
	struct head h = {0};

	head_text(&h, "run");
	for (uint32_t i = 0; i < t->o.n; i++)
		head_text(&h, t->s->option[t->o.option[i]]);
	if (t->status)
		head_text(&h, "status");
	if (!t->j->one_row_per_run) {
		head_text(&h, "kernel_name");
		head_number(&h, "id");
	}
	if (t->j->per_interval) {
		head_number(&h, "first_cycle");
		head_number(&h, "cycles");
	}
	if (t->j->long_form) {
		head_text(&h, "statistic");
		head_number(&h, "value");
		head_text(&h, "unit");
	}
	for (uint32_t i = 0; i < t->c.n && !t->j->long_form; i++)
		head_number(&h, "%s", t->s->column[t->c.column[i]].name);
	writer_head(&t->w, &h);
}

void csv_print_table(struct csv_job *j, FILE *out)
{
	struct store *s = j->store;
	struct csv_rows t = {.j = j,
		.s = s,
		.c = shown_columns(j),
		.o = shown_options(j),
		.w = {out, j->form, 0},
		.status = j->one_row_per_run || table_shows_status(s)};
	uint32_t n = j->one_row_per_run ? s->n_totals : s->n_kernels;
	const struct store_kernel *row = j->one_row_per_run ? s->total : s->kernel;

	t.cell = xcalloc(t.c.n + 1u, sizeof(*t.cell));
	write_table_head(&t);
	for (uint32_t i = 0; i < n; i++)
		(j->long_form ? write_long_rows : write_wide_row)(&t, &row[i]);
	free(t.cell);
	free(t.c.column);
	free(t.c.place);
	free(t.o.option);
}

void csv_print_list(struct csv_job *j, FILE *out)
{
	struct head h = {0};
	struct shown_columns c = shown_columns(j);
	struct writer w = {out, j->form, 0};
	const struct figure *last = NULL;

	head_text(&h, "name");
	head_text(&h, "unit");
	head_text(&h, "kind");
	head_text(&h, "description");
	writer_head(&w, &h);
	for (uint32_t i = 0; i < c.n; i++) {
		const struct store_column *k = &j->store->column[c.column[i]];

		if (k->about && k->about == last)
			continue;
		last = k->about;
		writer_text(&w, last ? last->name : k->name);
		writer_text(&w, last && strcmp(last->unit, "-") ? last->unit : "");
		writer_text(&w, last ? figure_kind_name(last->kind) : "");
		writer_text(&w, last ? last->help : "");
		writer_end(&w);
	}
	free(c.column);
	free(c.place);
}
