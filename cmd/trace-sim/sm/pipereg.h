/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipeline register sets (SM-reg), inline: they are touched several times an instruction.
 * Always true: slots at or beyond the set's width are never occupied; a set's bit in the mask of non-empty
 * sets (collector_in_used, unit_in_used) is set exactly when it is occupied; its
 * front is then the scheduler of its oldest instruction.
 */
#ifndef PIPEREG_H
#define PIPEREG_H

#include <assert.h>
#include "sm.h"

/* The mask of n slots. */
static inline uint64_t slots(uint32_t n) { return n >= SET_SLOTS ? UINT64_MAX : (1ull << n) - 1; }

/* Slots that slot stands for. */
static inline uint64_t reach(const struct sm *s, unsigned slot) { return s->any_slot | 1ull << slot; }

/* ---- ID_OC: into the operand collector ----------------------------------------------------- */

static inline bool collector_in_room(const struct sm *s, const struct collector_in *q, unsigned sched)
{
	return q->room & reach(s, sched);
}

static inline void collector_in_put(struct sm *s, struct collector_in *q, struct winst *in, uint16_t w)
{
	uint64_t slot = s->any_slot ? q->room & -q->room : 1ull << in->sched;

	assert(q->room & slot);
	q->room ^= slot;
	s->collector_in_used |= q->bit;
	in->next = WINST_NONE;
	*q->end = w;
	if (q->end == &q->first) {
		q->front = in->sched;
		s->collector.may_allocate = true;
	}
	q->end = &in->next;
}

/* The oldest instruction, of scheduler sched, leaves; next is its link. */
static inline void collector_in_take(struct sm *s, struct collector_in *q, unsigned sched, uint16_t next)
{
	q->room |= s->any_slot ? q->room + 1 : 1ull << sched;
	q->first = next;
	if (q->first != WINST_NONE) {
		q->front = s->winst[q->first].sched;
		return;
	}
	q->end = &q->first;
	s->collector_in_used ^= q->bit;
}

/* ---- OC_EX: into the units ----------------------------------------------------------------- */

static inline bool unit_in_room(const struct sm *s, const struct unit_in *r, unsigned slot)
{
	return r->room & reach(s, slot);
}

static inline uint64_t unit_in_full(const struct unit_in *r) { return r->slots ^ r->room; }

/* Into the lowest slot that is empty, of these. */
static inline void unit_in_put(struct sm *s, struct unit_in *r, uint64_t where, uint16_t w)
{
	uint64_t room = r->room & where;

	assert(room);
	r->room ^= room & -room;
	r->slot[bit_lowest64(room)] = w;
	s->unit_in_used |= r->bit;
}

/* Slot of the oldest instruction; the set is not empty. */
static inline unsigned unit_in_oldest(const struct sm *s, const struct unit_in *r)
{
	uint64_t full = unit_in_full(r), uid;
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

/* Collector units that stand for a slot of OC_EX. */
static inline uint64_t slot_units(const struct opcoll *c, unsigned slot)
{
	return c->slot_units << slot * c->per_slot;
}

/* The instruction leaves its slot. */
static inline uint16_t unit_in_take(struct sm *s, struct unit_in *r, unsigned slot)
{
	r->room |= 1ull << slot;
	if (r->room == r->slots)
		s->unit_in_used ^= r->bit;
	if (r->stuck) {
		uint64_t freed = r->stuck & slot_units(&s->collector, slot);

		r->stuck ^= freed;
		s->collector.ready |= freed;
	}
	return r->slot[slot];
}

#endif
