/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of options for people: the text of -h, and the rows of a manual page.
 *
 * Always true: both follow the order of the table. Help lines are not broken: a row's help is one line.
 */
#include <string.h>
#include "cli_internal.h"
#include "diag.h"

#define COLUMN_MAX 28u /* an option wider than this has its help on the next line */

/* "  -c, --config=FILE" to out; returns its width. */
static unsigned option_text(char *out, size_t cap, const struct cli_row *r)
{
	char letter[5] = "    ";
	int n;

	if (cli_has_letter(r))
		snprintf(letter, sizeof(letter), "-%c, ", r->letter);
	n = snprintf(
		out, cap, "  %s--%s%s%s", letter, r->name, r->value ? "=" : "", r->value ? r->value : "");
	return n > 0 ? (unsigned)n : 0;
}

void cli_print_help(const struct cli *c, FILE *out)
{
	char text[128];
	unsigned column = 0;
	size_t n = c->n_rows + CLI_COMMON;

	for (size_t i = 0; i < n; i++) {
		unsigned width = option_text(text, sizeof(text), cli_row_at(c, i));

		if (width > column && width <= COLUMN_MAX)
			column = width;
	}
	fprintf(out, "usage: %s %s\n%s\n\n", diag_program(), c->synopsis, c->purpose);
	for (size_t i = 0; i < n; i++) {
		const struct cli_row *r = cli_row_at(c, i);
		unsigned width = option_text(text, sizeof(text), r);

		if (width > column)
			fprintf(out, "%s\n%*s  %s\n", text, (int)column, "", r->help);
		else
			fprintf(out, "%-*s  %s\n", (int)column, text, r->help);
	}
	if (c->epilog && *c->epilog)
		fprintf(out, "\n%s%s", c->epilog, c->epilog[strlen(c->epilog) - 1] == '\n' ? "" : "\n");
}

#define ROFF_COLUMNS 78

static void put_roff_word(FILE *out, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (word[i] == '\\')
			fputs("\\e", out);
		else
			fputc(word[i], out);
}

/*
 * Text as roff shows it, in lines of its own: none begins as a request, and backslashes are none of its
 * escapes.
 */
static void put_roff(FILE *out, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (column && column + 1 + n >= ROFF_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		if (column)
			fputc(' ', out);
		else if (*text == '.' || *text == '\'')
			fputs("\\&", out);
		put_roff_word(out, text, n);
		column += n + (column != 0);
		text += n + strspn(text + n, " ");
	}
}

void cli_print_man(const struct cli *c, FILE *out)
{
	for (size_t i = 0; i < c->n_rows + CLI_COMMON; i++) {
		const struct cli_row *r = cli_row_at(c, i);

		fputs(".It ", out);
		if (cli_has_letter(r))
			fprintf(out, "Fl %c%s%s , ", r->letter, r->value ? " Ar " : "",
				r->value ? r->value : "");
		fprintf(out, "Fl -%s", r->name);
		if (r->value)
			fprintf(out, " Ns = Ns Ar %s", r->value);
		fputc('\n', out);
		put_roff(out, r->help);
		fputs(".\n", out);
	}
}
