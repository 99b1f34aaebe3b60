/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace-pick: picks kernels that represent a whole application. This file only parses the command line.
 * pick.h lists the stages.
 */
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "complete.h"
#include "output.h"
#include "pick.h"

#define DEFAULT_METHOD "stem"
#define DEFAULT_ERROR  0.05
#define MOST_THREADS   64

enum { OPT_PER_STREAM = 256, OPT_SEED, OPT_ONE, OPT_TIMES, OPT_SKIP_MISSING };

#define METHOD(name, ...) " " #name
static const char method_names[] =
#include "methods.def"
	;
static const char method_wanted[] = "one of"
#include "methods.def"
	;
#undef METHOD

static const char method_help[] = "how kernels are grouped"
#define METHOD(name, fn, reading, size, help) ". " #name ": " help
#include "methods.def"
#undef METHOD
	;

static const struct cli_row rows[] = {
	{CLI_GROUP, "Selection", NULL, NULL, NULL},
	{'m', "method", "METHOD", method_help, method_names},
	{'e', "error", "PERCENT", "wanted error of a total, half of its 95 % interval (default: 5%)", NULL},
	{'k', "kernels", "LIST",
		"pick only from these kernels: positions, ranges, name patterns (3,7-9 or '*gemm*')",
		"@kernels"},
	{OPT_SKIP_MISSING, "skip-missing", NULL,
		"leave out kernels that the list names and that do not exist, with a warning", NULL},
	{'n', "number", "N", "pick at most N kernels", NULL},
	{OPT_TIMES, "times", "FILE",
		"execution times: CSV of nsys stats, ncu or stats-csv (-: stdin), or auto: estimated from the traces",
		"file"},
	{OPT_PER_STREAM, "per-stream", NULL, "do not group kernels of different streams", NULL},
	{OPT_ONE, "one", NULL, "pick only the kernel of middle size of each stratum; gives no intervals",
		NULL},
	{OPT_SEED, "seed", "N", "seed of the random picks (1)", NULL},
	{CLI_GROUP, "Output", NULL, NULL, NULL},
	{'j', "threads", "N",
		"read with N threads (default 1; 0: all processors); results do not depend on N", NULL},
	{'o', "output", "FILE", "write the picks to FILE when they are complete; -: stdout", "file"},
	{'f', "force", NULL, "replace an existing output file, but never an input", NULL},
	{'q', "quiet", NULL, "print no warnings", NULL},
};

/* Prints the completions for the values of options of a kind. */
static void complete_pick_words(FILE *out, const char *kind, char *const *word, int n)
{
	if (!strcmp(kind, "kernels"))
		complete_kernels(out, word, n);
}

static const struct cli cli = {
	"[-m METHOD] [-e PERCENT] [-k LIST] [-n N] [--times FILE] [-j N] [-o FILE] [TRACE]",
	"pick kernels that represent a whole application",
	"TRACE is a kernel list, a directory with one, one kernel file, a packed stream, or - (stdin, the default).\n"
	"Exit status: 0 success; 2 error.\n",
	rows, sizeof(rows) / sizeof(*rows), complete_pick_words, NULL};

struct pick_args {
	const struct method *method;
	struct pick_options pick_options;
	const char *times, *output;
	unsigned threads;
	bool force, quiet, skip_missing;
};

static double parse_percent(const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (*text < '0' || *text > '9' || strcmp(end, "%") != 0 || !(v > 0) || v > 100)
		cli_usage("invalid error '%s' (expected above 0%% and up to 100%%, such as 5%%)", text);
	return v / 100;
}

static const struct method *method_of(const char *name)
{
	const struct method *m = method_find(name);

	if (!m)
		cli_usage("unknown method '%s' (expected %s)", name, method_wanted);
	return m;
}

static void on_pick_option(void *ctx, int letter, const char *value)
{
	struct pick_args *a = ctx;

	switch (letter) {
	case 'm': a->method = method_of(value); break;
	case 'e': a->pick_options.error = parse_percent(value); break;
	case 'k': a->pick_options.selection = value; break;
	case OPT_SKIP_MISSING: a->skip_missing = true; break;
	case 'n': a->pick_options.max_picks = (uint32_t)cli_number("-n", value, 1, UINT32_MAX - 1); break;
	case OPT_TIMES: a->times = value; break;
	case OPT_PER_STREAM: a->pick_options.per_stream = true; break;
	case OPT_ONE: a->pick_options.one = true; break;
	case OPT_SEED: a->pick_options.seed = cli_number("--seed", value, 0, UINT64_MAX); break;
	case 'j': a->threads = cli_threads(value, MOST_THREADS); break;
	case 'o': a->output = value; break;
	case 'f': a->force = true; break;
	case 'q': a->quiet = true; break;
	}
}

static void check_options_of_method_all(const struct pick_args *a)
{
	bool all = a->method == method_find("all");

	if (all && (a->pick_options.max_picks != UINT32_MAX || a->pick_options.one))
		cli_usage("-m all cannot be used with -n or --one");
}

/*
 * Parses the operand of -k. NULL means all kernels. A picks file is rejected, because its weights would be
 * lost.
 */
static struct kselect *parse_part_to_pick(const char *text)
{
	struct kselect *s;
	struct fault f;

	if (!text)
		return NULL;
	if (*text == '@')
		cli_usage("-k '%s': picks have weights (expected positions, ranges or name patterns)", text);
	s = kselect_parse(text, &f);
	if (!s)
		die_fault(&f);
	return s;
}

int main(int argc, char **argv)
{
	struct pick_args a = {.method = method_find(DEFAULT_METHOD),
		.pick_options = {.error = DEFAULT_ERROR, .max_picks = UINT32_MAX, .seed = 1},
		.threads = 1};
	struct app app = {.n_kernels = 0};
	struct pick_choice c;

	diag_init(argv[0]);
	int n = cli_parse(&cli, argc, argv, on_pick_option, &a);
	diag_quiet(a.quiet);
	if (n > 1)
		cli_usage("%d traces (expected one)", n);
	check_options_of_method_all(&a);
	struct kselect *part = parse_part_to_pick(a.pick_options.selection);
	app.select = part;
	app.skip_missing = a.skip_missing;
	if (a.method->size == SIZE_TIME && !a.times)
		a.times = "auto";
	struct output *out = output_open(a.output, a.force);
	enum pick_depth reading = a.method->reading;
	bool estimate = a.times && !strcmp(a.times, "auto");

	if (estimate && reading < READ_COUNTS)
		reading = READ_COUNTS;
	features_read(&app, n ? argv[0] : "-", reading, a.threads);
	klist_check_output(&app.list, a.output);
	if (estimate) {
		estimate_times(&app);
	} else if (a.times) {
		output_check_input(a.output, a.times);
		times_read(&app, a.times);
	}
	pick_choice_make(&c, &app, a.method, &a.pick_options);
	report_picks(output_stream(out), &app, a.method, &a.pick_options, &c);
	pick_choice_free(&c);
	features_free(&app);
	kselect_free(part);
	output_commit(out);
	return EXIT_GOOD;
}
