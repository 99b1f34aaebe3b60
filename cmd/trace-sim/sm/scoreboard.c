/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers with a write to come, by warp (SM-score). Always true: n_reserved counts the members of
 * reserved; sm.collide holds the warps of which a register of the next instruction is reserved, and watched is
 * the first such register: the answer stays until that one is released. Only the warp's own issue reserves, and
 * it is followed by a new next instruction. Uniform registers are in the same set, under their own numbers. A
 * register listed twice as destination is reserved once.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "lsu/ldst.h"
#include "scheduler.h"

/*
 * The sets of machine code lie beside the warp. Only PTX has more numbers: then all sets are in one place, and what
 * was in them moves there, for another kernel may be running.
 */
void scoreboard_room(struct sm *s, uint32_t limit)
{
	uint32_t words = BITSET_WORDS(limit), had = BITSET_WORDS(s->reg_limit);
	uint64_t *to = limit > REG_LIMIT ? xcalloc((size_t)MAX_WARPS * words * 2, sizeof *to) : NULL,
		 *old = s->registers;

	for (unsigned w = 0; w < MAX_WARPS; w++) {
		struct warp *p = &s->warp[w];

		if (to) {
			memcpy(to + (size_t)w * words * 2, p->reserved, had * sizeof *to);
			memcpy(to + (size_t)w * words * 2 + words, p->longop, had * sizeof *to);
		}
		p->reserved = to ? to + (size_t)w * words * 2 : p->own;
		p->longop = p->reserved + words;
	}
	free(old);
	s->registers = to;
	if (s->ldst)
		ldst_registers(s, limit);
	s->reg_limit = limit;
}

void scoreboard_free(struct sm *s) { free(s->registers); }

void scoreboard_look(struct sm *s, unsigned warp)
{
	struct warp *p = &s->warp[warp];
	const uint16_t *reg = p->head->reg, *end = reg + p->head->n_dst + p->head->n_src;

	s->collide &= ~(1ull << warp);
	if (!p->n_reserved)
		return;
	for (; reg < end; reg++)
		if (bitset_test(p->reserved, *reg)) {
			s->watched[warp] = *reg;
			s->collide |= 1ull << warp;
			return;
		}
}

bool scoreboard_long(const struct sm *s, unsigned warp, const struct uop *u)
{
	for (unsigned i = 0; i < u->n_src; i++)
		if (bitset_test(s->warp[warp].longop, u->reg[u->n_dst + i]))
			return true;
	return false;
}

void scoreboard_mark_long(struct sm *s, unsigned warp, const struct uop *u)
{
	for (unsigned i = 0; i < u->n_dst; i++)
		bitset_set(s->warp[warp].longop, u->reg[i]);
}

void scoreboard_reserve(struct sm *s, unsigned warp, const struct uop *u)
{
	struct warp *p = &s->warp[warp];

	for (unsigned i = 0; i < u->n_dst; i++) {
		p->n_reserved = (uint16_t)(p->n_reserved + !bitset_test(p->reserved, u->reg[i]));
		bitset_set(p->reserved, u->reg[i]);
	}
}

void scoreboard_release_one(struct sm *s, unsigned warp, unsigned reg)
{
	struct warp *p = &s->warp[warp];

	if (!bitset_test(p->reserved, reg))
		return;
	bitset_clear(p->reserved, reg);
	p->n_reserved--;
	if (s->collide >> warp & 1 && s->watched[warp] == reg)
		scoreboard_look(s, warp);
	warp_update_drained(s, warp);
}

void scoreboard_release_all(struct sm *s, unsigned warp, const struct uop *u)
{
	for (unsigned i = 0; i < u->n_dst; i++) {
		if (s->policy->needs_longop)
			bitset_clear(s->warp[warp].longop, u->reg[i]);
		scoreboard_release_one(s, warp, u->reg[i]);
	}
}
