/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The columns of instruction lines, as libcommon/trace/columns.def lists them, and where they stand in a
 * line.
 *
 * Words are separated by blanks, tabs or carriage returns. Nothing here judges what a word says.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum line_column {
#define COLUMN(name, kind, reader, id, wanted) COLUMN_##name,
#include "../libcommon/trace/columns.def"
	LINE_COLUMNS /* also behind a dialect's last column */
};

enum line_dialect {
#define DIALECT(name, isa, ...) DIALECT_##name,
#include "../libcommon/trace/columns.def"
	LINE_DIALECTS
};

enum column_kind { WORDS_NUMBER, WORDS_HEX, WORDS_WORD, WORDS_REGISTERS, WORDS_PREFIX, WORDS_REST };

struct column_row {
	const char *id, *wanted; /* of the fault */
	uint8_t kind;            /* enum column_kind */
};
extern const struct column_row line_columns[LINE_COLUMNS];
/* By dialect: its columns (enum line_column), then LINE_COLUMNS. */
extern const uint8_t line_dialects[LINE_DIALECTS][LINE_COLUMNS + 1];

/* The dialect that a header's "-isa" line names, whose value begins at s; LINE_DIALECTS: none. */
enum line_dialect line_dialect_named(const char *s, const char *end);
bool line_dialect_has(enum line_dialect d, enum line_column c);

static inline bool line_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static inline bool line_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/* Next word in [*s, end); its length is *n, 0: none. *s is moved behind it. */
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
 * Where the column's first word begins, prefix words standing before the PC; end when the line has no such
 * word or the dialect no such column.
 */
const char *line_find(enum line_dialect d, int prefix, const char *line, const char *end, enum line_column c);

/*
 * How many columns stand before the PC, by the line's shape: the fewest with which every word up to the width
 * is what its column wants; -1: it has no such shape.
 */
#define LINE_PREFIX_MAX 13
int line_prefix(enum line_dialect d, const char *line, size_t len);

/*
 * The first n prefix columns, which are thread block x, y, z and warp where there are four or more, as
 * numbers below 2^32 - 1. Where the next word begins, NULL: they are not there, *bad is the first column
 * (from 0) that is none.
 */
const char *columns_numbers(const char *line, const char *end, unsigned n, uint32_t *v, unsigned *bad);

#endif
