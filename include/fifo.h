/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FIFOs of any type, in power-of-two arrays that the caller owns.
 * Always true: count <= mask + 1; the oldest element is at head. A model's own limit may be smaller than the
 * array: a FIFO knows only its storage and asserts that it never overflows.
 */
#ifndef FIFO_H
#define FIFO_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * struct NAME, a FIFO of TYPE (mask: capacity - 1), and its functions, inline:
 *   NAME_init(f, slot, pow2)   empty, in the pow2 elements at slot
 *   NAME_empty(f)
 *   NAME_at(f, i)              element i from the oldest on, 0 the first; it stays
 *   NAME_front(f)              the oldest; there is one
 *   NAME_pop(f)                the same, which leaves
 *   NAME_push(f, v)            behind all others; there is room
 */
#define FIFO(NAME, TYPE) \
	struct NAME { \
		TYPE *slot; \
		uint32_t mask, head, count; \
	}; \
	static inline void NAME##_init(struct NAME *f, TYPE *slot, uint32_t pow2) \
	{ \
		*f = (struct NAME){slot, pow2 - 1, 0, 0}; \
	} \
	static inline bool NAME##_empty(const struct NAME *f) { return f->count == 0; } \
	static inline TYPE NAME##_at(const struct NAME *f, uint32_t i) \
	{ \
		return f->slot[(f->head + i) & f->mask]; \
	} \
	static inline TYPE NAME##_front(const struct NAME *f) { return f->slot[f->head & f->mask]; } \
	static inline TYPE NAME##_pop(struct NAME *f) \
	{ \
		assert(f->count); \
		f->count--; \
		return f->slot[f->head++ & f->mask]; \
	} \
	static inline void NAME##_push(struct NAME *f, TYPE v) \
	{ \
		assert(f->count <= f->mask); \
		f->slot[(f->head + f->count++) & f->mask] = v; \
	}

FIFO(ring, uint32_t) /* of handles */

/* Smallest power of two >= n, at least 1. */
static inline uint32_t fifo_capacity(uint32_t n)
{
	uint32_t c = 1;

	while (c < n)
		c *= 2;
	return c;
}

#endif
