/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Command lines: parsing of argv, nearest names, sizes.
 *
 * Always true: long names cannot be abbreviated, so a new option breaks no script; operands remain in their order;
 * "-" alone is an operand.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "cli_internal.h"
#include "crew.h"
#include "diag.h"
#include "num.h"
#include "output.h"

#ifndef VERSION
#define VERSION "unversioned"
#endif

#define NAME_MAX_COMPARED 127u /* largest length of a word for which a nearest name is searched */

const struct cli_row cli_common[CLI_COMMON + CLI_HIDDEN] = {
	{CLI_HELP, "help", NULL, "show this help", NULL},
	{CLI_VERSION, "version", NULL, "show the version", NULL},
	{CLI_COMPLETION, "completion", "SHELL", "print the completion for a shell", "bash zsh fish"},
	{CLI_MAN_OPTIONS, "man-options", NULL, "print the options as rows of a manual page", NULL},
	{CLI_MAN_TABLE, "man-table", "NAME", "print a table of a manual page", NULL},
};

void cli_usage(const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	diag_error(NOWHERE, "%s", text);
	fprintf(stderr, "Try '%s -h'.\n", diag_program());
	exit(EXIT_TROUBLE);
}

/* ---- options that every program has ------------------------------------------------------- */

/* Handles an option of all programs and exits. Does nothing for other letters. */
static void handle_common_option(const struct cli *c, int letter, const char *value)
{
	struct output *o;

	if (letter != CLI_HELP && letter < CLI_VERSION)
		return;
	o = output_open(NULL, false);
	if (letter == CLI_HELP)
		cli_print_help(c, output_stream(o));
	else if (letter == CLI_VERSION)
		fprintf(output_stream(o), "%s (warptools) %s\n", diag_program(), VERSION);
	else if (letter == CLI_MAN_OPTIONS)
		cli_print_man(c, output_stream(o));
	else if (letter == CLI_MAN_TABLE)
		cli_print_man_table(c, value, output_stream(o));
	else if (!cli_print_completion(c, value, output_stream(o)))
		cli_usage("--completion: unknown shell '%s' (expected bash, zsh or fish)", value);
	output_commit(o);
	exit(EXIT_GOOD);
}

/* ---- parsing ------------------------------------------------------------------------------ */

struct cli_walk {
	const struct cli *cli; /* description of the command line */
	char **argv;
	int argc;              /* number of words */
	int index;             /* index of the current word */
	bool first_is_command; /* true if the first operand is the name of a command and ends the options */
	void (*on_option)(void *ctx, int letter, const char *value);
	void *ctx;
};

static void handle_option(struct cli_walk *w, const struct cli_row *r, const char *value)
{
	handle_common_option(w->cli, r->letter, value);
	w->first_is_command |= !r->value && r->complete && !strcmp(r->complete, "command");
	w->on_option(w->ctx, r->letter, value);
}

/* Returns the next word as the value of an option. `option` is the option's name in messages. */
static const char *take_option_value(struct cli_walk *w, const struct cli_row *r, const char *option)
{
	if (w->index + 1 >= w->argc)
		cli_usage("%s: missing value (expected %s)", option, r->value);
	return w->argv[++w->index];
}

static const struct cli_row *find_long(const struct cli *c, const char *name, size_t n)
{
	for (size_t i = 0; i < c->n_rows + CLI_COMMON + CLI_HIDDEN; i++) {
		const struct cli_row *r = cli_row_at(c, i);

		if (!cli_is_group(r) && !strncmp(r->name, name, n) && !r->name[n])
			return r;
	}
	return NULL;
}

static _Noreturn void fail_unknown_option(const struct cli *c, const char *name)
{
	size_t n = c->n_rows + CLI_COMMON;
	const char **names = calloc(n, sizeof(*names)), *near = NULL;

	if (names) {
		for (size_t i = 0; i < n; i++)
			names[i] = cli_is_shown(cli_row_at(c, i)) ? cli_row_at(c, i)->name : NULL;
		near = cli_nearest(name, names, n, sizeof(*names));
	}
	/* near points to a name outside the array, so it remains valid. */
	free(names);
	if (near)
		cli_usage("unknown option '--%s', did you mean '--%s'?", name, near);
	cli_usage("unknown option '--%s'", name);
}

static void parse_long_option(struct cli_walk *w)
{
	const char *word = w->argv[w->index], *name = word + 2, *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);
	const struct cli_row *r = find_long(w->cli, name, n);
	char shown[NAME_MAX_COMPARED + 1];

	snprintf(shown, sizeof(shown), "%.*s", (int)(n < sizeof(shown) ? n : sizeof(shown) - 1), name);
	if (!r)
		fail_unknown_option(w->cli, shown);
	if (!r->value && equals)
		cli_usage("--%s takes no value", shown);
	if (!r->value)
		handle_option(w, r, NULL);
	else
		handle_option(w, r, equals ? equals + 1 : take_option_value(w, r, word));
}

