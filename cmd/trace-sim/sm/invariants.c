/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recomputes the derived state of an SM and compares it; see instrument/invariants.h. The state of a dependence rule
 * is checked only for the original's rule. The file is empty in builds without the checks.
 */
#ifdef CHECK_INVARIANTS

#include "depend.h"
#include "instrument/invariants.h"
#include "pipereg.h"

static void check_thread_blocks(const struct sm *s)
{
	uint64_t warps = 0, arrived = 0;
	uint32_t ctas = 0;

	for (unsigned c = 0; c < MAX_CTAS; c++) {
		const struct cta *t = &s->cta[c];

		if (!t->kernel)
			continue;
		ctas++;
		invariant("cta.warps, disjoint", s->id, c, warps & t->warps, 0);
		warps |= t->warps;
		for (unsigned b = 0; b < MAX_BARRIERS && !s->modern; b++) {
			invariant("cta.barriers", s->id, c, t->barriers >> b & 1, t->arrived[b] != 0);
			arrived |= t->arrived[b];
		}
	}
	invariant("live_ctas", s->id, 0, s->live_ctas, ctas);
	invariant("live within thread blocks", s->id, 0, s->live & ~warps, 0);
	invariant("live_warps", s->id, 0, s->live_warps, bit_count64(s->live));
	if (!s->modern)
		invariant("at_barrier within arrived", s->id, 0, s->at_barrier & s->live & ~arrived, 0);
}

/* Checks the state of the original's dependence rule against the warp's set of reserved registers. */
static void check_scoreboard(const struct sm *s, unsigned w)
{
	const struct warp *p = &s->warp[w];
	uint32_t reserved = 0;
	bool collides = false;

	for (uint32_t i = 0; i < BITSET_WORDS(s->reg_limit); i++)
		reserved += bit_count64(p->reserved[i]);
	invariant("n_reserved", s->id, w, p->n_reserved, reserved);
	if (!(s->ibuf >> w & 1))
		return;
	for (unsigned i = 0; i < (unsigned)p->head->n_dst + p->head->n_src; i++)
		collides |= bitset_test(p->reserved, p->head->reg[i]);
	invariant("hazard", s->id, w, s->hazard >> w & 1, collides);
	if (collides)
		invariant("hazard_reg", s->id, w, bitset_test(p->reserved, s->hazard_reg[w]), 1);
}

static void check_warps(const struct sm *s)
{
	FOR_BITS64 (slot, s->live) {
		unsigned w = (unsigned)slot;
		const struct warp *p = &s->warp[w];
		uint64_t bit = 1ull << w;

		invariant("ibuf", s->id, w, (s->ibuf & bit) != 0, p->buffered && !(s->wrong_path & bit));
		invariant("wrong_path within imiss", s->id, w, s->wrong_path & bit & ~s->imiss, 0);
		invariant("drained", s->id, w, (s->drained & bit) != 0,
			(s->done & bit) && !(p->stores | p->insts_in_pipe | p->n_reserved | p->copies));
		for (unsigned k = 0; k < N_UNIT_KINDS && s->ibuf & bit; k++)
			invariant("head_unit", s->id, w, (s->head_unit[k] & bit) != 0, p->head->unit == k);
		if (s->depend == &depend_scoreboard)
			check_scoreboard(s, w);
	}
}

static void check_collector_queue(const struct sm *s, const struct collector_in *q, unsigned k)
{
	const uint16_t *end = &q->first;
	uint64_t taken = slot_mask(s->core->unit[k].collector_in_width) & ~q->free_slots, sched_mask = 0;
	unsigned n = 0;

	for (; *end != WINST_NONE; end = &s->winst[*end].next, n++)
		sched_mask |= 1ull << s->winst[*end].sched;
	if (n)
		invariant("collector_in.front", s->id, k, q->front, s->winst[q->first].sched);
	invariant("collector_in.end", s->id, k, q->end == end, true);
	invariant("collector_in.free_slots", s->id, k, bit_count64(taken), n);
	if (!s->any_slot)
		invariant("collector_in.free_slots, of schedulers", s->id, k, taken, sched_mask);
	invariant("collector_in_used", s->id, k, (s->collector_in_used & q->bit) != 0, n != 0);
}

static void check_pipe_registers(const struct sm *s)
{
	for (unsigned k = 0; k < N_UNIT_KINDS; k++) {
		const struct collector_in *q = s->collector_of[k];
		const struct unit_in *r = &s->unit_in[k];

		check_collector_queue(s, q, k);
		invariant("unit_in.free_slots", s->id, k, r->free_slots & ~r->all_slots, 0);
		invariant("unit_in_used", s->id, k, (s->unit_in_used & r->bit) != 0,
			unit_in_occupied_slots(r) != 0);
	}
}

static void check_waiting(const struct sm *s, uint8_t *reads)
{
	const struct opcoll *c = &s->collector;

	for (unsigned i = 0; i < c->n_waiting; i++) {
		const struct bank_reads *r = &c->waiting[i];
		unsigned first = c->first_bank[s->winst[c->unit[r->unit].inst].sched];

		invariant("collector.waiting.banks", s->id, i, r->banks != 0, 1);
		invariant("collector.waiting.banks, of its scheduler", s->id, i,
			r->banks & ~(slot_mask(c->bank_span) << first), 0);
		reads[r->unit]++;
	}
	invariant("collector.busy", s->id, 0, c->busy_banks, 0);
}

static void check_collector(const struct sm *s)
{
	const struct opcoll *c = &s->collector;
	uint64_t bound[N_UNIT_KINDS] = {0}, complete = 0, due = 0;
	uint8_t reads[MAX_CUS] = {0};

	check_waiting(s, reads);
	for (unsigned u = 0; u < c->n_units; u++) {
		const struct collector_unit *x = &c->unit[u];
		uint64_t bit = 1ull << u;

		invariant("collector.unit.reads", s->id, u, x->reads, reads[u]);
		if (c->free & bit) {
			invariant("collector.free", s->id, u, x->reads, 0);
			continue;
		}
		bound[x->target - s->unit_in] |= bit;
		complete |= x->reads ? 0 : bit;
	}
	for (unsigned k = 0; k < N_UNIT_KINDS; k++) {
		invariant("unit_in.collectors_used", s->id, k, s->unit_in[k].collectors_used, bound[k]);
		invariant("unit_in.collectors_blocked within used", s->id, k,
			s->unit_in[k].collectors_blocked & ~bound[k], 0);
		invariant("collector.ready and blocked", s->id, k,
			c->ready & s->unit_in[k].collectors_blocked, 0);
		due |= s->unit_in[k].collectors_blocked;
	}
	invariant("collector.ready", s->id, 0, c->ready | due, complete);
}

static void check_writeback_calendar(const struct sm *s)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < CALENDAR; i++) {
		bool used = s->calendar[i] != WINST_NONE;

		invariant("calendar_used", s->id, i, bitset_test(s->calendar_used, i), used);
		n += used;
	}
	invariant("calendar_count", s->id, 0, s->calendar_count, n);
}

void sm_check_invariants(const struct sm *s)
{
	if (!s->live_ctas)
		return;
	check_thread_blocks(s);
	if (s->modern) {
		core_check_invariants(s);
		return;
	}
	check_warps(s);
	check_pipe_registers(s);
	check_collector(s);
	check_writeback_calendar(s);
}

#endif
