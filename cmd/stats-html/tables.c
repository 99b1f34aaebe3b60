/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes tables of kernels and runs as HTML, readable without scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "report.h"

double html_hit_rate(double accesses, double misses)
{
	return accesses > 0 ? 100 * (accesses - misses) / accesses : (double)NAN;
}

/* Rate in GB/s of `bytes` bytes in `cycles` cycles of a run, or NAN if the clock is unknown. */
static double html_gb_per_s(const struct html_run *run, double bytes, double cycles)
{
	return run->hz > 0 && cycles > 0 ? bytes / cycles * run->hz / 1e9 : (double)NAN;
}

void html_write_cell(FILE *out, const char *format, double v)
{
	if (isnan(v)) {
		fputs("<td></td>", out);
		return;
	}
	fputs("<td>", out);
	fprintf(out, format, v);
	fputs("</td>", out);
}

void html_write_bar(FILE *out, const double part[HOTSPOTS_N_REASONS])
{
	double all = 0;

	for (int i = 0; i < HOTSPOTS_N_REASONS; i++)
		all += part[i];
	if (all <= 0) {
		fputs("<td></td>", out);
		return;
	}
	fputs("<td><div class=\"bar\">", out);
	for (int i = 0; i < HOTSPOTS_N_REASONS; i++)
		if (part[i] / all >= 0.005)
			fprintf(out, "<i class=\"r%d\" style=\"width:%.1f%%\" title=\"%s %.1f%%\"></i>", i,
				100 * part[i] / all, hotspots_reason_name(i), 100 * part[i] / all);
	fputs("</div></td>", out);
}

/* ---- kernels --------------------------------------------------------------------------------------- */

static void write_kernel(const struct html_run *run, const struct html_kernel *k, double all, FILE *out)
{
	const double *f = k->figure;

	fprintf(out, "<tr><td>%llu</td><th title=\"", (unsigned long long)k->id);
	html_write_text(out, k->full);
	fprintf(out, " grid %s block %s\">", k->grid, k->block);
	html_write_text(out, k->shown);
	if (k->launches > 1)
		fprintf(out, " <small>×%u</small>", k->launches);
	if (*k->status)
		fprintf(out, " <small>%s</small>", k->status);
	fputs("</th>", out);
	html_write_cell(out, "%.0f", f[HTML_cycles]);
	html_write_cell(out, "%.1f", all > 0 ? 100 * f[HTML_cycles] / all : (double)NAN);
	html_write_cell(out, "%.1f", f[HTML_ipc]);
	html_write_cell(out, "%.1f", 100 * f[HTML_occupancy]);
	html_write_cell(out, "%.1f", html_hit_rate(f[HTML_l1_accesses], f[HTML_l1_misses]));
	html_write_cell(out, "%.1f", html_hit_rate(f[HTML_l2_accesses], f[HTML_l2_misses]));
	html_write_cell(
		out, "%.1f", html_gb_per_s(run, f[HTML_dram_read] + f[HTML_dram_written], f[HTML_cycles]));
	if (run->profiled)
		html_write_bar(out, k->stall);
	fputs("</tr>\n", out);
}

void html_write_kernels(const struct html_report *r, FILE *out)
{
	for (uint32_t i = 0; i < r->n_runs && i < HTML_RUNS; i++) {
		const struct html_run *run = &r->run[i];
		double all = 0;

		for (uint32_t k = 0; k < run->n_kernels; k++)
			all += run->kernel[k].figure[HTML_cycles];
		if (r->n_runs > 1) {
			fprintf(out, "<details%s><summary>", i ? "" : " open");
			html_write_text(out, run->name);
			fputs("</summary>", out);
		}
		fputs("<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>id</th><th>kernel</th><th>cycles</th>"
		      "<th>share %</th><th>IPC</th><th>occupancy %</th><th>L1 hit %</th><th>L2 hit %</th>"
		      "<th>DRAM GB/s</th>",
			out);
		fputs(run->profiled ? "<th class=\"word\">stall reasons</th></tr></thead><tbody>\n"
				    : "</tr></thead><tbody>\n",
			out);
		for (uint32_t k = 0; k < run->n_kernels; k++)
			write_kernel(run, &run->kernel[k], all, out);
		fputs("</tbody></table></div>", out);
		if (!run->n_kernels)
			fputs("<p class=\"none\">This run has no kernel.</p>", out);
		fputs(r->n_runs > 1 ? "</details>\n" : "\n", out);
	}
}

/* ---- roofline -------------------------------------------------------------------------------------- */

