/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text of a table of options: -h, and the options of a manual page, both in the order of the table.
 *
 * Always true: no line of -h is wider than HELP_COLUMNS, unless it is a single word.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cli_internal.h"
#include "diag.h"
#include "roff.h"

#define HELP_COLUMNS      80u
#define OPTION_COLUMN_MAX 28u /* largest width of an option whose help begins on the same line */

/*
 * Returns the length of the first word of text. A word ends at a blank, or if units is set, at a blank outside of
 * brackets.
 */
static size_t help_word_length(const char *text, bool units)
{
	unsigned depth = 0;
	size_t n = 0;

	for (; text[n] && text[n] != '\n' && (text[n] != ' ' || depth); n++) {
		if (units && text[n] == '[')
			depth++;
		else if (depth && text[n] == ']')
			depth--;
	}
	return n;
}

/*
 * Prints wrapped text. The first line continues at `column`, the others begin at `indent`. After a newline in text,
 * the text itself has the indentation.
 */
static void print_wrapped(FILE *out, const char *text, size_t column, size_t indent, bool units)
{
	while (*text) {
		size_t blanks = strspn(text, " "), n = help_word_length(text + blanks, units);

		if (column > indent && column + blanks + n > HELP_COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent + n;
		} else {
			fprintf(out, "%*s", (int)blanks, "");
			column += blanks + n;
		}
		text += blanks;
		fwrite(text, 1, n, out);
		text += n;
		if (*text == '\n') {
			fputc(*text++, out);
			column = 0;
		}
	}
	if (column)
		fputc('\n', out);
}

/* Writes "  -c, --config=FILE" to out. Returns its width. */
static unsigned format_option_names(char *out, size_t cap, const struct cli_row *r)
{
	char letter[5] = "    ";
	int n;

	if (cli_has_letter(r))
		snprintf(letter, sizeof(letter), "-%c, ", r->letter);
	n = snprintf(
		out, cap, "  %s--%s%s%s", letter, r->name, r->value ? "=" : "", r->value ? r->value : "");
	return n > 0 ? (unsigned)n : 0;
}

/* Returns the column after the widest option that is at most OPTION_COLUMN_MAX wide. */
static unsigned find_help_column(const struct cli *c)
{
	unsigned column = 0;
	char text[128];

	for (size_t i = 0; i < c->n_rows + CLI_COMMON; i++) {
		const struct cli_row *r = cli_row_at(c, i);
		unsigned width = cli_is_shown(r) ? format_option_names(text, sizeof(text), r) : 0;

		if (width > column && width <= OPTION_COLUMN_MAX)
			column = width;
	}
	return column;
}

static void print_option(const struct cli_row *r, unsigned column, FILE *out)
{
	char text[128];
	unsigned width = format_option_names(text, sizeof(text), r);

	if (width > column)
		fprintf(out, "%s\n%*s  ", text, (int)column, "");
	else
		fprintf(out, "%-*s  ", (int)column, text);
	print_wrapped(out, r->help, column + 2, column + 2, false);
}

/* Prints the forms of the command, each on lines of its own after the name of the program. */
static void print_synopsis(const char *synopsis, FILE *out)
{
	size_t column = strlen("usage:  ") + strlen(diag_program());

	for (const char *form = synopsis; *form;) {
		char *text = xstrndup(form, strcspn(form, "\n"));

		fprintf(out, "%6s %s ", form == synopsis ? "usage:" : "", diag_program());
		print_wrapped(out, text, column, column, true);
		form += strlen(text);
		form += *form == '\n';
		free(text);
	}
}

void cli_print_help(const struct cli *c, FILE *out)
{
	unsigned column = find_help_column(c);

	print_synopsis(c->synopsis, out);
	print_wrapped(out, c->purpose, 0, 0, false);
	if (!c->n_rows || !cli_is_group(c->row))
		fputc('\n', out);
	for (size_t i = 0; i < c->n_rows + CLI_COMMON; i++) {
		const struct cli_row *r = cli_row_at(c, i);

		if (cli_is_group(r))
			fprintf(out, "\n%s:\n", r->name);
		else if (cli_is_shown(r))
			print_option(r, column, out);
	}
	if (c->epilog && *c->epilog) {
		fputc('\n', out);
		print_wrapped(out, c->epilog, 0, 0, false);
	}
}

void cli_print_man(const struct cli *c, FILE *out)
{
	for (size_t i = 0; i < c->n_rows + CLI_COMMON; i++) {
		const struct cli_row *r = cli_row_at(c, i);

		if (cli_is_group(r)) {
			fprintf(out, ".It Sy %s\n", r->name);
			continue;
		}
		if (!cli_is_shown(r))
			continue;
		fputs(".It ", out);
		if (cli_has_letter(r))
			fprintf(out, "Fl %c%s%s , ", r->letter, r->value ? " Ar " : "",
				r->value ? r->value : "");
		fprintf(out, "Fl -%s", r->name);
		if (r->value)
			fprintf(out, " Ns = Ns Ar %s", r->value);
		fputc('\n', out);
		roff_printf(out, "%s.", r->help);
	}
}

void cli_print_man_table(const struct cli *c, const char *name, FILE *out)
{
	const struct cli_man_table *t = c->man_tables;

	while (t && t->name && strcmp(t->name, name) != 0)
		t++;
	if (!t || !t->name)
		cli_usage("--man-table: unknown table '%s'", name);
	t->print(out);
}
