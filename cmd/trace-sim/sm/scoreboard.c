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

/* The members of a set of machine code's registers, by number modulo 64. */
static inline uint64_t folded(const uint64_t *set)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < REG_WORDS; i++)
		all |= set[i];
	return all;
}

static APART void find_reserved(struct sm *s, unsigned warp)
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

/* Most share no register with what is reserved even by its number modulo 64. */
static void look(struct sm *s, unsigned warp)
{
	struct warp *p = &s->warp[warp];

	s->collide &= ~(1ull << warp);
	if (p->n_reserved && (s->registers || folded(p->own) & p->head->registers))
		find_reserved(s, warp);
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

static inline void reserve_one(struct warp *p, unsigned reg)
{
	uint64_t *word = &p->reserved[reg / 64], bit = 1ull << reg % 64;

	p->n_reserved = (uint16_t)(p->n_reserved + !(*word & bit));
	*word |= bit;
}

static APART void reserve_several(struct warp *p, const struct uop *u, bool long_operation)
{
	for (unsigned i = 0; i < u->n_dst; i++)
		reserve_one(p, u->reg[i]);
	for (unsigned i = 0; long_operation && i < u->n_dst; i++)
		bitset_set(p->longop, u->reg[i]);
}

static void reserve(struct sm *s, unsigned warp, const struct uop *u, bool long_operation)
{
	if (u->n_dst == 1 && !long_operation)
		reserve_one(&s->warp[warp], u->reg[0]);
	else if (u->n_dst)
		reserve_several(&s->warp[warp], u, long_operation);
}

static inline void release_one(struct sm *s, unsigned warp, unsigned reg)
{
	struct warp *p = &s->warp[warp];
	uint64_t *word = &p->reserved[reg / 64], bit = 1ull << reg % 64;

	if (!(*word & bit))
		return;
	*word ^= bit;
	p->n_reserved--;
	if (s->collide >> warp & 1 && s->watched[warp] == reg)
		look(s, warp);
}

/* quirk Q2-9: what was a long operation stays marked as one. */
static void release(struct sm *s, unsigned warp, unsigned reg)
{
	release_one(s, warp, reg);
	warp_update_drained(s, warp);
}

static APART void release_several(struct sm *s, unsigned warp, const struct uop *u)
{
	for (unsigned i = 0; s->longops && i < u->n_dst; i++)
		bitset_clear(s->warp[warp].longop, u->reg[i]);
	for (unsigned i = 0; i < u->n_dst; i++)
		release_one(s, warp, u->reg[i]);
}

static void release_all(struct sm *s, unsigned warp, const struct uop *u)
{
	if (u->n_dst == 1 && !s->longops)
		release_one(s, warp, u->reg[0]);
	else if (u->n_dst)
		release_several(s, warp, u);
}

const struct dependence_ops depend_scoreboard = {look, reserve, release, release_all, waits_long};
