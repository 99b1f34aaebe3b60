/* SPDX-License-Identifier: BSD-2-Clause */
/* Positions of instructions in messages. */
#include <stdio.h>
#include <string.h>
#include "exec/check.h"
#include "sass/sass.h"

#define PATH_SHOWN     100u /* characters at the end of a longer path that a message shows */
#define CALLS_SEARCHED 16u
#define CALLS_SHOWN    3u /* calls by which an instruction was inlined that a message shows */

/* Returns the number of source positions of the instruction: its own and those of calls by which it was inlined. */
static unsigned source_positions(const struct op *o, struct place *out, unsigned most)
{
	return o->func->machine ? o->func->machine->positions(o, out, most)
				: loc_positions(o->func, o->stmt, out, most);
}

/* Writes `before`, the end of the path of a source file, and the line. */
static void write_source_text(const char *file, uint32_t line, const char *before, char *out, size_t cap)
{
	size_t n = strlen(file), skip = n > PATH_SHOWN ? n - PATH_SHOWN : 0;
	const char *slash = skip ? strchr(file + skip, '/') : NULL;

	snprintf(out, cap, "%s%s%s line %u", before, skip ? "..." : "", slash ? slash : file + skip, line);
}

/* Appends text to out[0..cap), of which at characters are used. Returns the number of characters that are used then. */
static size_t append_text(char *out, size_t cap, size_t at, const char *text)
{
	size_t n = strlen(text);

	n = n < cap - 1 - at ? n : cap - 1 - at;
	memcpy(out + at, text, n);
	out[at + n] = '\0';
	return at + n;
}

size_t position_lines_text(const struct op *o, char *out, size_t cap)
{
	struct place p[2 + CALLS_SHOWN];
	unsigned n = source_positions(o, p, 2 + CALLS_SHOWN);
	size_t at = 0;

	*out = '\0';
	for (unsigned i = 0; i < n; i++) {
		char text[PATH_SHOWN + 40];

		if (i == CALLS_SHOWN && n == 2 + CALLS_SHOWN)
			snprintf(text, sizeof(text), ", ...");
		else if (i && i <= CALLS_SHOWN && !strcmp(p[i].file, p[i - 1].file))
			snprintf(text, sizeof(text), ", called at line %u", (unsigned)p[i].line);
		else
			write_source_text(p[i].file, (uint32_t)p[i].line, i ? ", called at " : ", ", text,
				sizeof(text));
		at = append_text(out, cap, at, text);
	}
	return at;
}

void position_instruction_text(const struct op *o, char *out, size_t cap)
{
	size_t n = position_lines_text(o, out, cap);

	if (o->func->machine)
		o->func->machine->describe(o, out + n, cap - n);
}

void position_kernel_text(const struct func *kernel, char out[KERNEL_MAX])
{
	const char *name = kernel->source_name ? kernel->source_name : kernel->name;
	const unsigned most = KERNEL_MAX - sizeof("kernel ..");

	snprintf(out, KERNEL_MAX, "kernel %.*s%s", (int)most, name, strlen(name) > most ? ".." : "");
}

void position_text(const struct op *o, char *out, size_t cap)
{
	struct place p[CALLS_SEARCHED];
	unsigned n = source_positions(o, p, CALLS_SEARCHED), i = 0;
	const char *file;
	char at[24], line[POSITION_MAX] = "";

	if (o->func->machine)
		snprintf(at, sizeof(at), "PC 0x%04x", SASS_BYTES * (unsigned)(o->stmt - o->func->inst));
	else
		snprintf(at, sizeof(at), "line %u", o->stmt->line);
	while (i + 1 < n && strcmp(p[i].file, p[n - 1].file))
		i++;
	if (n) {
		file = strrchr(p[i].file, '/');
		snprintf(line, sizeof(line), " (%.60s line %u)", file ? file + 1 : p[i].file,
			(unsigned)p[i].line);
	}
	snprintf(out, cap, "%s%s", at, line);
}
