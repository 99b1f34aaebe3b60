/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels that were measured and simulated: pairs by name and by how often the name occurred before, as
 * examples/plots/correlate pairs them, and their table. Names that only one side has are tried in their short form.
 *
 * Always true: a pair has cycles above 0 on both sides; a measured time counts as cycles of the configuration's clock.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "demangle.h"
#include "measured.h"

#define POINTS_SINGLE 500u /* above this number of pairs in a run, each name becomes one point */
#define ROWS_SHOWN    200u

/* Simulated kernels of one name. */
struct name_group {
	char *name;
	uint32_t first, next,
		last; /* kernels of the run plus 1: the first, the next to be paired, the last */
	uint32_t n, paired;
	double cycles;
};

struct pairing {
	struct html_report *r;
	struct html_run *run;
	const struct html_measured *m;
	struct table simulated, measured; /* names in full */
	struct table by_name;             /* groups */
	struct name_group *group;
	uint32_t n_groups, cap_groups;
	uint32_t *following; /* next kernel plus 1 of the same group, by kernel */
	uint32_t unpaired;   /* measured launches without a kernel */
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
		if (!strcmp(p->m->launch[w.number].name, name))
			return true;
	return false;
}

/* Returns the name by which a kernel is paired, for the caller to free. */
static char *pairing_name(const struct pairing *p, const char *name)
{
	return demangle(name,
		is_known_kernel(p, name) && is_known_launch(p, name) ? DEMANGLE_MANGLED : DEMANGLE_SHORT);
}

static struct name_group *find_group(struct pairing *p, const char *name)
{
	FOR_TABLE (w, &p->by_name, table_hash(name, strlen(name)))
		if (!strcmp(p->group[w.number].name, name))
			return &p->group[w.number];
	return NULL;
}

static void add_to_group(struct pairing *p, uint32_t kernel)
{
	char *name = pairing_name(p, p->run->kernel[kernel].name);
	struct name_group *g = find_group(p, name);

	if (!g) {
		table_add(&p->by_name, table_hash(name, strlen(name)), p->n_groups);
		grow(&p->group, &p->cap_groups, p->n_groups + 1, sizeof(*p->group));
		g = &p->group[p->n_groups++];
		*g = (struct name_group){.name = xstrdup(name), .first = kernel + 1, .next = kernel + 1};
	} else {
		p->following[g->last - 1] = kernel + 1;
		g->next = g->next ? g->next : kernel + 1;
	}
	g->last = kernel + 1;
	g->n++;
	g->cycles += p->run->kernel[kernel].figure[HTML_cycles];
	free(name);
}

/* Measured cycles of a launch; 0: unknown. */
static double cycles_of_launch(const struct html_run *run, const struct html_launch *l)
{
	if (l->cycles > 0)
		return l->cycles;
	if (l->sm_cycles > 0 && run->sms > 0)
		return l->sm_cycles / run->sms;
	return l->time * run->hz / 1e9;
}

static void add_point(struct pairing *p, uint32_t kernel, uint32_t launch, double measured, double simulated)
{
	struct html_report *r = p->r;

	if (!(measured > 0) || !(simulated > 0))
		return;
	grow(&r->point, &r->cap_points, r->n_points + 1, sizeof(*r->point));
	r->point[r->n_points++] = (struct html_point){.name = xstrdup(p->run->kernel[kernel].shown),
		.run = (uint32_t)(p->run - r->run),
		.launch = launch,
		.measured = measured,
		.simulated = simulated};
}

static void pair_launch(struct pairing *p, const struct html_launch *l)
{
	char *name = pairing_name(p, l->name);
	struct name_group *g = find_group(p, name);
	double measured = cycles_of_launch(p->run, l);

	free(name);
	if (!g || (!l->all && !g->next)) {
		p->unpaired++;
		return;
	}
	if (l->all) {
		add_point(p, g->first - 1, 0, measured, g->cycles / g->n);
		g->paired = g->n;
		return;
	}
	add_point(p, g->next - 1, ++g->paired, measured, p->run->kernel[g->next - 1].figure[HTML_cycles]);
	g->next = p->following[g->next - 1];
}

static int by_point_name(const void *pa, const void *pb)
{
	const struct html_point *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order ? order : a->launch < b->launch ? -1 : a->launch > b->launch;
}

/* Replaces the pairs of each name, from point `from` on, by one pair of means. */
static void join_points(struct html_report *r, uint32_t from)
{
	uint32_t to = from;

	qsort(r->point + from, r->n_points - from, sizeof(*r->point), by_point_name);
	for (uint32_t i = from, next; i < r->n_points; i = next) {
		struct html_point sum = r->point[i];

		for (next = i + 1; next < r->n_points && !strcmp(r->point[next].name, sum.name); next++) {
			sum.measured += r->point[next].measured;
			sum.simulated += r->point[next].simulated;
			free(r->point[next].name);
		}
		sum.measured /= next - i;
		sum.simulated /= next - i;
		sum.launch = next - i > 1 ? 0 : sum.launch;
		r->point[to++] = sum;
	}
	r->n_points = to;
}

