/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements --weights: compares the totals of the whole application from two runs of the same picks. For
 * each figure it prints the values of both sides, the difference, and half of the 95 % interval of the
 * difference.
 *
 * Always true: the interval is computed from the differences of the picks, so common errors cancel. A figure
 * differs if its difference exceeds the interval and the tolerance. An unknown interval is taken as 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "picks.h"
#include "record.h"
#include "weighted.h"

struct moved {
	const char *name;
	double value[2]; /* values of both sides */
	double half;     /* half of the 95 % interval of their difference */
	bool outside;
};

struct weighing {
	struct diff *diff;
	struct weighted *side[2];
	double *pick_deviation[2];
	struct moved *row;
	uint32_t n_rows, cap_rows;
};

static bool is_change_tolerated(const struct diff_options *o, const struct moved *m)
{
	const struct tolerance *t = tolerance_of(o, m->name);
	double delta = fabs(m->value[1] - m->value[0]), most = fmax(fabs(m->value[0]), fabs(m->value[1]));

	return delta == 0 || (t && (delta <= t->absolute || delta <= t->relative * most));
}

static void compare_totals(struct weighing *g, uint32_t column)
{
	const struct picks *p = g->diff->options->weights;
	struct moved m = {.name = g->diff->store->column[column].name};
	bool bounded = false;
	double below = 0, above = 0;

	for (int s = 0; s < 2; s++)
		if (!weighted_figure(g->side[s], column, &m.value[s], g->pick_deviation[s], &bounded))
			return;
	for (uint32_t i = 0; i < p->n; i++)
		g->pick_deviation[1][i] -= g->pick_deviation[0][i];
	bounded = bounded && weighted_cold_widths(g->side[1], g->pick_deviation[1], &below, &above);
	m.half = bounded ? weighted_half_interval(g->side[1], g->pick_deviation[1]) + fmax(below, above)
			 : (double)NAN;
	m.outside = !is_change_tolerated(g->diff->options, &m) && !(fabs(m.value[1] - m.value[0]) <= m.half);
	g->diff->differs |= m.outside;
	if (!m.outside && !g->diff->options->all)
		return;
	grow(&g->row, &g->cap_rows, g->n_rows + 1, sizeof(*g->row));
	g->row[g->n_rows++] = m;
}

static double relative_change(const struct moved *m)
{
	double delta = m->value[1] - m->value[0];

	return delta == 0 ? 0 : m->value[0] == 0 ? copysign(INFINITY, delta) : delta / fabs(m->value[0]);
}

