/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace-exec: executes CUDA kernels on the CPU, checks them and writes their traces. This file has the command line
 * only.
 */
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "disassemble.h"
#include "gpuconf.h"
#include "isa.h"
#include "lower/lower.h"
#include "output.h"
#include "program.h"
#include "recorded.h"
#include "run.h"

enum {
	OPT_LIMIT = 256,
	OPT_CHECK,
	OPT_NO_CHECK,
	OPT_ORDER,
	OPT_STACK,
	OPT_RUN,
	OPT_AS,
	OPT_CODE,
	OPT_LIBS,
	OPT_STRICT,
	OPT_LEAKS,
	OPT_KERNELS,
	OPT_LAUNCHES,
	OPT_DISASSEMBLE,
	OPT_CONTROL,
	OPT_COMPARE,
	OPT_EVERY
};

#define LIMIT 4000000000ull /* default limit of warp instructions in a launch */

static const struct cli_row rows[] = {
	{CLI_GROUP, "What to execute", NULL, NULL, NULL},
	{OPT_RUN, "run", NULL,
		"run a CUDA program (linked with -cudart shared); the words after --run are its command",
		"command"},
	{OPT_CODE, "code", "KIND",
		"code to execute: ptx; sass: machine code; auto (default): machine code that the GPU can run, else PTX",
		"auto ptx sass"},
	{'g', "gpu", "GPU",
		"GPU that a program sees, that --as sass writes for, and whose machine code is executed: a shipped configuration (default rtx3070)",
		gpuconf_names},
	{'c', "config", "FILE", "with --run and --as sass: the GPU of a configuration file; may be repeated",
		"file"},
	{'D', "define", "NAME=VALUE", "set an option of the GPU after all configuration files", NULL},
	{OPT_LIBS, "libs", "KIND",
		"with --run: library for cuBLAS: suite (default): kernels of trace-exec; real: the installed library",
		"suite real"},
	{'l', "list", NULL,
		"with --run: list the functions of the CUDA runtime, the driver and cuBLAS, executed or not",
		NULL},
	{OPT_DISASSEMBLE, "disassemble", NULL,
		"print the instructions of cubins, fat binaries or programs; -g: only those for that GPU",
		NULL},
	{CLI_GROUP, "Execution", NULL, NULL, NULL},
	{'j', "threads", "N",
		"threads that execute thread blocks and pack the stream (default 1; 0: all processors); the output does not depend on N",
		NULL},
	{'j', "jobs", "N", NULL, NULL},
	{OPT_ORDER, "order", NULL, "execute thread blocks one after another, even with -j", NULL},
	{OPT_STACK, "stack", "KIND",
		"execution of diverged lanes: simt: one group at a time; volta: groups alternate (default: volta for sm_70 and later)",
		"simt volta"},
	{OPT_LIMIT, "limit", "N", "warp instructions that a launch may execute (default 4000000000)", NULL},
	{OPT_EVERY, "every-launch", NULL,
		"with --run and -n: also execute launches that repeat an earlier one", NULL},
	{CLI_GROUP, "Checks", NULL, NULL, NULL},
	{OPT_CHECK, "check", NULL, "check memory accesses and barriers (default)", NULL},
	{OPT_NO_CHECK, "no-check", NULL,
		"do not check them, which is faster; accesses outside any allocation still end the run",
		NULL},
	{OPT_STRICT, "strict-races", NULL,
		"also report warps that store the same value to shared memory without a barrier", NULL},
	{OPT_LEAKS, "leaks", NULL, "with --run: memory that is not freed at the end is an error (status 1)",
		NULL},
	{CLI_GROUP, "Output", NULL, NULL, NULL},
	{'n', "dry-run", NULL, "execute only: save and check buffers, write no trace", NULL},
	{'o', "output", "PATH",
		"directory for the trace; NAME.tpack: file for a packed stream; -: packed stream on stdout (default)",
		"dir"},
	{'F', "format", "FORMAT",
		"pack: write the packed stream directly (default for -o NAME.tpack); text: write a directory of text, or pack a stream from text (default for --run on stdout); with --disassemble: text (default) or json",
		"pack text json"},
	{OPT_KERNELS, "kernels", "PATTERNS",
		"trace and check only kernels whose name matches one of the patterns, separated by commas; * is any text, ? one character",
		NULL},
	{OPT_LAUNCHES, "launches", "RANGES", "trace and check only launches with these numbers: 3,7-9,12-",
		NULL},
	{OPT_AS, "as", "KIND",
		"write the trace as ptx (default), or as sass: an estimate of the machine code for the GPU of -g",
		"ptx sass"},
	{OPT_COMPARE, "compare", "TRACE",
		"compare with a recorded trace of the same program: exit status 1 if an instruction differs",
		"file"},
	{OPT_CONTROL, "control", NULL, "with --disassemble: print the control code of each instruction",
		NULL},
	{'C', "directory", "DIR", "directory of the files that the launch file saves (default: its own)",
		"dir"},
	{'f', "force", NULL, "replace existing files, except inputs", NULL},
	{CLI_GROUP, "Messages", NULL, NULL, NULL},
	{'q', "quiet", NULL, "no warnings", NULL},
	{'v', "verbose", NULL, "report the number of executed instructions on stderr", NULL},
};

