/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function units (SM-exec). A pipelined unit is three facts: until when its dispatch register is
 * busy (I cycles after it took an instruction), at which clocks a result of it reaches stage 0 (clock + L),
 * and how many results of all units do (the result buses). Stages never block behind that, so instructions
 * in them need no moving: they wait in the calendar for their writeback.
 */
#include "lsu/ldst.h"
#include "pipereg.h"

/* Into the list of the clock's writebacks, by age. */
static void schedule_writeback(struct sm *s, uint16_t w, uint64_t clock)
{
	unsigned at = (unsigned)(clock % CALENDAR);
	uint16_t *link = &s->calendar[at];

	while (*link && s->winst[*link].uid < s->winst[w].uid)
		link = &s->winst[*link].next;
	s->winst[w].next = *link;
	*link = w;
	bitset_set(s->calendar_used, at);
	s->calendar_words |= 1u << at / 64;
}

/*
 * Offer a waiting instruction to a unit whose dispatch register is empty. Returns when to try again: results
 * that would collide are looked at again in the next cycle. NEVER: it was taken.
 */
static uint64_t offer(struct sm *s, struct func_unit *u, unsigned kind, unsigned slot)
{
	struct winst *in = &s->winst[s->unit_in[kind].slot[slot]];
	const struct uop *op = in->uop;
	unsigned stage0 = (unsigned)((s->clock + op->latency) % CALENDAR);

	if (bitset_test(u->occupied, stage0) || s->bus_used[stage0] >= s->core->ex_wb_width)
		return s->clock + 1;
	u->free_at = s->clock + op->interval;
	bitset_set(u->occupied, stage0);
	s->bus_used[stage0]++;
	in->unit = u;
	schedule_writeback(s, unit_in_take(s, kind, slot), s->clock + op->latency + 2);
	s->changed = true;
	return NEVER;
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* In sub-core mode unit k empties slot k; else every unit in turn takes the oldest instruction, or none. */
static APART void offer_kind(struct sm *s, unsigned kind)
{
	const struct unit_in *r = &s->unit_in[kind];
	struct func_unit *u = &s->unit[s->unit_first[kind]];
	uint32_t n = s->core->unit[kind].units;
	uint64_t next = NEVER;

	if (s->core->sub_core)
		FOR_BITS64 (k, r->full & slots(n))
			next = earlier(next,
				s->clock < u[k].free_at ? u[k].free_at : offer(s, &u[k], kind, (unsigned)k));
	else
		for (uint32_t i = 0; i < n && r->full; i++) {
			if (s->clock >= u[i].free_at && offer(s, &u[i], kind, unit_in_oldest(s, r)) != NEVER)
				next = s->clock + 1;
			else
				next = earlier(next, u[i].free_at);
		}
	s->offer_at[kind] = next;
}

uint64_t execute_next(const struct sm *s)
{
	uint64_t next = NEVER;

	FOR_BITS32 (kind, s->unit_in_used & ~(1u << UNIT_MEM))
		next = earlier(next, s->offer_at[kind]);
	return next > s->clock ? next : s->clock + 1;
}

void execute_stage(struct sm *s)
{
	struct unit_in *mem = &s->unit_in[UNIT_MEM];

	FOR_BITS32 (kind, s->unit_in_used & ~(1u << UNIT_MEM))
		if (s->clock >= s->offer_at[kind])
			offer_kind(s, kind);
	ldst_cycle(s);
	if (!mem->full || !ldst_can_accept(s))
		return;
	ldst_accept(s, unit_in_take(s, UNIT_MEM, unit_in_oldest(s, mem)));
	s->changed = true;
}
