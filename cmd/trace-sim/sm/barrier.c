/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread-block barriers (SM-bar). quirk Q2-7: every BAR is a wait of the whole block at barrier 0,
 * so one set of arrivals a block is all there is. Always true: at_barrier is part of running. Unlike the
 * original, a warp that left is never waited for.
 */
#include "sm.h"

static void release_if_complete(struct sm *s, struct cta *c)
{
	if (c->at_barrier != c->running)
		return;
	s->at_barrier &= ~c->at_barrier;
	c->at_barrier = 0;
}

void barrier_arrive(struct sm *s, unsigned warp)
{
	struct cta *c = &s->cta[s->warp[warp].cta];

	s->at_barrier |= 1ull << warp;
	c->at_barrier |= 1ull << warp;
	release_if_complete(s, c);
}

void barrier_warp_exit(struct sm *s, unsigned warp)
{
	struct cta *c = &s->cta[s->warp[warp].cta];

	c->running &= ~(1ull << warp);
	release_if_complete(s, c);
}
