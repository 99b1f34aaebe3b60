/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function units (SM-exec). A pipelined unit is three facts: until when its dispatch register is
 * busy (I cycles after it took an instruction), at which clocks a result of it reaches stage 0 (clock + L),
 * and how many results of all units do (the result buses). Stages never block behind that, so instructions
 * in them need no moving: they wait in the calendar for their writeback.
 */
#include "lsu/ldst.h"
#include "power/counts.h"
#include "pipereg.h"

/* Into the list of the clock's writebacks, by age. */
static inline void schedule_writeback(struct sm *s, struct winst *in, uint16_t w, uint64_t clock)
{
	unsigned at = (unsigned)(clock % CALENDAR);
	uint16_t *link = &s->calendar[at];

	if (!*link) {
		bitset_set(s->calendar_used, at);
		s->calendar_count++;
	}
	while (*link && s->winst[*link].uid < in->uid)
		link = &s->winst[*link].next;
	in->next = *link;
	*link = w;
}

/*
 * Offer a waiting instruction to a unit whose dispatch register is empty. false: its result would collide,
 * which is looked at again in the next cycle.
 */
static inline bool offer(struct sm *s, struct unit_in *r, struct func_unit *u, unsigned slot)
{
	uint16_t w = r->slot[slot];
	struct winst *in = &s->winst[w];
	const struct uop *op = in->uop;
	uint64_t end = s->clock + op->latency;
	unsigned stage0 = (unsigned)(end % CALENDAR);
	uint64_t *occupied = &u->occupied[stage0 / 64], bit = 1ull << stage0 % 64;

	if (*occupied & bit || s->bus_used[stage0] >= s->core->ex_wb_width)
		return false;
	u->free_at = s->clock + op->interval;
	*occupied |= bit;
	s->bus_used[stage0]++;
	in->unit = u;
	unit_in_take(s, r, slot);
	if (s->power)
		power_count_unit(s->power, in->code, in->mask, in->lanes);
	schedule_writeback(s, in, w, end + 2);
	s->changed = true;
	return true;
}

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Sub-core mode: unit k empties slot k. Returns when to look again. */
static inline uint64_t offer_slots(struct sm *s, struct unit_in *r)
{
	uint64_t next = NEVER;

	FOR_BITS64 (k, unit_in_full(r) & r->served) {
		struct func_unit *u = &r->units[k];

		if (s->clock < u->free_at)
			next = earlier(next, u->free_at);
		else if (!offer(s, r, u, (unsigned)k))
			next = s->clock + 1;
	}
	return next;
}

/* Every unit in turn takes the oldest instruction, or none. */
static APART uint64_t offer_oldest(struct sm *s, struct unit_in *r, uint32_t n)
{
	uint64_t next = NEVER;

	for (uint32_t i = 0; i < n && unit_in_full(r); i++) {
		struct func_unit *u = &r->units[i];

		if (s->clock >= u->free_at && !offer(s, r, u, unit_in_oldest(s, r)))
			next = s->clock + 1;
		else
			next = earlier(next, u->free_at);
	}
	return unit_in_full(r) ? next : NEVER;
}

/* All kinds but the load/store unit in turn. Returns when to look again. */
static inline uint64_t offer_all(struct sm *s)
{
	uint64_t next = NEVER;

	FOR_BITS32 (kind, s->unit_in_used & ~(1u << UNIT_MEM)) {
		struct unit_in *r = &s->unit_in[kind];

		next = earlier(next, s->core->sub_core ? offer_slots(s, r)
						       : offer_oldest(s, r, s->core->unit[kind].units));
	}
	return next;
}

uint64_t execute_next(const struct sm *s) { return s->offer_at > s->clock ? s->offer_at : s->clock + 1; }

void execute_stage(struct sm *s)
{
	struct unit_in *mem = &s->unit_in[UNIT_MEM];

	if (s->clock >= s->offer_at)
		s->offer_at = offer_all(s);
	ldst_cycle(s);
	if (!(s->unit_in_used >> UNIT_MEM & 1) || !ldst_can_accept(s))
		return;
	ldst_accept(s, unit_in_take(s, mem, unit_in_oldest(s, mem)));
	s->changed = true;
}
