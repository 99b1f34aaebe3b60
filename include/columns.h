/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of instruction lines, as libcommon/trace/columns.def lists them, and their positions in a line.
 *
 * Words are separated by blanks, tabs or carriage returns. Their contents are not checked here.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum line_column {
#define COLUMN(name, kind, reader, id, wanted) COLUMN_##name,
#include "../libcommon/trace/columns.def"
	LINE_COLUMNS /* number of columns; also the end mark of a dialect's list */
};

enum line_dialect {
#define DIALECT(name, isa, ...) DIALECT_##name,
#include "../libcommon/trace/columns.def"
	LINE_DIALECTS
};

enum column_kind { WORDS_NUMBER, WORDS_HEX, WORDS_WORD, WORDS_REGISTERS, WORDS_PREFIX, WORDS_REST };

struct column_row {
	const char *id;       /* id of the fault for a bad word */
	const char *expected; /* text after "expected" in that fault */
	uint8_t kind;         /* one of enum column_kind */
};
extern const struct column_row line_columns[LINE_COLUMNS];
/* Columns (enum line_column) of each dialect. LINE_COLUMNS ends each list. */
extern const uint8_t line_dialects[LINE_DIALECTS][LINE_COLUMNS + 1];

/*
 * Returns the dialect that the value of the header line "-isa" names; the value begins at s. Returns LINE_DIALECTS
 * for an unknown name.
 */
enum line_dialect line_dialect_named(const char *s, const char *end);
bool line_dialect_has(enum line_dialect d, enum line_column c);

static inline bool line_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static inline bool line_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* Returns the next word in [*s, end), sets *n to its length (0: none) and moves *s past it. */
static inline const char *line_word(const char **s, const char *end, size_t *n)
{
	const char *p = *s, *q;

	while (p < end && line_blank(*p))
		p++;
	for (q = p; q < end && !line_blank(*q); q++)
		;
	*s = q;
	*n = (size_t)(q - p);
	return p;
}

/*
 * Returns the first word of column c in a line with `prefix` words before the PC. Returns end if the line lacks the
 * word or the dialect lacks the column.
 */
const char *line_find(enum line_dialect d, int prefix, const char *line, const char *end, enum line_column c);

#define LINE_PREFIX_MAX 13 /* largest number of columns before the PC */
/*
 * Guesses the number of columns before the PC: returns the smallest number with which every word up to the width has
 * the form of its column; -1 if there is none.
 */
int line_prefix(enum line_dialect d, const char *line, size_t len);

/*
 * Reads the first n prefix columns as numbers below 2^32 - 1. If there are four or more, they are the x, y, z of the
 * thread block and the warp. Returns the start of the next word, or NULL with the index of the first bad column in
 * *bad.
 */
const char *columns_read_numbers(const char *line, const char *end, unsigned n, uint32_t *v, unsigned *bad);

#endif
