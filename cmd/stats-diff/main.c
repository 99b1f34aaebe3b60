/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-diff: compares two simulation results, kernel by kernel. This file parses the command line, and pairs
 * files of two directories by name.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "complete.h"
#include "compare.h"
#include "num.h"
#include "output.h"
#include "picks.h"
#include "hotspots.h"
#include "result_files.h"

enum { OPT_ALL = 256, OPT_SUMMARY, OPT_WEIGHTS, OPT_OPTIONS, OPT_TOP, OPT_BY, OPT_FULL };

static const struct cli_row rows[] = {
	{CLI_GROUP, "Comparison", NULL, NULL, NULL},
	{'T', "tolerance", "[NAME=]TOL",
		"ignore changes up to TOL: relative to the larger value (5%) or absolute (10)", NULL},
	{'s', "stats", "NAMES", "compare only these figures: names and patterns (gpu_ipc,L2_*)", "@,figures"},
	{'i', "ignore", "NAMES", "do not compare these figures", "@,figures"},
	{'k', "kernels", "LIST",
		"only these kernels: positions, ranges, name patterns (3,7-9 or '*gemm*'), @FILE: picks",
		"@,runs"},
	{OPT_WEIGHTS, "weights", "FILE",
		"compare the totals of an application, estimated from two runs of its picks (trace-pick)",
		"file"},
	{OPT_TOP, "top", "N",
		"show the N places of profiles with the largest changes of cycles, instead of figures", NULL},
	{OPT_BY, "by", "WHAT", "places of --top: " HOTSPOTS_BY_WORDS " (default: stall)", HOTSPOTS_BY_WORDS},
	{CLI_GROUP, "Output", NULL, NULL, NULL},
	{OPT_ALL, "all", NULL, "also show equal figures", NULL},
	{OPT_FULL, "full", NULL,
		"show every difference, not only the largest of the first kernels (-s, --all and json do)",
		NULL},
	{OPT_OPTIONS, "options", NULL, "show the configuration options that differ (--summary does)", NULL},
	{OPT_SUMMARY, "summary", NULL, "show the speed-up and the kernels that contribute most", NULL},
	{'F', "format", "FORMAT", "text (default), json or markdown", "text json markdown"},
	{'q', "quiet", NULL, "print nothing, only set the exit status", NULL},
};

static const struct cli cli = {
	"[-T [NAME=]TOL]... [-s NAMES] [-i NAMES] [-k LIST] [--all] [-q] [-F FORMAT] [--options] [--summary] [--weights FILE] A B\n"
	"--top N [--by WHAT] [-q] [-k LIST] [--all] [-F FORMAT] A B",
	"compare two simulation results",
	"A and B hold results of trace-sim in any of its formats or logs of Accel-Sim; - is stdin. If both are "
	"directories, their files are compared by name. Host times are left out unless -s names them.\n"
	"Exit status: 0 equal within tolerance; 1 different; 2 error.\n",
	rows, sizeof(rows) / sizeof(*rows), complete_results, NULL};

/*
 * Adds a tolerance "[NAME=]TOL". TOL is a percentage such as "5%", an absolute difference such as "0.01", or
 * both separated by a comma.
 */
static void add_tolerance(struct diff_options *o, const char *value)
{
	const char *equals = strrchr(value, '='), *s = equals ? equals + 1 : value;
	struct tolerance t = {.pattern = equals ? xstrndup(value, (size_t)(equals - value)) : xstrdup("*"),
		.absolute = -1,
		.relative = -1};

	do {
		const char *end = s;
		double x;
		bool good = num_real(&end, &x) == NUM_GOOD, relative = *end == '%';

		double *to = relative ? &t.relative : &t.absolute;

		if (!good || (end[relative] && end[relative] != ',') || !*t.pattern)
			cli_usage(
				"invalid tolerance '%s' (expected [NAME=]NUMBER or [NAME=]NUMBER%%)", value);
		if (*to >= 0)
			cli_usage(
				"tolerance '%s' has two values of one kind (expected at most one number and one percentage)",
				value);
		*to = relative ? x / 100 : x;
		s = end + relative;
	} while (*s++ == ',');
	o->tolerance = xrealloc(o->tolerance, o->n_tolerances + 1, sizeof(*o->tolerance));
	o->tolerance[o->n_tolerances++] = t;
}

static void add_names(struct namelist *l, const char *option, const char *value)
{
	size_t n = l->n;

	namelist_add(l, value);
	if (l->n == n)
		cli_usage("%s '%s' contains no name (expected names or patterns)", option, value);
}

