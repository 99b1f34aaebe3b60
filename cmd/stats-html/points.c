/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the points, which are kernels that are both measured and simulated, and writes their table. Kernels
 * are paired by name and by the number of earlier launches of that name, as in examples/plots/correlate.
 * Names that only one side has are compared in their short form.
 *
 * Always true: a pair has at least one metric that can be compared. If no cycles were measured, they are
 * computed from the measured time and the clock of the configuration.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "demangle.h"
#include "measured.h"

#define POINTS_SINGLE 500u /* number of pairs in a run beyond which each name has a single point */
#define ROWS_SHOWN    200u

/* Simulated kernels of one name. */
struct name_group {
	char *name;
	/* numbers of kernels of the run, plus 1 */
	uint32_t first_kernel, next_unpaired, last_kernel;
	uint32_t n;      /* number of kernels */
	uint32_t paired; /* number of kernels that are paired */
	double sum[N_METRICS];
};

struct pairing {
	struct html_report *report;
	struct html_run *run;
	const struct html_measured *measurements;
	struct table simulated; /* full names of the simulated kernels */
	struct table measured;  /* full names of the measured kernels */
	struct table by_name;   /* indices of `group` by name */
	struct name_group *group;
	uint32_t n_groups, cap_groups;
	uint32_t *next_in_group; /* for each kernel, number of the next kernel of its group, plus 1 */
	uint32_t unpaired;       /* number of measured launches without a simulated kernel */
};

static bool is_known_kernel(const struct pairing *p, const char *name)
{
	FOR_TABLE (w, &p->simulated, table_hash(name, strlen(name)))
		if (!strcmp(p->run->kernel[w.number].name, name))
			return true;
	return false;
}

static bool is_known_launch(const struct pairing *p, const char *name)
{
	FOR_TABLE (w, &p->measured, table_hash(name, strlen(name)))
		if (!strcmp(p->measurements->launch[w.number].name, name))
			return true;
	return false;
}

/* Returns the name by which a kernel is paired. The caller frees it. */
static char *name_for_pairing(const struct pairing *p, const char *name)
{
	return demangle(name,
		is_known_kernel(p, name) && is_known_launch(p, name) ? DEMANGLE_MANGLED : DEMANGLE_SHORT);
}

static struct name_group *find_name_group(struct pairing *p, const char *name)
{
	FOR_TABLE (w, &p->by_name, table_hash(name, strlen(name)))
		if (!strcmp(p->group[w.number].name, name))
			return &p->group[w.number];
	return NULL;
}

static void append_kernel_to_group(struct pairing *p, uint32_t kernel)
{
	char *name = name_for_pairing(p, p->run->kernel[kernel].name);
	struct name_group *g = find_name_group(p, name);

	if (!g) {
		table_add(&p->by_name, table_hash(name, strlen(name)), p->n_groups);
		grow(&p->group, &p->cap_groups, p->n_groups + 1, sizeof(*p->group));
		g = &p->group[p->n_groups++];
		*g = (struct name_group){
			.name = xstrdup(name), .first_kernel = kernel + 1, .next_unpaired = kernel + 1};
	} else {
		p->next_in_group[g->last_kernel - 1] = kernel + 1;
		g->next_unpaired = g->next_unpaired ? g->next_unpaired : kernel + 1;
	}
	g->last_kernel = kernel + 1;
	g->n++;
	for (int i = 0; i < N_METRICS; i++)
		g->sum[i] += p->run->kernel[kernel].metric[i];
	free(name);
}

/* Measured cycles of a launch, or NAN if they are unknown. */
static double cycles_of_launch(const struct html_run *run, const struct html_launch *l)
{
	if (l->value[METRIC_CYCLES] > 0)
		return l->value[METRIC_CYCLES];
	if (l->sm_cycles > 0 && run->sms > 0)
		return l->sm_cycles / run->sms;
	return run->hz > 0 ? l->value[METRIC_TIME] * run->hz / 1e9 : (double)NAN;
}