static double peak_of_figure(const struct html_run *run, const char *figure, const char *of)
{
	char name[80];

	snprintf(name, sizeof(name), "%s[%.40s]", figure, of);
	for (uint32_t i = 0; i < run->n_peaks; i++)
		if (!strcmp(run->peak[i].name, name))
			return run->peak[i].value;
	return NAN;
}

/* Returns the mean number of bytes per L2 access over the intervals of the run, or NAN if it is unknown. */
static double l2_access_bytes(const struct html_run *run)
{
	double bytes = 0, accesses = 0;

	for (uint32_t i = 0; i < run->n_intervals; i++) {
		bytes += run->interval[i].l2_bytes;
		accesses += run->interval[i].l2;
	}
	return accesses > 0 && bytes > 0 ? bytes / accesses : (double)NAN;
}

/* Writes two cells: operations per byte, and bandwidth in percent of the peak of memory level `of`. */
static void write_intensity_cells(
	const struct html_run *run, double n, double bytes, double cycles, const char *of, FILE *out)
{
	html_write_cell(out, "%.3g", bytes > 0 ? n / bytes : (double)NAN);
	html_write_cell(
		out, "%.2f", 100 * html_gb_per_s(run, bytes, cycles) / peak_of_figure(run, "peak_bytes", of));
}

/* Writes a row for each kernel and kind of operation. Returns the number of rows. */
static uint32_t write_roofline_rows(const struct html_run *run, FILE *out)
{
	double access = l2_access_bytes(run);
	uint32_t rows = 0;

	for (uint32_t i = 0; i < run->n_kernels; i++)
		for (uint32_t k = 0; k < run->n_kinds; k++) {
			const struct html_kernel *kernel = &run->kernel[i];
			const double *f = kernel->figure;
			double bytes = f[HTML_dram_read] + f[HTML_dram_written], n = kernel->operations[k];
			double rate = html_gb_per_s(run, n, f[HTML_cycles]);

			if (n <= 0)
				continue;
			fputs("<tr><th>", out);
			html_write_text(out, kernel->shown);
			fputs("</th><td>", out);
			html_write_text(out, run->kind[k]);
			fputs("</td>", out);
			html_write_cell(out, "%.0f", n);
			html_write_cell(out, "%.4g", rate);
			html_write_cell(out, "%.2f",
				100 * rate / peak_of_figure(run, "peak_operations", run->kind[k]));
			write_intensity_cells(run, n, bytes, f[HTML_cycles], "dram", out);
			write_intensity_cells(
				run, n, f[HTML_l2_accesses] * access, f[HTML_cycles], "l2", out);
			fputs("</tr>\n", out);
			rows++;
		}
	return rows;
}

void html_write_roofline(const struct html_report *r, FILE *out)
{
	const struct html_run *run = r->n_runs ? &r->run[0] : NULL;
	uint32_t rows;

	if (!run || !run->n_peaks) {
		fputs("<p class=\"none\">Operations and peaks require a profile.</p>", out);
		return;
	}
	fputs("<div class=\"scroll\"><table class=\"sort named\"><thead><tr><th>kernel</th><th>type</th><th>operations</th>"
	      "<th>Gop/s</th><th>% of peak</th><th>operations per DRAM byte</th><th>% of DRAM peak</th>"
	      "<th>operations per L2 byte</th><th>% of L2 peak</th></tr></thead><tbody>\n",
		out);
	rows = write_roofline_rows(run, out);
	fputs("</tbody></table></div>\n", out);
	if (!rows)
		fputs("<p class=\"none\">The kernels have no floating-point and no tensor operations.</p>",
			out);
}

/* ---- several runs ---------------------------------------------------------------------------------- */

static double cycles_of_run(const struct html_run *run)
{
	double sum = 0;

	for (uint32_t i = 0; i < run->n_kernels; i++)
		sum += run->kernel[i].figure[HTML_cycles];
	return sum;
}

/* Returns true if an option has different values in the first run and in another run. */
static bool differs_between_runs(const struct html_report *r, const char *name)
{
	const char *first = html_option(&r->run[0], name);

	for (uint32_t i = 1; i < r->n_runs; i++) {
		const char *other = html_option(&r->run[i], name);

		if ((first == NULL) != (other == NULL) || (first && strcmp(first, other)))
			return true;
	}
	return false;
}

/* Writes the heads of the columns of the first n runs. */
static void write_run_heads(const struct html_report *r, uint32_t n, FILE *out)
{
	for (uint32_t i = 0; i < n; i++) {
		fputs("<th>", out);
		html_write_text(out, r->run[i].name);
		fputs("</th>", out);
	}
}