static const struct cli_man_table man_tables[] = {{"opcodes", disassemble_man}, {NULL, NULL}};

static const struct cli cli = {
	"[-nfqv] [-o PATH] [-F FORMAT] [-C DIR] [-j N] [--limit N] [--no-check] [--code KIND] [--as KIND] [--compare TRACE] [-g GPU] LAUNCH\n"
	"[-nfqv] [-o PATH] [-F FORMAT] [-j N] [--limit N] [--no-check] [--code KIND] [--as KIND] [--compare TRACE] [-g GPU] --run PROGRAM [ARG...]\n"
	"--run --list\n"
	"--disassemble [-F FORMAT] [--control] [-g GPU] [-o FILE] FILE...",
	"execute CUDA kernels on the CPU, check them and write their traces",
	"LAUNCH is a launch file (trace-launch(5)); - is stdin. PROGRAM is a CUDA program.\n"
	"Exit status: 0 success; 1 a kernel or the program failed, or a buffer or a trace differs; 2 error. With --run, a status of the program other than 0 is passed on.\n",
	rows, sizeof(rows) / sizeof(*rows), NULL, man_tables};

struct args {
	struct run_options run_options;
	struct disassemble_options disassemble_options;
	struct gpu_choice gpu;
	bool run, list, sass, disassemble;
	enum { FORMAT_DEFAULT, FORMAT_TEXT, FORMAT_PACK, FORMAT_JSON } format;
	bool gpu_given;       /* the command line has -g, -c or -D */
	const char *recorded; /* argument of --compare; NULL: not given */
};

static enum code_kind parse_code_kind(const char *kind)
{
	if (!strcmp(kind, "sass"))
		return CODE_MACHINE;
	if (strcmp(kind, "auto") && strcmp(kind, "ptx"))
		cli_usage("unknown code '%s' (expected auto, ptx or sass)", kind);
	return strcmp(kind, "ptx") ? CODE_AUTO : CODE_PTX;
}

static void parse_format_name(struct args *a, const char *value)
{
	a->format = !strcmp(value, "json") ? FORMAT_JSON : !strcmp(value, "pack") ? FORMAT_PACK : FORMAT_TEXT;
	if (a->format == FORMAT_TEXT && strcmp(value, "text"))
		cli_usage("unknown format '%s' (expected pack, text or json)", value);
}

