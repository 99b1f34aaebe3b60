/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address recipes: the 32 lane addresses of a memory instruction from those of earlier ones in the warp.
 *
 * Always true: a recipe without numbers of its own sets all 32 lanes, active or not; one with numbers sets the
 * active ones. What a memory instruction had last, or 0 when it had none in this warp, is what others refer to.
 */
#ifndef PACK_ADDR_H
#define PACK_ADDR_H

#include "bits.h"
#include "pack_format.h"

struct lanes { uint64_t a[32]; };

struct addresses {
	const struct pcode *c;
	struct lanes *last;		/* by memory instruction */
	uint32_t *stamp;		/* warp that set last[] */
	uint64_t *base;			/* first address of the last list with numbers, across warps of a span */
	uint32_t now;
	uint32_t warp, block[3];
};

static inline void addresses_new(struct addresses *x, const struct pcode *c)
{
	x->c = c;
	x->last = xcalloc(c->n_mem + 1, sizeof(x->last[0]));
	x->stamp = xcalloc(c->n_mem + 1, sizeof(x->stamp[0]));
	x->base = xcalloc(c->n_mem + 1, sizeof(x->base[0]));
	x->now = 0;
}

static inline void addresses_free(struct addresses *x)
{
	free(x->last);
	free(x->stamp);
	free(x->base);
}

static inline void addresses_span(struct addresses *x) { memset(x->base, 0, (x->c->n_mem + 1) * sizeof(x->base[0])); }

static inline void addresses_warp(struct addresses *x, uint32_t warp, const uint32_t block[3])
{
	if (!++x->now) {
		memset(x->stamp, 0, (x->c->n_mem + 1) * sizeof(x->stamp[0]));
		x->now = 1;
	}
	x->warp = warp;
	memcpy(x->block, block, sizeof(x->block));
}

/* Lanes of memory instruction m in this warp; zeros before it ran. */
static inline struct lanes *lanes_of(struct addresses *x, uint32_t m)
{
	if (x->stamp[m] != x->now) {
		memset(&x->last[m], 0, sizeof(x->last[m]));
		x->stamp[m] = x->now;
	}
	return &x->last[m];
}

void lanes_shift(struct lanes *to, const struct lanes *from, int shift, uint64_t c);
void lanes_xor(struct lanes *to, const struct lanes *from, uint64_t c);
void lanes_pattern(struct lanes *to, const int64_t *pattern, uint64_t base);

static inline uint64_t affine_base(const struct addresses *x, const struct recipe *r)
{
	return r->c + (uint64_t)r->per[0] * x->warp + (uint64_t)r->per[1] * x->block[0] +
		(uint64_t)r->per[2] * x->block[1] + (uint64_t)r->per[3] * x->block[2];
}

/* A recipe without numbers. */
static inline void recipe_apply(struct addresses *x, const struct recipe *r, struct lanes *to)
{
	if (r->op == OP_ADD)
		lanes_shift(to, lanes_of(x, r->ref), r->shift, r->c);
	else if (r->op == OP_XOR)
		lanes_xor(to, lanes_of(x, r->ref), r->c);
	else
		lanes_pattern(to, x->c->pattern[r->pattern], affine_base(x, r));
}

static inline bool has_numbers(const struct recipe *r) { return r->op >= OP_PLANES; }

static inline bool lanes_are(const struct lanes *x, uint32_t mask, const uint64_t *a)
{
	uint64_t off = 0;
	if (mask == UINT32_MAX) {
		for (unsigned l = 0; l < 32; l++)
			off |= x->a[l] ^ a[l];
		return !off;
	}
	unsigned n = 0;
	FOR_BITS32(l, mask)
		off |= x->a[l] ^ a[n++];
	return !off;
}

static inline void lanes_set(struct lanes *x, uint32_t mask, const uint64_t *a)
{
	unsigned n = 0;
	FOR_BITS32(l, mask)
		x->a[l] = a[n++];
}

/* Can the recipe with numbers hold these? */
static inline bool recipe_holds(struct addresses *x, const struct recipe *r, uint32_t mask, const uint64_t *a, unsigned n)
{
	uint64_t low = (UINT64_C(1) << r->align) - 1, limit = UINT64_C(1) << (8 * r->planes), off = 0;
	if (r->op == OP_PLANES) {
		for (unsigned i = 0; i < n; i++)
			if ((a[i] - r->c) & low || (a[i] - r->c) >> r->align >= limit)
				return false;
		return true;
	}
	if (r->op == OP_DELTAS) {
		for (unsigned i = 1; i < n; i++)
			if ((a[i] - a[i - 1]) & low || fold((int64_t)(a[i] - a[i - 1]) >> r->align) >= limit)
				return false;
		return true;
	}
	if (r->op == OP_MOVED) {
		const struct lanes *from = lanes_of(x, r->ref);
		unsigned i = 0;
		uint64_t d = n ? a[0] - from->a[bit_lowest32(mask)] : 0;
		FOR_BITS32(l, mask)
			off |= (a[i++] - from->a[l]) ^ d;
		return !off && n;
	}
	return true;
}

#endif