static const struct cli_row *find_letter(const struct cli *c, int letter)
{
	for (size_t i = 0; i < c->n_rows + CLI_COMMON; i++) {
		const struct cli_row *r = cli_row_at(c, i);

		if (cli_has_letter(r) && r->letter == letter)
			return r;
	}
	return NULL;
}

static void parse_short_options(struct cli_walk *w)
{
	for (const char *p = w->argv[w->index] + 1; *p; p++) {
		const struct cli_row *r = find_letter(w->cli, (unsigned char)*p);
		char shown[3] = {'-', *p, '\0'};

		/* "-config" is likely meant as "--config". */
		if (!r && p == w->argv[w->index] + 1 && p[1] && find_long(w->cli, p, strcspn(p, "=")))
			cli_usage("unknown option '-%s', did you mean '--%s'?", p, p);
		if (!r)
			cli_usage("unknown option '%s'", shown);
		if (r->value) {
			handle_option(w, r, p[1] ? p + 1 : take_option_value(w, r, shown));
			return;
		}
		handle_option(w, r, NULL);
	}
}

/* Handles --complete KIND WORD..., which completions call. Prints words but no messages, and exits. */
static void print_completion_words(const struct cli *c, int argc, char **argv)
{
	struct output *o = output_open(NULL, false);

	diag_quiet(true);
	c->words(output_stream(o), argv[2], argv + 3, argc - 3);
	output_commit(o);
	exit(EXIT_GOOD);
}

int cli_parse(const struct cli *c, int argc, char **argv,
	void (*on_option)(void *ctx, int letter, const char *value), void *ctx)
{
	struct cli_walk w = {c, argv, argc, 0, false, on_option, ctx};
	int operands = 0;
	bool options = true;

	output_prepare_process();
	if (c->words && argc > 2 && !strcmp(argv[1], "--complete"))
		print_completion_words(c, argc, argv);
	for (w.index = 1; w.index < argc; w.index++) {
		char *word = argv[w.index];

		/* The assignment is safe: operands < w.index, because argv[0] is not an operand. */
		if (!options || word[0] != '-' || !word[1]) {
			argv[operands++] = word;
			options &= !w.first_is_command;
		} else if (!strcmp(word, "--")) {
			options = false;
		} else if (word[1] == '-') {
			parse_long_option(&w);
		} else {
			parse_short_options(&w);
		}
	}
	if (argc > 0)
		argv[operands] = NULL;
	return operands;
}

/* ---- nearest names ------------------------------------------------------------------------ */

/*
 * Returns the Damerau-Levenshtein distance: the number of insertions, deletions, replacements and swaps of
 * neighbours. No substring is edited twice. Row k of the table is in row[k % 3].
 */
static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[3][NAME_MAX_COMPARED + 1];

	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3];
		const unsigned *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = min_u32(
				last[j - 1] + (a[i - 1] != b[j - 1]), min_u32(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min_u32(now[j], before[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

const char *cli_nearest(const char *word, const void *names, size_t n, size_t stride)
{
	size_t len = strnlen(word, NAME_MAX_COMPARED + 1);
	/* One more than the largest distance of a near name. */
	unsigned best = (unsigned)(len < 3 ? 1 : 1 + len / 4) + 1;
	const char *near = NULL;

	if (!len || len > NAME_MAX_COMPARED)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const char *name;
		size_t name_len;
		unsigned d;

		memcpy(&name, (const char *)names + i * stride, sizeof(name));
		if (!name)
			continue;
		name_len = strnlen(name, NAME_MAX_COMPARED + 1);
		/* A distance of len would replace the whole word. */
		if (name_len > NAME_MAX_COMPARED || (d = edit_distance(word, len, name, name_len)) >= len)
			continue;
		if (d < best) {
			best = d;
			near = name;
		}
	}
	return near;
}

/* ---- numbers ------------------------------------------------------------------------------ */

unsigned long long cli_number(
	const char *option, const char *text, unsigned long long min, unsigned long long max)
{
	uint64_t v;

	if (!num_whole(text, strlen(text), max, &v) || v < min)
		cli_usage("%s: invalid value '%s' (expected a whole number from %llu to %llu)", option, text,
			min, max);
	return v;
}

unsigned cli_threads(const char *text, unsigned most)
{
	unsigned long long n = cli_number("-j", text, 0, most);

	return n ? (unsigned)n : crew_processors(most);
}

int cli_size(const char *text, unsigned long long *out)
{
	const char *p = text;
	unsigned shift;
	uint64_t v;

	if (num_digits(&p, NULL, 10, UINT64_MAX, &v) != NUM_GOOD)
		return -1;
	switch (*p | 0x20) {
	case 'k': shift = 10; break;
	case 'm': shift = 20; break;
	case 'g': shift = 30; break;
	default: shift = 0;
	}
	if (p[shift != 0] || v > UINT64_MAX >> shift)
		return -1;
	*out = v << shift;
	return 0;
}
