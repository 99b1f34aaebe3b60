/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function units (SM-exec). The state of a pipelined unit consists of the clock at which its dispatch register is free
 * again (after the initiation interval), the clocks at which its results reach stage 0 (after the latency), and the
 * number of results of all units at a clock (result buses). The stages after stage 0 never block, so their
 * instructions are in the calendar of writebacks.
 */
#include "lsu/ldst.h"
#include "power/counts.h"
#include "pipereg.h"

/* Inserts an instruction into the list of the writebacks of a clock, in the order of age. */
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
 * Dispatches a waiting instruction to a unit with an empty dispatch register. Returns false if its result would collide
 * with another one in stage 0 or on the result buses. The instruction is then tried again in the next cycle.
 */
static inline bool dispatch_to_unit(struct sm *s, struct unit_in *r, struct func_unit *u, unsigned slot)
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
	unit_in_remove(s, r, slot);
	if (s->power)
		power_count_unit(s->power, in->code, in->mask, in->lanes);
	schedule_writeback(s, in, w, end + 2);
	s->changed = true;
	return true;
}

/* Moves, in sub-core mode, the instruction in each slot k to unit k. Returns the clock of the next attempt. */
static inline uint64_t dispatch_own_slots(struct sm *s, struct unit_in *r)
{
	uint64_t next = NEVER;

	FOR_BITS64 (k, unit_in_occupied_slots(r) & r->served) {
		struct func_unit *u = &r->units[k];

		if (s->clock < u->free_at)
			next = sm_min_clock(next, u->free_at);
		else if (!dispatch_to_unit(s, r, u, (unsigned)k))
			next = s->clock + 1;
	}
	return next;
}

/* Lets each of n units that is free take the oldest instruction. Returns the clock of the next attempt. */
static NOINLINE uint64_t dispatch_oldest(struct sm *s, struct unit_in *r, uint32_t n)
{
	uint64_t next = NEVER;

	for (uint32_t i = 0; i < n && unit_in_occupied_slots(r); i++) {
		struct func_unit *u = &r->units[i];

		if (s->clock >= u->free_at && !dispatch_to_unit(s, r, u, unit_in_oldest_slot(s, r)))
			next = s->clock + 1;
		else
			next = sm_min_clock(next, u->free_at);
	}
	return unit_in_occupied_slots(r) ? next : NEVER;
}

/* Dispatches instructions to all units except the load/store unit. Returns the clock of the next attempt. */
static inline uint64_t dispatch_to_all_units(struct sm *s)
{
	uint64_t next = NEVER;

	FOR_BITS32 (kind, s->unit_in_used & ~(1u << UNIT_MEM)) {
		struct unit_in *r = &s->unit_in[kind];

		next = sm_min_clock(next, s->core->sub_core
						  ? dispatch_own_slots(s, r)
						  : dispatch_oldest(s, r, s->core->unit[kind].units));
	}
	return next;
}

uint64_t execute_next_clock(const struct sm *s)
{
	return s->next_dispatch_clock > s->clock ? s->next_dispatch_clock : s->clock + 1;
}

void execute_stage(struct sm *s)
{
	struct unit_in *mem = &s->unit_in[UNIT_MEM];

	if (s->clock >= s->next_dispatch_clock)
		s->next_dispatch_clock = dispatch_to_all_units(s);
	ldst_cycle(s);
	if (!(s->unit_in_used >> UNIT_MEM & 1) || !ldst_can_accept(s))
		return;
	ldst_accept(s, unit_in_remove(s, mem, unit_in_oldest_slot(s, mem)));
	s->changed = true;
}
