/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that parse.c and static.c share: scanners of a line in the tracer's spelling, and the static
 * instructions found. A scanner that returns false may have moved l->p, but it never reads beyond the line's end.
 */
#ifndef PACK_PARSE_H
#define PACK_PARSE_H

#include "bits.h"
#include "format.h"

struct line {
	const char *p;
	const char *end; /* newline at the end of the line */
};

static inline bool scan_literal(struct line *l, const char *s)
{
	size_t n = strlen(s);

	if ((size_t)(l->end - l->p) < n || memcmp(l->p, s, n))
		return false;
	l->p += n;
	return true;
}

/* Scans a decimal number in the form that printf() writes. */
static inline bool scan_decimal(struct line *l, uint64_t *v)
{
	const char *s = l->p, *p = s, *end = l->end;
	uint64_t a = 0;

	for (unsigned d; p < end && (d = (unsigned)(unsigned char)*p - '0') < 10; p++) {
		if (p - s < 19)
			a = a * 10 + d;
		else if (__builtin_mul_overflow(a, 10u, &a) || __builtin_add_overflow(a, d, &a))
			return false;
	}
	l->p = p;
	*v = a;
	return p > s && (*s != '0' || p == s + 1);
}

static inline bool scan_decimal32(struct line *l, uint32_t *v)
{
	uint64_t a;

	if (!scan_decimal(l, &a) || a >= NONE)
		return false;
	*v = (uint32_t)a;
	return true;
}

static inline bool scan_signed_decimal(struct line *l, int64_t *v)
{
	uint64_t a;
	bool neg = l->p < l->end && *l->p == '-';

	l->p += neg;
	if (!scan_decimal(l, &a) || a > INT64_MAX || (neg && !a))
		return false;
	*v = neg ? -(int64_t)a : (int64_t)a;
	return true;
}

/* Scans a lower-case hexadecimal number of at least min digits. If it has more, the first digit must not be 0. */
static inline bool scan_hex(struct line *l, unsigned min, unsigned max, uint64_t *v)
{
	const char *s = l->p;
	uint64_t a = 0;

	for (; l->p < l->end && (size_t)(l->p - s) < max; l->p++) {
		char c = *l->p;

		if (c >= '0' && c <= '9')
			a = a << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			a = a << 4 | (unsigned)(c - 'a' + 10);
		else
			break;
	}
	size_t n = (size_t)(l->p - s);
	*v = a;
	return n >= min && (n == min || *s != '0');
}

/* The constant text of an instruction's line: the PC and a blank; the text between mask and addresses; the end. */
struct found {
	uint32_t pc, lineno;
	const char *head, *head_end, *mid, *mid_end, *tail, *tail_end; /* parts of the line */
	uint8_t flags;                                                 /* set of ST_ flags */
};

/* Appends the text to b. Returns its offset. */
static inline uint32_t keep_text_bytes(struct buf *b, const char *from, const char *end)
{
	uint32_t at = (uint32_t)b->n;

	buf_add(b, from, (size_t)(end - from));
	return at;
}

/* Finds or adds the static instruction and returns its number. Returns NONE if there are too many. */
uint32_t static_intern(struct parsed *p, const struct found *f);

#endif
