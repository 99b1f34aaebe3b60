/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PTX text to tokens.
 *
 * Always true: a token points into the text; integers have 64 bits, floating literals are the bits of a double
 * (TOK_F32: the 32 bits of a 0f literal); comments and blanks are not tokens. A dotted word is one token
 * without its dot, with its "::" parts.
 */
#include <stdlib.h>
#include <string.h>
#include "lang/lang.h"

static bool starts_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

static bool continues_name(char c) { return (starts_name(c) && c != '%') || is_decimal_digit(c); }

static int lex_fault(const struct lexer *l, struct fault *f, const char *at, const char *id, const char *fmt)
{
	return fault_set(f, (struct place){l->file, l->line, place_column(l->line_start, at)}, id, "%s", fmt);
}

static int skip_block_comment(struct lexer *l, struct fault *f)
{
	const struct lexer start = *l;

	for (l->position += 2; l->end - l->position >= 2 && (l->position[0] != '*' || l->position[1] != '/');
		l->position++)
		if (*l->position == '\n') {
			l->line++;
			l->line_start = l->position + 1;
		}
	if (l->end - l->position < 2)
		return lex_fault(
			&start, f, start.position, "comment-open", "comment without end (expected */)");
	l->position += 2;
	return 0;
}

static int skip_blanks_and_comments(struct lexer *l, struct fault *f)
{
	while (l->position < l->end) {
		if (*l->position == '\n') {
			l->line++;
			l->line_start = ++l->position;
		} else if (*l->position == ' ' || (*l->position >= '\t' && *l->position <= '\r')) {
			l->position++;
		} else if (*l->position == '/' && l->position + 1 < l->end && l->position[1] == '/') {
			while (l->position < l->end && *l->position != '\n')
				l->position++;
		} else if (*l->position == '/' && l->position + 1 < l->end && l->position[1] == '*') {
			if (skip_block_comment(l, f))
				return -1;
		} else {
			break;
		}
	}
	return 0;
}

static unsigned value_of_hex_digit(char c)
{
	return is_decimal_digit(c)    ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
	       : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
				      : 99;
}

/* Reads the digits of 0fXXXXXXXX or 0dXXXXXXXXXXXXXXXX, which are the bits of the value. */
static int lex_float_bits(struct lexer *l, struct token *t, struct fault *f)
{
	unsigned n = t->kind == TOK_F32 ? 8 : 16, i;
	uint64_t v = 0;

	for (i = 0; i < n && l->position < l->end && value_of_hex_digit(*l->position) < 16; i++)
		v = v << 4 | value_of_hex_digit(*l->position++);
	if (i < n || (l->position < l->end && continues_name(*l->position)))
		return lex_fault(l, f, t->start, "number",
			n == 8 ? "bad 0f literal (expected 8 hexadecimal digits)"
			       : "bad 0d literal (expected 16 hexadecimal digits)");
	t->value = v;
	return 0;
}

static int lex_float(struct lexer *l, struct token *t, struct fault *f)
{
	char text[64], *end;
	size_t n = 0;
	double v;

	while (l->position < l->end && n < sizeof(text) - 1 &&
		(is_decimal_digit(*l->position) || *l->position == '.' || *l->position == 'e' ||
			*l->position == 'E' ||
			((*l->position == '-' || *l->position == '+') &&
				(l->position[-1] == 'e' || l->position[-1] == 'E'))))
		text[n++] = *l->position++;
	text[n] = '\0';
	v = strtod(text, &end);
	if (*end || n == sizeof(text) - 1 || (l->position < l->end && continues_name(*l->position)))
		return lex_fault(l, f, t->start, "number", "bad number (expected digits)");
	memcpy(&t->value, &v, 8);
	t->kind = TOK_F64;
	return 0;
}

/* Returns the prefix of the number at the position: 'f', 'd', 'x' or 'b' after a 0; 0: none. */
static char prefix_of_number(const struct lexer *l)
{
	const char *p = l->position;
	char letter = p + 1 < l->end ? (char)(p[1] | 0x20) : 0; /* in lower case */

	return *p == '0' && letter && strchr("fdxb", letter) ? letter : 0;
}

