/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats-csv: makes one table from many results of trace-sim and logs of Accel-Sim. This file only parses the
 * command line.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "complete.h"
#include "output.h"
#include "picks.h"
#include "job.h"
#include "hotspots.h"
#include "result_files.h"

enum {
	OPT_PER = 256,
	OPT_WIDE,
	OPT_LONG,
	OPT_RUNNING,
	OPT_GROUP,
	OPT_AGG,
	OPT_WEIGHTS,
	OPT_OPTIONS,
	OPT_NO_OPTIONS,
	OPT_TOP,
	OPT_BY,
	OPT_PROVENANCE,
	OPT_NAMES
};

/* The words of aggs.def, for completions, the help and a message. */
#define AGG(name, word) " " word
static const char agg_words[] =
#include "aggs.def"
	;
static const char agg_help[] = "functions that combine a group or run, one or more of"
#include "aggs.def"
			       " (default: sum)";
static const char agg_wanted[] = "one of"
#include "aggs.def"
	;
#undef AGG

static const struct cli_row rows[] = {
	{CLI_GROUP, "Rows and columns", NULL, NULL, NULL},
	{'s', "stats", "NAMES",
		"figures: names and patterns (gpu_ipc,L2_*); default: figures of the whole GPU", "@,figures"},
	{'k', "kernels", "LIST",
		"only these kernels: positions, ranges, name patterns (3,7-9 or '*gemm*'), @FILE: picks",
		"@,runs"},
	{OPT_PER, "per", "kernel|run|interval",
		"one row per kernel (default), per run, or per interval of trace-sim --interval",
		"kernel run interval"},
	{'e', "expression", "NAME=EXPR", "add a computed column: + - * / ( ), names, min max sqrt log abs",
		NULL},
	{OPT_RUNNING, "running", NULL, "print running values, as Accel-Sim prints them", NULL},
	{OPT_OPTIONS, "options", "NAMES",
		"configuration options as columns: names and patterns; default: options that differ", NULL},
	{OPT_NO_OPTIONS, "no-options", NULL, "no columns for configuration options", NULL},
	{OPT_PROVENANCE, "provenance", NULL,
		"add columns about the origin of runs: version, given options, hashes, command line", NULL},
	{CLI_GROUP, "Totals", NULL, NULL, NULL},
	{OPT_GROUP, "group", "COLUMNS",
		"sum over the kernels of a run with equal values in these columns: kernel_name, grid, ...",
		"run kernel_name id position stream grid block"},
	{OPT_AGG, "agg", "LIST", agg_help, agg_words},
	{OPT_WEIGHTS, "weights", "FILE",
		"totals of the application from runs of its picks (trace-pick), with 95 % intervals", "file"},
	{OPT_TOP, "top", "N", "show the N places of a profile with most cycles, instead of figures", NULL},
	{OPT_BY, "by", "WHAT", "places of --top: " HOTSPOTS_BY_WORDS " (default: stall)", HOTSPOTS_BY_WORDS},
	{CLI_GROUP, "Output", NULL, NULL, NULL},
	{'F', "format", "FORMAT", "csv (default), tsv or markdown", "csv tsv markdown"},
	{OPT_WIDE, "wide", NULL, "one column per figure (default)", NULL},
	{OPT_LONG, "long", NULL, "one row per figure: statistic, value, unit", NULL},
	{OPT_NAMES, "names", "FORM",
		"form of kernel names: mangled (as recorded, the default), full or short",
		"short full mangled"},
	{'l', "list", NULL, "print the figures of the input with their units", NULL},
	{'o', "output", "FILE", "write the table to FILE when it is complete; -: stdout", "file"},
	{'f', "force", NULL, "replace an existing output file, but never an input", NULL},
	{'q', "quiet", NULL, "print no warnings", NULL},
};

static const struct cli cli = {
	"[-s NAMES] [-k LIST] [--per kernel|run|interval] [--wide|--long] [-F FORMAT] [-e "
	"NAME=EXPR]... [--group COLUMNS] [--agg LIST] [--weights FILE] [-o FILE] [FILE...]\n"
	"--top N [--by WHAT] [-k LIST] [-F FORMAT] [-o FILE] [PROFILE...]",
	"make a table from simulation results",
	"FILE holds results of trace-sim in any of its formats, or a log of Accel-Sim, or is a directory of such files; "
	"- is stdin (the default).\n"
	"Exit status: 0 success; 1 a run stopped early (its rows are in the table); 2 error.\n",
	rows, sizeof(rows) / sizeof(*rows), complete_results, NULL};

