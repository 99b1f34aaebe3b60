/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Columns of instruction lines: their tables, the search for a column in a line, and the number of columns before the
 * PC.
 */
#include <string.h>
#include "reader.h"

const struct column_row line_columns[LINE_COLUMNS] = {
#define COLUMN(name, kind, reader, id, wanted) [COLUMN_##name] = {id, wanted, WORDS_##kind},
#include "columns.def"
};

const uint8_t line_dialects[LINE_DIALECTS][LINE_COLUMNS + 1] = {
#define DIALECT(name, isa, ...) [DIALECT_##name] = {__VA_ARGS__, LINE_COLUMNS},
#include "columns.def"
};

static const char *const dialect_isa[LINE_DIALECTS] = {
#define DIALECT(name, isa, ...) [DIALECT_##name] = isa,
#include "columns.def"
};

enum line_dialect line_dialect_named(const char *s, const char *end)
{
	unsigned d = 0;
	size_t n;

	s = line_word(&s, end, &n);
	while (d < LINE_DIALECTS && (strlen(dialect_isa[d]) != n || memcmp(dialect_isa[d], s, n)))
		d++;
	return n ? (enum line_dialect)d : LINE_DIALECTS;
}

bool line_dialect_has(enum line_dialect d, enum line_column c)
{
	const uint8_t *at = line_dialects[d];

	while (*at != c && *at != LINE_COLUMNS)
		at++;
	return *at == c;
}

/* Skips the words of column c. */
static void skip_column_word(enum line_column c, int prefix, const char **p, const char *end)
{
	unsigned left = 1;
	size_t n;

	if (c == COLUMN_PREFIX)
		left = prefix > 0 ? (unsigned)prefix : 0;
	if (line_columns[c].kind == WORDS_REGISTERS) {
		const char *w = line_word(p, end, &n);

		left = 0;
		for (size_t i = 0; i < n && w[i] >= '0' && w[i] <= '9' && left < 256; i++)
			left = left * 10 + (unsigned)(w[i] - '0');
	}
	while (left--)
		line_word(p, end, &n);
}

const char *line_find(enum line_dialect d, int prefix, const char *line, const char *end, enum line_column c)
{
	size_t n;

	for (const uint8_t *at = line_dialects[d]; *at != LINE_COLUMNS; at++) {
		if (*at == c)
			return line_word(&line, end, &n);
		skip_column_word(*at, prefix, &line, end);
	}
	return end;
}

/* ---- shape -------------------------------------------------------------------------------- */

static bool registers_fit(const char **p, const char *end)
{
	uint64_t n;
	if (!tok_parse_u64(tok_next(p, end), &n) || n > 255)
		return false;
	for (; n; n--) {
		struct tok w = tok_next(p, end);
		if (!w.n || (w.s[0] != 'R' && w.s[0] != 'U' && w.s[0] != 'P'))
			return false;
	}
	return true;
}

static bool column_fits(enum line_column c, int prefix, const char **p, const char *end)
{
	uint64_t v;
	struct tok w;
	switch ((enum column_kind)line_columns[c].kind) {
	case WORDS_PREFIX:
		for (; prefix; prefix--)
			if (!tok_parse_u64(tok_next(p, end), &v))
				return false;
		return true;
	case WORDS_HEX: return tok_parse_hex(tok_next(p, end), &v) && v <= UINT32_MAX;
	case WORDS_NUMBER: return tok_parse_u64(tok_next(p, end), &v);
	case WORDS_REGISTERS: return registers_fit(p, end);
	case WORDS_WORD: w = tok_next(p, end); return w.n && line_letter(w.s[0]);
	case WORDS_REST: break;
	}
	return true;
}

int line_prefix(enum line_dialect d, const char *line, size_t len)
{
	const uint8_t *columns = line_dialects[d];
	int most = columns[0] == COLUMN_PREFIX ? LINE_PREFIX_MAX : 0;
	for (int k = 0; k <= most; k++) {
		const char *p = line;
		const uint8_t *c = columns;
		while (*c != COLUMN_ADDRESSES && column_fits((enum line_column) * c, k, &p, line + len))
			c++;
		if (*c == COLUMN_ADDRESSES)
			return k;
	}
	return -1;
}

const char *columns_read_numbers(const char *line, const char *end, unsigned n, uint32_t *v, unsigned *bad)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t x = 0;
		size_t len;
		const char *w = line_word(&line, end, &len);
		bool good = len > 0 && len <= 10;

		for (size_t k = 0; good && k < len; k++) {
			good = w[k] >= '0' && w[k] <= '9';
			x = x * 10 + (uint64_t)(w[k] - '0');
		}
		*bad = i;
		if (!good || x >= UINT32_MAX)
			return NULL;
		v[i] = (uint32_t)x;
	}
	while (line < end && line_blank(*line))
		line++;
	return line;
}
