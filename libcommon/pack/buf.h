/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte strings of the packed format: appending, and reading within bounds. Internal to libcommon.
 *
 * Numbers in columns are little-endian base 128 (7 bits per byte, the last byte below 128); signed numbers are folded
 * (0, -1, 1, -2, ...). Numbers and strings in metadata are msgpack values.
 */
#ifndef PACK_BUF_H
#define PACK_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"

struct buf {
	uint8_t *p;
	size_t n;   /* number of bytes */
	size_t cap; /* allocated size */
};

struct cur {
	const uint8_t *p;   /* next byte */
	const uint8_t *end; /* end of the bytes */
	bool bad;           /* true after a value was missing or malformed */
};

static inline void buf_room(struct buf *b, size_t bytes)
{
	if (b->p && b->cap - b->n >= bytes)
		return;
	size_t cap = b->cap ? b->cap * 2 : 256;
	while (cap - b->n < bytes)
		cap *= 2;
	b->p = xrealloc(b->p, cap, 1);
	b->cap = cap;
}

static inline void buf_add(struct buf *b, const void *p, size_t n)
{
	buf_room(b, n + 1);
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static inline void buf_byte(struct buf *b, uint8_t v)
{
	buf_room(b, 1);
	b->p[b->n++] = v;
}

static inline void buf_free(struct buf *b)
{
	free(b->p);
	*b = (struct buf){0};
}

static inline void buf_var(struct buf *b, uint64_t v)
{
	buf_room(b, 10);
	for (; v > 127; v >>= 7)
		b->p[b->n++] = (uint8_t)(v | 128);
	b->p[b->n++] = (uint8_t)v;
}

/* Appends the length of a column and its bytes, and frees *column. */
static inline void buf_column(struct buf *b, struct buf *column)
{
	buf_var(b, column->n);
	buf_add(b, column->p, column->n);
	buf_free(column);
}

static inline uint64_t fold(int64_t v) { return (uint64_t)v << 1 ^ (uint64_t)(v >> 63); }
static inline int64_t unfold(uint64_t v) { return (int64_t)(v >> 1 ^ (0 - (v & 1))); }

static inline struct cur cur_of(const void *p, size_t n)
{
	static const uint8_t none;
	const uint8_t *b = p ? p : &none;

	return (struct cur){b, p ? b + n : b, false};
}

static inline size_t cur_left(const struct cur *c) { return (size_t)(c->end - c->p); }

static inline uint8_t cur_byte(struct cur *c)
{
	if (c->p == c->end) {
		c->bad = true;
		return 0;
	}
	return *c->p++; /* NOLINT: p is NULL only at the end */
}

static inline uint64_t cur_var(struct cur *c)
{
	uint64_t v = 0;

	for (unsigned at = 0; at < 64; at += 7) {
		uint8_t b = cur_byte(c);

		v |= (uint64_t)(b & 127) << at;
		if (b < 128)
			return v;
	}
	c->bad = true;
	return 0;
}

static inline const uint8_t *cur_bytes(struct cur *c, size_t n)
{
	if (cur_left(c) < n) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return c->p - n;
}

static inline struct cur cur_column(struct cur *c)
{
	uint64_t n = cur_var(c);
	const uint8_t *p = cur_bytes(c, n);
	struct cur column = cur_of(p, p ? n : 0);

	column.bad = !p;
	return column;
}

/* ---- msgpack values: msgpack.c ---- */
void mp_uint(struct buf *b, uint64_t v);
void mp_int(struct buf *b, int64_t v);
void mp_str(struct buf *b, const void *s, size_t n);
void mp_bin(struct buf *b, const void *s, size_t n);
uint64_t mp_get_uint(struct cur *c, uint64_t max);
int64_t mp_get_int(struct cur *c);
const uint8_t *mp_get_str(
	struct cur *c, size_t *n); /* returns a str or bin; returns NULL and sets bad for any other value */

#endif