static void on_option(void *ctx, int letter, const char *value)
{
	struct args *a = ctx;
	struct run_options *o = &a->run_options;

	switch (letter) {
	case 'n': o->trace_to = TRACE_NONE; break;
	case 'o': o->output = value; break;
	case 'C': o->saves = value; break;
	case 'j': o->exec.threads = cli_threads(value, THREADS_MAX); break;
	case OPT_LIMIT: o->exec.limit = cli_number("--limit", value, 1, 1ull << 60); break;
	case OPT_STACK:
		o->exec.stack = !strcmp(value, "volta") ? STACK_VOLTA : STACK_SIMT;
		if (o->exec.stack == STACK_SIMT && strcmp(value, "simt"))
			cli_usage("unknown stack '%s' (expected simt or volta)", value);
		break;
	case OPT_AS:
		a->sass = !strcmp(value, "sass");
		if (!a->sass && strcmp(value, "ptx"))
			cli_usage("unknown value '%s' of --as (expected ptx or sass)", value);
		break;
	case OPT_CODE: o->code = parse_code_kind(value); break;
	case OPT_LIBS:
		o->real_libs = !strcmp(value, "real");
		if (!o->real_libs && strcmp(value, "suite"))
			cli_usage("unknown value '%s' of --libs (expected suite or real)", value);
		break;
	case OPT_STRICT: o->exec.strict_races = true; break;
	case OPT_EVERY: o->every_launch = true; break;
	case OPT_ORDER: o->exec.order = true; break;
	case OPT_CHECK: o->exec.check = true; break;
	case OPT_NO_CHECK: o->exec.check = false; break;
	case OPT_RUN: a->run = true; break;
	case OPT_LEAKS: o->leaks = true; break;
	case OPT_KERNELS: o->kernels = value; break;
	case OPT_LAUNCHES: o->launches = value; break;
	case 'l': a->list = true; break;
	case OPT_DISASSEMBLE: a->disassemble = true; break;
	case OPT_CONTROL: a->disassemble_options.control = true; break;
	case OPT_COMPARE: a->recorded = value; break;
	case 'F': parse_format_name(a, value); break;
	case 'g':
	case 'c':
		gpu_add_file(&a->gpu, value, letter == 'g');
		a->gpu_given = true;
		break;
	case 'D':
		gpu_add_define(&a->gpu, value);
		a->gpu_given = true;
		break;
	case 'f': o->force = true; break;
	case 'q': o->quiet = true; break;
	case 'v': o->verbose = true; break;
	}
}

/* Returns the binary version of the GPU of --as sass. */
static unsigned sass_binary_version(const struct gpu_choice *g)
{
	unsigned binary = gpu_binary_version(g);

	if (binary < LOWER_FIRST || binary > LOWER_LAST || isa_arch_of((int)binary) < 0)
		die("--as sass: compute capability %u.%u is not supported (expected 6.0 to 12.0)",
			binary / 10, binary % 10);
	return binary;
}

/* Sets the form of the trace from -o and -F. */
static void choose_output(struct args *a)
{
	struct run_options *o = &a->run_options;
	bool named = o->output && strcmp(o->output, "-");
	size_t n = named ? strlen(o->output) : 0;
	bool packed = a->format == FORMAT_PACK ||
		      (a->format == FORMAT_DEFAULT && n > 6 && !strcmp(o->output + n - 6, ".tpack"));

	if (a->format == FORMAT_TEXT && !named && !a->run)
		cli_usage("-F text requires -o DIR or --run");
	if (o->trace_to != TRACE_NONE)
		o->trace_to = packed || !named ? TRACE_STREAM : TRACE_DIRECTORY;
	o->records = packed;
}

/* Sets the output of a trace that is compared: a temporary file if none is named. */
static void choose_compared_output(struct args *a)
{
	struct run_options *o = &a->run_options;

	if (a->disassemble || o->trace_to == TRACE_NONE || (o->output && !strcmp(o->output, "-")))
		cli_usage("--compare cannot be combined with --disassemble, -n or -o -");
	if (o->output)
		return;
	o->output = recorded_new_file();
	o->force = true;
}

/*
 * Returns the exit status after a run that ended with `status`. If the run was good and --compare is given,
 * this is the status of the comparison.
 */
static int comparison_status(const struct args *a, int status)
{
	return a->recorded && !status ? recorded_compare(a->run_options.output, a->recorded) : status;
}

static void choose_traced_launches(struct run_options *o)
{
	const char *bad = NULL;

	if (o->kernels)
		choice_add_kernels(&o->choice, o->kernels);
	if (o->kernels && !o->choice.kernels.n)
		cli_usage("--kernels: no pattern (expected names with * and ?)");
	if (o->launches)
		bad = choice_add_launches(&o->choice, o->launches);
	if (bad)
		cli_usage(
			"--launches: invalid range '%.*s' (expected a number from 1 ('3') or a range ('7-9', '12-'))",
			(int)strcspn(bad, ","), bad);
}