static int choice_or_die(
	const char *option, const char *value, const char *const *name, int n, const char *wanted)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(value, name[i]))
			return i;
	cli_usage("unknown value '%s' of %s (expected %s)", value, option, wanted);
}

static void add_aggs(struct csv_job *j, const char *value)
{
	static const char *const names[N_AGGS] = {
#define AGG(name, word) word,
#include "aggs.def"
#undef AGG
	};
	struct namelist l = {0};

	namelist_add(&l, value);
	for (size_t i = 0; i < l.n; i++) {
		enum agg a = (enum agg)choice_or_die("--agg", l.pattern[i], names, N_AGGS, agg_wanted);
		uint32_t k = 0;

		while (k < j->n_aggs && j->agg[k] != a)
			k++;
		if (k == j->n_aggs)
			j->agg[j->n_aggs++] = a;
	}
	namelist_free(&l);
	if (!j->n_aggs)
		cli_usage("--agg '%s' names no function (expected %s)", value, agg_wanted);
}

static void add_groups(struct csv_job *j, const char *value)
{
	namelist_add(&j->group, value);
	for (size_t i = 0; i < j->group.n; i++)
		if (!group_is_key(j->group.pattern[i]))
			cli_usage(
				"--group: unknown column '%s' (expected run, kernel_name, id, position, stream, grid or block)",
				j->group.pattern[i]);
	if (!j->group.n)
		cli_usage("--group '%s' names no column (expected e.g. kernel_name)", value);
}

/* Adds names and patterns of configuration options. Ignores a leading dash. */
static void add_options(struct csv_job *j, const char *value)
{
	struct namelist l = {0};

	namelist_add(&l, value);
	if (!l.n)
		cli_usage("--options '%s' contains no name (expected names or patterns)", value);
	for (size_t i = 0; i < l.n; i++)
		namelist_add(&j->options, l.pattern[i] + (*l.pattern[i] == '-'));
	namelist_free(&l);
	j->no_options = false;
}

/* Returns true if a table has a column of this name that is not a figure. */
static bool is_fixed_column(const char *name)
{
	return group_is_key(name) || !strcmp(name, "status") || !strcmp(name, "kernels");
}

static void add_derived(struct csv_job *j, const char *value)
{
	const char *equals = strchr(value, '=');
	struct derived *d;
	struct fault f;
	char *name;

	if (!equals || equals == value)
		cli_usage("-e '%s' contains no name (expected NAME=EXPRESSION)", value);
	name = xstrndup(value, (size_t)(equals - value));
	if (figure_find(name) || is_fixed_column(name))
		cli_usage("-e: '%s' is the name of a %s (expected another name)", name,
			is_fixed_column(name) ? "column" : "figure");
	for (uint32_t i = 0; i < j->n_derived; i++)
		if (!strcmp(j->derived[i].name, name))
			cli_usage("-e: '%s' is defined twice", name);
	j->derived = xrealloc(j->derived, j->n_derived + 1, sizeof(*j->derived));
	d = &j->derived[j->n_derived++];
	d->name = name;
	d->expr = expr_parse(equals + 1, "-e", (uint32_t)(equals - value) + 2, &f);
	if (!d->expr)
		die_fault(&f);
	d->found = xcalloc(expr_names(d->expr) + 1, sizeof(bool));
}

