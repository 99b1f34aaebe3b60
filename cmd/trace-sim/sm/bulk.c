/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of a warp's bulk copies (HOPPER-bulk), for both cores, and the ends of the copies. Always true: the copies
 * of a group count as done in the order of their issue. sync_wait holds the warps that wait for groups.
 */
#include <string.h>
#include "sm/mbarrier.h"

void bulk_reset(struct warp_sync *y)
{
	y->bulk = (struct gmma_groups){.issued = 0};
	y->bulk_newest = y->waits_for_groups = false;
	y->n_copies = y->n_arrivals = y->copies_issued = y->copies_done = 0;
}

void bulk_issue(struct sm *s, unsigned w) { s->warp[w].sync.bulk.issued++; }

void bulk_close(struct sm *s, unsigned w)
{
	struct warp_sync *y = &s->warp[w].sync;

	y->bulk.end[y->bulk.closed++ % GMMA_OPEN] = y->bulk.issued;
	y->bulk_newest = true;
}

bool bulk_wait(struct sm *s, unsigned w, uint32_t open)
{
	struct gmma_groups *g = &s->warp[w].sync.bulk;

	if (open >= g->closed || open >= GMMA_OPEN)
		return false;
	g->until = g->end[(g->closed - open - 1) % GMMA_OPEN];
	if (g->done >= g->until)
		return false;
	s->sync_wait |= 1ull << w;
	s->warp[w].sync.wait = (struct rec){0};
	s->warp[w].sync.waits_for_groups = true;
	return true;
}

bool bulk_done(struct sm *s, unsigned w)
{
	struct warp_sync *y = &s->warp[w].sync;

	y->bulk.done++;
	if (!y->waits_for_groups || y->bulk.done < y->bulk.until)
		return false;
	y->waits_for_groups = false;
	s->sync_wait &= ~(1ull << w);
	return true;
}

bool bulk_copy_ends(struct sm *s, unsigned w, const struct rec *r)
{
	const struct cta *c = &s->cta[s->warp[w].cta];
	struct bulk_copy copy;

	if (!r->mask || !rec_copy(&c->block, r, code_at(s->code, r->inst), &copy))
		return false;
	if (copy.mbarrier)
		mbarrier_complete(s, s->warp[w].cta, copy.mbarrier,
			copy.bytes * (copy.multicast ? bit_count32(copy.mask) : 1));
	return s->uops[r->inst].sync == SYNC_BULK_STORE && bulk_done(s, w);
}

/* ---- accesses of copies in the core of sm/ ----------------------------------------------------- */

static void copy_ends(struct sm *s, unsigned w, const struct rec *r)
{
	if (bulk_copy_ends(s, w, r))
		s->dep_wait &= ~(1ull << w);
	s->changed = true;
}

void bulk_accesses(struct sm *s, unsigned w, const struct rec *r, uint32_t accesses)
{
	struct warp_sync *y = &s->warp[w].sync;

	if (!accesses || y->n_copies == SYNC_COPIES_MAX)
		copy_ends(s, w, r);
	else
		y->copy[y->n_copies++] = (struct copies_arrival){*r, accesses};
}

void bulk_returned(struct sm *s, unsigned w, uint32_t code)
{
	struct warp_sync *y = &s->warp[w].sync;

	for (uint32_t i = 0; i < y->n_copies; i++) {
		struct rec r = y->copy[i].rec;

		if (r.inst != code)
			continue;
		if (--y->copy[i].until)
			return;
		y->n_copies--;
		memmove(&y->copy[i], &y->copy[i + 1], (y->n_copies - i) * sizeof(y->copy[0]));
		copy_ends(s, w, &r);
		return;
	}
}
