/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace-sim: cycle-level timing simulation of GPU kernels from instruction traces. This file parses the
 * command line; run.c runs the simulation.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "cli.h"
#include "complete.h"
#include "figure.h"
#include "gpus.h"
#include "icnt.h"
#include "namelist.h"
#include "ptx.h"
#include "selftest/measured.h"
#include "selftest/probe.h"
#include "selftest/selftest.h"
#include "simulate.h"
#include "threads/threads.h"
#include "gpu/timeline.h"

enum {
	OPT_LIST_OPTIONS = 256,
	OPT_LIST_GPUS,
	OPT_DUMP_CONFIG,
	OPT_EVENTS,
	OPT_EVENTS_ONLY,
	OPT_FLITS,
	OPT_PIPELINE,
	OPT_PIPELINE_ONLY,
	OPT_STRICT,
	OPT_WARM,
	OPT_COLD,
	OPT_SAMPLE_BLOCKS,
	OPT_ISA,
	OPT_HOST_TIME,
	OPT_PROFILE,
	OPT_PROFILE_INTERVAL,
	OPT_NET_REPORT,
	OPT_TIMELINE,
	OPT_TIMELINE_INTERVAL,
	OPT_CUBIN,
	OPT_TIMELINE_SMS,
	OPT_SELFTEST,
	OPT_MEASURED,
	OPT_TOLERANCE,
	OPT_FIT,
	OPT_ONLY,
	OPT_SKIP_MISSING,
	OPT_ISOLATE,
	OPT_RESUME,
	OPT_REUSE,
	OPT_PROVENANCE,
	OPT_INTERVAL,
	OPT_ALL_FIGURES,
	OPT_POWER_REPORT,
	OPT_POWER_ENERGIES,
	OPT_UNKNOWN
};

