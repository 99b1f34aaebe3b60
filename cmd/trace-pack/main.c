/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace-pack: small, checked, seekable archives of GPU instruction traces. This file parses the command line.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cli.h"
#include "complete.h"
#include "tool.h"

#define MOST_THREADS 64

enum {
	OPT_BLOCKS = 256,
	OPT_MEMORY,
	OPT_LEVEL,
	OPT_VERIFY,
	OPT_NO_VERIFY,
	OPT_GROUP,
	OPT_ALL,
	OPT_CUBIN,
	OPT_TO,
	OPT_SKIP_MISSING
};

static const struct cli_row rows[] = {
	{CLI_GROUP, "What to do (default: pack)", NULL, NULL, NULL},
	{'d', "unpack", NULL, "unpack into a directory (-C DIR) or into a single text file (-o FILE, -o -)",
		NULL},
	{'l', "list", NULL, "list the kernels of a packed stream", NULL},
	{'t', "test", NULL, "check every byte of a packed stream", NULL},
	{OPT_GROUP, "group", NULL,
		"group a directory of raw traces by thread block and warp, with a list, into -C DIR", NULL},
	{OPT_TO, "to", "FORM",
		"convert to files of a form, with a list, into -C DIR, or one kernel to -o FILE: tracez (archives of Accel-Sim 2.0), text",
		"tracez text"},
	{CLI_GROUP, "Selection", NULL, NULL, NULL},
	{'k', "kernels", "LIST",
		"only these kernels: positions, ranges, name patterns (3,7-9 or '*gemm*'), @FILE: picks",
		"@,kernels"},
	{OPT_BLOCKS, "tb", "RANGE", "only these thread blocks, in file order from 0 (0-15)", NULL},
	{OPT_SKIP_MISSING, "skip-missing", NULL,
		"leave out kernels that the list names and that do not exist, with a warning", NULL},
	{OPT_ALL, "all", NULL, "without a list: also the raw files of kernels that have a grouped one", NULL},
	{CLI_GROUP, "Output", NULL, NULL, NULL},
	{'o', "output", "FILE",
		"write to FILE, which gets this name when it is complete; - is stdout (default when packing)",
		"file"},
	{'C', "directory", "DIR", "directory for -d, --group and --to", "dir"},
	{'f', "force", NULL, "replace existing files, except inputs", NULL},
	{'F', "format", "FORMAT", "format of -l: text (default) or json", "text json"},
	{CLI_GROUP, "Packing", NULL, NULL, NULL},
	{OPT_LEVEL, "level", "LEVEL",
		"fast: examine only some of the warps; default; best: try both compressors on every column",
		"fast default best"},
	{OPT_CUBIN, "cubin", "FILE",
		"add the control codes of a cubin, fat binary or program; may be repeated", "file"},
	{OPT_VERIFY, "verify", NULL, "read the new stream back before it is renamed (default with -o FILE)",
		NULL},
	{OPT_NO_VERIFY, "no-verify", NULL, "do not read the new stream back", NULL},
	{'j', "threads", "N", "use N threads (default 1; 0: all processors); the output does not depend on N",
		NULL},
	{'j', "jobs", "N", NULL, NULL},
	{OPT_MEMORY, "memory", "SIZE", "memory for the text while --group runs (default 1G)", NULL},
	{CLI_GROUP, "Messages", NULL, NULL, NULL},
	{'q', "quiet", NULL, "no warnings, no progress", NULL},
	{'v', "verbose", NULL, "report each step on stderr", NULL},
};

/* Prints the completions for the values of options of a kind. */
static void print_pack_words(FILE *out, const char *kind, char *const *word, int n)
{
	if (!strcmp(kind, "kernels"))
		complete_kernels(out, word, n);
}

