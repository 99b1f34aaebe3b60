/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements --weights: prints one row per run of picks, with figures of the whole application and their 95
 * % intervals.
 *
 * Always true: every run has every pick. A sum has the columns NAME, NAME.low and NAME.high. A mean over the
 * kernels of the application has the columns NAME.mean, NAME.mean.low and NAME.mean.high. Unknown intervals
 * and figures are empty cells.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "job.h"
#include "picks.h"
#include "weighted.h"

#define CELLS 3u /* number of cells per figure */

struct csv_weighing {
	struct csv_job *job;
	struct store *store;
	struct shown_columns columns;
	struct shown_options options;
	struct writer writer;
	double *pick_deviation; /* deviation of each pick */
};

void csv_weights_read(struct csv_job *j, const char *path)
{
	struct fault f;

	csv_weights_free(j);
	j->weights = xcalloc(1, sizeof(*j->weights));
	if (picks_read(j->weights, path, &f) < 0)
		die_fault(&f);
}

void csv_weights_free(struct csv_job *j)
{
	if (j->weights)
		picks_free(j->weights);
	free(j->weights);
	j->weights = NULL;
}

void csv_weights_check(struct csv_job *j)
{
	const char *with = j->one_row_per_run ? "--per run"
			   : j->long_form     ? "--long"
			   : j->group.n       ? "--group"
			   : j->running       ? "--running"
			   : j->kernels       ? "-k"
			   : j->n_derived     ? "-e"
					      : NULL;

	if (with)
		cli_usage("--weights cannot be used with %s", with);
	for (uint32_t i = 0; i < j->n_aggs; i++)
		if (j->agg[i] != AGG_SUM && j->agg[i] != AGG_MEAN)
			cli_usage("--weights allows only --agg sum and mean");
	if (!j->n_aggs)
		/* collect.c keeps the parts of rates only if a function is set */
		j->agg[j->n_aggs++] = AGG_SUM;
}

static void write_weighted_head(struct csv_weighing *g)
{
	static const char *const part[CELLS] = {"", ".low", ".high"};
	struct head h = {0};

	head_add_text(&h, "run");
	for (uint32_t i = 0; i < g->options.n; i++)
		head_add_text(&h, g->store->option[g->options.option[i]]);
	head_add_number(&h, "kernels");
	head_add_number(&h, "picked");
	for (uint32_t i = 0; i < g->columns.n; i++)
		for (uint32_t k = 0; k < g->job->n_aggs * CELLS; k++)
			head_add_number(&h, "%s%s%s", g->store->column[g->columns.column[i]].name,
				g->job->agg[k / CELLS] == AGG_MEAN ? ".mean" : "", part[k % CELLS]);
	writer_write_head(&g->writer, &h);
}

/* Returns true if the figure is a sum over kernels, so that sum and mean differ. */
static bool is_sum_figure(const struct store_column *c)
{
	enum figure_kind kind = c->description ? c->description->kind : FIGURE_COUNTER;

	return (kind == FIGURE_COUNTER || kind == FIGURE_HISTOGRAM || kind == FIGURE_INTERVAL) &&
	       !(c->description && (*c->description->formula || strchr(c->description->unit, '/') ||
					   !strcmp(c->description->unit, "percent")));
}

/*
 * Returns the lower bound of a value. Figures are not negative, so an interval that is wider than the value ends at 0.
 */
static double lower_bound(double value, double width)
{
	return value >= 0 && width > value ? 0 : value - width;
}

static void write_weighted_figure(struct csv_weighing *g, const struct weighted *w, uint32_t column)
{
	double value = (double)NAN, half = (double)NAN, below = 0, above = 0;
	bool bounded = false, known = weighted_figure(w, column, &value, g->pick_deviation, &bounded);

	if (known && bounded && weighted_cold_widths(w, g->pick_deviation, &below, &above))
		half = weighted_half_interval(w, g->pick_deviation);
	for (uint32_t a = 0; a < g->job->n_aggs; a++) {
		bool mean = g->job->agg[a] == AGG_MEAN && is_sum_figure(&g->store->column[column]);
		double by = mean ? 1 / (double)picks_represented(g->job->weights) : 1;

		writer_write_real(&g->writer, known ? value * by : (double)NAN);
		writer_write_real(&g->writer, known ? lower_bound(value, half + below) * by : (double)NAN);
		writer_write_real(&g->writer, known ? (value + half + above) * by : (double)NAN);
	}
}

static void write_weighted_run(
	struct csv_weighing *g, uint32_t number, const struct store_kernel *kernel, uint32_t n)
{
	const struct store_run *run = &g->store->run[number];
	const char *name = store_word(g->store, run->name);
	struct fault f;
	struct weighted *w = weighted_new(g->store, g->job->weights, run, kernel, n, &f);

	if (!w)
		die_fault(&f);
	writer_write_text(&g->writer, name);
	for (uint32_t i = 0; i < g->options.n; i++) {
		uint32_t o = g->options.option[i];

		writer_write_text(&g->writer, o < run->n_options ? store_word(g->store, run->option[o]) : "");
	}
	writer_write_value(&g->writer,
		&(struct result_value){.count = picks_represented(g->job->weights), .is_whole = true});
	writer_write_value(&g->writer, &(struct result_value){.count = g->job->weights->n, .is_whole = true});
	for (uint32_t i = 0; i < g->columns.n; i++)
		write_weighted_figure(g, w, g->columns.column[i]);
	writer_end(&g->writer);
	weighted_free(w);
}

void csv_print_weighted(struct csv_job *j, FILE *out)
{
	struct store *s = j->store;
	struct csv_weighing g = {.job = j,
		.store = s,
		.columns = shown_columns(j),
		.options = shown_options(j),
		.writer = {out, j->form, 0}};
	uint32_t at = 0;

	g.pick_deviation = xcalloc(j->weights->n, sizeof(*g.pick_deviation));
	write_weighted_head(&g);
	for (uint32_t i = 0; i < s->n_runs; i++) {
		uint32_t first = at;

		while (at < s->n_kernels && s->kernel[at].run == i)
			at++;
		write_weighted_run(&g, i, s->kernel + first, at - first);
	}
	free(g.pick_deviation);
	free(g.columns.column);
	free(g.columns.place);
	free(g.options.option);
}