static const struct cli_row rows[] = {
	{CLI_GROUP, "Configuration", NULL, NULL, NULL},
	{'g', "gpu", "GPU", gpuconf_help, gpuconf_names},
	{'c', "config", "FILE",
		"a configuration file in Accel-Sim's syntax; may be repeated, later values win", "file"},
	{'D', "define", "NAME=VALUE", "set one option, after all files", "@options"},
	{OPT_UNKNOWN, "unknown-options", "warn|error",
		"warn about or fail on (default) options that no configuration of the suite has",
		"warn error"},
	{OPT_CUBIN, "cubin", "FILE",
		"read control codes for the modern core from a cubin, fat binary or program; may be repeated",
		"file"},
	{OPT_ISA, "isa", "FILE", "add or override opcode rows", "file"},
	{OPT_STRICT, "strict", NULL, "fail on an opcode without a row", NULL},
	{OPT_DUMP_CONFIG, "dump-config", NULL, "print the resolved configuration and exit", NULL},
	{OPT_LIST_OPTIONS, "list-options", NULL, "print the table of configuration options and exit", NULL},
	{OPT_LIST_GPUS, "list-gpus", NULL,
		"print the shipped configurations and exit: SMs, core model, PTX support, mean error of the selftest",
		NULL},
	{CLI_GROUP, "Simulation", NULL, NULL, NULL},
	{'k', "kernels", "LIST",
		"simulate only these: positions, ranges, name patterns (3,7-9 or '*gemm*'), @FILE: picks",
		"@,kernels"},
	{OPT_SKIP_MISSING, "skip-missing", NULL,
		"skip kernels of the list that do not exist, with a warning and a mark in the result", NULL},
	{OPT_WARM, "warm", NULL,
		"with -k: pass the memory accesses of the other kernels through the tags of the caches; default with -k @FILE",
		NULL},
	{OPT_COLD, "cold", NULL, "with -k @FILE: do not read the other kernels, and leave the caches cold",
		NULL},
	{OPT_SAMPLE_BLOCKS, "sample-blocks", NULL,
		"stop a kernel when its thread blocks complete at a stable rate, and extrapolate", NULL},
	{'j', "threads", "N", "use N threads (default 1; 0: all processors); results do not depend on N",
		NULL},
	{OPT_ISOLATE, "isolate", NULL,
		"simulate each kernel alone on a cold GPU; with -j N, N kernels at a time", NULL},
	{OPT_RESUME, "resume", NULL,
		"with --isolate and -o: continue after the last kernel that an earlier run completed", NULL},
	{OPT_REUSE, "reuse", NULL,
		"with --isolate: simulate only the first of kernels that differ only in id and stream, and mark the others",
		NULL},
	{CLI_GROUP, "Output", NULL, NULL, NULL},
	{'F', "format", "FORMAT",
		"text (default), json, msgpack, or accelsim: the text of Accel-Sim; with --selftest: text, json or tsv",
		"text json msgpack accelsim tsv"},
	{'o', "output", "FILE", "write the result to FILE when it is complete; -: stdout", "file"},
	{'f', "force", NULL, "replace an existing output file, but never an input", NULL},
	{'s', "stats", "NAMES",
		"write only these figures: names and patterns (gpu_ipc,L2_*); default: those of the whole GPU",
		"@,figures"},
	{OPT_ALL_FIGURES, "all-figures", NULL,
		"write also zeros and figures of single SMs, slices, channels and banks", NULL},
	{OPT_INTERVAL, "interval", "CYCLES",
		"add a record of the figures every CYCLES core cycles of a kernel", NULL},
	{OPT_EVENTS, "events", "FILE", "write the event log, one line per event", "file"},
	{OPT_EVENTS_ONLY, "events-only", "FILTER",
		"with --events: only these: sm=N[-M],warp=N[-M],cycles=N[-M]", NULL},
	{OPT_FLITS, "flits", NULL, "with --events: also log the flits of a network of mode 1", NULL},
	{OPT_PIPELINE, "pipeline", "FILE",
		"write the stages of each warp instruction in the Kanata format, for the viewer Konata",
		"file"},
	{OPT_PIPELINE_ONLY, "pipeline-only", "FILTER",
		"with --pipeline: only these: sm=N[-M],warp=N[-M],cycles=N[-M]", NULL},
	{OPT_PROFILE, "profile", "FILE", "write the cycles of the warp schedulers by instruction and reason",
		"file"},
	{OPT_PROFILE_INTERVAL, "profile-interval", "CYCLES",
		"cycles between its records over time; default: by the run's length", NULL},
	{OPT_NET_REPORT, "net-report", "FILE",
		"write the use of each channel of a network of routers: text, or JSON if its name ends in .json",
		"file"},
	{OPT_TIMELINE, "timeline", "FILE", "write a timeline as Chrome trace events, for Perfetto", "file"},
	{OPT_TIMELINE_INTERVAL, "timeline-interval", "CYCLES",
		"cycles between values of its counters; default: chosen by the length of the run", NULL},
	{OPT_TIMELINE_SMS, "timeline-sms", "N", "show the CTAs of N SMs, evenly spread (8)", NULL},
	{OPT_POWER_REPORT, "power-report", "FILE",
		"write the power report in AccelWattch's form (-power_simulation_enabled 1)", "file"},
	{OPT_POWER_ENERGIES, "power-energies", "FILE",
		"energies per event, instead of those of the shipped hardware", "file"},
	{OPT_HOST_TIME, "host-time", NULL, "with -F accelsim: print its lines of host time and rates, too",
		NULL},
	{OPT_PROVENANCE, "provenance", NULL,
		"put the command line and the paths of the inputs into the result", NULL},
	{'q', "quiet", NULL, "print no warnings and no progress", NULL},
	{'v', "verbose", NULL, "print progress on stderr even if it is no terminal", NULL},
	{CLI_GROUP, "Selftest", NULL, NULL, NULL},
	{OPT_SELFTEST, "selftest", NULL,
		"compare a configuration, given in place of TRACE or by -g and -c, with figures measured on the GPU",
		NULL},
	{OPT_MEASURED, "measured", "FILE",
		"use these measured figures instead of the configuration's own; may be repeated", "file"},
	{OPT_ONLY, "only", "PATTERNS",
		"compare only rows with these ids or groups, separated by commas ('stream-*,chase L1'); may be repeated",
		NULL},
	{OPT_TOLERANCE, "tolerance", "PERCENT", "exit with status 1 if an error is above PERCENT", NULL},
	{OPT_FIT, "fit", "OPTION[=FROM..TO]",
		"search for the value of an option with the smallest error; may be repeated", NULL},
	{CLI_GROUP, "Help", NULL, NULL, NULL},
};

