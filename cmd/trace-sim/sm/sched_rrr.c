/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rrr scheduler (SM-rrr): one candidate a cycle. quirk Q2-8: "current slot" indexes all slots
 * of the SM and begins at 0 for every scheduler, so at first a scheduler may issue from a warp that is not
 * its own.
 */
#include "pipereg.h"
#include "scheduler.h"

struct rrr {
	uint32_t issued, slot; /* issued: number of instructions of the last issue, 0 before the first */
};

static bool is_idle_slot(struct sm *s, unsigned w) { return !(s->live >> w & 1) || warp_waiting(s, w); }

/* First warp after the one issued last that is neither free nor waiting; -1: none. */
static int next_turn_of_rrr(struct sm *s, unsigned k)
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
	struct rrr *c = SCHED_STATE(struct rrr, s, k);
	unsigned seen = 0, n;

	if (c->issued || is_idle_slot(s, c->slot)) {
		int w = next_turn_of_rrr(s, k);

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
 * Subset of warps that a scheduler considers. quirk Q2-8: before its first issue this may be the slot of
 * another scheduler.
 */
static uint64_t rrr_considered(const struct sm *s, unsigned k, uint64_t running)
{
	const struct rrr *c = SCHED_STATE(const struct rrr, s, k);

	return 1ull << c->slot & (c->issued ? running & s->sched0_warps << k : UINT64_MAX);
}

const struct sched_policy sched_rrr = {.pick = sched_after_last,
	.considered = rrr_considered,
	.cycle = rrr_cycle,
	.rotates_from_last = true,
	.updates_when_idle = true};