/*
 * Prints the functions of the CUDA runtime and driver, one per line: "executed" or "not executed", a tab, the name.
 */
static void print_runtime_functions(void)
{
	struct output *out = output_open(NULL, false);

#define DONE(name)    fputs("executed\t" #name "\n", output_stream(out));
#define REFUSED(name) fputs("not executed\t" #name "\n", output_stream(out));
#include "cudart/cudart.def"
#undef DONE
#undef REFUSED
#define DONE(name, base, since)    fputs("executed\t" #name "\n", output_stream(out));
#define REFUSED(name, base, since) fputs("not executed\t" #name "\n", output_stream(out));
#include "cuda/cuda.def"
#undef DONE
#undef REFUSED
#define DONE(name)    fputs("executed\t" #name "\n", output_stream(out));
#define REFUSED(name) fputs("not executed\t" #name "\n", output_stream(out));
#include "cublas/cublas.def"
#undef DONE
#undef REFUSED
	output_commit(out);
}

static int run_program(struct args *a, int n, char **argv)
{
	if (a->run_options.saves)
		cli_usage("-C needs a launch file, not --run");
	if (a->list) {
		print_runtime_functions();
		return EXIT_GOOD;
	}
	if (!n)
		cli_usage("--run requires a program");
	return program_run(argv, &a->run_options, &a->gpu);
}

static int run_disassembler(struct args *a, int n, char **argv)
{
	if (a->run || a->sass || a->run_options.saves)
		cli_usage("--disassemble cannot be combined with --run, --as or -C");
	if (a->format == FORMAT_PACK)
		cli_usage("--disassemble has the formats text and json, not pack");
	a->disassemble_options.json = a->format == FORMAT_JSON;
	if (!n)
		cli_usage("--disassemble requires a file");
	a->disassemble_options.output = a->run_options.output;
	a->disassemble_options.force = a->run_options.force;
	a->disassemble_options.sm = a->gpu_given ? gpu_binary_version(&a->gpu) : 0;
	return disassemble_files(argv, n, &a->disassemble_options);
}

int main(int argc, char **argv)
{
	static struct args a = {.run_options = {.exec = {.check = true, .threads = 1, .limit = LIMIT},
					.trace_to = TRACE_STREAM}};
	struct script s;
	struct fault f;
	int status;

	diag_init(argv[0]);
	if (!strcmp(diag_program(), "trace-ptx"))
		a.run_options.code = CODE_PTX;
	int n = cli_parse(&cli, argc, argv, on_option, &a);
	diag_quiet(a.run_options.quiet);
	if (a.sass && a.run_options.code == CODE_MACHINE)
		cli_usage("--as sass is for PTX, not for --code sass");
	if (a.disassemble && !a.recorded)
		return run_disassembler(&a, n, argv);
	if (a.recorded)
		choose_compared_output(&a);
	if (a.format == FORMAT_JSON || a.disassemble_options.control)
		cli_usage(
			"%s requires --disassemble", a.disassemble_options.control ? "--control" : "-F json");
	choose_output(&a);
	choose_traced_launches(&a.run_options);
	if (a.sass) {
		a.run_options.code = CODE_PTX;
		a.run_options.binary = sass_binary_version(&a.gpu);
	}
	if (a.run)
		return comparison_status(&a, run_program(&a, n, argv));
	if (a.list)
		cli_usage("--list requires --run");
	if (n != 1)
		cli_usage("%d launch files (expected one)", n);
	if (script_read_code(
		    &s, argv[0], a.run_options.code, a.gpu_given ? gpu_binary_version(&a.gpu) : 0, &f))
		die_fault(&f);
	if (a.gpu_given && !a.sass && !script_has_machine_code(&s))
		cli_usage("a GPU requires --run, --as sass or machine code");
	status = run_script(&s, &a.run_options);
	script_free(&s);
	choice_free(&a.run_options.choice);
	return comparison_status(&a, status);
}
