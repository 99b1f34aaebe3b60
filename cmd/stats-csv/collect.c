/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads results into the store. Selects kernels and figures. Computes the derived figures of each kernel
 * while all figures of the kernel are available.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "job.h"
#include "weighted.h"

struct csv_reading {
	struct csv_job *job;
	struct results *results;
	const struct result_item *item;
	uint32_t *column; /* for each figure id of the reader, column of the store, plus 1 */
	uint32_t cap_column, n_column;
	struct store_value *value;
	uint32_t n_values, cap_values;
	bool warned; /* true if the warning about a profile has been printed */
};

/* ---- which figures ---------------------------------------------------------------------------- */

/*
 * Returns true for figures that are shown without -s: the figures of the whole GPU that every record has,
 * except host times.
 */
static bool is_default_column(const char *name, const struct figure *about)
{
	if (strchr(name, '['))
		return false;
	return about ? !about->sparse : strncmp(name, "gpgpu_si", 8) && strcmp(name, "gpu_total_sim_rate");
}

/* Returns true if the table needs a figure. Callback of results_limit_figures(). */
static bool needs_figure(void *ctx, const char *name)
{
	const struct csv_job *j = ctx;

	return j->select.n ? namelist_find(&j->select, name) >= 0
			   : is_default_column(name, figure_find(name));
}

/* Returns true if all figures of the table are read, and none is computed. */
static bool are_all_figures_read(const struct csv_job *j)
{
	return !j->one_row_per_run && !j->list && !j->running && !j->weights && !j->n_aggs && !j->n_derived;
}

static void keep_parts_of_rate(struct csv_job *j, struct store_column c);

static enum column_use choose_column_use(struct csv_job *j, uint32_t column)
{
	const struct store_column *c = &j->store->column[column];
	long item = namelist_find(&j->select, c->name);

	if (j->list && !j->select.n)
		return COLUMN_SHOWN;
	if (j->select.n ? item >= 0 : is_default_column(c->name, c->description))
		return COLUMN_SHOWN;
	return j->weights && weighted_needs(c->name) ? COLUMN_PART : COLUMN_NO;
}

static uint8_t *use_of_column(struct csv_job *j, uint32_t column)
{
	uint32_t had = j->cap_shown;

	if (column >= had) {
		grow(&j->shown, &j->cap_shown, column + 1, 1);
		memset(j->shown + had, COLUMN_NEW, j->cap_shown - had);
	}
	return &j->shown[column];
}

static enum column_use column_use(struct csv_job *j, uint32_t column)
{
	enum column_use use = (enum column_use) * use_of_column(j, column);

	if (use == COLUMN_NEW) {
		use = choose_column_use(j, column);
		*use_of_column(j, column) = (uint8_t)use;
		if (use == COLUMN_SHOWN && j->n_aggs)
			keep_parts_of_rate(j, j->store->column[column]);
	}
	return use;
}

/* Keeps the two figures from which the rate of a group is computed, even if they are not shown. */
static void keep_parts_of_rate(struct csv_job *j, struct store_column c)
{
	char part[2][256];

	if (!results_formula(c.description, c.name, part[0], part[1], sizeof(part[0])))
		return;
	for (int i = 0; i < 2; i++) {
		uint32_t column = store_column(j->store, part[i]);

		if (column_use(j, column) == COLUMN_NO)
			*use_of_column(j, column) = COLUMN_PART;
	}
}

/* Adds a column for each figure whose full name is in -s, even if the column remains empty. */
void collect_add_named_columns(struct csv_job *j)
{
	for (size_t i = 0; i < j->select.n && !j->list; i++)
		if (!strpbrk(j->select.pattern[i], "*?") && figure_find(j->select.pattern[i])) {
			column_use(j, store_column(j->store, j->select.pattern[i]));
			j->matched[i] = false;
		}
}

/* ---- derived figures ------------------------------------------------------------------------- */

/*
 * Returns the name of the figure that has this short name: "warp_insts", "thread_insts", or for example "L2_misses"
 * for the total over all caches of a level, whose name is written to `full`. Returns NULL if it is no short name.
 */
static const char *name_of_short_name(char full[96], const char *name)
{
	const char *tail = strrchr(name, '_');

	if (!strcmp(name, "warp_insts"))
		return "gpgpu_n_tot_w_icount";
	if (!strcmp(name, "thread_insts"))
		return "gpu_sim_insn";
	if (!tail || strlen(name) > 40 || (strcmp(tail, "_misses") && strcmp(tail, "_accesses")))
		return NULL;
	snprintf(full, 96, "%.*s_total_cache%s", (int)(tail - name), name, tail);
	return full;
}

