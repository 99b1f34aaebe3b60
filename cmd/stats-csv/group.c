/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups the kernels of each run by the columns of --group, and sums or aggregates their figures.
 *
 * Always true: a missing value is ignored. The sum of a rate is the quotient of the sums of its two parts, or
 * empty if it has none. The sum of a maximum or a running total is the largest value.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "job.h"
#include "table.h"

struct csv_group {
	uint32_t run;          /* number of the run */
	uint32_t first_kernel; /* first kernel of the group */
	uint64_t kernels;
	char *key;
	struct sums *sum; /* sum of each column of the store; the last element is always empty */
};

struct csv_groups {
	struct csv_job *job;
	struct store *store;
	struct csv_group *group;
	uint32_t n_groups, cap_groups;
	struct table table; /* indices of the groups by hash of run and key */
	struct shown_columns columns;
	struct shown_options options;
	struct writer writer;
	bool has_status;       /* true if the table has the column "status" */
	bool keeps_all_values; /* true if all values are kept, because a quantile is requested */
};

static const char *const keys[] = {"run", "kernel_name", "id", "position", "stream", "grid", "block"};

bool group_is_key(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], name))
			return true;
	return false;
}

static const char *text_of_group_key(
	const struct store *s, const struct store_kernel *k, const char *key, char buf[24])
{
	uint64_t n;

	switch (*key) {
	case 'r': return "";
	case 'k': return store_word(s, k->name);
	case 'g': return store_word(s, k->grid);
	case 'b': return store_word(s, k->block);
	case 'p': n = k->position; break;
	case 's': n = k->stream; break;
	default: n = k->id; break;
	}
	snprintf(buf, 24, "%" PRIu64, n);
	return buf;
}

static char *text_of_all_keys(const struct csv_groups *g, const struct store_kernel *k)
{
	size_t n = 0;
	char *key = xstrdup(""), buf[24];

	for (size_t i = 0; i < g->job->group.n; i++) {
		const char *part = text_of_group_key(g->store, k, g->job->group.pattern[i], buf);

		key = xrealloc(key, n + strlen(part) + 2, 1);
		n += (size_t)sprintf(key + n, "%s\n", part);
	}
	return key;
}

static uint64_t hash_key(uint32_t run, const char *key) { return table_hash(key, strlen(key)) + run; }

static struct csv_group *find_group(const struct csv_groups *g, uint32_t run, const char *key)
{
	FOR_TABLE (w, &g->table, hash_key(run, key))
		if (g->group[w.number].run == run && !strcmp(g->group[w.number].key, key))
			return &g->group[w.number];
	return NULL;
}

static struct csv_group *find_or_add_group(struct csv_groups *g, uint32_t kernel)
{
	const struct store_kernel *k = &g->store->kernel[kernel];
	char *key = text_of_all_keys(g, k);
	struct csv_group *found = find_group(g, k->run, key);

	if (found) {
		free(key);
		return found;
	}
	grow(&g->group, &g->cap_groups, g->n_groups + 1, sizeof(*g->group));
	g->group[g->n_groups] = (struct csv_group){.run = k->run,
		.first_kernel = kernel,
		.key = key,
		.sum = xcalloc(g->store->n_columns + 1u, sizeof(struct sums))};
	table_add(&g->table, hash_key(k->run, key), g->n_groups);
	return &g->group[g->n_groups++];
}

/* ---- printing -------------------------------------------------------------------------------- */

static double rate_of_sums(
	const struct csv_groups *g, const struct csv_group *p, const struct store_column *c)
{
	char num[256], den[256];
	const struct sums *a, *b;

	if (!results_formula(c->description, c->name, num, den, sizeof(num)))
		return (double)NAN;
	a = &p->sum[store_find_column(g->store, num)];
	b = &p->sum[store_find_column(g->store, den)];
	return a->n && b->n && b->sum != 0 ? a->sum / b->sum : (double)NAN;
}