/* Returns true if the decimal digits at the position are those of a float. Sets *digits to their number. */
static bool is_decimal_float(const struct lexer *l, size_t *digits)
{
	const char *p = l->position;

	while (p < l->end && is_decimal_digit(*p))
		p++;
	*digits = (size_t)(p - l->position);
	if (p == l->end)
		return false;
	return *p == 'e' || *p == 'E' || (*p == '.' && p + 1 < l->end && is_decimal_digit(p[1]));
}

/* Reads the digits of a whole number, and the suffix U. */
static int lex_digits(struct lexer *l, struct token *t, unsigned base, struct fault *f)
{
	const char *first = l->position;
	uint64_t v = 0;

	for (; l->position < l->end && value_of_hex_digit(*l->position) < base; l->position++) {
		if (v > (UINT64_MAX - value_of_hex_digit(*l->position)) / base)
			return lex_fault(
				l, f, t->start, "number", "number too large (expected at most 64 bits)");
		v = v * base + value_of_hex_digit(*l->position);
	}
	const char *end = l->position;
	l->position += l->position < l->end && (*l->position == 'U' || *l->position == 'u');
	if (first == end || (l->position < l->end && continues_name(*l->position)))
		return lex_fault(l, f, t->start, "number", "bad number (expected digits of its base)");
	t->value = v;
	return 0;
}

static int lex_number(struct lexer *l, struct token *t, struct fault *f)
{
	char prefix = prefix_of_number(l);
	size_t digits;

	t->kind = TOK_INT;
	if (prefix == 'f' || prefix == 'd') {
		t->kind = prefix == 'f' ? TOK_F32 : TOK_F64;
		l->position += 2;
		return lex_float_bits(l, t, f);
	}
	if (prefix) {
		l->position += 2;
		return lex_digits(l, t, prefix == 'x' ? 16 : 2, f);
	}
	if (is_decimal_float(l, &digits))
		return lex_float(l, t, f);
	return lex_digits(l, t, *l->position == '0' && digits > 1 ? 8 : 10, f);
}

static int lex_string(struct lexer *l, struct token *t, struct fault *f)
{
	t->kind = TOK_TEXT;
	t->start = ++l->position;
	while (l->position < l->end && *l->position != '"' && *l->position != '\n')
		l->position +=
			1 + (*l->position == '\\' && l->end - l->position > 1 && l->position[1] != '\n');
	if (l->position >= l->end || *l->position != '"') {
		l->position = l->position > l->end ? l->end : l->position;
		return lex_fault(l, f, t->start - 1, "text-open",
			"string without end (expected '\"' on the same line)");
	}
	t->n = (uint32_t)(l->position++ - t->start);
	return 0;
}

int lex_token(struct lexer *l, struct token *t, struct fault *f)
{
	if (skip_blanks_and_comments(l, f))
		return -1;
	*t = (struct token){
		.start = l->position, .line = l->line, .col = place_column(l->line_start, l->position)};
	if (l->position == l->end) {
		t->kind = TOK_END;
		return 0;
	}
	if (starts_name(*l->position) &&
		(*l->position != '%' || (l->position + 1 < l->end && continues_name(l->position[1])))) {
		t->kind = TOK_NAME;
		for (l->position++; l->position < l->end && continues_name(*l->position); l->position++)
			;
	} else if (is_decimal_digit(*l->position)) {
		if (lex_number(l, t, f))
			return -1;
	} else if (*l->position == '"') {
		return lex_string(l, t, f);
	} else if (*l->position == '.' && l->position + 1 < l->end && (continues_name(l->position[1]))) {
		t->kind = TOK_DOT;
		t->start = ++l->position;
		while (l->position < l->end &&
			(continues_name(*l->position) ||
				(l->end - l->position > 2 && *l->position == ':' && l->position[1] == ':' &&
					continues_name(l->position[2]))))
			l->position += *l->position == ':' ? 2 : 1;
	} else {
		t->kind = TOK_PUNCT;
		t->punct = *l->position++;
	}
	t->n = (uint32_t)(l->position - t->start);
	return 0;
}