/* Prints the words that a shell may complete for an operand of this kind. */
static void print_completions(FILE *out, const char *kind, char *const *word, int n)
{
	if (!strcmp(kind, "options"))
		complete_options(out);
	else if (!strcmp(kind, "kernels"))
		complete_kernels(out, word, n);
	else
		complete_results(out, kind, word, n);
}

static const struct cli_man_table man_tables[] = {
	{"figures", figure_man},
	{"config", gpuconf_man_options},
	{"gpus", gpuconf_man_gpus},
	{"opcodes", isa_man},
	{"topologies", icnt_man_topologies},
	{"routings", icnt_man_routings},
	{"allocators", icnt_man_allocators},
	{"arbiters", icnt_man_arbiters},
	{"policies", icnt_man_policies},
	{"entries", icnt_man_entries},
	{"ptx-rules", ptx_man_rules},
	{"ptx-approximated", ptx_man_approximated},
	{"probes", probe_print_man},
	{"stages", kanata_print_man},
	{NULL, NULL},
};

static const struct cli cli = {
	"[-g GPU] [-c CONFIG]... [-D NAME=VALUE]... [-F FORMAT] [-j N] [-k LIST] [-o FILE] [TRACE]\n"
	"--selftest [--measured FILE]... [--only PATTERNS] [--tolerance PERCENT] [-F FORMAT] [-j N] GPU | -c CONFIG",
	"simulate the timing of GPU kernels from instruction traces",
	"TRACE is a kernel list, a directory with one, one kernel file, a packed stream, or - (stdin, the default).\n"
	"Exit status: 0 simulated, or a limit was reached; 1 deadlock or interrupted; 2 error.\n",
	rows, sizeof(rows) / sizeof(*rows), print_completions, man_tables};

static enum run_format parse_format(const char *name)
{
	static const char *const names[] = {"text", "json", "msgpack", "accelsim"};

	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(name, names[i]))
			return (enum run_format)i;
	cli_usage("unknown format '%s' (expected text, json, msgpack or accelsim)", name);
}

static double parse_tolerance(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (*text < '0' || *text > '9' || *end || !(v <= 1e6))
		cli_usage("--tolerance '%s' is not a percentage (expected 0 to 1000000)", text);
	return v;
}

static bool parse_unknown_policy(const char *text)
{
	if (strcmp(text, "warn") != 0 && strcmp(text, "error") != 0)
		cli_usage("unknown value '%s' of --unknown-options (expected warn or error)", text);
	return !strcmp(text, "warn");
}

static void add_figure_names(struct sim_args *a, const char *names)
{
	namelist_add(&a->choice.names, names);
	if (!a->choice.names.n)
		cli_usage("-s '%s' contains no name (expected names or patterns)", names);
}

static void set_log_filter(struct filter *f, const char *option, const char *value)
{
	const char *bad = filter_parse(f, value);

	if (bad)
		cli_usage("%s '%s', character %zu (expected " FILTER_WORDS ")", option, value,
			(size_t)(bad - value) + 1);
}

/* Sets an option for an output file other than the result. */
static void set_log_option(struct logs_args *l, int letter, const char *value)
{
	switch (letter) {
	case OPT_EVENTS: l->events = value; break;
	case OPT_EVENTS_ONLY: set_log_filter(&l->only, "--events-only", value); break;
	case OPT_FLITS: l->flits = true; break;
	case OPT_PIPELINE: l->pipeline = value; break;
	case OPT_PIPELINE_ONLY: set_log_filter(&l->pipeline_only, "--pipeline-only", value); break;
	case OPT_PROFILE: l->profile = value; break;
	case OPT_PROFILE_INTERVAL:
		l->profile_interval = cli_number("--profile-interval", value, 1, UINT32_MAX);
		break;
	case OPT_NET_REPORT: l->net_report = value; break;
	case OPT_TIMELINE: l->timeline = value; break;
	case OPT_TIMELINE_INTERVAL:
		l->interval = cli_number("--timeline-interval", value, 1, UINT32_MAX);
		break;
	case OPT_TIMELINE_SMS:
		l->timeline_sms = (uint32_t)cli_number("--timeline-sms", value, 0, UINT32_MAX);
		l->timeline_sms_given = true;
		break;
	}
}

