/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrapped text of manual pages; see roff.h. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "roff.h"

#define ROFF_COLUMNS 78u

static void put_roff_word(FILE *out, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (word[i] == '\\')
			fputs("\\e", out);
		else
			fputc(word[i], out);
}

/* Returns the length of a word of n bytes with its backslashes escaped. */
static size_t roff_word_width(const char *word, size_t n)
{
	size_t width = n;

	for (size_t i = 0; i < n; i++)
		width += word[i] == '\\';
	return width;
}

size_t roff_words(FILE *out, size_t column, const char *text)
{
	text += strspn(text, " ");
	while (*text) {
		size_t n = strcspn(text, " "), width = roff_word_width(text, n);

		if (column && column + 1 + width > ROFF_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		if (column) {
			fputc(' ', out);
			column++;
		} else if (*text == '.' || *text == '\'') {
			column += (size_t)fprintf(out, "\\&");
		}
		put_roff_word(out, text, n);
		column += width;
		text += n + strspn(text + n, " ");
	}
	return column;
}

void roff_text(FILE *out, const char *text)
{
	roff_words(out, 0, text);
	fputc('\n', out);
}

void roff_printf(FILE *out, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		die_errno("cannot format the text of a manual page");
	va_end(args);
	roff_text(out, text);
	free(text);
}

void roff_sentence(FILE *out, const char *text)
{
	roff_printf(out, "%c%s.", toupper((unsigned char)text[0]), text + 1);
}