/* Adds all names that must occur. Called after all options have been read. */
static void list_required_names(struct diff_options *o)
{
	required_add_list(o, "-s", &o->select);
	required_add_list(o, "-i", &o->ignore);
	for (uint32_t i = 0; i < o->n_tolerances; i++)
		required_add_list(o, "-T", &(struct namelist){&o->tolerance[i].pattern, 1});
	if (o->kernels)
		required_add(o, "-k", "");
}

static void set_form(struct diff_options *o, const char *value)
{
	static const char *const forms[] = {"text", "json", "markdown"};

	for (int i = 0; i < 3; i++) {
		if (!strcmp(value, forms[i])) {
			o->form = (enum diff_form)i;
			return;
		}
	}
	cli_usage("unknown format '%s' (expected text, json or markdown)", value);
}

static void load_weights(struct diff_options *o, const char *path)
{
	struct fault f;

	if (o->weights)
		cli_usage("--weights is given twice");
	o->weights = xcalloc(1, sizeof(*o->weights));
	if (picks_read(o->weights, path, &f) < 0)
		die_fault(&f);
}

static void on_diff_option(void *ctx, int letter, const char *value)
{
	struct diff_options *o = ctx;
	struct fault f;

	switch (letter) {
	case 'T': add_tolerance(o, value); break;
	case 's': add_names(&o->select, "-s", value); break;
	case 'i': add_names(&o->ignore, "-i", value); break;
	case 'k':
		kselect_free(o->kernels);
		o->kernels = kselect_parse(value, &f);
		if (!o->kernels)
			die_fault(&f);
		break;
	case OPT_ALL: o->all = true; break;
	case 'q': o->quiet = true; break;
	case 'F': set_form(o, value); break;
	case OPT_FULL: o->full = true; break;
	case OPT_OPTIONS: o->options = true; break;
	case OPT_TOP: o->top = (uint32_t)cli_number("--top", value, 1, UINT32_MAX); break;
	case OPT_BY:
		o->top_by = hotspots_by_find(value);
		if (o->top_by < 0)
			cli_usage(
				"unknown value '%s' of --by (expected one of " HOTSPOTS_BY_WORDS ")", value);
		break;
	case OPT_SUMMARY: o->summary = true; break;
	case OPT_WEIGHTS: load_weights(o, value); break;
	}
}

/* ---- two files -------------------------------------------------------------------------------- */

static void find_seen_columns(struct diff *d, int side)
{
	const struct side *s = &d->side[side];

	d->seen[side] = xcalloc(d->store->n_columns + 1u, sizeof(bool));
	d->has_family[side] = xcalloc(n_figures, sizeof(bool));
	d->cell[side] = xcalloc(d->store->n_columns + 1u, sizeof(struct result_value));
	for (uint32_t k = 0; k < s->n_kernels; k++) {
		const struct store_kernel *at = &d->store->kernel[s->first_kernel + k];
		const struct store_value *v = store_load_figures(d->store, at);

		for (uint32_t i = 0; i < at->n; i++) {
			const struct figure *about = d->store->column[v[i].column].description;

			d->seen[side][v[i].column] = true;
			if (about)
				d->has_family[side][about - figures_table] = true;
		}
	}
}

static void diff_free(struct diff *d)
{
	for (int side = 0; side < 2; side++) {
		free(d->seen[side]);
		free(d->has_family[side]);
		free(d->cell[side]);
	}
	free(d->pair);
	free(d->change);
	namelist_free(&d->side[0].written);
	namelist_free(&d->side[1].written);
	store_free(d->store);
}

static int worse_status(int a, int b) { return a > b ? a : b; }

/* Warns about each pair of runs that have skipped different kernels. */
static void warn_of_different_skips(const struct diff *d)
{
	const struct store_run *a = d->store->run + d->side[0].first_run,
			       *b = d->store->run + d->side[1].first_run;

	for (uint32_t i = 0; i < d->side[0].n_runs && i < d->side[1].n_runs; i++)
		if (a[i].skipped != b[i].skipped || a[i].skipped_positions != b[i].skipped_positions)
			diag_warn((struct place){.file = store_word(d->store, b[i].name)},
				"missing kernels differ from those of %s (%llu and %llu were skipped): sums cover different kernels",
				store_word(d->store, a[i].name), (unsigned long long)b[i].skipped,
				(unsigned long long)a[i].skipped);
}

