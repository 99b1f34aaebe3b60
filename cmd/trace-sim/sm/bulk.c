/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of a warp's bulk copies (HOPPER-bulk), and the ends of bulk copies, for both cores. Always true: a group is
 * done when as many copies of the warp have ended as it had issued up to the end of the group, whichever copies these
 * are. The warps that wait for groups are in sync_wait.
 */
#include "core/core.h"
#include "sm/gang.h"
#include "sm/mbarrier.h"

void bulk_reset(struct warp_sync *y)
{
	y->bulk = (struct gmma_groups){.issued = 0};
	y->last_group_is_bulk = y->waits_for_groups = false;
	y->n_arrivals = y->copies_issued = y->copies_done = 0;
}

void bulk_count_issued(struct sm *s, unsigned w) { s->warp[w].sync.bulk.issued++; }

void bulk_close_group(struct sm *s, unsigned w)
{
	struct warp_sync *y = &s->warp[w].sync;

	y->bulk.end[y->bulk.closed++ % GMMA_OPEN] = y->bulk.issued;
	y->last_group_is_bulk = true;
}

bool bulk_start_wait(struct sm *s, unsigned w, uint32_t open)
{
	struct gmma_groups *g = &s->warp[w].sync.bulk;

	if (open >= g->closed || open >= GMMA_OPEN)
		return false;
	g->awaited = g->end[(g->closed - open - 1) % GMMA_OPEN];
	if (g->done >= g->awaited)
		return false;
	s->sync_wait |= 1ull << w;
	s->warp[w].sync.wait = (struct rec){0};
	s->warp[w].sync.waits_for_groups = true;
	return true;
}

/* Counts a bulk copy of warp w as done. Returns true if this ends the warp's wait for groups. */
static bool bulk_count_done(struct sm *s, unsigned w)
{
	struct warp_sync *y = &s->warp[w].sync;

	y->bulk.done++;
	if (!y->waits_for_groups || y->bulk.done < y->bulk.awaited)
		return false;
	y->waits_for_groups = false;
	s->sync_wait &= ~(1ull << w);
	return true;
}

/*
 * Completes a copy on its mbarrier. With multicast, completes it on the mbarrier of each thread block in the copy's
 * mask. Without a gang, completes it on the mbarrier of the warp's own thread block only.
 */
static void complete_copy(struct sm *s, unsigned w, const struct bulk_copy *copy)
{
	const struct cta *c = &s->cta[s->warp[w].cta];
	uint32_t times = copy->multicast ? bit_count32(copy->mask) : 1;

	if (copy->multicast && c->gang)
		gang_complete_multicast(s, w, copy->mask, copy->mbarrier, copy->bytes);
	else if (times)
		mbarrier_complete_bytes(s, s->warp[w].cta, copy->mbarrier, copy->bytes * times);
}

void bulk_end_copy(struct sm *s, unsigned w, const struct rec *r)
{
	const struct cta *c = &s->cta[s->warp[w].cta];
	struct bulk_copy copy;

	if (s->uops[r->inst].bulk == BULK_CLUSTER && c->gang)
		return; /* its messages complete the bytes */
	if (!rec_copy(&c->block, r, code_at(s->code, r->inst), &copy))
		return;
	if (r->mask && copy.mbarrier)
		complete_copy(s, w, &copy);
}

void bulk_note_store_read(struct sm *s, unsigned w, const struct rec *r)
{
	if (s->uops[r->inst].sync != SYNC_BULK_STORE || !bulk_count_done(s, w))
		return;
	if (s->modern) {
		core_sync_release_warp(s, w, s->clock + 1);
		return;
	}
	s->dep_wait &= ~(1ull << w);
	s->changed = true;
}
