/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers with a write to come, by warp (part 2 section 8). Always true: n_reserved counts the members of
 * reserved; a change marks the warp's answer (sm.collide) stale. Uniform registers are in the same set, under
 * their own numbers. A register listed twice as destination is reserved once.
 */
#include "sm.h"

bool scoreboard_collides(const struct sm *s, unsigned warp, const struct uop *u)
{
	const struct warp *p = &s->warp[warp];
	unsigned n = u->n_dst + u->n_src;

	if (!p->n_reserved)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (bitset_test(p->reserved, u->reg[i]))
			return true;
	return false;
}

bool scoreboard_long(const struct sm *s, unsigned warp, const struct uop *u)
{
	for (unsigned i = 0; i < u->n_src; i++)
		if (bitset_test(s->warp[warp].longop, u->reg[u->n_dst + i]))
			return true;
	return false;
}

void scoreboard_reserve(struct sm *s, unsigned warp, const struct uop *u, bool long_operation)
{
	struct warp *p = &s->warp[warp];

	for (unsigned i = 0; i < u->n_dst; i++) {
		p->n_reserved += !bitset_test(p->reserved, u->reg[i]);
		bitset_set(p->reserved, u->reg[i]);
		if (long_operation)
			bitset_set(p->longop, u->reg[i]);
	}
	s->stale |= 1ull << warp;
}

void scoreboard_release_one(struct sm *s, unsigned warp, unsigned reg)
{
	struct warp *p = &s->warp[warp];

	if (!bitset_test(p->reserved, reg))
		return;
	bitset_clear(p->reserved, reg);
	p->n_reserved--;
	s->stale |= 1ull << warp;
	warp_update_drained(s, warp);
}

void scoreboard_release_all(struct sm *s, unsigned warp, const struct uop *u)
{
	for (unsigned i = 0; i < u->n_dst; i++) {
		bitset_clear(s->warp[warp].longop, u->reg[i]);
		scoreboard_release_one(s, warp, u->reg[i]);
	}
}