static int diff_files(
	const struct diff_options *o, FILE *out, const char *a, const char *b, const char *heading)
{
	struct diff d = {.options = o, .store = store_new()};
	int status = EXIT_TROUBLE;

	if (o->top) {
		namelist_free(&d.side[0].written);
		namelist_free(&d.side[1].written);
		store_free(d.store);
		return diff_top(o, out, a, b, heading);
	}
	bool loaded = diff_load(&d, 0, a) == 0 && diff_load(&d, 1, b) == 0;

	if (loaded && d.side[0].n_kernels && d.side[1].n_kernels &&
		d.side[0].is_profile != d.side[1].is_profile)
		die("%s is a profile, %s is a result (expected two results or two profiles)",
			d.side[0].is_profile ? a : b, d.side[0].is_profile ? b : a);
	if (loaded && !o->weights)
		warn_of_different_skips(&d);
	if (loaded && o->weights) {
		if (diff_print_weighted(&d, out, heading) == 0)
			status = d.has_incomplete_run ? EXIT_TROUBLE : d.differs ? EXIT_NO : EXIT_GOOD;
	} else if (loaded) {
		find_seen_columns(&d, 0);
		find_seen_columns(&d, 1);
		pair_kernels(&d);
		(o->summary ? print_summary : print_diff)(&d, out, heading);
		status = d.has_incomplete_run ? EXIT_TROUBLE : d.differs ? EXIT_NO : EXIT_GOOD;
	}
	diff_free(&d);
	return status;
}

/* ---- directories ---------------------------------------------------------------------------------- */

static int diff_directories(const struct diff_options *o, FILE *out, const char *a, const char *b)
{
	struct result_files fa, fb;
	int i = 0, j = 0, status = EXIT_GOOD;

	result_files_list(&fa, a);
	result_files_list(&fb, b);
	if (!fa.n && !fb.n)
		die("%s, %s: no files in either directory", a, b);
	while (i < fa.n || j < fb.n) {
		int c = i == fa.n ? 1 : j == fb.n ? -1 : strcmp(fa.name[i], fb.name[j]);

		if (c) {
			print_lone_file(o->form, out, c < 0 ? fa.name[i++] : fb.name[j++], c > 0);
			status = worse_status(status, EXIT_NO);
		} else {
			char *pa = result_files_join(a, fa.name[i]), *pb = result_files_join(b, fb.name[j]);

			status = worse_status(status, diff_files(o, out, pa, pb, fa.name[i]));
			free(pa);
			free(pb);
			i++;
			j++;
		}
	}
	result_files_free(&fa);
	result_files_free(&fb);
	return status;
}

/* Compares a file with the file of the same name in a directory. */
static int diff_file_with_directory(const struct diff_options *o, FILE *out, const char *a, const char *b)
{
	const char *file = result_files_is_directory(a) ? b : a, *slash = strrchr(file, '/');
	char *path;
	int status;

	if (!strcmp(file, "-"))
		die("a directory cannot be compared with standard input (expected two files or two directories)");
	path = result_files_join(result_files_is_directory(a) ? a : b, slash ? slash + 1 : file);
	status = result_files_is_directory(a) ? diff_files(o, out, path, b, NULL)
					      : diff_files(o, out, a, path, NULL);
	free(path);
	return status;
}

int main(int argc, char **argv)
{
	struct diff_options o = {.all = false};
	struct output *out;
	int n, status;

	diag_init(argv[0]);
	n = cli_parse(&cli, argc, argv, on_diff_option, &o);
	if (n != 2)
		cli_usage("%d operands (expected two: A and B)", n);
	if (o.top_by && !o.top)
		cli_usage("--by requires --top");
	if (o.top && (o.weights || o.select.n || o.ignore.n || o.n_tolerances || o.summary || o.options))
		cli_usage(
			"--top cannot be used with an option about figures (expected -k, -F, -q, --all or --by)");
	if (!strcmp(argv[0], "-") && !strcmp(argv[1], "-"))
		cli_usage("A and B cannot both be standard input");
	if (o.weights && (o.summary || o.kernels))
		cli_usage("--weights cannot be used with %s", o.summary ? "--summary" : "-k");
	list_required_names(&o);
	out = output_open(o.quiet ? "/dev/null" : NULL, true);
	if (result_files_is_directory(argv[0]) && result_files_is_directory(argv[1]))
		status = diff_directories(&o, output_stream(out), argv[0], argv[1]);
	else if (result_files_is_directory(argv[0]) || result_files_is_directory(argv[1]))
		status = diff_file_with_directory(&o, output_stream(out), argv[0], argv[1]);
	else
		status = diff_files(&o, output_stream(out), argv[0], argv[1], NULL);
	if (status != EXIT_TROUBLE)
		required_check(&o);
	output_commit(out);
	required_free(&o);
	for (uint32_t i = 0; i < o.n_tolerances; i++)
		free(o.tolerance[i].pattern);
	free(o.tolerance);
	namelist_free(&o.select);
	namelist_free(&o.ignore);
	kselect_free(o.kernels);
	if (o.weights)
		picks_free(o.weights);
	free(o.weights);
	return status;
}
