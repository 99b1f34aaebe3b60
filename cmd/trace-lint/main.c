/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace-lint: checks traces, kernel lists and configurations without running them. This file parses the
 * command line. The checks are in lint_*.c, and their table is in rules.def.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cli.h"
#include "complete.h"
#include "lint.h"
#include "output.h"

enum { OPT_EXPLAIN = 256, OPT_ISA, OPT_LIMIT, OPT_FOR, OPT_CUBIN, OPT_SKIP_MISSING };

static const struct cli_row rows[] = {
	{CLI_GROUP, "Configuration", NULL, NULL, NULL},
	{'g', "gpu", "GPU", gpuconf_help, gpuconf_names},
	{'c', "config", "FILE",
		"also check against this GPU configuration; may be repeated, later values win", "file"},
	{'D', "define", "NAME=VALUE", "set one configuration option after all files", "@options"},
	{OPT_CUBIN, "cubin", "FILE",
		"check against the code in a cubin, fat binary or program; may be repeated", "file"},
	{OPT_ISA, "isa", "FILE", "add or override opcode rows", "file"},
	{CLI_GROUP, "Rules", NULL, NULL, NULL},
	{'W', "rule", "ID[=LEVEL]",
		"set a rule's level: error, warning (default), note, off; -Werror: warnings are errors",
		"@rules"},
	{OPT_FOR, "for", "PROGRAM", "levels for this simulator: trace-sim (default) or accel-sim",
		"trace-sim accel-sim"},
	{OPT_SKIP_MISSING, "skip-missing", NULL, "report all missing kernels of the list in a single warning",
		NULL},
	{'l', "list", NULL, "print the table of rules and exit", NULL},
	{OPT_EXPLAIN, "explain", "ID", "explain a rule and exit", "@rules"},
	{CLI_GROUP, "Output", NULL, NULL, NULL},
	{'F', "format", "FORMAT", "text (default) or json", "text json"},
	{OPT_LIMIT, "limit", "N", "print at most N findings per rule and file (default 10; 0: all)", NULL},
	{'q', "quiet", NULL, "print no summary", NULL},
};

/* Prints the completions for the values of options of a kind. */
static void complete_lint_words(FILE *out, const char *kind, char *const *word, int n)
{
	(void)word, (void)n;
	if (!strcmp(kind, "options"))
		complete_options(out);
	for (int r = 0; r < N_RULES && !strcmp(kind, "rules"); r++)
		fprintf(out, "%s\t%s\n", rules[r].id, rules[r].meaning);
}

static const struct cli_man_table man_tables[] = {
	{"rules", rules_print_man}, {"words", rules_print_man_words}, {NULL, NULL}};

static const struct cli cli = {
	"[-c CONFIG]... [-g GPU] [-D NAME=VALUE]... [--cubin FILE]... [-W ID[=LEVEL]]... [-F FORMAT] [-q] TRACE...\n"
	"--list\n"
	"--explain ID",
	"check traces for errors that make a simulation wrong or impossible",
	"TRACE is a kernel list, a directory, a kernel file, or - (a list or kernel on stdin).\n"
	"Exit status: 0 no errors; 1 findings at error level (or warnings with -Werror); 2 error.\n",
	rows, sizeof(rows) / sizeof(*rows), complete_lint_words, man_tables};

struct lint_args {
	struct config_args config;
	const char *isa;     /* operand of --isa */
	const char *explain; /* operand of --explain */
	const char *target;  /* operand of --target */
	const char **level;  /* operands of -W */
	const char **cubin;
	size_t n_levels;
	uint32_t n_cubins;
	struct report *rep;
	bool list, json, quiet, skip_missing;
};

static enum rule_name rule_of_option(const char *id, size_t n)
{
	char name[64];
	int r;

	snprintf(name, sizeof(name), "%.*s", (int)(n < 63 ? n : 63), id);
	r = rule_find(name);
	if (r < 0) {
		const char *near = cli_nearest(name, rules, N_RULES, sizeof(*rules));

		cli_usage("unknown rule '%s'%s%s%s (--list prints all)", name, near ? ", did you mean " : "",
			near ? near : "", near ? "?" : "");
	}
	return (enum rule_name)r;
}

static void set_rule_levels(struct report *rep, const char *value)
{
	size_t n = strcspn(value, "=");
	int level = value[n] ? lint_level_find(value + n + 1) : LEVEL_WARNING;

	if (!strcmp(value, "error")) {
		rep->werror = true;
		return;
	}
	if (level < 0)
		cli_usage("unknown level '%s' (expected error, warning, note or off)", value + n + 1);
	rep->level[rule_of_option(value, n)] = (enum lint_level)level;
}