static void write_sum(struct csv_groups *g, const struct csv_group *p, uint32_t column)
{
	const struct store_column *c = &g->store->column[column];
	const struct sums *s = &p->sum[column];
	enum figure_kind kind = c->description ? c->description->kind : FIGURE_COUNTER;

	if (c->description &&
		(*c->description->formula || kind == FIGURE_RATIO || (kind == FIGURE_INTERVAL && !s->whole)))
		writer_write_real(&g->writer, rate_of_sums(g, p, c));
	else if (kind == FIGURE_MAX || kind == FIGURE_TOTAL)
		writer_write_real(&g->writer, s->max);
	else
		writer_write_value(&g->writer,
			&(struct result_value){.real = s->sum, .count = s->count, .is_whole = s->whole});
}

static void write_aggregate_cells(
	struct csv_groups *g, const struct csv_group *p, uint32_t column, enum agg agg)
{
	if (p->sum[column].n && agg == AGG_SUM)
		write_sum(g, p, column);
	else
		writer_write_real(&g->writer, sums_aggregate(&p->sum[column], agg));
}

static void write_group(struct csv_groups *g, const struct csv_group *p)
{
	const struct store_run *run = &g->store->run[p->run];
	char buf[24];

	writer_write_text(&g->writer, store_word(g->store, run->name));
	for (uint32_t i = 0; i < g->options.n; i++) {
		uint32_t o = g->options.option[i];

		writer_write_text(&g->writer, o < run->n_options ? store_word(g->store, run->option[o]) : "");
	}
	if (g->has_status)
		writer_write_text(&g->writer, store_word(g->store, run->status));
	for (size_t i = 0; i < g->job->group.n; i++)
		if (strcmp(g->job->group.pattern[i], "run"))
			writer_write_text(
				&g->writer, text_of_group_key(g->store, &g->store->kernel[p->first_kernel],
						    g->job->group.pattern[i], buf));
	writer_write_value(&g->writer, &(struct result_value){.count = p->kernels, .is_whole = true});
	for (uint32_t i = 0; i < g->columns.n; i++)
		for (uint32_t a = 0; a < g->job->n_aggs; a++)
			write_aggregate_cells(g, p, g->columns.column[i], g->job->agg[a]);
	writer_end(&g->writer);
}

static void write_group_head(struct csv_groups *g)
{
	static const char *const aggs[N_AGGS] = {
#define AGG(name, word) word,
#include "aggs.def"
#undef AGG
	};
	struct head h = {0};

	head_add_text(&h, "run");
	for (uint32_t i = 0; i < g->options.n; i++)
		head_add_text(&h, g->store->option[g->options.option[i]]);
	if (g->has_status)
		head_add_text(&h, "status");
	for (size_t i = 0; i < g->job->group.n; i++)
		if (strcmp(g->job->group.pattern[i], "run"))
			head_add_text(&h, g->job->group.pattern[i]);
	head_add_number(&h, "kernels");
	for (uint32_t i = 0; i < g->columns.n; i++)
		for (uint32_t a = 0; a < g->job->n_aggs; a++)
			head_add_number(&h, "%s.%s", g->store->column[g->columns.column[i]].name,
				aggs[g->job->agg[a]]);
	writer_write_head(&g->writer, &h);
}

void csv_print_groups(struct csv_job *j, FILE *out)
{
	struct store *s = j->store;
	struct csv_groups g = {.job = j,
		.store = s,
		.columns = shown_columns(j),
		.options = shown_options(j),
		.writer = {out, j->form, 0},
		.has_status = table_shows_status(s)};

	for (uint32_t a = 0; a < j->n_aggs; a++)
		g.keeps_all_values |= sums_needs_values(j->agg[a]);
	for (uint32_t i = 0; i < s->n_kernels; i++) {
		struct csv_group *p = find_or_add_group(&g, i);
		const struct store_value *v = store_load_figures(s, &s->kernel[i]);

		p->kernels++;
		for (uint32_t k = 0; k < s->kernel[i].n; k++)
			sums_add(&p->sum[v[k].column], &v[k].value, g.keeps_all_values);
	}
	write_group_head(&g);
	for (uint32_t i = 0; i < g.n_groups; i++) {
		write_group(&g, &g.group[i]);
		for (uint32_t k = 0; k < s->n_columns; k++)
			free(g.group[i].sum[k].value);
		free(g.group[i].key);
		free(g.group[i].sum);
	}
	free(g.group);
	table_free(&g.table);
	free(g.columns.column);
	free(g.columns.place);
	free(g.options.option);
}