static const struct cli cli = {
	"[-fqv] [-k LIST] [--tb RANGE] [--cubin FILE]... [-j N] [--level LEVEL] [-o FILE] [TRACE]\n"
	"-d [-fqv] [-k LIST] [-C DIR|-o FILE] [STREAM]\n"
	"-l [-F FORMAT] [-k LIST] [STREAM]\n"
	"-t [STREAM]\n"
	"--group [-fqv] [-k LIST] [-C DIR] DIR\n"
	"--to FORM [-fqv] [-k LIST] [-C DIR|-o FILE] [TRACE]",
	"pack GPU instruction traces into one small, checked, seekable stream, and unpack them",
	"TRACE is a kernel list, a directory, one kernel file or a packed stream; - or nothing is stdin.\n"
	"Exit status: 0 success; 1 -t found damage; 2 error.\n",
	rows, sizeof(rows) / sizeof(rows[0]), print_pack_words, NULL};

static const struct {
	const char *name;
	int level;
} levels[] = {{"fast", PACK_FAST}, {"default", PACK_DEFAULT}, {"best", PACK_BEST}};

static int pack_level_numbered(int n)
{
	return n < PACK_DEFAULT ? PACK_FAST : n < PACK_BEST ? PACK_DEFAULT : PACK_BEST;
}

/* Returns the level that `value` names. Also accepts the numbers of releases up to 0.2. */
static int pack_level_named(const char *value)
{
	char *end;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (!strcmp(value, levels[i].name))
			return levels[i].level;
	unsigned long n = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || n < PACK_FAST || n > PACK_BEST)
		cli_usage("--level: invalid value '%s' (expected fast, default or best)", value);
	return pack_level_numbered((int)n);
}

static void set_block_range(struct pack_args *a, const char *text)
{
	char *end;

	a->first_block = a->last_block = strtoull(text, &end, 10);
	if (*end == '-' && text < end)
		a->last_block = end[1] ? strtoull(end + 1, &end, 10) : (end++, UINT64_MAX - 1);
	if (*text < '0' || *text > '9' || *end || a->last_block < a->first_block ||
		a->last_block == UINT64_MAX)
		cli_usage("invalid thread blocks '%s' (expected FIRST-LAST, FIRST- or one number from 0)",
			text);
}

static void set_pack_mode(struct pack_args *a, enum mode mode)
{
	if (a->mode != MODE_PACK && a->mode != mode)
		cli_usage("-d, -l, -t, --group and --to cannot be combined");
	a->mode = mode;
}

static void on_pack_option(void *ctx, int letter, const char *value)
{
	struct pack_args *a = ctx;
	unsigned long long n;

	switch (letter) {
	case 'd': set_pack_mode(a, MODE_UNPACK); break;
	case OPT_GROUP: set_pack_mode(a, MODE_GROUP); break;
	case OPT_TO:
		if (strcmp(value, "text") && strcmp(value, "tracez"))
			cli_usage("--to: invalid value '%s' (expected tracez or text)", value);
		set_pack_mode(a, MODE_CONVERT);
		a->target_form = strcmp(value, "text") ? FORM_TRACEZ : FORM_TEXT;
		break;
	case OPT_ALL: a->all = true; break;
	case OPT_SKIP_MISSING: a->skip_missing = true; break;
	case 't': set_pack_mode(a, MODE_TEST); break;
	case 'l': set_pack_mode(a, MODE_TABLE); break;
	case 'k': a->kernels = value; break;
	case 'o': a->output = value; break;
	case 'C': a->directory = value; break;
	case 'f': a->force = true; break;
	case OPT_CUBIN: a->cubin[a->n_cubins++] = value; break;
	case 'q': a->quiet = true; break;
	case 'v': a->verbose = true; break;
	case 'j': a->threads = cli_threads(value, MOST_THREADS); break;
	case OPT_VERIFY:
	case OPT_NO_VERIFY: a->no_verify = letter == OPT_NO_VERIFY; break;
	case OPT_LEVEL: a->level = pack_level_named(value); break;
	case OPT_BLOCKS:
		a->blocks = value;
		set_block_range(a, value);
		break;
	case OPT_MEMORY:
		if (cli_size(value, &n) || n < 65536)
			cli_usage("invalid memory size '%s' (expected at least 64K)", value);
		a->max_memory_bytes = n;
		break;
	case 'F':
		if (strcmp(value, "text") && strcmp(value, "json"))
			cli_usage("unknown format '%s' (expected text or json)", value);
		a->format = value;
		break;
	}
}