static void on_csv_option(void *ctx, int letter, const char *value)
{
	static const char *const forms[] = {"csv", "tsv", "markdown"},
				 *const pers[] = {"kernel", "run", "interval"},
				 *const names[] = {"short", "full", "mangled"};
	int per;
	struct csv_job *j = ctx;
	struct fault f;

	switch (letter) {
	case 's':
		namelist_add(&j->select, value);
		if (!j->select.n)
			cli_usage("-s '%s' contains no name (expected names or patterns)", value);
		break;
	case 'k':
		kselect_free(j->kernels);
		j->kernels = kselect_parse(value, &f);
		if (!j->kernels)
			die_fault(&f);
		break;
	case OPT_PER:
		per = choice_or_die("--per", value, pers, 3, "kernel, run or interval");
		j->one_row_per_run = per == 1;
		j->per_interval = per == 2;
		break;
	case OPT_NAMES:
		j->names = (enum demangle_form)choice_or_die(
			"--names", value, names, 3, "short, full or mangled");
		break;
	case OPT_PROVENANCE: j->provenance = true; break;
	case OPT_WIDE: j->long_form = false; break;
	case OPT_LONG: j->long_form = true; break;
	case 'F':
		j->form = (enum table_form)choice_or_die("-F", value, forms, 3, "csv, tsv or markdown");
		break;
	case 'o': j->output = value; break;
	case 'f': j->force = true; break;
	case 'l': j->list = true; break;
	case OPT_RUNNING: j->running = true; break;
	case 'e': add_derived(j, value); break;
	case OPT_GROUP: add_groups(j, value); break;
	case OPT_AGG: add_aggs(j, value); break;
	case OPT_WEIGHTS: csv_weights_read(j, value); break;
	case OPT_OPTIONS: add_options(j, value); break;
	case OPT_NO_OPTIONS:
		namelist_free(&j->options);
		j->no_options = true;
		break;
	case OPT_TOP: j->top = (uint32_t)cli_number("--top", value, 1, UINT32_MAX); break;
	case OPT_BY:
		j->top_by = hotspots_by_find(value);
		if (j->top_by < 0)
			cli_usage(
				"unknown value '%s' of --by (expected one of " HOTSPOTS_BY_WORDS ")", value);
		j->by_given = true;
		break;
	case 'q': j->quiet = true; break;
	}
}

static void prepare_job(struct csv_job *j)
{
	if (j->weights)
		csv_weights_check(j);
	if (j->group.n && !j->n_aggs)
		j->agg[j->n_aggs++] = AGG_SUM;
	if (j->n_aggs && !j->group.n)
		namelist_add(&j->group, "run");
	if (j->n_aggs && (j->long_form || j->one_row_per_run))
		cli_usage("--group and --agg cannot be used with %s", j->long_form ? "--long" : "--per run");
	if (j->by_given && !j->top)
		cli_usage("--by requires --top");
	if (j->top && (j->n_aggs || j->one_row_per_run || j->long_form || j->list || j->select.n ||
			      j->n_derived || j->running))
		cli_usage(
			"--top cannot be used with an option that chooses figures (expected -k, -F, -o or --by)");
	if (j->one_row_per_run && j->kernels)
		cli_usage("-k cannot be used with --per run");
	diag_quiet(j->quiet);
	if (j->per_interval && j->running)
		cli_usage("--running cannot be used with --per interval");
	j->store = store_new();
	j->store->keep_about = j->provenance;
	j->matched = xcalloc(j->select.n + 1, sizeof(bool));
}

static void free_job(struct csv_job *j)
{
	for (uint32_t i = 0; i < j->n_derived; i++) {
		free(j->derived[i].name);
		expr_free(j->derived[i].expr);
		free(j->derived[i].found);
	}
	free(j->derived);
	free(j->matched);
	free(j->shown);
	namelist_free(&j->select);
	namelist_free(&j->group);
	namelist_free(&j->options);
	kselect_free(j->kernels);
	csv_weights_free(j);
	store_free(j->store);
}

/* Fails if the output would replace an input. */
static void protect_csv_inputs(const struct csv_job *j, int n, char **argv)
{
	kselect_check_output(j->kernels, j->output);
	if (j->weights)
		output_check_input(j->output, j->weights->path);
	for (int i = 0; i < n; i++)
		output_check_input(j->output, argv[i]);
}

int main(int argc, char **argv)
{
	struct csv_job j = {.names = DEMANGLE_MANGLED};
	struct output *out;
	struct result_files in;
	int n;

	diag_init(argv[0]);
	n = cli_parse(&cli, argc, argv, on_csv_option, &j);
	prepare_job(&j);
	result_files_of_operands(&in, n, argv);
	protect_csv_inputs(&j, in.n, in.name);
	collect_add_named_columns(&j);
	out = output_open(j.output, j.force);
	for (int i = 0; i < in.n && !j.top; i++)
		collect(&j, in.name[i]);
	if (!n && !j.top)
		collect(&j, "-");
	collect_warn(&j);
	if (j.top)
		csv_print_top(&j, output_stream(out), in.n, in.name);
	else if (j.list)
		csv_print_list(&j, output_stream(out));
	else if (j.weights)
		csv_print_weighted(&j, output_stream(out));
	else if (j.n_aggs)
		csv_print_groups(&j, output_stream(out));
	else
		csv_print_table(&j, output_stream(out));
	output_commit(out);
	n = j.status;
	free_job(&j);
	result_files_free(&in);
	return n;
}
