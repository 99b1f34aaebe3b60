/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A FIFO of 32-bit handles in a power-of-two array that the caller owns.
 * Always true: count <= mask + 1; the oldest entry is at head. A model's own limit may be smaller than
 * the array: the ring knows only its storage and asserts that it never overflows.
 */
#ifndef RING_H
#define RING_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct ring {
	uint32_t *slot;
	uint32_t mask; /* capacity - 1 */
	uint32_t head, count;
};

static inline void ring_init(struct ring *r, uint32_t *slot, uint32_t pow2)
{
	*r = (struct ring){slot, pow2 - 1, 0, 0};
}
static inline bool ring_empty(const struct ring *r) { return r->count == 0; }
static inline uint32_t ring_front(const struct ring *r) { return r->slot[r->head & r->mask]; }
static inline uint32_t ring_at(const struct ring *r, uint32_t i) { return r->slot[(r->head + i) & r->mask]; }
static inline uint32_t ring_pop(struct ring *r)
{
	assert(r->count);
	r->count--;
	return r->slot[r->head++ & r->mask];
}
static inline void ring_push(struct ring *r, uint32_t v)
{
	assert(r->count <= r->mask);
	r->slot[(r->head + r->count++) & r->mask] = v;
}
/* Smallest power of two >= n, at least 1. */
static inline uint32_t ring_capacity(uint32_t n)
{
	uint32_t c = 1;
	while (c < n)
		c *= 2;
	return c;
}

#endif
