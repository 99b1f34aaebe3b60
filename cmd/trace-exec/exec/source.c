/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source files and lines in headers of traces.
 *
 * Always true: rows of lines ascend by PC, and consecutive rows differ in file or line. File numbers begin at
 * 1.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/source.h"
#include "lang/lang.h"

const char *source_name_of_inst(const struct func *f, const struct stmt *in)
{
	return in->loc_line && in->loc_file < f->module->n_files ? f->module->file[in->loc_file] : NULL;
}

uint32_t source_file_number(struct source_files *s, const char *name)
{
	for (uint32_t i = 1; i < s->n; i++)
		if (s->name[i] && (s->name[i] == name || !strcmp(s->name[i], name)))
			return i;
	grow(&s->name, &s->cap, s->n + 2, sizeof(*s->name));
	if (!s->n) /* number 0 is not used */
		s->name[s->n++] = NULL;
	s->name[s->n] = name;
	return s->n++;
}

void source_write_files(FILE *out, const struct source_files *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		char *shown = s->name[i] ? diag_quoted(s->name[i]) : NULL;

		if (shown)
			fprintf(out, "-file %u = %s\n", i, shown);
		free(shown);
	}
}

void source_free_files(struct source_files *s) { free(s->name); }

void source_lines_add(struct source_lines *s, uint64_t pc, const char *file, uint32_t line)
{
	const struct source_line *last = s->n ? &s->row[s->n - 1] : NULL;
	uint32_t number = line && file ? source_file_number(&s->files, file) : 0;

	line = number ? line : 0;
	if (last ? last->file == number && last->line == line : !line)
		return;
	grow(&s->row, &s->cap, s->n + 1, sizeof(*s->row));
	s->row[s->n++] = (struct source_line){pc, number, line};
}

void source_write_lines(FILE *out, const struct source_lines *s)
{
	source_write_files(out, &s->files);
	for (uint32_t i = 0; i < s->n; i++)
		fprintf(out, "-line %04llx = %u,%u\n", (unsigned long long)s->row[i].pc, s->row[i].file,
			s->row[i].line);
}

void source_lines_free(struct source_lines *s)
{
	source_free_files(&s->files);
	free(s->row);
}
