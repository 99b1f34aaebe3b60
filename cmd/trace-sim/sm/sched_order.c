/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedulers that visit their warps in an order: lrr (round robin), gto (greedy, then oldest), old (oldest) and
 * warp_limiting (SM-sched).
 *
 * Visits of warps that are waiting, have no instruction or have a hazard only determine the kind of a cycle without an
 * issue. So the kind follows from masks over all warps. Of the warps that are ready and have a free slot before their
 * unit, only the first in the policy's order is visited, and it issues. The exception is a memory barrier, which a
 * visit may clear. Then lrr visits one warp after another until one issues. The other policies visit all warps before
 * any issue, because the original sorts the warps first.
 */
#include "pipereg.h"
#include "scheduler.h"

unsigned sched_pick_oldest(const struct sm *s, uint64_t warps)
{
	unsigned best = bit_lowest64(warps);

	FOR_BITS64 (w, warps & (warps - 1))
		if (s->dynamic_id[w] < s->dynamic_id[best])
			best = (unsigned)w;
	return best;
}

static unsigned pick_oldest(const struct sm *s, unsigned k, uint64_t warps)
{
	(void)k;
	return sched_pick_oldest(s, warps);
}

/* Returns the warp that issued last if it is in the mask `warps`, else the oldest warp of the mask. */
static unsigned pick_greedy(const struct sm *s, unsigned k, uint64_t warps)
{
	unsigned last = (unsigned)s->last[k];

	return warps >> last & 1 ? last : sched_pick_oldest(s, warps);
}

/* Returns the N oldest running warps. quirk Q2-10: also returns the warp that issued last, if it is running. */
static uint64_t limit_considered(const struct sm *s, unsigned k, uint64_t running)
{
	uint64_t first = running & 1ull << s->last[k], kept = 0;

	if (bit_count64(running) <= s->core->policy_number)
		return running;
	for (uint32_t i = 0; i < s->core->policy_number; i++)
		kept |= 1ull << sched_pick_oldest(s, running & ~kept);
	return kept | first;
}

const struct sched_policy sched_lrr = {
	.pick = sched_pick_after_last, .rotates_from_last = true, .round_robin_visits = true};
const struct sched_policy sched_gto = {.pick = pick_greedy};
const struct sched_policy sched_old = {.pick = pick_oldest};
const struct sched_policy sched_warp_limiting = {.pick = pick_greedy, .considered = limit_considered};

static unsigned visit_warps_until_issue(struct sm *s, unsigned k, uint64_t warps)
{
	unsigned seen = 0;

	while (warps) {
		unsigned w = s->policy->pick(s, k, warps);

		if (sched_visit(s, k, w, &seen))
			break;
		warps &= ~(1ull << w);
	}
	return seen;
}

/*
 * Returns the mask of blocked warps. In sub-core mode an occupied slot blocks the warps of its scheduler. Otherwise a
 * set that is full blocks all warps.
 */
uint64_t sched_blocked_warps(const struct sm *s)
{
	uint64_t warps = 0;

	FOR_BITS32 (input, s->collector_in_used) {
		const struct collector_in *q = &s->collector_in[input];
		uint64_t free_slots = q->free_slots, full = ~free_slots & s->sched_mask;

		warps |= s->head_unit[q->kind] &
			 (s->any_slot ? (free_slots ? 0 : UINT64_MAX) : full * s->sched0_warps);
	}
	return warps;
}

unsigned sched_default_cycle(struct sm *s, unsigned k)
{
	uint64_t mine = s->sched0_warps << k, valid, ready, issuable;
	unsigned seen = SEEN_VALID | SEEN_READY;

	if (s->membar & mine & s->live) {
		if (s->policy->round_robin_visits)
			return visit_warps_until_issue(s, k, mine & s->live);
		FOR_BITS64 (w, s->membar & mine & s->live)
			warp_is_waiting(s, (unsigned)w);
	}
	valid = mine & sched_running_warps(s);
	if (s->policy->considered)
		valid = s->policy->considered(s, k, valid);
	if (s->wrong_path & valid)
		return visit_warps_until_issue(s, k, valid);
	valid &= s->ibuf;
	if (!valid)
		return 0;
	ready = valid & ~s->hazard;
	if (!ready)
		return SEEN_VALID;
	issuable = ready & ~sched_blocked_warps(s);
	if (issuable)
		sched_visit(s, k, s->policy->pick(s, k, issuable), &seen);
	return seen;
}