static const struct result_value *find_by_short_name(const struct results *r, const char *name)
{
	char buffer[96];
	const char *full = name_of_short_name(buffer, name);

	return full ? results_find(r, full) : NULL;
}

/* Returns true if an expression can contain the name: of a figure, a short name, or another expression. */
static bool is_name_of_expressions(const struct csv_job *j, const char *name)
{
	char buffer[96];
	const char *full = name_of_short_name(buffer, name);

	for (uint32_t i = 0; i < j->n_derived; i++)
		if (!strcmp(j->derived[i].name, name))
			return true;
	return figure_find(full ? full : name) != NULL;
}

/* Returns the sum of all figures of the kernel that match a name with [*], or NAN if there are none. */
static double sum_of_family(const struct result_item *item, const char *name)
{
	double sum = NAN;

	for (uint32_t i = 0; i < item->n_figures; i++)
		if (figure_matches(name, item->figure[i].name))
			sum = (isnan(sum) ? 0 : sum) + item->figure[i].value.real;
	return sum;
}

static double find_derived_operand(void *ctx, const char *name)
{
	const struct csv_reading *g = ctx;
	const struct result_value *v;

	for (uint32_t i = 0; i < g->job->n_derived; i++)
		if (!strcmp(g->job->derived[i].name, name) && !isnan(g->job->derived[i].value))
			return g->job->derived[i].value;
	if (strstr(name, "[*]"))
		return sum_of_family(g->item, name);
	v = results_find(g->results, name);
	v = v ? v : find_by_short_name(g->results, name);
	return v ? v->real : (double)NAN;
}

static void append_store_value(struct csv_reading *g, uint32_t column, struct result_value v)
{
	struct store_value *to;

	grow(&g->value, &g->cap_values, g->n_values + 1, sizeof(*g->value));
	to = &g->value[g->n_values++];
	memset(to, 0, sizeof(*to));
	to->column = column;
	to->value = v;
}

