/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipeline register sets (SM-reg), inline: they are touched several times an instruction.
 * Always true: slots at or beyond the set's width are never occupied; a set's bit in the mask of non-empty
 * sets (collector_in_used, unit_in_used) is set exactly when it is occupied; collector.front is that of
 * collector_in.
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

static inline void collector_in_put(struct sm *s, struct collector_in *q, unsigned sched, uint16_t w)
{
	uint64_t room = q->room & reach(s, sched);
	unsigned i = (q->head + q->count) % SET_SLOTS;

	assert(room);
	q->room ^= room & -room;
	q->at[i].inst = w;
	q->at[i].slot = (uint8_t)bit_lowest64(room);
	q->at[i].sched = (uint8_t)sched;
	if (!q->count++) {
		s->collector.front[q->input] = (uint8_t)sched;
		s->collector_in_used |= 1u << q->input;
	}
}

/* The oldest instruction leaves. */
static inline uint16_t collector_in_take(struct sm *s, struct collector_in *q)
{
	unsigned first = q->head, next = (first + 1) % SET_SLOTS;

	q->room |= 1ull << q->at[first].slot;
	if (--q->count) {
		q->head = (uint8_t)next;
		s->collector.front[q->input] = q->at[next].sched;
	} else {
		q->head = 0;
		s->collector_in_used &= ~(1u << q->input);
	}
	return q->at[first].inst;
}

/* ---- OC_EX: into the units ----------------------------------------------------------------- */

static inline bool unit_in_room(const struct sm *s, const struct unit_in *r, unsigned slot)
{
	return r->room & reach(s, slot);
}

/* Into the lowest slot that is empty, of these. */
static inline void unit_in_put(struct sm *s, struct unit_in *r, uint64_t where, uint16_t w)
{
	uint64_t room = r->room & where, bit = room & -room;

	assert(room);
	r->full |= bit;
	r->room ^= bit;
	r->slot[bit_lowest64(room)] = w;
	s->unit_in_used |= r->bit;
}

/* Slot of the oldest instruction; the set is not empty. */
static inline unsigned unit_in_oldest(const struct sm *s, const struct unit_in *r)
{
	unsigned best = bit_lowest64(r->full);
	uint64_t uid;

	if (!(r->full & (r->full - 1)))
		return best;
	uid = s->winst[r->slot[best]].uid;
	FOR_BITS64 (i, r->full & (r->full - 1)) {
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
static inline uint16_t unit_in_take(struct sm *s, unsigned kind, unsigned slot)
{
	struct unit_in *r = &s->unit_in[kind];
	struct opcoll *c = &s->collector;
	uint64_t bit = 1ull << slot;

	r->full ^= bit;
	r->room ^= bit;
	if (!r->full)
		s->unit_in_used ^= r->bit;
	if (c->stuck[kind]) {
		uint64_t freed = c->stuck[kind] & slot_units(c, slot);

		c->stuck[kind] ^= freed;
		c->ready |= freed;
	}
	return r->slot[slot];
}

#endif
