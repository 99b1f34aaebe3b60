/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of address recipes while records are read or written (struct addresses), and the check whether a recipe
 * yields a list of addresses.
 *
 * Always true: writer and reader keep the same state. A recipe that passes the check yields exactly the list. fit.c
 * chooses among recipes.
 */
#include "addr.h"

/* ---- state -------------------------------------------------------------------------------- */

void addresses_new(struct addresses *x, const struct pcode *c)
{
	x->code = c;
	x->latest = xmalloc((c->n_mem + 1u) * sizeof(x->latest[0]));
	for (uint32_t m = 0; m <= c->n_mem; m++)
		x->latest[m].stamp = 0;
	x->base = xcalloc(c->n_mem + 1, sizeof(x->base[0]));
	x->straight = xcalloc(c->n_pattern + 1, sizeof(x->straight[0]));
	x->warp_stamp = 0;
	for (uint32_t i = 0; i < c->n_pattern; i++) {
		const int64_t *p = c->pattern[i];
		uint64_t off = 0;

		for (unsigned l = 2; l < 32; l++)
			off |= ((uint64_t)p[l] - (uint64_t)p[l - 1]) ^ ((uint64_t)p[1] - (uint64_t)p[0]);
		x->straight[i] = !off;
	}
}

void addresses_free(struct addresses *x)
{
	free(x->latest);
	free(x->base);
	free(x->straight);
}

static bool list_is_moved(struct addresses *x, const struct recipe *r, const struct recorded *g)
{
	const struct lanes *from = lanes_of(x, r->ref);
	unsigned i = 0;
	uint64_t t[32], d, off = 0;

	if (!g->mask)
		return false;
	const uint64_t *a = recorded_list(g, t);
	d = a[0] - lane_at(from, bit_lowest32(g->mask));
	FOR_BITS32 (l, g->mask)
		off |= (a[i++] - lane_at(from, l)) ^ d;
	return !off;
}

bool recipe_can_represent(struct addresses *x, const struct recipe *r, const struct recorded *g)
{
	uint64_t low = (UINT64_C(1) << r->align) - 1, limit = UINT64_C(1) << (8 * r->planes), t[32];
	const uint64_t *a;

	if (r->op == OP_ANY)
		return true;
	if (r->op == OP_MOVED)
		return list_is_moved(x, r, g);
	a = recorded_list(g, t);
	if (r->op == OP_BASED)
		return pattern_base(x->code->pattern[r->pattern], g->mask, a, &low);
	const unsigned n = recorded_lanes(g);
	if (r->op == OP_PLANES) {
		const uint64_t bits = lanes_loops->bits_above(a, n, r->constant);

		return !(bits & low) && bits >> r->align < limit;
	}
	uint64_t off = 0, over = 0;
	for (unsigned i = 1; i < n; i++) {
		off |= (a[i] - a[i - 1]) & low;
		over |= fold((int64_t)(a[i] - a[i - 1]) >> r->align);
	}
	return !off && over < limit;
}
