/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FIFOs of any type, in arrays of power-of-two size that the caller owns.
 * Always true: count <= mask + 1; the oldest element is at head. A FIFO asserts that its array never
 * overflows; a smaller capacity of the modelled queue is checked by the model.
 */
#ifndef FIFO_H
#define FIFO_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Defines struct NAME, a FIFO of TYPE (mask: capacity - 1), and its inline functions:
 *   NAME_init(f, slot, pow2)   makes f empty, stored in the pow2 elements at slot
 *   NAME_empty(f)
 *   NAME_at(f, i)              element i, counted from the oldest (0)
 *   NAME_front(f)              oldest element; f is not empty
 *   NAME_pop(f)                removes and returns the oldest element
 *   NAME_push(f, v)            adds v as the newest element; f is not full
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

FIFO(ring, uint32_t) /* a ring of handles */

/* Returns the smallest power of two >= n, at least 1. */
static inline uint32_t fifo_capacity(uint32_t n)
{
	uint32_t c = 1;

	while (c < n)
		c *= 2;
	return c;
}

#endif
