/* SPDX-License-Identifier: BSD-2-Clause */
/* Source files and lines in headers of traces: kernel-trace(5). */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdint.h>
#include <stdio.h>

struct stmt;
struct func;

/* Names of source files by number; NULL: no file has the number, or no instruction names the file. */
struct source_files {
	const char **name; /* not owned */
	uint32_t n, cap;
};

/* Source lines of machine code. */
struct source_lines {
	struct source_line {
		uint64_t pc;
		uint32_t file;
		uint32_t line; /* 0: unknown */
	} * row;               /* sorted by pc; a row applies up to the next row */
	uint32_t n, cap;
	struct source_files files;
};

/* Returns the name of the source file of a PTX instruction, or NULL if it is unknown. */
const char *source_name_of_inst(const struct func *f, const struct stmt *in);
/* Returns the number of a name, counted from 1. Adds the name if it is new. */
uint32_t source_file_number(struct source_files *s, const char *name);
/* Writes a header line for each name, with control characters and malformed UTF-8 as \xNN. */
void source_write_files(FILE *out, const struct source_files *s);
void source_free_files(struct source_files *s);

/* Notes the position of the instruction at pc. pc is above the pc of the call before. line 0: unknown. */
void source_lines_add(struct source_lines *s, uint64_t pc, const char *file, uint32_t line);
/* Writes the header lines of files and lines. Writes nothing if no line is known. */
void source_write_lines(FILE *out, const struct source_lines *s);
void source_lines_free(struct source_lines *s);

#endif