static void set_sim_option(void *ctx, int letter, const char *value)
{
	struct sim_args *a = ctx;

	switch (letter) {
	case 'g':
	case 'c':
		a->shipped[a->n_config] = letter == 'g';
		a->config[a->n_config++] = value;
		break;
	case 'D': a->define[a->n_define++] = value; break;
	case 'F':
		a->format_given = true;
		a->tsv = !strcmp(value, "tsv");
		a->format = a->tsv ? FORMAT_TEXT : parse_format(value);
		break;
	case 'k': a->kernels = value; break;
	case 'o': a->output = value; break;
	case 'f': a->force = a->logs.force = a->power.force = true; break;
	case OPT_SELFTEST: a->selftest = true; break;
	case OPT_MEASURED: a->measured[a->n_measured++] = value; break;
	case OPT_FIT: a->fit[a->n_fit++] = value; break;
	case OPT_ONLY: namelist_add(&a->only, value); break;
	case OPT_TOLERANCE: a->tolerance = parse_tolerance(value); break;
	case 'j': a->threads = cli_threads(value, MAX_THREADS); break;
	case 'q': a->quiet = true; break;
	case 'v': a->verbose = true; break;
	case OPT_POWER_REPORT: a->power.report = value; break;
	case OPT_POWER_ENERGIES: a->power.energies = value; break;
	case OPT_CUBIN: a->cubin[a->n_cubin++] = value; break;
	case OPT_ISA: a->isa = value; break;
	case OPT_WARM: a->warm = true; break;
	case OPT_COLD: a->cold = true; break;
	case OPT_SAMPLE_BLOCKS: a->sample_blocks = true; break;
	case OPT_STRICT: a->strict = true; break;
	case OPT_HOST_TIME: a->host_time = true; break;
	case OPT_SKIP_MISSING: a->skip_missing = true; break;
	case OPT_ISOLATE: a->isolate = true; break;
	case OPT_INTERVAL: a->interval = cli_number("--interval", value, 1, UINT32_MAX); break;
	case OPT_UNKNOWN: a->pass_unknown = parse_unknown_policy(value); break;
	case 's': add_figure_names(a, value); break;
	case OPT_ALL_FIGURES: a->choice.all_figures = true; break;
	case OPT_PROVENANCE: a->provenance = true; break;
	case OPT_RESUME: a->resume = true; break;
	case OPT_REUSE: a->reuse = true; break;
	case OPT_DUMP_CONFIG: a->dump = true; break;
	case OPT_LIST_OPTIONS: a->list = true; break;
	case OPT_LIST_GPUS: a->list_gpus = true; break;
	default: set_log_option(&a->logs, letter, value);
	}
}

static int run_selftest(
	struct gpuconf *c, const struct sim_args *a, const struct isa *isa, const char *operand)
{
	const char *last = a->n_config ? a->config[a->n_config - 1] : NULL;
	const char *name = operand ? operand : last && a->shipped[a->n_config - 1] ? last : NULL;
	struct selftest t = {.conf = c,
		.name = name,
		.shipped = name ? gpuconf_shipped_file(c, name, ".measured")
				: measured_path_of_config(last, c->arena),
		.measured = a->measured,
		.n_measured = a->n_measured,
		.fit = a->fit,
		.n_fit = a->n_fit,
		.only = &a->only,
		.isa = isa,
		.format = a->tsv                     ? SELFTEST_TSV
			  : a->format == FORMAT_JSON ? SELFTEST_JSON
						     : SELFTEST_TEXT,
		.tolerance = a->tolerance,
		.threads = a->threads,
		.output = a->output,
		.force = a->force};

	if (!a->tsv && a->format != FORMAT_TEXT && a->format != FORMAT_JSON)
		cli_usage("--selftest does not write this format (expected text, json or tsv)");
	gpuconf_check_output(c, t.output);
	output_check_input(t.output, t.shipped);
	output_check_input(t.output, a->isa);
	for (uint32_t i = 0; i < a->n_measured; i++)
		output_check_input(t.output, a->measured[i]);
	return selftest_run(&t);
}

