/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recomputes the derived state of a modern core and compares it: states and ranks of warps, their waits, and the
 * calendar; see instrument/invariants.h. Times of units and banks that may be in the past are not checked. The file is
 * empty in builds without the checks.
 */
#ifdef CHECK_INVARIANTS

#include "core/core.h"
#include "instrument/invariants.h"

/* Checks the warp of a rank: with an instruction it is in exactly one state, else in none. */
static void check_warp_state(const struct sm *s, const struct subcore *b, unsigned rank)
{
	const unsigned w = b->warp_of[rank];
	const struct core_warp *cw = &s->modern->warp[w];
	uint64_t bit = 1ull << rank;
	bool wheel = b->wheel[cw->slot] & bit, ready_warps = b->ready_warps & bit, head = b->has_head & bit;

	invariant("core.rank", s->id, w, cw->rank, rank);
	invariant("core.states", s->id, w, (unsigned)ready_warps + wheel + cw->waits_for_event, head);
	for (unsigned u = 0; u < N_CORE_UNITS; u++)
		invariant("core.by_unit", s->id, w, (b->by_unit[u] & bit) != 0, head && cw->unit == u);
	for (unsigned y = 0; y < N_CORE_STALLS; y++)
		invariant("core.by_stall", s->id, w, (b->by_stall[y] & bit) != 0, cw->stall == y);
	if (!(b->beyond_wheel & bit) && wheel)
		invariant("core.slot", s->id, w, cw->slot, cw->ready_at % WHEEL);
}

static void check_subcore(const struct sm *s, unsigned k)
{
	const struct subcore *b = &s->modern->sub[k];
	uint64_t wheel = 0;

	for (unsigned i = 0; i < WHEEL; i++) {
		invariant("core.wheel_used", s->id, i, b->wheel_used >> i & 1, b->wheel[i] != 0);
		invariant("core.wheel, disjoint", s->id, i, wheel & b->wheel[i], 0);
		wheel |= b->wheel[i];
	}
	invariant("core.beyond_wheel within the wheel", s->id, k, b->beyond_wheel & ~wheel, 0);
	invariant(
		"core.masks within ranks", s->id, k, (wheel | b->ready_warps | b->has_head) & ~b->ranked, 0);
	invariant("core.waiting", s->id, k, s->modern->waiting >> k & 1, b->mem_queue_count != 0);
	if (b->ranked)
		invariant("core.due, not late", s->id, k,
			s->modern->sub_due_at[k] <= core_wheel_next_time(s, b), true);
	FOR_BITS64 (rank, b->ranked)
		check_warp_state(s, b, (unsigned)rank);
}

static void check_register_counts(const struct sm *s, unsigned w)
{
	const struct core_warp *cw = &s->modern->warp[w];
	uint32_t pending = 0, readers = 0;

	for (unsigned r = 0; r < REG_LIMIT; r++) {
		pending += cw->pending[r];
		readers += cw->readers[r];
	}
	invariant("core.n_pending", s->id, w, cw->n_pending, pending);
	invariant("core.n_readers", s->id, w, cw->n_readers, readers);
}

static void check_event_calendar(const struct sm *s)
{
	const struct core *c = s->modern;
	uint32_t n = 0, spare = 0;

	for (unsigned i = 0; i < EVENT_SLOTS; i++) {
		uint16_t last = 0;

		for (uint16_t e = c->slot_first[i]; e && n <= c->event_made; e = c->event[e].next_event) {
			n++;
			last = e;
			if (c->event[e].due_at < s->clock + EVENT_SLOTS - 1)
				invariant("core.event.due", s->id, e, c->event[e].due_at >= s->clock, true);
		}
		invariant("core.slot_used", s->id, i, bitset_test(c->slot_used, i), last != 0);
		if (last)
			invariant("core.slot_last", s->id, i, c->slot_last[i], last);
	}
	for (uint16_t e = c->event_free; e && spare <= c->event_made; e = c->event[e].next_event)
		spare++;
	invariant("core.n_events", s->id, 0, c->n_events, n);
	invariant("core.event_free", s->id, 0, spare, c->event_made - n);
}

void core_check_invariants(const struct sm *s)
{
	uint32_t ranked = 0;

	for (unsigned k = 0; k < s->modern->subs; k++) {
		check_subcore(s, k);
		ranked += bit_count64(s->modern->sub[k].ranked);
	}
	invariant("core.ranked", s->id, 0, ranked, s->live_warps);
	FOR_BITS64 (w, s->live)
		check_register_counts(s, (unsigned)w);
	check_event_calendar(s);
}

#endif