/* Returns true if argument s is an option whose value is the next argument. */
static bool option_takes_value(const char *s)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && s[0] == '-'; i++) {
		const struct cli_row *r = &rows[i];
		size_t given = s[1] == '-' ? strlen(s + 2)
					   : 0; /* length of the long option's name, perhaps a prefix */
		bool is = s[1] == '-' ? given && given <= strlen(r->name) && !memcmp(s + 2, r->name, given)
				      : s[1] == r->letter && !s[2];

		if (is)
			return r->value != NULL;
	}
	return false;
}

/*
 * Applies options such as -19 of releases up to 0.2. Removes them from argv, because the option table cannot
 * have them. Returns the new number of arguments.
 */
static int remove_level_options(int argc, char **argv, struct pack_args *a)
{
	int n = 1;
	bool value = false, end = false;

	for (int i = 1; i < argc; i++) {
		const char *s = argv[i];
		size_t len = strlen(s);
		bool digits = !value && !end && s[0] == '-' && len > 1 && len <= 3 &&
			      strspn(s + 1, "0123456789") == len - 1;

		end |= !strcmp(s, "--") && !value;
		value = !value && !end && option_takes_value(s);
		if (digits)
			a->level = pack_level_numbered((int)cli_number(s, s + 1, PACK_FAST, PACK_BEST));
		else
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return n;
}

/* Makes malloc() keep freed memory, because buffers are allocated and freed for each piece of text. */
static void keep_freed_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

/* Rejects options that have no meaning together. */
static void check_pack_options(const struct pack_args *a)
{
	const bool to_directory = a->mode == MODE_UNPACK || a->mode == MODE_GROUP || a->mode == MODE_CONVERT;

	if (a->directory && (!to_directory || a->output))
		cli_usage("-C requires -d, --group or --to, and excludes -o");
	if (a->output && (a->mode == MODE_GROUP || a->mode == MODE_TEST))
		cli_usage("%s", a->mode == MODE_GROUP ? "--group cannot be used with -o (expected -C DIR)"
						      : "-t cannot be used with -o: it writes nothing");
	if (a->blocks && a->mode != MODE_PACK && !(a->mode == MODE_UNPACK && a->output))
		cli_usage("--tb is only for packing and for -d -o FILE");
	if (a->n_cubins && a->mode != MODE_PACK)
		cli_usage("--cubin is only for packing");
	if (a->format && a->mode != MODE_TABLE)
		cli_usage("-F requires -l");
}

int main(int argc, char **argv)
{
	struct pack_args a = {
		.last_block = UINT64_MAX, .max_memory_bytes = 1u << 30, .level = PACK_DEFAULT, .threads = 1};
	struct fault f;
	int status;

	keep_freed_memory();
	diag_init(argv[0]);
	argc = remove_level_options(argc, argv, &a);
	a.cubin = xcalloc((size_t)argc, sizeof(char *));
	int n = cli_parse(&cli, argc, argv, on_pack_option, &a);
	diag_quiet(a.quiet);
	if (n > 1)
		cli_usage("%d traces given (expected one)", n);
	check_pack_options(&a);
	if (a.kernels && !(a.select = kselect_parse(a.kernels, &f)))
		die_fault(&f);
	const char *operand = n ? argv[0] : "-";
	switch (a.mode) {
	case MODE_CONVERT:
	case MODE_GROUP: status = convert_operand(operand, &a); break;
	case MODE_UNPACK: status = unpack_stream(operand, &a); break;
	case MODE_TEST: status = unpack_test_stream(operand, &a); break;
	case MODE_TABLE: status = list_print_table(operand, &a); break;
	default: status = pack_operand(operand, &a); break;
	}
	kselect_free(a.select);
	free(a.cubin);
	return status;
}
