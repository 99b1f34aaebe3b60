/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipeline register sets (SM-reg). The functions are inline because they run several times per instruction. Always
 * true: slots at or beyond the width of a set are never occupied. The bit of a set in the mask of non-empty sets
 * (collector_in_used, unit_in_used) is set exactly if the set is not empty; collector_in.front is then the scheduler
 * of the oldest instruction.
 */
#ifndef PIPEREG_H
#define PIPEREG_H

#include <assert.h>
#include "sm.h"

/* Returns a mask of the lowest n slots. */
static inline uint64_t slot_mask(uint32_t n) { return n >= SET_SLOTS ? UINT64_MAX : (1ull << n) - 1; }

/* Returns the mask of the slots that an instruction of `slot` may use: this slot in sub-core mode, else all. */
static inline uint64_t reachable_slots(const struct sm *s, unsigned slot)
{
	return s->any_slot | 1ull << slot;
}

/* ---- ID_OC, the registers before the operand collector ------------------------------------- */

static inline bool collector_in_has_free_slot(
	const struct sm *s, const struct collector_in *q, unsigned sched)
{
	return q->free_slots & reachable_slots(s, sched);
}

static inline void collector_in_put(struct sm *s, struct collector_in *q, struct winst *in, uint16_t w)
{
	uint64_t slot = s->any_slot ? q->free_slots & -q->free_slots : 1ull << in->sched;

	assert(q->free_slots & slot);
	q->free_slots ^= slot;
	s->collector_in_used |= q->bit;
	in->next = WINST_NONE;
	*q->end = w;
	if (q->end == &q->first) {
		q->front = in->sched;
		s->collector.may_allocate = true;
	}
	q->end = &in->next;
}

/*
 * Removes the oldest instruction, which scheduler `sched` has issued. `next` is the handle of the instruction after it.
 */
static inline void collector_in_remove(struct sm *s, struct collector_in *q, unsigned sched, uint16_t next)
{
	q->free_slots |= s->any_slot ? q->free_slots + 1 : 1ull << sched;
	q->first = next;
	if (q->first != WINST_NONE) {
		q->front = s->winst[q->first].sched;
		return;
	}
	q->end = &q->first;
	s->collector_in_used ^= q->bit;
}

/* ---- OC_EX, the registers before the units ------------------------------------------------- */

static inline bool unit_in_has_free_slot(const struct sm *s, const struct unit_in *r, unsigned slot)
{
	return r->free_slots & reachable_slots(s, slot);
}

static inline uint64_t unit_in_occupied_slots(const struct unit_in *r)
{
	return r->all_slots ^ r->free_slots;
}

/* Puts instruction w into the lowest free slot of the mask `where`. */
static inline void unit_in_put(struct sm *s, struct unit_in *r, uint64_t where, uint16_t w)
{
	uint64_t free_slots = r->free_slots & where;

	assert(free_slots);
	r->free_slots ^= free_slots & -free_slots;
	r->slot[bit_lowest64(free_slots)] = w;
	s->unit_in_used |= r->bit;
}

/* Returns the slot of the oldest instruction. The set must not be empty. */
static inline unsigned unit_in_oldest_slot(const struct sm *s, const struct unit_in *r)
{
	uint64_t full = unit_in_occupied_slots(r), uid;
	unsigned best = bit_lowest64(full);

	full &= full - 1;
	if (!full)
		return best;
	uid = s->winst[r->slot[best]].uid;
	FOR_BITS64 (i, full) {
		uint64_t u = s->winst[r->slot[i]].uid;

		if (u < uid) {
			uid = u;
			best = (unsigned)i;
		}
	}
	return best;
}

/* Returns the mask of the collector units that use a slot of OC_EX. */
static inline uint64_t collector_units_of_slot(const struct opcoll *c, unsigned slot)
{
	return c->slot_units << slot * c->per_slot;
}

/* Removes and returns the instruction in a slot, and makes the collector units that waited for the slot ready. */
static inline uint16_t unit_in_remove(struct sm *s, struct unit_in *r, unsigned slot)
{
	r->free_slots |= 1ull << slot;
	if (r->free_slots == r->all_slots)
		s->unit_in_used ^= r->bit;
	if (r->collectors_blocked) {
		uint64_t freed = r->collectors_blocked & collector_units_of_slot(&s->collector, slot);

		r->collectors_blocked ^= freed;
		s->collector.ready |= freed;
	}
	return r->slot[slot];
}

#endif