/* Prints a list or the option values, or runs a selftest or a simulation. */
static int run_command(struct run *r, const struct sim_args *a, struct isa *isa, const char *operand)
{
	if (a->list_gpus || a->list || a->dump) {
		gpuconf_check_output(&r->conf, a->output);
		struct output *out = output_open(a->output, a->force);

		if (a->list_gpus)
			gpus_print_list(output_stream(out));
		else if (a->list)
			gpuconf_list(output_stream(out));
		else
			gpuconf_dump(&r->conf, output_stream(out));
		output_commit(out);
		return EXIT_GOOD;
	}
	if (!a->n_config)
		cli_usage("no configuration (expected -g GPU or -c FILE)");
	if (a->selftest)
		return run_selftest(&r->conf, a, isa, operand);
	return simulate_run(r, a, isa, operand ? operand : "-");
}

/* Rejects --cold in a run that would not warm the caches. */
static void check_cold_option(const struct sim_args *a)
{
	if (!a->cold)
		return;
	if (a->warm)
		cli_usage("--cold cannot be used with --warm");
	if (!a->kernels || *a->kernels != '@')
		cli_usage("--cold requires picks (expected -k @FILE)");
}

/* Rejects options that cannot be combined with --isolate, and options that require it. */
static void check_isolate_options(const struct sim_args *a)
{
	if (a->resume && !a->isolate)
		cli_usage(
			"--resume requires --isolate: otherwise a kernel depends on the caches that earlier kernels left");
	if (a->resume && (!a->output || !strcmp(a->output, "-")))
		cli_usage("--resume requires -o FILE");
	if (a->reuse && !a->isolate)
		cli_usage(
			"--reuse requires --isolate: otherwise a kernel depends on clock edges, DRAM rows, instruction caches and schedulers as earlier kernels left them, even with flushed caches");
	if (a->reuse && a->interval)
		cli_usage("--reuse cannot be used with --interval");
	if (!a->isolate)
		return;
	if (a->format == FORMAT_ACCELSIM)
		cli_usage(
			"--isolate cannot be used with -F accelsim, which has totals over kernels (expected text, json or msgpack)");
	if (a->warm || a->sample_blocks)
		cli_usage("--isolate cannot be used with %s", a->warm ? "--warm" : "--sample-blocks");
	if (logs_any_given(&a->logs) || a->selftest || a->power.report)
		cli_usage(
			"--isolate cannot be used with --selftest, --events, --pipeline, --profile, --timeline, --net-report or --power-report");
}

/* Rejects options about traces and results that --selftest, which simulates its own traces, does not read. */
static void check_selftest_options(const struct sim_args *a)
{
	const struct {
		bool given;
		const char *name;
	} unread[] = {
		{a->choice.names.n > 0, "-s"},
		{a->choice.all_figures, "--all-figures"},
		{a->kernels != NULL, "-k"},
		{a->warm, "--warm"},
		{a->sample_blocks, "--sample-blocks"},
		{a->skip_missing, "--skip-missing"},
		{a->interval > 0, "--interval"},
		{a->provenance, "--provenance"},
		{a->n_cubin > 0, "--cubin"},
		{a->power.report != NULL, "--power-report"},
		{logs_any_given(&a->logs), "--events, --pipeline, --profile, --timeline or --net-report"},
	};

	for (size_t i = 0; a->selftest && i < sizeof(unread) / sizeof(unread[0]); i++)
		if (unread[i].given)
			cli_usage("--selftest cannot be used with %s", unread[i].name);
}

