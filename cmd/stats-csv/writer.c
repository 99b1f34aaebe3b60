/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes tables as CSV (RFC 4180; libcsv adds quotes where they are required), TSV with the escapes \t, \n,
 * \r and \\, or Markdown with unprintable bytes as \xNN. Always true: lines of CSV end in CR LF; other lines
 * end in LF. A missing value is an empty cell.
 */
#include <csv.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "job.h"
#include "record.h"

static void write_csv_cell(FILE *out, const char *text)
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

static void write_tsv_cell(FILE *out, const char *text)
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

static void write_markdown_cell(FILE *out, const char *text)
{
	char *shown = diag_quoted(text);

	for (const char *p = shown; *p; p++) {
		if (strchr("|\\`*<[]", *p))
			putc('\\', out);
		putc(*p, out);
	}
	free(shown);
}

void writer_write_text(struct writer *w, const char *text)
{
	if (w->form == TABLE_MARKDOWN)
		fputs(w->n_cells ? " | " : "| ", w->out);
	else if (w->n_cells)
		putc(w->form == TABLE_CSV ? ',' : '\t', w->out);
	w->n_cells++;
	if (w->form == TABLE_CSV)
		write_csv_cell(w->out, text);
	else if (w->form == TABLE_TSV)
		write_tsv_cell(w->out, text);
	else
		write_markdown_cell(w->out, text);
}

void writer_end(struct writer *w)
{
	fputs(w->form == TABLE_CSV ? "\r\n" : w->form == TABLE_TSV ? "\n" : " |\n", w->out);
	w->n_cells = 0;
}

static void add_column(struct head *h, char *name, bool number)
{
	grow(&h->name, &h->cap_names, h->n + 1, sizeof(*h->name));
	grow(&h->is_number, &h->cap_numbers, h->n + 1, sizeof(*h->is_number));
	h->is_number[h->n] = number;
	h->name[h->n++] = name;
}

void head_add_text(struct head *h, const char *name) { add_column(h, xstrdup(name), false); }

void head_add_number(struct head *h, const char *fmt, ...)
{
	va_list args;
	char *name;

	va_start(args, fmt);
	if (vasprintf(&name, fmt, args) < 0)
		die("out of memory");
	va_end(args);
	add_column(h, name, true);
}

void writer_write_head(struct writer *w, struct head *h)
{
	for (uint32_t i = 0; i < h->n; i++)
		writer_write_text(w, h->name[i]);
	writer_end(w);
	for (uint32_t i = 0; i < h->n && w->form == TABLE_MARKDOWN; i++)
		fputs(h->is_number[i] ? "|---:" : "|---", w->out);
	if (w->form == TABLE_MARKDOWN)
		fputs("|\n", w->out);
	while (h->n)
		free(h->name[--h->n]);
	free(h->name);
	free(h->is_number);
}

void writer_write_real(struct writer *w, double x)
{
	char text[RECORD_REAL_CAP];

	writer_write_text(w, isfinite(x) ? record_real_text(text, x) : "");
}

void writer_write_value(struct writer *w, const struct result_value *v)
{
	char text[24];

	if (!v) {
		writer_write_text(w, "");
	} else if (v->is_whole) {
		snprintf(text, sizeof(text), "%" PRIu64, v->count);
		writer_write_text(w, text);
	} else {
		writer_write_real(w, v->real);
	}
}

void writer_write_kernel(struct writer *w, const struct csv_job *j, const char *name)
{
	char *shown = demangle(name, j->names);

	writer_write_text(w, shown);
	free(shown);
}
