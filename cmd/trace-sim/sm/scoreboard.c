/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dependence rule of the original: an instruction waits while one of its registers has an outstanding write
 * (SM-score). Always true: warp.n_reserved is the number of members of warp.reserved. The warps whose next instruction
 * has a reserved register are in sm.hazard. sm.hazard_reg is the first such register; the hazard cannot end before it
 * is released. Only issues of the warp reserve registers, and after each issue the warp has another next instruction.
 * Uniform registers are in the same set, with different numbers. A register that is listed twice as a destination is
 * reserved once.
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
			s->hazard_reg[warp] = *reg;
			s->hazard |= 1ull << warp;
			return;
		}
}

/*
 * Returns true if the next instruction waits for a long operation. This may be an instruction of a wrong path in the
 * buffer (PTX-flow-2).
 */
static bool waits_for_long_op(const struct sm *s, unsigned warp)
{
	const struct warp *p = &s->warp[warp];
	const uint16_t *operand;
	unsigned n;

	if (s->wrong_path >> warp & 1) {
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
	for (unsigned i = 0; s->wants_long_ops && i < u->n_dst; i++)
		bitset_clear(s->warp[warp].longop, u->reg[i]);
	for (unsigned i = 0; i < u->n_dst; i++)
		scoreboard_release_one(s, &s->warp[warp], warp, u->reg[i]);
}

static void update_hazard(struct sm *s, unsigned warp) { scoreboard_update_hazard(s, &s->warp[warp], warp); }

static void reserve_registers(struct sm *s, unsigned warp, const struct uop *u, bool long_operation)
{
	scoreboard_reserve(&s->warp[warp], u, long_operation);
}

static void release_register(struct sm *s, unsigned warp, unsigned reg) { scoreboard_release(s, warp, reg); }

static void release_registers(struct sm *s, unsigned warp, const struct uop *u)
{
	scoreboard_release_all(s, &s->warp[warp], warp, u);
}

const struct dependence_ops depend_scoreboard = {
	update_hazard, reserve_registers, release_register, release_registers, waits_for_long_op};
