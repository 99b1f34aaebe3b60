/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the page: page.html with each marker {{NAME}} replaced by the output of a function. The Makefile
 * generates the array html_page from the template.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "record.h"
#include "report.h"

extern const char html_page[];

/* ---- quoting --------------------------------------------------------------------------------------- */

void html_write_text(FILE *out, const char *text)
{
	char *valid = record_utf8(text);

	for (const char *p = valid; *p; p++)
		switch (*p) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		case '\'': fputs("&#39;", out); break;
		case '\t': fputc('\t', out); break;
		default:
			if (iscntrl((unsigned char)*p))
				fputs("\xef\xbf\xbd", out);
			else
				fputc(*p, out);
		}
	free(valid);
}

void html_write_json(FILE *out, const char *text)
{
	char *valid = record_utf8(text);

	fputc('"', out);
	for (const char *p = valid; *p; p++)
		if (strchr("\"\\<>&'", *p) || iscntrl((unsigned char)*p))
			fprintf(out, "\\u%04x", (unsigned)(unsigned char)*p);
		else
			fputc(*p, out);
	fputc('"', out);
	free(valid);
}

void html_write_number(FILE *out, double v)
{
	char text[RECORD_REAL_CAP];

	if (!isfinite(v))
		fputs("null", out);
	else if (fabs(v) < 1e15 && v == trunc(v))
		fprintf(out, "%.0f", v);
	else
		fputs(record_real_text(text, v), out);
}

/* ---- the head -------------------------------------------------------------------------------------- */

static double total_of_run(const struct html_run *run, const char *name)
{
	for (uint32_t i = 0; i < run->n_totals; i++)
		if (!strcmp(run->total[i].name, name))
			return run->total[i].value;
	return 0;
}

static void write_name_and_value(FILE *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	fputs("<dt>", out);
	html_write_text(out, name);
	fputs("</dt><dd>", out);
	html_write_text(out, value);
	fputs("</dd>", out);
}

/* Writes the command-line options, except those that name a configuration, and the hashes. */
static void write_given_options(const struct html_run *run, FILE *out)
{
	for (uint32_t i = 0; i < run->n_options; i++) {
		const char *name = run->option[i].name, *value = name + strlen(name) + 1;

		if (!strcmp(name, "given.config") ||
			(strncmp(name, "given.", 6) && strncmp(name, "provenance.", 11)))
			continue;
		write_name_and_value(out, strchr(name, '.') + 1, value);
	}
	write_name_and_value(out, "version", html_option(run, "version"));
	write_name_and_value(out, "hash of the configuration", html_option(run, "config_hash"));
}

/* Writes a whole number with a comma between groups of three digits. */
static void write_grouped(double v, FILE *out)
{
	char digits[64];
	int n = snprintf(digits, sizeof(digits), "%.0f", v);

	for (int i = 0; i < n && i < (int)sizeof(digits) - 1; i++) {
		if (i && (n - i) % 3 == 0 && digits[i - 1] != '-')
			fputc(',', out);
		fputc(digits[i], out);
	}
}

static void write_run_head(const struct html_run *run, FILE *out)
{
	double cycles = total_of_run(run, "gpu_tot_sim_cycle"),
	       host = total_of_run(run, "gpgpu_simulation_time");
	char text[64];

	fputs("<section class=\"run\"><h3>", out);
	html_write_text(out, run->name);
	fputs("</h3><div class=\"tiles\"><div><b>", out);
	html_write_text(out, *run->gpu ? run->gpu : "?");
	fputs("</b><span>GPU</span></div><div><b class=\"big\">", out);
	write_grouped(cycles, out);
	fputs("</b><span>cycles</span></div>", out);
	if (run->hz > 0)
		fprintf(out, "<div><b>%.4g µs</b><span>simulated time</span></div>", cycles / run->hz * 1e6);
	if (host > 0)
		fprintf(out, "<div><b>%.4g s</b><span>host time</span></div>", host);
	fprintf(out, "<div><b>%u</b><span>%s</span></div><div><b>", run->n_kernels,
		run->n_kernels && run->kernel[0].launches > 1 ? "kernel names" : "kernels");
	html_write_text(out, run->status);
	fputs("</b><span>status</span></div></div><details><summary>Options, version, hashes</summary><dl>",
		out);
	write_given_options(run, out);
	write_name_and_value(out, "hash of the traces", run->hash && *run->hash ? run->hash : NULL);
	snprintf(text, sizeof(text), "%.4g MHz, %.0f SMs", run->hz / 1e6, run->sms);
	write_name_and_value(out, "core clock", run->hz > 0 ? text : NULL);
	fputs("</dl></details></section>\n", out);
}

static void write_page_head(const struct html_report *r, FILE *out)
{
	for (uint32_t i = 0; i < r->n_runs && i < HTML_RUNS; i++)
		write_run_head(&r->run[i], out);
	if (r->n_runs > HTML_RUNS)
		fprintf(out, "<p>%u more runs.</p>", r->n_runs - HTML_RUNS);
	if (!r->n_warnings)
		return;
	fputs("<ul class=\"warnings\">", out);
	for (uint32_t i = 0; i < r->n_warnings && i < 20; i++) {
		fputs("<li>", out);
		html_write_text(out, r->warning[i].name);
		fputs("</li>", out);
	}
	fputs("</ul>", out);
}

static void write_page_title(const struct html_report *r, FILE *out)
{
	if (r->title) {
		html_write_text(out, r->title);
		return;
	}
	for (uint32_t i = 0; i < r->n_runs && i < 3; i++) {
		fputs(i ? ", " : "", out);
		html_write_text(out, r->run[i].name);
	}
	if (r->n_runs > 3)
		fprintf(out, " and %u more", r->n_runs - 3);
}

/* Writes the legend of the stall reasons if a run has a profile. */
static void write_reasons(const struct html_report *r, FILE *out)
{
	bool profiled = false;

	for (uint32_t i = 0; i < r->n_runs; i++)
		profiled |= r->run[i].profiled;
	for (int i = 0; i < HOTSPOTS_N_REASONS && profiled; i++)
		fprintf(out, "<span><i class=\"r%d\"></i>%s</span>", i, hotspots_reason_name(i));
}

/* ---- the template ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*write)(const struct html_report *r, FILE *out);
} markers[] = {
	{"TITLE", write_page_title},
	{"HEAD", write_page_head},
	{"REASONS", write_reasons},
	{"KERNELS", html_write_kernels},
	{"ROOFLINE", html_write_roofline},
	{"SOURCE", html_write_source},
	{"COMPARE", html_write_comparison},
	{"DATA", html_write_data},
};

void html_write(const struct html_report *r, FILE *out)
{
	const char *at = html_page;

	for (const char *m; (m = strstr(at, "{{")) != NULL;) {
		const char *end = strstr(m, "}}");

		if (!end)
			break;
		fwrite(at, 1, (size_t)(m - at), out);
		for (size_t i = 0; i < sizeof(markers) / sizeof(*markers); i++)
			if (strlen(markers[i].name) == (size_t)(end - m - 2) &&
				!memcmp(markers[i].name, m + 2, (size_t)(end - m - 2)))
				markers[i].write(r, out);
		at = end + 2;
	}
	fputs(at, out);
}