static void write_options(const struct html_report *r, FILE *out)
{
	uint32_t shown = 0, n = r->n_runs < HTML_RUNS ? r->n_runs : HTML_RUNS;

	fputs("<h3>Options that differ</h3><div class=\"scroll\"><table class=\"options\"><thead><tr><th>option</th>",
		out);
	write_run_heads(r, n, out);
	fputs("</tr></thead><tbody>\n", out);
	for (uint32_t o = 0; o < r->run[0].n_options && shown < 100; o++) {
		const char *name = r->run[0].option[o].name;

		if (strchr(name, '.') || !strcmp(name, "config_hash") || !differs_between_runs(r, name))
			continue;
		shown++;
		fputs("<tr><th>", out);
		html_write_text(out, name);
		fputs("</th>", out);
		for (uint32_t i = 0; i < n; i++) {
			const char *value = html_option(&r->run[i], name);

			fputs("<td>", out);
			html_write_text(out, value ? value : "");
			fputs("</td>", out);
		}
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>", out);
	if (!shown)
		fputs("<p class=\"none\">None.</p>", out);
}

static void write_run_matrix(const struct html_report *r, FILE *out)
{
	uint32_t n = r->n_runs < HTML_RUNS ? r->n_runs : HTML_RUNS;

	fputs("<h3>Speed-ups</h3><p>Cycles of the run above, divided by those of the run on the left: above 1 the run on "
	      "the left is faster.</p><div class=\"scroll\"><table class=\"matrix\"><thead><tr><th></th>",
		out);
	write_run_heads(r, n, out);
	fputs("<th>cycles</th></tr></thead><tbody>\n", out);
	for (uint32_t i = 0; i < n; i++) {
		double own = cycles_of_run(&r->run[i]);

		fputs("<tr><th>", out);
		html_write_text(out, r->run[i].name);
		fputs("</th>", out);
		for (uint32_t k = 0; k < n; k++) {
			double v = own > 0 ? cycles_of_run(&r->run[k]) / own : (double)NAN;

			if (isnan(v))
				fputs("<td></td>", out);
			else
				fprintf(out, "<td class=\"%s\">%.3f</td>",
					v > 1.0005   ? "up"
					: v < 0.9995 ? "down"
						     : "",
					v);
		}
		fprintf(out, "<td>%.0f</td></tr>\n", own);
	}
	fputs("</tbody></table></div>", out);
}

struct html_change {
	const char *name;
	double value_a, value_b, change;
};

static int compare_changes_of_runs(const void *pa, const void *pb)
{
	const struct html_change *a = pa, *b = pb;

	if (a->change != b->change)
		return a->change > b->change ? -1 : 1;
	return strcmp(a->name, b->name);
}

#define MOVED 15u /* maximum number of figures in the table */

/* Writes the figures of run b that differ most from those of run a. */
static void write_differing_figures(const struct html_run *a, const struct html_run *b, FILE *out)
{
	struct html_change *list = xcalloc(a->n_totals + 1u, sizeof(*list));
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n_totals; i++)
		for (uint32_t k = 0; k < b->n_totals; k++) {
			double x = a->total[i].value, y = b->total[k].value;

			if (strcmp(a->total[i].name, b->total[k].name) || x == y)
				continue;
			list[n++] = (struct html_change){
				a->total[i].name, x, y, fabs(x - y) / fmax(fabs(x), fabs(y))};
		}
	qsort(list, n, sizeof(*list), compare_changes_of_runs);
	fputs("<details><summary>", out);
	html_write_text(out, b->name);
	fprintf(out,
		": %u figures differ</summary><div class=\"scroll\"><table class=\"sort named\"><thead><tr><th>figure</th>"
		"<th>first</th><th>this</th><th>change %%</th></tr></thead><tbody>\n",
		n);
	for (uint32_t i = 0; i < n && i < MOVED; i++) {
		fputs("<tr><th>", out);
		html_write_text(out, list[i].name);
		fputs("</th>", out);
		html_write_cell(out, "%.6g", list[i].value_a);
		html_write_cell(out, "%.6g", list[i].value_b);
		html_write_cell(out, "%+.1f",
			list[i].value_a != 0 ? 100 * (list[i].value_b / list[i].value_a - 1) : (double)NAN);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div></details>", out);
	free(list);
}

void html_write_comparison(const struct html_report *r, FILE *out)
{
	if (r->n_runs < 2) {
		if (!r->n_points)
			fputs("<p class=\"none\">There is one run.</p>", out);
		html_write_measured(r, out);
		return;
	}
	write_options(r, out);
	write_run_matrix(r, out);
	fputs("<h3>Differences from the first run</h3>", out);
	for (uint32_t i = 1; i < r->n_runs && i < HTML_RUNS; i++)
		write_differing_figures(&r->run[0], &r->run[i], out);
	html_write_measured(r, out);
}
