/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Command lines: one table of rows per program drives the parser, -h, the completions (`--completion bash|zsh|fish`,
 * hidden) and the OPTIONS part of the man page (`--man-options`, hidden). `--man-table NAME` (hidden) prints another
 * table of the man pages. For words that the table cannot list, a completion calls the program with `--complete KIND
 * WORD...` (hidden; the first argument).
 *
 * Short options can be combined (-qv). The value of a short option is the rest of its argument or the next argument
 * (-kLIST, -k LIST), that of a long option follows '=' or is the next argument. "--" ends options; options and
 * operands may be mixed. -h and --version are added to every table. An unknown option ends the program with status 2
 * and a message that suggests the nearest known name.
 */
#ifndef CLI_H
#define CLI_H

#include <stddef.h>
#include <stdio.h>

/*
 * Letter of a row that is not an option but the heading of the options after it: {CLI_GROUP, "Output", NULL, NULL,
 * NULL}. -h and the manual page print it; the parser and the completions skip it. -h and --version are appended to
 * the last group.
 */
#define CLI_GROUP (-1)

/* An option, or the heading of a group of options. */
struct cli_row {
	int letter;        /* short name, a value > 255 for an option without one, or CLI_GROUP */
	const char *name;  /* long name without dashes; text of a heading */
	const char *value; /* name of the value in help ("FILE"); NULL: the option is a flag */
	/* One sentence without full stop, which -h wraps. NULL: an old name, which is accepted and shown nowhere. */
	const char *help;
	/*
	 * Completion of the value: "file", "dir" or "none"; a blank-separated list of words; "@KIND" for words that
	 * the program's words() prints; "@,KIND" for a comma-separated list of such words; NULL for none. "command"
	 * in a flag's row: the first operand after that flag is a command, and the words after it are its arguments.
	 */
	const char *complete;
};

/* A table of a manual page, as rows of mdoc(7). */
struct cli_man_table {
	const char *name;
	void (*print)(FILE *out);
};

struct cli {
	const char *
		synopsis; /* forms of the command, such as "[-g GPU] [TRACE]", one a line; -h wraps them between options */
	const char *purpose;       /* description of the program in one line */
	const char *epilog;        /* text after the options in -h, which wraps it; may be NULL */
	const struct cli_row *row; /* array of n_rows options and headings */
	size_t n_rows;
	/*
	 * Prints the words of a KIND, one per line, each with a tab and its meaning. word[] is the n words of the
	 * command line so far. NULL if no row has "@".
	 */
	void (*words)(FILE *out, const char *kind, char *const *word, int n);
	const struct cli_man_table *man_tables; /* array that ends with a row without name; NULL: none */
};

/*
 * Parses argv. Each option calls on_option(ctx, letter, value); value is NULL for flags. Operands are moved to
 * argv[0] ... argv[n - 1], a NULL follows them, and n is returned. For -h, --version and usage errors the function
 * ends the program. Calls output_prepare_process(). Requires diag_init().
 */
int cli_parse(const struct cli *c, int argc, char **argv,
	void (*on_option)(void *ctx, int letter, const char *value), void *ctx);
/* Prints "program: text" and "Try 'program -h'.", and exits with status 2. */
_Noreturn void cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Returns the nearest of n names (stride bytes apart, each starting with a const char *) to word; NULL if
 * none is near.
 */
const char *cli_nearest(const char *word, const void *names, size_t n, size_t stride);

/*
 * Returns the value of an option as a whole number from min to max. Any other text is a usage error that names the
 * option.
 */
unsigned long long cli_number(
	const char *option, const char *text, unsigned long long min, unsigned long long max);

/*
 * Returns the number of threads that `text`, the value of -j, requests: 1 to `most`. The value 0 means one for each
 * processor. Any other text is a usage error.
 */
unsigned cli_threads(const char *text, unsigned most);

/*
 * Parses the whole text as an unsigned number with an optional suffix K, M, G (powers of 1024). Returns 0, or -1 if
 * it is something else.
 */
int cli_size(const char *text, unsigned long long *out);

#endif