/* Parses the command line into *a. Returns the operand, or NULL if there is none. */
static const char *parse_arguments(struct sim_args *a, int argc, char **argv)
{
	const size_t n_words = (size_t)argc;
	int n;

	a->config = xcalloc(n_words, sizeof(char *));
	a->define = xcalloc(n_words, sizeof(char *));
	a->shipped = xcalloc(n_words, sizeof(bool));
	a->cubin = xcalloc(n_words, sizeof(char *));
	a->measured = xcalloc(n_words, sizeof(char *));
	a->fit = xcalloc(n_words, sizeof(char *));
	n = cli_parse(&cli, argc, argv, set_sim_option, a);
	if (n > 1)
		cli_usage("%d traces (expected one)", n);
	if ((a->logs.flits || a->logs.only.active) && !a->logs.events)
		cli_usage("%s requires --events FILE", a->logs.flits ? "--flits" : "--events-only");
	if (a->logs.pipeline_only.active && !a->logs.pipeline)
		cli_usage("--pipeline-only requires --pipeline FILE");
	if (a->logs.profile_interval && !a->logs.profile)
		cli_usage("--profile-interval requires --profile FILE");
	if ((a->logs.interval || a->logs.timeline_sms_given) && !a->logs.timeline)
		cli_usage("%s requires --timeline FILE",
			a->logs.interval ? "--timeline-interval" : "--timeline-sms");
	diag_quiet(a->quiet);
	if (a->selftest && n) { /* the operand is the configuration, which -D overrides */
		if (a->n_config)
			cli_usage("'%s' in addition to -g or -c (expected one configuration)", argv[0]);
		a->shipped[0] = true;
		a->config[a->n_config++] = argv[0];
	}
	if (!a->selftest && (a->tsv || a->n_measured || a->n_fit || a->only.n || a->tolerance >= 0))
		cli_usage("--measured, --fit, --only, --tolerance and -F tsv require --selftest");
	check_cold_option(a);
	check_isolate_options(a);
	if (a->choice.names.n && a->format == FORMAT_ACCELSIM)
		cli_usage("-s cannot be used with -F accelsim (expected text, json or msgpack)");
	check_selftest_options(a);
	if (a->host_time && a->format != FORMAT_ACCELSIM)
		cli_usage("--host-time requires -F accelsim; other formats have no host times");
	if (a->interval && a->format == FORMAT_ACCELSIM)
		cli_usage("--interval cannot be used with -F accelsim (expected text, json or msgpack)");
	return n ? argv[0] : NULL;
}

int main(int argc, char **argv)
{
	struct sim_args a = {.logs.timeline_sms = TIMELINE_SMS, .tolerance = -1, .threads = 1};
	struct fault f;

	diag_init(argv[0]);
	const char **command = xcalloc((size_t)argc + 1, sizeof(*command)); /* parsing reorders argv */
	memcpy(command, argv, (size_t)argc * sizeof(*command));
	/* static, because it contains the GPU and is too large for a small stack */
	struct run *r = xcalloc(1, sizeof(*r));
	const char *operand = parse_arguments(&a, argc, argv);
	simulate_configure(&r->conf, &a);
	struct isa *isa = isa_new();
	if (a.isa && isa_load(isa, a.isa, &f) < 0)
		die_fault(&f);
	struct kselect *select = a.kernels ? kselect_parse(a.kernels, &f) : NULL;
	if (a.kernels && !select)
		die_fault(&f);
	a.warm = a.warm || (kselect_picks(select) && !a.cold && !a.isolate);
	if (a.warm && a.choice.names.n)
		namelist_add(
			/* the confidence intervals of picks need these figures */
			&a.choice.names, "warmed_*");
	r->select = select;
	r->selection = a.kernels;
	r->format = a.format;
	r->strict = a.strict;
	r->skip_missing = a.skip_missing;
	r->host_time = a.host_time;
	r->gpu.threads = a.threads;
	r->progress = !a.quiet && (a.verbose || isatty(STDERR_FILENO));
	const struct invocation invoked = {a.config, a.define, a.cubin, a.shipped, a.n_config, a.n_define,
		a.n_cubin, a.kernels, a.isa, kselect_picks(select), a.strict, a.isolate, a.warm,
		a.sample_blocks, a.reuse, a.interval, a.provenance ? command : NULL, operand,
		a.power.energies, &a.choice};
	r->invoked = &invoked;
	r->reuse = a.reuse;
	r->interval = a.interval;
	r->choice = &a.choice;
	r->summary = !a.output && !a.format_given && !a.interval && !a.provenance && !a.choice.all_figures &&
		     !a.choice.names.n && isatty(STDOUT_FILENO);
	int status = run_command(r, &a, isa, operand);
	kselect_free(select);
	isa_free(isa);
	gpuconf_free(&r->conf);
	free(r);
	free(command);
	free(a.config);
	free(a.define);
	free(a.cubin);
	free(a.shipped);
	free(a.measured);
	free(a.fit);
	namelist_free(&a.only);
	choice_free(&a.choice);
	return status;
}