static void compute_derived(struct csv_reading *g)
{
	for (uint32_t i = 0; i < g->job->n_derived; i++)
		g->job->derived[i].value = NAN;
	for (uint32_t i = 0; i < g->job->n_derived; i++) {
		struct derived *d = &g->job->derived[i];
		uint32_t column = store_column(g->job->store, d->name);

		d->value = expr_value(d->expr, find_derived_operand, g);
		for (size_t k = 0; k < expr_names(d->expr); k++)
			d->found[k] |= !isnan(find_derived_operand(g, expr_name(d->expr, k)));
		*use_of_column(g->job, column) = COLUMN_SHOWN;
		if (!isnan(d->value))
			append_store_value(
				g, column, (struct result_value){.real = d->value, .decimals = RESULT_EXACT});
	}
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t column_for_figure(struct csv_reading *g, const struct result_figure *f)
{
	if (f->id >= g->n_column) {
		grow(&g->column, &g->cap_column, f->id + 1, sizeof(*g->column));
		while (g->n_column <= f->id)
			g->column[g->n_column++] = 0;
	}
	if (!g->column[f->id])
		g->column[f->id] = store_column(g->job->store, f->name) + 1;
	return g->column[f->id] - 1;
}

/* Marks the names and patterns of -s that match a figure. */
static void mark_matching_items(struct csv_job *j, const char *name)
{
	for (size_t i = 0; i < j->select.n; i++)
		if (!j->matched[i])
			j->matched[i] = namelist_matches(j->select.pattern[i], name);
}

/*
 * Returns true if the row of the record would be empty, because the record is from a profile and no figures
 * are chosen. Warns once per file.
 */
static bool is_profile_without_row(struct csv_reading *g, const char *path)
{
	bool profile = false;

	for (uint32_t i = 0; i < g->item->n_figures && !profile; i++)
		profile = !strncmp(g->item->figure[i].name, "sched_cycles", 12);
	if (!profile || g->job->list || g->job->select.n || g->job->n_derived)
		return false;
	if (!g->warned)
		diag_warn((struct place){.file = path},
			"a profile is not a result: skipped (-s 'sched_cycles*' or --top N shows it)");
	g->warned = true;
	return true;
}

static void store_item_values(struct csv_reading *g)
{
	const struct result_item *item = g->item;

	g->n_values = 0;
	for (uint32_t i = 0; i < item->n_figures; i++) {
		uint32_t column = column_for_figure(g, &item->figure[i]);

		if (column_use(g->job, column) == COLUMN_SHOWN)
			mark_matching_items(g->job, item->figure[i].name);
		if (column_use(g->job, column) >= COLUMN_PART && !g->job->list)
			append_store_value(g, column, item->figure[i].value);
	}
	if (g->job->list)
		return;
	compute_derived(g);
	store_add_row(g->job->store, item, g->value, g->n_values);
}

static void store_csv_row(struct csv_reading *g, const char *path)
{
	if (!is_profile_without_row(g, path))
		store_item_values(g);
}

static void report_incomplete_run(struct csv_reading *g)
{
	const char *status = g->item->status;

	if (!strcmp(status, "cut"))
		diag_fault(&g->item->cut);
	else if (strcmp(status, "complete") && strcmp(status, "limit"))
		diag_error((struct place){.file = store_word(g->job->store,
						  g->job->store->run[g->job->store->n_runs - 1].name)},
			"the run is not complete: status %.20s", status);
	else
		return;
	g->job->status = EXIT_NO;
}

static bool is_kernel_of_item_selected(const struct csv_job *j, const struct result_item *item)
{
	return kselect_selects(j->kernels, item->kernel.position, item->kernel.name);
}

/* Returns the type of event for which the table has a row. collect() handles RESULT_DONE itself. */
static int row_event_of_job(const struct csv_job *j)
{
	return j->per_interval ? RESULT_INTERVAL : j->one_row_per_run ? RESULT_END_OF_INPUT : RESULT_KERNEL;
}

void collect(struct csv_job *j, const char *path)
{
	struct result_item item;
	struct fault f;
	struct csv_reading g = {.job = j, .item = &item};
	int event;

	g.results = results_open(path,
		j->running        ? RESULT_RUNNING
		: j->per_interval ? RESULT_INTERVALS
				  : 0,
		&f);
	if (!g.results)
		die_fault(&f);
	if (are_all_figures_read(j))
		results_limit_figures(g.results, needs_figure, j);
	while ((event = results_next(g.results, &item, &f)) > 0) {
		j->any_kernel |= event == RESULT_KERNEL;
		j->any_interval |= event == RESULT_INTERVAL;
		if (event == RESULT_START)
			store_add_run(j->store, path, &item);
		else if (event == row_event_of_job(j) && is_kernel_of_item_selected(j, &item))
			j->any_row = true, store_csv_row(&g, path);
		else if (event == RESULT_DONE && (j->one_row_per_run || j->weights))
			store_csv_row(&g, path);
		if (event == RESULT_DONE) {
			store_end_run(j->store, &item);
			report_incomplete_run(&g);
		}
	}
	if (event < 0)
		die_fault(&f);
	results_close(g.results);
	free(g.column);
	free(g.value);
}

/*
 * A run that stopped before its first kernel has no row. This is not an error here, because the status of the
 * run shows it.
 */
void collect_check_selection(const struct csv_job *j)
{
	if (j->per_interval && j->any_kernel && !j->any_interval)
		die("no intervals in the input (expected results of trace-sim --interval)");
	if (j->kernels && j->any_kernel && !j->any_row)
		die("-k selects no kernel of the input");
}

/* Fails if the input has no value of a name that is not in stats.def either. Warns if it is there. */
static void check_expression_names(const struct csv_job *j, const struct derived *d)
{
	char q[80];

	for (size_t i = 0; i < expr_names(d->expr); i++) {
		const char *name = expr_name(d->expr, i);

		if (d->found[i])
			continue;
		if (!is_name_of_expressions(j, name))
			figure_die_unknown("-e", name);
		diag_warn(NOWHERE, "-e %s: no value of %s in the input", d->name,
			diag_quote(q, sizeof(q), name, strlen(name)));
	}
}

void collect_warn(const struct csv_job *j)
{
	char q[80];

	/* a full name that is neither in the input nor in stats.def is misspelt */
	for (size_t i = 0; i < j->select.n; i++)
		if (!j->matched[i] && !strpbrk(j->select.pattern[i], "*?[") &&
			!figure_find(j->select.pattern[i]))
			figure_die_unknown("-s", j->select.pattern[i]);
	collect_check_selection(j);
	for (size_t i = 0; i < j->select.n; i++)
		if (!j->matched[i]) {
			diag_warn(NOWHERE, "-s %s: no such figure in the input (--list prints the figures)",
				diag_quote(q, sizeof(q), j->select.pattern[i], strlen(j->select.pattern[i])));
		}
	if (!j->list && !j->weights) /* with --weights, the picks list the kernels that they represent */
		store_warn_skipped(j->store);
	for (uint32_t i = 0; i < j->n_derived && !j->list; i++)
		check_expression_names(j, &j->derived[i]);
}
