/* SPDX-License-Identifier: BSD-2-Clause */
/* stats-html: shows simulation results on a page for a browser. This file only parses the command line. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arena.h"
#include "cli.h"
#include "complete.h"
#include "output.h"
#include "measured.h"
#include "report.h"
#include "result_files.h"

enum { OPT_PROFILE = 256, OPT_SOURCE, OPT_MEASURED, OPT_TITLE };

static const struct cli_row rows[] = {
	{CLI_GROUP, "Content", NULL, NULL, NULL},
	{OPT_PROFILE, "profile", "FILE",
		"add a file of trace-sim --profile: stall reasons, charts over time, instructions, roofline; may be repeated, in the order of the runs",
		"file"},
	{OPT_SOURCE, "source", "DIR",
		"show the text of source files below DIR; a file is found by its path or by the end of its path",
		"dir"},
	{OPT_MEASURED, "measured", "FILE",
		"compare with measured figures: CSV (NAME.csv) of Nsight Compute, Nsight Systems or nvprof, or with the columns "
		"kernel and cycles or other metrics, or results; one for all runs, or one per run",
		"file"},
	{OPT_TITLE, "title", "TEXT", "title of the page; default: the names of the runs", NULL},
	{CLI_GROUP, "Output", NULL, NULL, NULL},
	{'o', "output", "FILE", "write the page to FILE when it is complete; -: stdout", "file"},
	{'f', "force", NULL, "replace an existing output file, but never an input", NULL},
	{'q', "quiet", NULL, "print no warnings", NULL},
};

static const struct cli cli = {"[--profile FILE]... [--source DIR] [--measured FILE]... [-o FILE] [RUN...]",
	"show simulation results on a page for a browser",
	"RUN holds results of trace-sim in any of its formats, or a log of Accel-Sim, or is a directory of such files; "
	"- is stdin (the default). "
	"The page needs no network and no other file.\n"
	"Exit status: 0 success; 1 a run stopped early (the page shows it); 2 error.\n",
	rows, sizeof(rows) / sizeof(*rows), complete_results, NULL};

struct html_args {
	struct html_report report;
	const char **profile, **measured, *output;
	uint32_t n_profiles, n_measured;
	bool force, quiet;
};

static void on_html_option(void *ctx, int letter, const char *value)
{
	struct html_args *a = ctx;

	switch (letter) {
	case OPT_PROFILE: a->profile[a->n_profiles++] = value; break;
	case OPT_SOURCE: a->report.source = value; break;
	case OPT_MEASURED: a->measured[a->n_measured++] = value; break;
	case OPT_TITLE: a->report.title = value; break;
	case 'o': a->output = value; break;
	case 'f': a->force = true; break;
	case 'q': a->quiet = true; break;
	}
}

/*
 * Pairs the kernels of the runs with measured figures, which come from one file for all runs or from one file
 * for each run.
 */
static void load_measured(struct html_args *a)
{
	struct html_report *r = &a->report;
	struct html_measured m = {0};

	if (!a->n_measured)
		return;
	if (a->n_measured > 1 && a->n_measured != r->n_runs)
		cli_usage("%u files of --measured for %u runs (expected one, or one per run)", a->n_measured,
			r->n_runs);
	for (uint32_t i = 0; i < r->n_runs; i++) {
		if (!i || a->n_measured > 1) {
			measured_free(&m);
			measured_read(&m, a->measured[i]);
		}
		html_add_points(r, &r->run[i], &m);
	}
	measured_free(&m);
	if (!r->n_points)
		die("--measured: no kernel is both measured and simulated");
}

int main(int argc, char **argv)
{
	struct html_args a = {.profile = NULL};
	struct output *out;
	struct result_files in;
	struct stat st;
	int n;

	diag_init(argv[0]);
	a.profile = xcalloc((size_t)argc, sizeof(*a.profile));
	a.measured = xcalloc((size_t)argc, sizeof(*a.measured));
	n = cli_parse(&cli, argc, argv, on_html_option, &a);
	diag_quiet(a.quiet);
	if (a.report.source && !a.n_profiles)
		cli_usage("--source requires --profile, which names the lines");
	result_files_of_operands(&in, n, argv);
	for (int i = 0; i < in.n; i++)
		output_check_input(a.output, in.name[i]);
	for (uint32_t i = 0; i < a.n_profiles; i++)
		output_check_input(a.output, a.profile[i]);
	for (uint32_t i = 0; i < a.n_measured; i++)
		output_check_input(a.output, a.measured[i]);
	if (a.report.source && (stat(a.report.source, &st) < 0 || !S_ISDIR(st.st_mode)))
		die("--source: %s is not a directory", a.report.source);
	for (int i = 0; i < in.n; i++)
		html_load_run(&a.report, in.name[i]);
	if (!n)
		html_load_run(&a.report, "-");
	if (!a.report.n_runs)
		die("no results (expected files of trace-sim or logs of Accel-Sim; profiles follow --profile)");
	if (a.n_profiles > a.report.n_runs)
		cli_usage("%u profiles for %u runs (expected at most one per run)", a.n_profiles,
			a.report.n_runs);
	for (uint32_t i = 0; i < a.n_profiles; i++)
		html_load_profile(&a.report, a.profile[i], i);
	load_measured(&a);
	html_sort_and_merge(&a.report);
	out = output_open(a.output, a.force);
	html_write(&a.report, output_stream(out));
	output_commit(out);
	n = a.report.status;
	html_free(&a.report);
	result_files_free(&in);
	free(a.profile);
	free(a.measured);
	return n;
}