/*
 * Adds a point for a kernel if any metric of the launch can be compared. `simulated` has sums over n kernels.
 */
static void add_point(struct pairing *p, uint32_t kernel, uint32_t launch, const struct html_launch *l,
	const double simulated[N_METRICS], uint32_t n)
{
	struct html_report *r = p->report;
	struct html_point to = {.run = (uint32_t)(p->run - r->run), .launch = launch};
	bool any = false;

	for (int i = 0; i < N_METRICS; i++) {
		double x = i == METRIC_CYCLES ? cycles_of_launch(p->run, l) : l->value[i],
		       y = simulated[i] / n;
		bool can = metric_is_comparable((enum metric)i, x, y);

		to.measured[i] = can ? x : (double)NAN;
		to.simulated[i] = can ? y : (double)NAN;
		any |= can;
	}
	if (!any)
		return;
	to.name = xstrdup(p->run->kernel[kernel].shown);
	grow(&r->point, &r->cap_points, r->n_points + 1, sizeof(*r->point));
	r->point[r->n_points++] = to;
}

static void pair_launch(struct pairing *p, const struct html_launch *l)
{
	char *name = name_for_pairing(p, l->name);
	struct name_group *g = find_name_group(p, name);

	free(name);
	if (!g || (!l->is_mean && !g->next_unpaired)) {
		p->unpaired++;
		return;
	}
	if (l->is_mean) {
		add_point(p, g->first_kernel - 1, 0, l, g->sum, g->n);
		g->paired = g->n;
		return;
	}
	add_point(p, g->next_unpaired - 1, ++g->paired, l, p->run->kernel[g->next_unpaired - 1].metric, 1);
	g->next_unpaired = p->next_in_group[g->next_unpaired - 1];
}

static int compare_point_names(const void *pa, const void *pb)
{
	const struct html_point *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order ? order : a->launch < b->launch ? -1 : a->launch > b->launch;
}

/* Adds the values of point p to the sums. `n` has the number of points for each metric. */
static void add_point_to_sums(struct html_point *sum, uint32_t n[N_METRICS], const struct html_point *p)
{
	for (int i = 0; i < N_METRICS; i++)
		if (!isnan(p->measured[i])) {
			sum->measured[i] += p->measured[i];
			sum->simulated[i] += p->simulated[i];
			n[i]++;
		}
}

/* From point `from` on, replaces the points of each name by one point with their means. */
static void merge_points_by_name(struct html_report *r, uint32_t from)
{
	uint32_t to = from;

	qsort(r->point + from, r->n_points - from, sizeof(*r->point), compare_point_names);
	for (uint32_t i = from, next; i < r->n_points; i = next) {
		struct html_point sum = {.name = r->point[i].name, .run = r->point[i].run};
		uint32_t n[N_METRICS] = {0};

		for (next = i; next < r->n_points && !strcmp(r->point[next].name, sum.name); next++) {
			add_point_to_sums(&sum, n, &r->point[next]);
			if (next > i)
				free(r->point[next].name);
		}
		for (int k = 0; k < N_METRICS; k++) {
			sum.measured[k] = n[k] ? sum.measured[k] / n[k] : (double)NAN;
			sum.simulated[k] = n[k] ? sum.simulated[k] / n[k] : (double)NAN;
		}
		sum.launch = next - i > 1 ? 0 : r->point[i].launch;
		r->point[to++] = sum;
	}
	r->n_points = to;
}

