/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the result of a selftest as text, JSON records or tab-separated columns (table.h). Rows are in the
 * order of their files. Groups are in the order in which they appear. A row that was not simulated has no
 * simulated figure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "record.h"
#include "selftest/table.h"

double table_error(const struct figure_row *r)
{
	if (!r->subject || r->row->is_predicted || r->row->value == 0)
		return 0;
	return (r->simulated - r->row->value) / r->row->value * 100;
}

/* ---- groups --------------------------------------------------------------------------------- */

struct figure_group {
	const char *name, *worst_id;
	uint32_t n;
	double sum;       /* sum of the absolute errors */
	double max_error; /* largest absolute error */
	double max_diff;  /* largest difference, in the unit of the figures */
};

static struct figure_group *find_figure_group(struct figure_group *g, uint32_t *n, const char *name)
{
	for (uint32_t i = 0; i < *n; i++)
		if (!strcmp(g[i].name, name))
			return &g[i];
	g[*n] = (struct figure_group){.name = name};
	return &g[(*n)++];
}

static void add_to_group(struct figure_group *g, const struct figure_row *r)
{
	double error = fabs(table_error(r)), diff = fabs(r->simulated - r->row->value);

	g->n++;
	g->sum += error;
	if (error >= g->max_error) {
		g->max_error = error;
		g->worst_id = r->row->id;
	}
	if (diff > g->max_diff)
		g->max_diff = diff;
}

/*
 * Returns the groups of the simulated rows, followed by a group "all". Sets *n to the number of groups
 * without "all".
 */
static struct figure_group *collect_groups(const struct figure_table *t, uint32_t *n)
{
	struct figure_group *g = xcalloc(t->n + 1, sizeof(*g)), all = {.name = "all"};

	*n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->row[i].subject && !t->row[i].row->is_predicted) {
			add_to_group(find_figure_group(g, n, t->row[i].probe.group), &t->row[i]);
			add_to_group(&all, &t->row[i]);
		}
	g[*n] = all;
	return g;
}

/*
 * Collects in *out the reasons why rows were not simulated, in order of appearance, each with its number of
 * rows. Returns the number of reasons.
 */
static uint32_t count_reasons_not_run(const struct figure_table *t, struct figure_group **out)
{
	struct figure_group *g = xcalloc(t->n + 1, sizeof(*g));
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (!t->row[i].subject)
			find_figure_group(g, &n, t->row[i].reason)->n++;
	*out = g;
	return n;
}

