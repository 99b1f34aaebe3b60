/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables: CSV as RFC 4180 has it (libcsv quotes what needs quotes), TSV with \t, \n and \\ written out, and
 * Markdown. Always true: lines of CSV end in CR LF, the others in LF; a missing value is an empty cell.
 */
#include <csv.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "job.h"
#include "results/record_format.h"

static void write_csv(FILE *out, const char *text)
{
	size_t n = strlen(text), cap = 2 * n + 2;
	char *buf;

	if (!strpbrk(text, ",\"\r\n") && (!n || (*text != ' ' && text[n - 1] != ' '))) {
		fputs(text, out);
		return;
	}
	buf = xmalloc(cap);
	fwrite(buf, 1, csv_write(buf, cap, text, n), out);
	free(buf);
}

static void write_tsv(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\t')
			fputs("\\t", out);
		else if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '\r')
			fputs("\\r", out);
		else if (*text == '\\')
			fputs("\\\\", out);
		else
			putc(*text, out);
	}
}

static void write_markdown(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<[]", *text) && *text != '_')
			putc('\\', out);
		if (*text == '\n' || *text == '\r')
			putc(' ', out);
		else
			putc(*text, out);
	}
}

void write_text(struct writer *w, const char *text)
{
	if (w->form == TABLE_MARKDOWN)
		fputs(w->at ? " | " : "| ", w->out);
	else if (w->at)
		putc(w->form == TABLE_CSV ? ',' : '\t', w->out);
	w->at++;
	if (w->form == TABLE_CSV)
		write_csv(w->out, text);
	else if (w->form == TABLE_TSV)
		write_tsv(w->out, text);
	else
		write_markdown(w->out, text);
}

void write_end(struct writer *w)
{
	fputs(w->form == TABLE_CSV ? "\r\n" : w->form == TABLE_TSV ? "\n" : " |\n", w->out);
	w->at = 0;
}

void write_head(struct writer *w, const char *const *name, const bool *number, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		write_text(w, name[i]);
	write_end(w);
	if (w->form != TABLE_MARKDOWN)
		return;
	for (uint32_t i = 0; i < n; i++)
		fputs(number[i] ? "|---:" : "|---", w->out);
	fputs("|\n", w->out);
}

void write_real(struct writer *w, double x)
{
	char text[REAL_CAP];

	write_text(w, isfinite(x) ? real_text(text, x) : "");
}

void write_value(struct writer *w, const struct run_value *v)
{
	char text[24];

	if (!v) {
		write_text(w, "");
	} else if (v->whole) {
		snprintf(text, sizeof(text), "%" PRIu64, v->count);
		write_text(w, text);
	} else {
		write_real(w, v->real);
	}
}