void html_add_points(struct html_report *r, struct html_run *run, const struct html_measured *m)
{
	struct pairing p = {.report = r, .run = run, .measurements = m};
	uint32_t from = r->n_points, left = 0;

	p.next_in_group = xcalloc(run->n_kernels + 1u, sizeof(*p.next_in_group));
	for (uint32_t i = 0; i < m->n; i++)
		table_add(&p.measured, table_hash(m->launch[i].name, strlen(m->launch[i].name)), i);
	for (uint32_t i = 0; i < run->n_kernels; i++)
		table_add(&p.simulated, table_hash(run->kernel[i].name, strlen(run->kernel[i].name)), i);
	for (uint32_t i = 0; i < run->n_kernels; i++)
		append_kernel_to_group(&p, i);
	for (uint32_t i = 0; i < m->n; i++)
		pair_launch(&p, &m->launch[i]);
	for (uint32_t i = 0; i < p.n_groups; i++) {
		left += p.group[i].n - p.group[i].paired;
		free(p.group[i].name);
	}
	if (p.unpaired || left)
		html_warn(r, "%.100s and %.100s: %u measured and %u simulated kernels have no counterpart",
			m->path, run->name, p.unpaired, left);
	if (r->n_points - from > POINTS_SINGLE)
		merge_points_by_name(r, from);
	free(p.next_in_group);
	free(p.group);
	table_free(&p.measured);
	table_free(&p.simulated);
	table_free(&p.by_name);
}

/* ---- the table ---------------------------------------------------------------------------------------- */

void html_metrics_used(const struct html_report *r, bool used[N_METRICS])
{
	memset(used, 0, N_METRICS * sizeof(*used));
	for (uint32_t i = 0; i < r->n_points; i++)
		for (int k = 0; k < N_METRICS; k++)
			used[k] |= !isnan(r->point[i].measured[k]);
}

/* A point with its error in one metric. */
struct point_error {
	const struct html_point *point;
	double size; /* absolute error; NAN if the point does not have the metric */
};

static double percent_error_of(const struct html_point *p, enum metric metric)
{
	return metric_error(metric, p->measured[metric], p->simulated[metric]);
}

/* Compares points by error, the largest first. Points without the metric are last. */
static int compare_errors(const void *pa, const void *pb)
{
	const struct point_error *a = pa, *b = pb;

	if (isnan(a->size) != isnan(b->size))
		return isnan(a->size) ? 1 : -1;
	if (a->size != b->size && !isnan(a->size))
		return a->size > b->size ? -1 : 1;
	return (a->point > b->point) - (a->point < b->point);
}

