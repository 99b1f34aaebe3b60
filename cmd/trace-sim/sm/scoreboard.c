/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rule of the original: an instruction waits while one of its registers has a write to come (SM-score).
 * Always true: n_reserved counts the members of reserved; sm.collide holds the warps of which a register of
 * the next instruction is reserved, and watched is the first such register: the answer stays until that one
 * is released. Only the warp's own issue reserves, and it is followed by a new next instruction. Uniform
 * registers are in the same set, under their own numbers. A register listed twice as destination is reserved
 * once.
 */
#include "depend.h"
#include "sm/kernel.h"
#include "scheduler.h"

void scoreboard_find_hazard(struct sm *s, unsigned warp)
{
	struct warp *p = &s->warp[warp];
	const uint16_t *reg = p->head->reg, *end = reg + p->head->n_dst + p->head->n_src;

	for (; reg < end; reg++)
		if (bitset_test(p->reserved, *reg)) {
			s->watched[warp] = *reg;
			s->collide |= 1ull << warp;
			return;
		}
}

/* PTX-flow-2: what a warp on the wrong path has in its buffer is looked at, too. */
static bool waits_long(const struct sm *s, unsigned warp)
{
	const struct warp *p = &s->warp[warp];
	const uint16_t *operand;
	unsigned n;

	if (s->wrong >> warp & 1) {
		operand = trace_ptx_operands(s->cta[p->cta].kernel->trace, p->fetch_pc, &n);
	} else {
		operand = p->head->reg + p->head->n_dst;
		n = p->head->n_operands;
	}
	for (unsigned i = 0; i < n; i++)
		if (bitset_test(p->longop, operand[i]))
			return true;
	return false;
}

void scoreboard_reserve_several(struct warp *p, const struct uop *u, bool long_operation)
{
	for (unsigned i = 0; i < u->n_dst; i++)
		scoreboard_reserve_one(p, u->reg[i]);
	for (unsigned i = 0; long_operation && i < u->n_dst; i++)
		bitset_set(p->longop, u->reg[i]);
}

void scoreboard_release_several(struct sm *s, unsigned warp, const struct uop *u)
{
	for (unsigned i = 0; s->longops && i < u->n_dst; i++)
		bitset_clear(s->warp[warp].longop, u->reg[i]);
	for (unsigned i = 0; i < u->n_dst; i++)
		scoreboard_release_one(s, &s->warp[warp], warp, u->reg[i]);
}

static void look(struct sm *s, unsigned warp) { scoreboard_update_hazard(s, &s->warp[warp], warp); }

static void reserve(struct sm *s, unsigned warp, const struct uop *u, bool long_operation)
{
	scoreboard_reserve(&s->warp[warp], u, long_operation);
}

static void release(struct sm *s, unsigned warp, unsigned reg) { scoreboard_release(s, warp, reg); }

static void release_all(struct sm *s, unsigned warp, const struct uop *u)
{
	scoreboard_release_all(s, &s->warp[warp], warp, u);
}

const struct dependence_ops depend_scoreboard = {look, reserve, release, release_all, waits_long};
