/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source files and lines of a kernel's header: "-file NUMBER = NAME", and for machine code "-line PC = FILE,LINE",
 * which applies from that PC to the PC of the next such line.
 *
 * Always true: the PCs of "-line" lines increase; a name has at most NAME_BYTES bytes, which may be any bytes except
 * a line end.
 */
#include <stdlib.h>
#include <string.h>
#include "reader.h"

#define FILES_MAX  4096u /* largest number of source files; further ones are ignored */
#define NAME_BYTES 4096u /* largest length of a name; only the end of a longer name is kept */

struct sources {
	struct source_name {
		char *name;
		uint32_t number;
	} * file;
	uint32_t n_files, cap_files;
	struct source_row {
		uint32_t pc;
		uint32_t file;
		uint32_t line; /* 0 if it is unknown */
	} * row;               /* rows sorted by pc */
	uint32_t n_rows, cap_rows;
	uint64_t hash;
};

static struct sources *get_or_make_sources(struct trace *t)
{
	if (!t->sources)
		t->sources = xcalloc(1, sizeof(*t->sources));
	return t->sources;
}

static void add_to_source_hash(struct sources *s, const void *bytes, size_t n)
{
	s->hash = XXH3_64bits_withSeed(bytes, n, s->hash + 1);
}

const char *trace_source(const struct trace *t, uint32_t file)
{
	for (uint32_t i = 0; t->sources && i < t->sources->n_files; i++)
		if (t->sources->file[i].number == file)
			return t->sources->file[i].name;
	return NULL;
}

bool trace_has_lines(const struct trace *t) { return t->sources && t->sources->n_rows; }

void source_add_file(struct trace *t, struct tok number, struct tok name)
{
	uint64_t file;
	struct sources *s;

	if (!tok_parse_u64(number, &file) || file > UINT32_MAX || !name.n || trace_source(t, (uint32_t)file))
		return;
	s = get_or_make_sources(t);
	if (s->n_files == FILES_MAX)
		return;
	if (name.n > NAME_BYTES) {
		name.s += name.n - NAME_BYTES;
		name.n = NAME_BYTES;
	}
	add_to_source_hash(s, &file, sizeof(file));
	add_to_source_hash(s, name.s, name.n);
	grow(&s->file, &s->cap_files, s->n_files + 1, sizeof(s->file[0]));
	s->file[s->n_files++] = (struct source_name){xstrndup(name.s, name.n), (uint32_t)file};
}

int source_add_line(struct trace *t, struct tok pc, struct tok value, struct place at, struct fault *f)
{
	const char *comma = memchr(value.s, ',', value.n);
	struct sources *s = get_or_make_sources(t);
	uint64_t from, file, line;
	char q[80];

	if (!tok_parse_hex(pc, &from) || from > UINT32_MAX || (s->n_rows && from <= s->row[s->n_rows - 1].pc))
		return fault_set(f, at, "header-value",
			"invalid PC '%s' of '-line' (expected a hexadecimal PC above the PC of the previous line)",
			diag_quote(q, sizeof(q), pc.s, pc.n));
	if (!comma || !tok_parse_u64((struct tok){value.s, (size_t)(comma - value.s)}, &file) ||
		!tok_parse_u64((struct tok){comma + 1, value.n - (size_t)(comma + 1 - value.s)}, &line) ||
		file > UINT32_MAX || line > UINT32_MAX)
		return fault_set(f, at, "header-value", "invalid value '-line = %s' (expected FILE,LINE)",
			diag_quote(q, sizeof(q), value.s, value.n));
	if (s->n_rows == CODE_MAX)
		return fault_set(f, at, "header-value", "more than %u lines '-line'", CODE_MAX);
	grow(&s->row, &s->cap_rows, s->n_rows + 1, sizeof(s->row[0]));
	s->row[s->n_rows] = (struct source_row){(uint32_t)from, (uint32_t)file, (uint32_t)line};
	add_to_source_hash(s, &s->row[s->n_rows++], sizeof(s->row[0]));
	return 0;
}

void source_set_by_pc(const struct trace *t, struct draft *d)
{
	const struct sources *s = t->sources;
	uint32_t low = 0, high = s ? s->n_rows : 0;

	while (low < high) { /* finds the first row after pc */
		uint32_t mid = low + (high - low) / 2;

		if (s->row[mid].pc <= d->pc)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || !s->row[low - 1].line)
		return;
	d->file_number = s->row[low - 1].file;
	d->file = trace_source(t, d->file_number);
	d->lineno = d->lineno ? d->lineno : s->row[low - 1].line;
}

uint64_t source_hash(const struct trace *t) { return t->sources ? t->sources->hash : 0; }

void source_free(struct sources *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_files; i++)
		free(s->file[i].name);
	free(s->file);
	free(s->row);
	free(s);
}