static uint32_t count_predicted_rows(const struct figure_table *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		n += t->row[i].subject && t->row[i].row->is_predicted;
	return n;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void print_row_text(const struct figure_row *r, int width, FILE *out)
{
	if (r->row->is_predicted)
		fprintf(out, "%-*s %12s %12.6g %8s  %s\n", width, r->row->id, "-", r->simulated, "-",
			MEASURED_NONE);
	else if (r->subject)
		fprintf(out, "%-*s %12.6g %12.6g %7.2f%%  %s\n", width, r->row->id, r->row->value,
			r->simulated, table_error(r), r->row->source);
}

static void print_table_text(const struct figure_table *t, FILE *out)
{
	struct figure_group *g, *why;
	uint32_t n, n_why = count_reasons_not_run(t, &why), width = 6, predicted = count_predicted_rows(t);

	for (uint32_t i = 0; i < t->n; i++)
		if (strlen(t->row[i].row->id) > width)
			width = (uint32_t)strlen(t->row[i].row->id);
	fprintf(out, "%s, measured figures of %s\n\n%-*s %12s %12s %8s  %s\n", t->config, t->measured_name,
		(int)width, "figure", "measured", "simulated", "error", "source");
	for (uint32_t i = 0; i < t->n; i++)
		if (t->row[i].subject)
			print_row_text(&t->row[i], (int)width, out);
	g = collect_groups(t, &n);
	fprintf(out, "\n%-22s %7s %8s %8s  %s\n", "group", "figures", "mean", "worst", "worst at");
	for (uint32_t i = 0; i <= n; i++)
		fprintf(out, "%-22s %7u %7.2f%% %7.2f%%  %s\n", g[i].name, g[i].n,
			g[i].n ? g[i].sum / g[i].n : 0, g[i].max_error, g[i].worst_id ? g[i].worst_id : "");
	if (predicted)
		fprintf(out, "\n%s: %u (not measured on this GPU)\n", MEASURED_NONE, predicted);
	for (uint32_t i = 0; i < n_why; i++)
		fprintf(out, "%snot simulated: %u (%s)\n", i ? "" : "\n", why[i].n, why[i].name);
	if (t->n_rows_of_other_gpus)
		fprintf(out, "rows of other GPUs: %u\n", t->n_rows_of_other_gpus);
	free(g);
	free(why);
}

/* ---- columns -------------------------------------------------------------------------------- */

static const char *unit_of_row(const struct figure_row *r)
{
	return *r->probe.kind->unit ? r->probe.kind->unit : r->row->unit;
}

static void print_table_tsv(const struct figure_table *t, FILE *out)
{
	fputs("id\tworkload\tmeasured\tsimulated\terror\tsource\tgroup\tparams\tunit\twhy\n", out);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct figure_row *r = &t->row[i];
		const struct measured_row *m = r->row;

		if (r->row->is_predicted && r->subject)
			fprintf(out, "%s\t%s\t\t%.6f\t\t%s\t%s\t%s\t%s\t%s\n", m->id, m->workload,
				r->simulated, m->source, r->probe.group, m->params, unit_of_row(r),
				MEASURED_NONE);
		else if (r->subject)
			fprintf(out, "%s\t%s\t%.10g\t%.6f\t%.3f\t%s\t%s\t%s\t%s\t\n", m->id, m->workload,
				m->value, r->simulated, table_error(r), m->source, r->probe.group, m->params,
				unit_of_row(r));
		else
			fprintf(out, "%s\t%s\t%s\t\t\t%s\t\t%s\t%s\t%s\n", m->id, m->workload, m->text,
				m->source, m->params, m->unit, r->reason);
	}
}

/* ---- records -------------------------------------------------------------------------------- */

static void print_figure_record(const struct figure_row *r, struct record_writer *w)
{
	record_begin(w, "figure");
	record_string(w, "id", r->row->id);
	record_string(w, "workload", r->row->workload);
	record_string(w, "params", r->row->params);
	if (r->subject) {
		record_string(w, "group", r->probe.group);
		if (!r->row->is_predicted)
			record_real(w, "measured", r->row->value, unit_of_row(r));
		record_real(w, "simulated", r->simulated, unit_of_row(r));
		if (r->row->is_predicted)
			record_string(w, "not_validated", "not measured on this GPU");
		else
			record_real(w, "error", table_error(r), "percent");
	} else {
		record_string(w, "not_made", r->reason);
	}
	record_string(w, "source", r->row->source);
	record_end(w);
}

static void print_table_json(const struct figure_table *t, FILE *out)
{
	struct record_writer *w = record_open(out, RECORD_JSON);
	struct figure_group *g, *why;
	uint32_t n, n_why = count_reasons_not_run(t, &why), missing = 0;

	for (uint32_t i = 0; i < t->n; i++)
		print_figure_record(&t->row[i], w);
	g = collect_groups(t, &n);
	for (uint32_t i = 0; i <= n; i++) {
		record_begin(w, "group");
		record_string(w, "name", g[i].name);
		record_uint(w, "figures", g[i].n, "figures");
		record_real(w, "mean", g[i].n ? g[i].sum / g[i].n : 0, "percent");
		record_real(w, "worst", g[i].max_error, "percent");
		record_string(w, "worst_id", g[i].worst_id ? g[i].worst_id : "");
		record_end(w);
	}
	for (uint32_t i = 0; i < n_why; i++)
		missing += why[i].n;
	record_begin(w, "end");
	record_string(w, "machine", t->config);
	record_uint(w, "not_made", missing, "rows");
	record_uint(w, "of_other_gpus", t->n_rows_of_other_gpus, "rows");
	record_end(w);
	record_close(w);
	free(g);
	free(why);
}

void table_print(const struct figure_table *t, enum selftest_format format, FILE *out)
{
	switch (format) {
	case SELFTEST_JSON: print_table_json(t, out); break;
	case SELFTEST_TSV: print_table_tsv(t, out); break;
	default: print_table_text(t, out);
	}
}
