/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipeline register sets (part 2 section 10), inline: they are touched several times an instruction.
 * Always true: slots at or beyond the set's width are never occupied; a set's bit in the mask of non-empty
 * sets, kept by the caller's `mask`, is set exactly when it is occupied.
 */
#ifndef REGSET_H
#define REGSET_H

#include <assert.h>
#include "sm.h"

/* The mask of n slots. */
static inline uint64_t slots(uint32_t n) { return n >= SET_SLOTS ? UINT64_MAX : (1ull << n) - 1; }

/* Can the set take an instruction? slot counts in sub-core mode only. */
static inline bool regset_room(const struct sm *s, const struct regset *r, unsigned slot)
{
	return r->room & s->reach[slot];
}

static inline void regset_put(const struct sm *s, struct regset *r, unsigned slot, uint16_t w, uint32_t *mask)
{
	uint64_t room = r->room & s->reach[slot];
	unsigned i = bit_lowest64(room);

	assert(room);
	r->full |= 1ull << i;
	r->room &= ~(1ull << i);
	r->slot[i] = w;
	*mask |= r->bit;
}

/* Slot of the oldest instruction; the set is not empty. */
static inline unsigned regset_oldest(const struct sm *s, const struct regset *r)
{
	unsigned best = bit_lowest64(r->full);
	uint64_t uid;

	if (!(r->full & (r->full - 1)))
		return best;
	uid = s->winst[r->slot[best]].uid;
	FOR_BITS64(i, r->full & (r->full - 1)) {
		uint64_t u = s->winst[r->slot[i]].uid;

		if (u < uid) {
			uid = u;
			best = (unsigned)i;
		}
	}
	return best;
}

static inline uint16_t regset_take(struct regset *r, unsigned slot, uint32_t *mask)
{
	r->full &= ~(1ull << slot);
	r->room |= 1ull << slot;
	if (!r->full)
		*mask &= ~r->bit;
	return r->slot[slot];
}

#endif
