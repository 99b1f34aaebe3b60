/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to shared memory of other thread blocks of a gang (HOPPER-dsm), on the SM that makes the access and on the
 * SM that serves it. Always true: a load ends with its last reply. A store is done for its warp when its data has been
 * read, but is counted in warp.stores until it is acknowledged. STAS and REDAS are not acknowledged; they complete
 * bytes on an mbarrier instead.
 */
#include "core/core.h"
#include "sm/gang.h"

bool core_is_remote_access(const struct sm *s, const struct winst *w)
{
	const struct cta *k = &s->cta[w->cta];

	if (w->uop->sync == SYNC_STORE)
		return k->gang && w->mask && w->addr;
	return k->gang && (w->uop->space == SPACE_GENERIC || w->uop->flags & UOP_ATOMIC) && w->mask &&
	       w->addr && gang_is_remote(k, k->block.word[w->addr >> 2]);
}

void core_remote_accept(struct sm *s, uint16_t h)
{
	struct core *c = s->modern;
	const struct winst *w = &s->winst[h];
	uint32_t passes = core_count_passes(s, w), n;
	/* nothing waits for the result of an atomic without one, so it is acknowledged like a store */
	bool write = w->uop->flags & UOP_STORE || (w->uop->flags & UOP_ATOMIC && !w->uop->n_dst);

	core_memory_occupy_port(s, passes);
	n = w->uop->sync == SYNC_STORE ? gang_send_stores(s, w, passes)
				       : gang_send_accesses(s, w, h, passes, write);
	if (write && w->uop->sync != SYNC_STORE)
		s->warp[w->warp].stores += n;
	c->op[h].accesses_left = n;
	if (write || !n)
		core_add_event(s, max_u64(s->clock + passes, c->op[h].read_at) + 1, EVENT_DONE, h, 0);
}

uint64_t core_remote_serve(struct sm *s, uint32_t passes)
{
	core_memory_occupy_port(s, passes);
	return s->modern->data_port_free_at - s->clock;
}

void core_remote_handle_reply(struct sm *s, uint16_t h)
{
	if (!--s->modern->op[h].accesses_left)
		core_add_event(s, s->clock, EVENT_DATA, h, 0);
}

void core_remote_store_acked(struct sm *s, unsigned w)
{
	s->warp[w].stores--;
	core_sync_access_done(s, w);
	core_warp_check_end(s, w);
}