static int compare_moved(const void *pa, const void *pb)
{
	const struct moved *a = pa, *b = pb;
	double x = fabs(relative_change(a)), y = fabs(relative_change(b));

	if (a->outside != b->outside)
		return a->outside ? -1 : 1;
	if (x > y || x < y)
		return x > y ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* ---- printing --------------------------------------------------------------------------------- */

static void format_percent(char t[32], double part, const char *form)
{
	if (isnan(part))
		snprintf(t, 32, "?");
	else if (isinf(part))
		snprintf(t, 32, "from 0");
	else
		snprintf(t, 32, form, 100 * part);
}

static void print_total_rows(const struct weighing *g, FILE *out)
{
	bool markdown = g->diff->options->form == DIFF_MARKDOWN;
	int w = 4;

	for (uint32_t i = 0; i < g->n_rows; i++)
		w = printed_width(g->row[i].name) > w ? printed_width(g->row[i].name) : w;
	if (markdown)
		fputs("\n| name | A | B | change | +- |\n|---|---:|---:|---:|---:|\n", out);
	else if (g->n_rows)
		fprintf(out, "  %-*s  %14s  %14s  %9s  %8s\n", w, "name", "A", "B", "change", "+-");
	for (uint32_t i = 0; i < g->n_rows; i++) {
		const struct moved *m = &g->row[i];
		char change[32], half[32];

		format_percent(change, relative_change(m), "%+.2f%%");
		format_percent(half, m->value[0] != 0 ? m->half / fabs(m->value[0]) : (double)NAN, "%.2f%%");
		fputs(markdown ? "| " : "  ", out);
		if (markdown)
			print_name(out, m->name, DIFF_MARKDOWN);
		else
			print_name_padded(out, m->name, w);
		fprintf(out, markdown ? " | %.8g | %.8g | %s | %s |\n" : "  %14.8g  %14.8g  %9s  %8s\n",
			m->value[0], m->value[1], change, half);
	}
}

static void print_json_real(FILE *out, const char *name, double x)
{
	char text[RECORD_REAL_CAP];

	fprintf(out, ",\"%s\":%s", name, isfinite(x) ? record_real_text(text, x) : "null");
}

static void print_json_totals(const struct weighing *g, FILE *out)
{
	for (uint32_t i = 0; i < g->n_rows; i++) {
		const struct moved *m = &g->row[i];

		json_t *name = printed_json_string(m->name);

		fputs("{\"name\":", out);
		json_dumpf(name, out, JSON_ENCODE_ANY);
		json_decref(name);
		print_json_real(out, "a", m->value[0]);
		print_json_real(out, "b", m->value[1]);
		print_json_real(out, "difference", m->value[1] - m->value[0]);
		print_json_real(out, "half_interval", m->half);
		fprintf(out, ",\"outside\":%s}\n", m->outside ? "true" : "false");
	}
}

/* Prints the heading: the two results, and how many kernels were picked from how many. */
static void print_weighted_heading(const struct weighing *g, FILE *out, const char *heading)
{
	const struct diff_options *o = g->diff->options;

	fputs(o->form == DIFF_MARKDOWN ? "### " : "", out);
	if (heading) {
		print_name(out, heading, o->form);
		fputs(": ", out);
	}
	print_name(out, g->diff->side[0].path, o->form);
	fputs(" -> ", out);
	print_name(out, g->diff->side[1].path, o->form);
	fprintf(out, ", %u of %u kernels\n", o->weights->n, picks_represented(o->weights));
}

static void print_weighted_totals(struct weighing *g, FILE *out, const char *heading)
{
	const struct diff_options *o = g->diff->options;
	uint32_t outside = 0;

	if (g->n_rows)
		qsort(g->row, g->n_rows, sizeof(*g->row), compare_moved);
	for (uint32_t i = 0; i < g->n_rows; i++)
		outside += g->row[i].outside;
	if (o->form != DIFF_JSON)
		print_weighted_heading(g, out, heading);
	if (o->options)
		option_print(g->diff, out, heading, true);
	if (o->form == DIFF_JSON) {
		print_json_totals(g, out);
		return;
	}
	print_total_rows(g, out);
	fprintf(out, "%sfigures: %u outside the 95 %% interval\n", o->form == DIFF_MARKDOWN ? "\n" : "  ",
		outside);
}

int diff_print_weighted(struct diff *d, FILE *out, const char *heading)
{
	const struct picks *p = d->options->weights;
	struct weighing g = {.diff = d};
	struct fault f;
	int status = 0;

	for (int s = 0; s < 2 && status == 0; s++) {
		const struct side *side = &d->side[s];

		g.pick_deviation[s] = xcalloc(p->n, sizeof(double));
		g.side[s] = weighted_new(d->store, p, &d->store->run[side->first_run],
			d->store->kernel + side->first_kernel, side->n_kernels, &f);
		if (!g.side[s])
			status = diag_fault(&f);
	}
	for (uint32_t i = 0; status == 0 && i < d->store->n_columns; i++)
		if (diff_compares_figure(d->options, d->store->column[i].name))
			compare_totals(&g, i);
	if (status == 0)
		print_weighted_totals(&g, out, heading);
	for (int s = 0; s < 2; s++) {
		weighted_free(g.side[s]);
		free(g.pick_deviation[s]);
	}
	free(g.row);
	return status;
}