/* Sets the levels of all rules for the program that --for names. The levels of -W are set afterwards. */
static void set_target_program(struct report *rep, const char *value)
{
	if (!strcmp(value, "accel-sim"))
		report_set_accel_sim_levels(rep);
	else if (strcmp(value, "trace-sim"))
		cli_usage("unknown program '%s' (expected trace-sim or accel-sim)", value);
}

static void on_lint_option(void *ctx, int letter, const char *value)
{
	struct lint_args *a = ctx;

	switch (letter) {
	case 'g':
	case 'c':
		a->config.shipped[a->config.n_files] = letter == 'g';
		a->config.file[a->config.n_files++] = value;
		break;
	case 'D': a->config.define[a->config.n_defines++] = value; break;
	case OPT_CUBIN: a->cubin[a->n_cubins++] = value; break;
	case 'W': a->level[a->n_levels++] = value; break;
	case OPT_FOR: a->target = value; break;
	case 'F':
		a->json = !strcmp(value, "json");
		if (!a->json && strcmp(value, "text"))
			cli_usage("unknown format '%s' (expected text or json)", value);
		break;
	case 'q': a->quiet = true; break;
	case OPT_LIMIT: a->rep->limit = (uint32_t)cli_number("--limit", value, 0, UINT32_MAX); break;
	case OPT_ISA: a->isa = value; break;
	case OPT_SKIP_MISSING: a->skip_missing = true; break;
	case 'l': a->list = true; break;
	case OPT_EXPLAIN: a->explain = value; break;
	}
}

static int check_traces(struct lint_args *a, int n, char **trace)
{
	struct output *out = output_open(NULL, true);
	struct report *rep = a->rep;
	struct lint l = {.rep = rep, .skip_missing = a->skip_missing};
	struct isa *isa = isa_new();
	struct gpuconf conf;
	struct params *params = NULL;
	struct fault f;
	bool unreadable = false, configured = a->config.n_files || a->config.n_defines;

	if (a->isa && isa_load(isa, a->isa, &f) < 0)
		die_fault(&f);
	rep->out = output_stream(out);
	rep->json = a->json ? record_open(rep->out, RECORD_JSON) : NULL;
	if (configured)
		l.params = params = lint_config(rep, &conf, &a->config, &unreadable);
	l.power = params && conf_bool(&conf, OPT_power_simulation_enabled);
	l.isa = isa;
	unreadable |= !lint_cubins(&l, a->cubin, a->n_cubins);
	for (int i = 0; i < n; i++)
		unreadable |= !lint_operand(&l, trace[i]);
	report_end(rep, a->quiet);
	output_commit(out);
	lint_free(&l);
	free(params);
	if (configured)
		gpuconf_free(&conf);
	isa_free(isa);
	if (unreadable)
		return EXIT_TROUBLE;
	return report_count_of_level(rep, LEVEL_ERROR) ? EXIT_NO : EXIT_GOOD;
}

static int print_rules(const struct lint_args *a)
{
	struct output *out = output_open(NULL, true);

	if (a->list)
		rules_print_list(output_stream(out));
	else
		rule_print_explanation(
			output_stream(out), &rules[rule_of_option(a->explain, strlen(a->explain))]);
	output_commit(out);
	return EXIT_GOOD;
}

int main(int argc, char **argv)
{
	struct report rep = {.out = NULL};
	struct lint_args a = {.rep = &rep};
	int n, status;

	diag_init(argv[0]);
	a.config.file = xcalloc((size_t)argc, sizeof(char *));
	a.config.define = xcalloc((size_t)argc, sizeof(char *));
	a.config.shipped = xcalloc((size_t)argc, sizeof(bool));
	a.level = xcalloc((size_t)argc, sizeof(char *));
	a.cubin = xcalloc((size_t)argc, sizeof(char *));
	report_init(&rep);
	n = cli_parse(&cli, argc, argv, on_lint_option, &a);
	if (a.target)
		set_target_program(&rep, a.target);
	for (size_t i = 0; i < a.n_levels; i++)
		set_rule_levels(&rep, a.level[i]);
	if (a.config.n_defines && !a.config.n_files)
		cli_usage("-D requires a configuration (expected -g GPU or -c FILE)");
	if ((a.list || a.explain) && n)
		cli_usage("%s checks no trace ('%s' is one operand too many)",
			a.list ? "--list" : "--explain", argv[0]);
	if (a.list || a.explain)
		status = print_rules(&a);
	else if (n == 0)
		cli_usage("no trace (expected one or more)");
	else
		status = check_traces(&a, n, argv);
	free(a.config.file);
	free(a.config.define);
	free(a.config.shipped);
	free(a.level);
	free(a.cubin);
	return status;
}
