/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread-block barriers (SM-bar). quirk Q2-7: every BAR of machine code is a wait of the whole block at barrier
 * 0. Barriers of PTX (PTX-bar) have a number, may wait for a count of warps, and may be arrived at without
 * waiting. Unlike in the original, no barrier waits for a warp that has ended.
 */
#include "sm.h"

static void release_barrier(struct sm *s, struct cta *c, unsigned id)
{
	s->at_barrier &= ~c->arrived[id];
	c->arrived[id] = 0;
	c->barriers &= ~(1u << id);
}

void barrier_arrive(struct sm *s, unsigned warp, const struct uop *u)
{
	struct cta *c = &s->cta[s->warp[warp].cta];
	unsigned id = u->groups & 0xff, count = u->groups >> 8;
	uint64_t bit = 1ull << warp;

	if (!(u->flags & UOP_ARRIVE))
		s->at_barrier |= bit;
	c->arrived[id] |= bit;
	c->barriers |= 1u << id;
	if (count ? bit_count64(c->arrived[id]) == count : c->arrived[id] == c->running)
		release_barrier(s, c, id);
}

void barrier_warp_exit(struct sm *s, unsigned warp)
{
	struct cta *c = &s->cta[s->warp[warp].cta];

	c->running &= ~(1ull << warp);
	FOR_BITS32 (id, c->barriers)
		if (c->arrived[id] == c->running)
			release_barrier(s, c, (unsigned)id);
}
