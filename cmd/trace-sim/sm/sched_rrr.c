/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rrr scheduler (SM-rrr): it considers one warp per cycle. quirk Q2-8: the current slot is a number among all slots
 * of the SM, and is initially 0 for every scheduler. So a scheduler's first issue may be from another scheduler's warp.
 */
#include "pipereg.h"
#include "scheduler.h"

struct rrr_state {
	uint32_t issued; /* number of instructions of the last issue; 0: no issue yet */
	uint32_t slot;   /* current slot */
};

static bool is_idle_slot(struct sm *s, unsigned w) { return !(s->live >> w & 1) || warp_is_waiting(s, w); }

/* Returns the first slot after the one that issued last whose warp is live and not waiting; -1: none. */
static int next_slot_of_rrr(struct sm *s, unsigned k)
{
	uint64_t own = s->sched0_warps << k & slot_mask(s->core->warps);

	for (unsigned from = (unsigned)s->last[k] + s->core->schedulers; own;) {
		unsigned w = bit_next_cyclic64(own, from);

		if (!is_idle_slot(s, w))
			return (int)w;
		own &= ~(1ull << w);
	}
	return -1;
}

static unsigned rrr_cycle(struct sm *s, unsigned k)
{
	struct rrr_state *c = SCHED_STATE(struct rrr_state, s, k);
	unsigned seen = 0, n;

	if (c->issued || is_idle_slot(s, c->slot)) {
		int w = next_slot_of_rrr(s, k);

		if (w < 0)
			return 0;
		c->slot = (uint32_t)w;
	}
	n = sched_visit(s, k, c->slot, &seen);
	if (n)
		c->issued = n;
	return seen;
}

/*
 * Returns the mask of the current slot, if its warp is running and belongs to scheduler k. quirk Q2-8: before the
 * first issue the warp may belong to another scheduler.
 */
static uint64_t rrr_considered(const struct sm *s, unsigned k, uint64_t running)
{
	const struct rrr_state *c = SCHED_STATE(const struct rrr_state, s, k);

	return 1ull << c->slot & (c->issued ? running & s->sched0_warps << k : UINT64_MAX);
}

const struct sched_policy sched_rrr = {.pick = sched_pick_after_last,
	.considered = rrr_considered,
	.cycle = rrr_cycle,
	.rotates_from_last = true,
	.updates_when_idle = true};