/* Pearson's correlation coefficient of the points, or NAN if it is undefined. */
static double correlation(const struct point_error *p, uint32_t n, enum metric metric)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

	for (uint32_t i = 0; i < n; i++) {
		mx += p[i].point->measured[metric] / n;
		my += p[i].point->simulated[metric] / n;
	}
	for (uint32_t i = 0; i < n; i++) {
		double x = p[i].point->measured[metric] - mx, y = p[i].point->simulated[metric] - my;

		xx += x * x;
		yy += y * y;
		xy += x * y;
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

/* Writes the errors of a run in a metric. Points without the metric are at the end of p. */
static void write_errors(
	const struct html_report *r, const struct point_error *p, uint32_t n, enum metric metric, FILE *out)
{
	double mean = 0;

	while (n && isnan(p[n - 1].size))
		n--;
	if (!n)
		return;
	for (uint32_t i = 0; i < n; i++)
		mean += p[i].size / n;
	fputs("<tr><th>", out);
	html_write_text(out, r->run[p->point->run].name);
	fprintf(out, "</th><td class=\"word\">%s</td><td>%u</td>", metric_info[metric].name, n);
	html_write_cell(out, "%.2f", mean);
	html_write_cell(out, "%.2f", (p[n / 2].size + p[(n - 1) / 2].size) / 2);
	fprintf(out, "<td class=\"word\">%s</td>", metric_info[metric].is_percent ? "points" : "%");
	html_write_cell(out, "%.4f", correlation(p, n, metric));
	fputs("</tr>\n", out);
}

static void write_point(
	const struct html_report *r, const struct html_point *p, const bool used[N_METRICS], FILE *out)
{
	fputs("<tr><th>", out);
	html_write_text(out, p->name);
	if (p->launch > 1)
		fprintf(out, " <small>#%u</small>", p->launch);
	if (!p->launch)
		fputs(" <small>mean</small>", out);
	fputs("</th><td class=\"word\">", out);
	html_write_text(out, r->run[p->run].name);
	fputs("</td>", out);
	for (int i = 0; i < N_METRICS; i++) {
		if (!used[i])
			continue;
		html_write_cell(out, metric_info[i].is_percent ? "%.2f" : "%.0f", p->measured[i]);
		html_write_cell(out, metric_info[i].is_percent ? "%.2f" : "%.0f", p->simulated[i]);
		html_write_cell(out, "%+.2f",
			isnan(p->measured[i]) ? (double)NAN : percent_error_of(p, (enum metric)i));
	}
	fputs("</tr>\n", out);
}

/*
 * Returns the points of the run that point *at belongs to, sorted by their error in a metric. Moves *at past
 * these points. The caller frees the array.
 */
static struct point_error *points_of_run(
	const struct html_report *r, uint32_t *at, uint32_t *n, enum metric metric)
{
	struct point_error *p = xcalloc(r->n_points - *at + 1u, sizeof(*p));
	uint32_t run = r->point[*at].run;

	for (*n = 0; *at < r->n_points && r->point[*at].run == run; (*at)++) {
		const struct html_point *point = &r->point[*at];

		p[(*n)++] = (struct point_error){point,
			isnan(point->measured[metric]) ? (double)NAN : fabs(percent_error_of(point, metric))};
	}
	qsort(p, *n, sizeof(*p), compare_errors);
	return p;
}

/* Writes the table of points, sorted by decreasing error in the metric `by`. */
static void write_points_table(
	const struct html_report *r, const bool used[N_METRICS], enum metric by, FILE *out)
{
	fputs("<details><summary>All kernels, sorted by decreasing error</summary><div class=\"scroll\"><table "
	      "class=\"sort named\"><thead><tr><th>kernel</th><th>run</th>",
		out);
	for (int i = 0; i < N_METRICS; i++)
		if (used[i])
			fprintf(out, "<th>%s measured</th><th>simulated</th><th>error %s</th>",
				metric_info[i].title, metric_info[i].is_percent ? "points" : "%");
	fputs("</tr></thead><tbody>\n", out);
	for (uint32_t at = 0, n; at < r->n_points;) {
		struct point_error *p = points_of_run(r, &at, &n, by);

		for (uint32_t i = 0; i < n && i < ROWS_SHOWN; i++)
			write_point(r, p[i].point, used, out);
		free(p);
	}
	fputs("</tbody></table></div></details>\n", out);
}

void html_write_measured(const struct html_report *r, FILE *out)
{
	enum metric first = N_METRICS;
	bool used[N_METRICS];

	if (!r->n_points)
		return;
	fputs("<h3>Simulated and measured</h3><div class=\"scroll\"><table class=\"errors\"><thead><tr><th>run</th>"
	      "<th class=\"word\">metric</th><th>kernels</th><th>mean absolute error</th><th>median</th><th></th>"
	      "<th>correlation</th></tr></thead><tbody>\n",
		out);
	html_metrics_used(r, used);
	for (int i = 0; i < N_METRICS; i++) {
		if (!used[i])
			continue;
		for (uint32_t at = 0, n; at < r->n_points;) {
			struct point_error *p = points_of_run(r, &at, &n, (enum metric)i);

			write_errors(r, p, n, (enum metric)i, out);
			free(p);
		}
		first = first == N_METRICS ? (enum metric)i : first;
	}
	fputs("</tbody></table></div><div class=\"tools needs-script\"><select id=\"metric\" aria-label=\"metric\"></select>"
	      "</div><div id=\"scatter\"></div>\n",
		out);
	write_points_table(r, used, first, out);
}
