/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of a warp's matrix products (HOPPER-gmma-4), for both cores. Always true: products of a warp end in the order
 * of their issue, so a group is done when its last product is done. The waiting warps are in gmma_wait.
 */
#include "sm.h"

void gmma_reset(struct gmma_groups *g) { *g = (struct gmma_groups){.issued = 0}; }

void gmma_count_issued(struct sm *s, unsigned w, const struct uop *u)
{
	struct gmma_groups *g = &s->warp[w].gmma;

	g->issued++;
	if (u->gmma == GMMA_LAST)
		g->end[g->closed++ % GMMA_OPEN] = g->issued;
}

/* No warp waits if `open` is GMMA_OPEN or more: hardware has no counts above 7. */
bool gmma_start_wait(struct sm *s, unsigned w, uint32_t open)
{
	struct gmma_groups *g = &s->warp[w].gmma;

	if (open >= g->closed || open >= GMMA_OPEN)
		return false;
	g->awaited = g->end[(g->closed - open - 1) % GMMA_OPEN];
	if (g->done >= g->awaited)
		return false;
	s->gmma_wait |= 1ull << w;
	return true;
}

bool gmma_count_done(struct sm *s, unsigned w)
{
	struct gmma_groups *g = &s->warp[w].gmma;

	g->done++;
	if (!(s->gmma_wait >> w & 1) || g->done < g->awaited)
		return false;
	s->gmma_wait &= ~(1ull << w);
	return true;
}