void html_pair(struct html_report *r, struct html_run *run, const struct html_measured *m)
{
	struct pairing p = {.r = r, .run = run, .m = m};
	uint32_t from = r->n_points, left = 0;

	p.following = xcalloc(run->n_kernels + 1u, sizeof(*p.following));
	for (uint32_t i = 0; i < m->n; i++)
		table_add(&p.measured, table_hash(m->launch[i].name, strlen(m->launch[i].name)), i);
	for (uint32_t i = 0; i < run->n_kernels; i++)
		table_add(&p.simulated, table_hash(run->kernel[i].name, strlen(run->kernel[i].name)), i);
	for (uint32_t i = 0; i < run->n_kernels; i++)
		add_to_group(&p, i);
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
		join_points(r, from);
	free(p.following);
	free(p.group);
	table_free(&p.measured);
	table_free(&p.simulated);
	table_free(&p.by_name);
}

/* ---- the table ---------------------------------------------------------------------------------------- */

static double error_of(const struct html_point *p) { return 100 * (p->simulated / p->measured - 1); }

static int by_error(const void *pa, const void *pb)
{
	const struct html_point *x = *(const struct html_point *const *)pa;
	const struct html_point *y = *(const struct html_point *const *)pb;
	double a = fabs(error_of(x)), b = fabs(error_of(y));

	if (a != b)
		return a > b ? -1 : 1;
	return (x > y) - (x < y);
}

/* Pearson's coefficient of the points; NAN: it is undefined. */
static double correlation(const struct html_point *const *p, uint32_t n)
{
	double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

	for (uint32_t i = 0; i < n; i++) {
		mx += p[i]->measured / n;
		my += p[i]->simulated / n;
	}
	for (uint32_t i = 0; i < n; i++) {
		double x = p[i]->measured - mx, y = p[i]->simulated - my;

		xx += x * x;
		yy += y * y;
		xy += x * y;
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

/* Writes the errors of a run, whose points are sorted by error. */
static void write_errors(
	const struct html_report *r, const struct html_point *const *p, uint32_t n, FILE *out)
{
	double mean = 0, median = (fabs(error_of(p[n / 2])) + fabs(error_of(p[(n - 1) / 2]))) / 2;

	for (uint32_t i = 0; i < n; i++)
		mean += fabs(error_of(p[i])) / n;
	fputs("<tr><th>", out);
	html_text(out, r->run[p[0]->run].name);
	fprintf(out, "</th><td>%u</td>", n);
	html_cell(out, "%.2f", mean);
	html_cell(out, "%.2f", median);
	html_cell(out, "%.4f", correlation(p, n));
	fputs("</tr>\n", out);
}

static void write_point(const struct html_report *r, const struct html_point *p, FILE *out)
{
	fputs("<tr><th>", out);
	html_text(out, p->name);
	if (p->launch > 1)
		fprintf(out, " <small>#%u</small>", p->launch);
	if (!p->launch)
		fputs(" <small>mean</small>", out);
	fputs("</th><td>", out);
	html_text(out, r->run[p->run].name);
	fputs("</td>", out);
	html_cell(out, "%.0f", p->measured);
	html_cell(out, "%.0f", p->simulated);
	html_cell(out, "%+.2f", error_of(p));
	fputs("</tr>\n", out);
}

/* Returns the points of a run from *at on, sorted by error; *at moves after them. The caller frees them. */
static const struct html_point **points_of_run(const struct html_report *r, uint32_t *at, uint32_t *n)
{
	const struct html_point **p = xcalloc(r->n_points - *at + 1u, sizeof(*p));
	uint32_t run = r->point[*at].run;

	for (*n = 0; *at < r->n_points && r->point[*at].run == run; (*at)++)
		p[(*n)++] = &r->point[*at];
	qsort(p, *n, sizeof(*p), by_error);
	return p;
}

void html_measured_table(const struct html_report *r, FILE *out)
{
	if (!r->n_points)
		return;
	fputs("<h3>Simulated and measured cycles</h3><div class=\"scroll\"><table class=\"errors\"><thead><tr><th>run</th>"
	      "<th>kernels</th><th>mean absolute error %</th><th>median %</th><th>correlation</th></tr></thead><tbody>\n",
		out);
	for (uint32_t at = 0, n; at < r->n_points;) {
		const struct html_point **p = points_of_run(r, &at, &n);

		write_errors(r, p, n, out);
		free(p);
	}
	fputs("</tbody></table></div><div id=\"scatter\"></div><details><summary>All kernels, those with most error first"
	      "</summary><div class=\"scroll\"><table class=\"sort named\"><thead><tr><th>kernel</th><th>run</th>"
	      "<th>measured</th><th>simulated</th><th>error %</th></tr></thead><tbody>\n",
		out);
	for (uint32_t at = 0, n; at < r->n_points;) {
		const struct html_point **p = points_of_run(r, &at, &n);

		for (uint32_t i = 0; i < n && i < ROWS_SHOWN; i++)
			write_point(r, p[i], out);
		free(p);
	}
	fputs("</tbody></table></div></details>\n", out);
}
