/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedulers that visit their warps in an order: lrr (round robin), gto (greedy, then oldest), old (oldest)
 * and warp_limiting (part 2 sections 5.1 to 5.3).
 *
 * Visiting a warp that is waiting, has nothing buffered or collides does nothing but tell the bucket of a
 * cycle without an issue. So the bucket comes from masks over all candidates, and only warps that are ready
 * and find room before their unit are visited, in the policy's order, until one issues. The exception is a
 * pending memory barrier, which a visit may clear: lrr then visits every warp; the others look at all warps
 * when they sort them, which is before any visit.
 */
#include "regset.h"
#include "scheduler.h"

static unsigned oldest(const struct sm *s, uint64_t warps)
{
	unsigned best = bit_lowest64(warps);

	FOR_BITS64(w, warps & (warps - 1))
		if (s->warp[w].dynamic_id < s->warp[best].dynamic_id)
			best = (unsigned)w;
	return best;
}

/* The slot at the last-issued position; gto and warp_limiting always look at it first. */
static unsigned last_slot(const struct sm *s, unsigned k)
{
	return (unsigned)s->sched[k].last * s->core->schedulers + k;
}

/* Where round robin begins: behind the last-issued position. */
static unsigned lrr_start(const struct sm *s, unsigned k)
{
	return (unsigned)(s->sched[k].last + 1) * s->core->schedulers + k;
}

static unsigned visit_round(struct sm *s, unsigned k, uint64_t warps, unsigned seen)
{
	unsigned start = lrr_start(s, k);

	while (warps) {
		unsigned w = bit_next_cyclic64(warps, start);

		if (sched_visit(s, k, w, &seen))
			break;
		warps &= ~(1ull << w);
	}
	return seen;
}

/* quirk Q10: the last-issued warp comes on top of the N oldest. */
uint64_t sched_limit(const struct sm *s, unsigned k, uint64_t running)
{
	uint64_t first = running & 1ull << (last_slot(s, k) % 64), kept = 0;

	if (bit_count64(running) <= s->core->warp_limit)
		return running;
	for (uint32_t i = 0; i < s->core->warp_limit; i++)
		kept |= 1ull << oldest(s, running & ~kept);
	return kept | first;
}

static unsigned visit_by_age(struct sm *s, unsigned k, uint64_t warps, unsigned seen)
{
	uint64_t first = s->core->policy == SCHED_OLD ? 0 : warps & 1ull << (last_slot(s, k) % 64);

	while (warps) {
		unsigned w = first ? bit_lowest64(first) : oldest(s, warps);

		if (sched_visit(s, k, w, &seen))
			break;
		warps &= ~(1ull << w);
		first = 0;
	}
	return seen;
}

/* Those of the warps whose next instruction finds no room in the pipeline register before its unit. */
static uint64_t blocked(const struct sm *s, unsigned k)
{
	uint64_t warps = 0;

	FOR_BITS32(input, s->id_oc_inputs) {
		unsigned kind = opcoll_input_kind[input];

		if (!regset_room(s, &s->id_oc[kind], k))
			warps |= s->head_unit[kind];
	}
	return warps;
}

unsigned sched_ordered(struct sm *s, unsigned k)
{
	enum sched_policy policy = s->core->policy;
	uint64_t mine = s->sched[k].supervised, valid, ready;

	if (s->membar & mine & s->live) {
		if (policy == SCHED_LRR)
			return visit_round(s, k, mine & s->live, 0);
		FOR_BITS64(w, s->membar & mine & s->live)
			warp_waiting(s, (unsigned)w);
	}
	valid = mine & sched_running(s);
	if (policy == SCHED_WARP_LIMITING)
		valid = sched_limit(s, k, valid);
	valid &= s->ibuf;
	if (!valid)
		return 0;
	sched_refresh(s, valid);
	ready = valid & ~s->collide;
	if (!ready)
		return SEEN_VALID;
	ready &= ~blocked(s, k);
	if (!ready)
		return SEEN_VALID | SEEN_READY;
	if (policy == SCHED_LRR)
		return visit_round(s, k, ready, SEEN_VALID | SEEN_READY);
	return visit_by_age(s, k, ready, SEEN_VALID | SEEN_READY);
}
