/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inline functions of the dependence rule of the original (scoreboard.c), for depend.h. They run for each instruction,
 * and most instructions have one destination.
 */
#ifndef SCOREBOARD_H
#define SCOREBOARD_H

#include "sm.h"

/*
 * scoreboard.c: sets the hazard of the warp, and sm.hazard_reg, if its next instruction has a reserved register.
 */
void scoreboard_find_hazard(struct sm *s, unsigned warp);
/*
 * Functions like the inline ones below, for any number of destinations and for policies that distinguish long
 * operations.
 */
void scoreboard_reserve_several(struct warp *p, const struct uop *u, bool long_operation);
void scoreboard_release_several(struct sm *s, unsigned warp, const struct uop *u);

/* Returns a mask of register numbers modulo 64: the bits of the members of a register set of machine code. */
static inline uint64_t scoreboard_set_modulo_64(const uint64_t *set)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < REG_WORDS; i++)
		all |= set[i];
	return all;
}

/*
 * Updates the warp's bit in s->hazard. Most instructions share no register number modulo 64 with the reserved ones, so
 * that the full search is seldom needed.
 */
static inline void scoreboard_update_hazard(struct sm *s, const struct warp *p, unsigned warp)
{
	s->hazard &= ~(1ull << warp);
	if (p->n_reserved &&
		(s->registers || scoreboard_set_modulo_64(p->own_register_sets) & p->head->registers))
		scoreboard_find_hazard(s, warp);
}

static inline void scoreboard_reserve_one(struct warp *p, unsigned reg)
{
	uint64_t *word = &p->reserved[reg / 64], bit = 1ull << reg % 64;

	p->n_reserved = (uint16_t)(p->n_reserved + !(*word & bit));
	*word |= bit;
}

static inline void scoreboard_reserve(struct warp *p, const struct uop *u, bool long_operation)
{
	if (u->n_dst == 1 && !long_operation)
		scoreboard_reserve_one(p, u->reg[0]);
	else if (u->n_dst)
		scoreboard_reserve_several(p, u, long_operation);
}

static inline void scoreboard_release_one(struct sm *s, struct warp *p, unsigned warp, unsigned reg)
{
	uint64_t *word = &p->reserved[reg / 64], bit = 1ull << reg % 64;

	if (!(*word & bit))
		return;
	*word ^= bit;
	p->n_reserved--;
	if (s->hazard >> warp & 1 && s->hazard_reg[warp] == reg) {
		s->hazard ^= 1ull << warp;
		if (p->n_reserved)
			scoreboard_find_hazard(s, warp);
	}
}

/* Releases a register. quirk Q2-9: the mark of a long operation is not cleared. */
static inline void scoreboard_release(struct sm *s, unsigned warp, unsigned reg)
{
	scoreboard_release_one(s, &s->warp[warp], warp, reg);
	if (s->done >> warp & 1)
		warp_update_drained(s, warp);
}

static inline void scoreboard_release_all(struct sm *s, struct warp *p, unsigned warp, const struct uop *u)
{
	if (u->n_dst == 1 && !s->wants_long_ops)
		scoreboard_release_one(s, p, warp, u->reg[0]);
	else if (u->n_dst)
		scoreboard_release_several(s, warp, u);
}

#endif
