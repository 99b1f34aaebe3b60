/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rrr scheduler (part 2 section 5.4): one candidate a cycle. quirk Q8: "current slot" indexes all slots
 * of the SM and begins at 0 for every scheduler, so at first a scheduler may issue from a warp that is not
 * its own.
 */
#include "regset.h"
#include "scheduler.h"

static bool idle(struct sm *s, unsigned w) { return !(s->live >> w & 1) || warp_waiting(s, w); }

/* First warp behind the last-issued one that is neither free nor waiting; -1: none. */
static int next_turn(struct sm *s, unsigned k)
{
	uint64_t own = s->spread << k & slots(s->core->warps);

	for (unsigned from = (unsigned)s->last[k] + s->core->schedulers; own;) {
		unsigned w = bit_next_cyclic64(own, from);

		if (!idle(s, w))
			return (int)w;
		own &= ~(1ull << w);
	}
	return -1;
}

unsigned sched_rrr(struct sm *s, unsigned k)
{
	struct sched *c = &s->sched[k];
	unsigned seen = 0, n;

	if (c->rrr_issued || idle(s, c->rrr_slot)) {
		int w = next_turn(s, k);

		if (w < 0)
			return 0;
		c->rrr_slot = (uint32_t)w;
	}
	n = sched_visit(s, k, c->rrr_slot, &seen);
	if (n)
		c->rrr_issued = n;
	return seen;
}
