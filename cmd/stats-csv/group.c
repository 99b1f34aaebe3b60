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
	uint32_t run, first; /* run, and first kernel of the group */
	uint64_t kernels;
	char *key;
	struct sums *sum; /* sum of each column of the store; the last element is always empty */
};

struct csv_groups {
	struct csv_job *j;
	struct store *s;
	struct csv_group *group;
	uint32_t n, cap;
	struct table table; /* indices of the groups by hash of run and key */
	struct shown_columns c;
	struct shown_options o;
	struct writer w;
	bool status;           /* true if the table has the column "status" */
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

	for (size_t i = 0; i < g->j->group.n; i++) {
		const char *part = text_of_group_key(g->s, k, g->j->group.pattern[i], buf);

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
	const struct store_kernel *k = &g->s->kernel[kernel];
	char *key = text_of_all_keys(g, k);
	struct csv_group *found = find_group(g, k->run, key);

	if (found) {
		free(key);
		return found;
	}
	grow(&g->group, &g->cap, g->n + 1, sizeof(*g->group));
	g->group[g->n] = (struct csv_group){.run = k->run,
		.first = kernel,
		.key = key,
		.sum = xcalloc(g->s->n_columns + 1u, sizeof(struct sums))};
	table_add(&g->table, hash_key(k->run, key), g->n);
	return &g->group[g->n++];
}

/* ---- printing -------------------------------------------------------------------------------- */

static double rate_of_sums(
	const struct csv_groups *g, const struct csv_group *p, const struct store_column *c)
{
	char num[256], den[256];
	const struct sums *a, *b;

	if (!results_formula(c->about, c->name, num, den, sizeof(num)))
		return (double)NAN;
	a = &p->sum[store_find_column(g->s, num)];
	b = &p->sum[store_find_column(g->s, den)];
	return a->n && b->n && b->sum != 0 ? a->sum / b->sum : (double)NAN;
}

static void write_sum(struct csv_groups *g, const struct csv_group *p, uint32_t column)
{
	const struct store_column *c = &g->s->column[column];
	const struct sums *s = &p->sum[column];
	enum figure_kind kind = c->about ? c->about->kind : FIGURE_COUNTER;

	if (c->about &&
		(*c->about->formula || kind == FIGURE_RATIO || (kind == FIGURE_INTERVAL && !s->whole)))
		writer_real(&g->w, rate_of_sums(g, p, c));
	else if (kind == FIGURE_MAX || kind == FIGURE_TOTAL)
		writer_real(&g->w, s->max);
	else
		writer_value(
			&g->w, &(struct result_value){.real = s->sum, .count = s->count, .whole = s->whole});
}

static void write_aggregate_cells(
	struct csv_groups *g, const struct csv_group *p, uint32_t column, enum agg agg)
{
	if (p->sum[column].n && agg == AGG_SUM)
		write_sum(g, p, column);
	else
		writer_real(&g->w, sums_aggregate(&p->sum[column], agg));
}

static void write_group(struct csv_groups *g, const struct csv_group *p)
{
	const struct store_run *run = &g->s->run[p->run];
	char buf[24];

	writer_text(&g->w, store_word(g->s, run->name));
	for (uint32_t i = 0; i < g->o.n; i++) {
		uint32_t o = g->o.option[i];

		writer_text(&g->w, o < run->n_options ? store_word(g->s, run->option[o]) : "");
	}
	if (g->status)
		writer_text(&g->w, store_word(g->s, run->status));
	for (size_t i = 0; i < g->j->group.n; i++)
		if (strcmp(g->j->group.pattern[i], "run"))
			writer_text(&g->w, text_of_group_key(g->s, &g->s->kernel[p->first],
						   g->j->group.pattern[i], buf));
	writer_value(&g->w, &(struct result_value){.count = p->kernels, .whole = true});
	for (uint32_t i = 0; i < g->c.n; i++)
		for (uint32_t a = 0; a < g->j->n_aggs; a++)
			write_aggregate_cells(g, p, g->c.column[i], g->j->agg[a]);
	writer_end(&g->w);
}

static void write_group_head(struct csv_groups *g)
{
	static const char *const aggs[N_AGGS] = {
#define AGG(name, word) word,
#include "aggs.def"
#undef AGG
	};
	struct head h = {0};

	head_text(&h, "run");
	for (uint32_t i = 0; i < g->o.n; i++)
		head_text(&h, g->s->option[g->o.option[i]]);
	if (g->status)
		head_text(&h, "status");
	for (size_t i = 0; i < g->j->group.n; i++)
		if (strcmp(g->j->group.pattern[i], "run"))
			head_text(&h, g->j->group.pattern[i]);
	head_number(&h, "kernels");
	for (uint32_t i = 0; i < g->c.n; i++)
		for (uint32_t a = 0; a < g->j->n_aggs; a++)
			head_number(&h, "%s.%s", g->s->column[g->c.column[i]].name, aggs[g->j->agg[a]]);
	writer_head(&g->w, &h);
}

void csv_print_groups(struct csv_job *j, FILE *out)
{
	struct store *s = j->store;
	struct csv_groups g = {.j = j,
		.s = s,
		.c = shown_columns(j),
		.o = shown_options(j),
		.w = {out, j->form, 0},
		.status = table_shows_status(s)};

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
	for (uint32_t i = 0; i < g.n; i++) {
		write_group(&g, &g.group[i]);
		for (uint32_t k = 0; k < s->n_columns; k++)
			free(g.group[i].sum[k].value);
		free(g.group[i].key);
		free(g.group[i].sum);
	}
	free(g.group);
	table_free(&g.table);
	free(g.c.column);
	free(g.c.place);
	free(g.o.option);
}
