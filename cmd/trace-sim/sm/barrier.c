/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread-block barriers (SM-bar, PTX-bar, HOPPER-bar), for both cores. A barrier has a number. It opens when all warps
 * of the thread block, or a given number of warps, have arrived. A warp may arrive without waiting. quirk Q2-7: a BAR
 * whose line has one immediate makes the whole thread block wait at barrier 0. Unlike in the original, no barrier
 * waits for a warp that has ended.
 */
#include "sm.h"

/* Opens a barrier. Returns the mask of the warps that waited at it. */
static uint64_t release_barrier(struct sm *s, struct cta *c, unsigned id)
{
	uint64_t held = 0;

	FOR_BITS64 (w, c->arrived[id] & s->at_barrier)
		held |= (uint64_t)(s->warp[w].barrier == id) << w;
	s->at_barrier &= ~held;
	c->arrived[id] = 0;
	c->arrivals[id] = 0;
	c->barriers &= ~(1u << id);
	return held;
}

/* Returns the number of the barrier in bits 0 to 7 and, above them, the number of warps that open it; 0: all warps. */
static uint32_t barrier_operands(
	const struct sm *s, const struct cta *c, const struct uop *u, const struct rec *r)
{
	const struct inst *i;
	uint32_t operands = u->groups, v;

	if (u->sync != SYNC_BAR)
		return operands;
	i = code_at(s->code, r->inst);
	if (i->n_dst && rec_value(&c->block, r, i, 0, 0, &v))
		operands |= v % MAX_BARRIERS;
	if (i->n_src && rec_value(&c->block, r, i, i->n_dst, 0, &v))
		operands |= (v < 32 * MAX_WARPS ? (v + 31) / 32 : MAX_WARPS) << 8;
	return operands;
}

bool barrier_has_no_effect(const struct sm *s, const struct rec *r)
{
	return !r->mask && code_at(s->code, r->inst)->two_imms;
}

uint64_t barrier_arrive(struct sm *s, unsigned warp, const struct uop *u, const struct rec *r)
{
	struct cta *c = &s->cta[s->warp[warp].cta];
	uint32_t operands = barrier_operands(s, c, u, r);
	unsigned id = operands & 0xff, count = operands >> 8;
	uint64_t bit = 1ull << warp;

	if (barrier_has_no_effect(s, r))
		return 0;
	if (!(u->flags & UOP_ARRIVE)) {
		s->at_barrier |= bit;
		s->warp[warp].barrier = (uint8_t)id;
	}
	c->arrived[id] |= bit;
	c->barriers |= 1u << id;
	if (count ? ++c->arrivals[id] == count : c->arrived[id] == c->running)
		return release_barrier(s, c, id);
	return 0;
}

uint64_t barrier_warp_exit(struct sm *s, unsigned warp)
{
	struct cta *c = &s->cta[s->warp[warp].cta];
	uint64_t released = 0;

	c->running &= ~(1ull << warp);
	FOR_BITS32 (id, c->barriers)
		if (c->arrived[id] == c->running)
			released |= release_barrier(s, c, (unsigned)id);
	return released;
}
