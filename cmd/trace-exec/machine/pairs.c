/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FFMA2 FMUL2 FADD2 of sm_100: two operations of f32 on pairs of registers.
 *
 * Each operand has two bits of order: 0 the pair as it is, 1 the pair swapped, 2 one register, or the immediate, for
 * both operations. The bit .NP negates the operand of the second operation. Signs, .FTZ and rounding are those of FFMA.
 */
#include <math.h>
#include "inlining.h"
#include "machine/code.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

enum pair_how { PAIR_FMA, PAIR_MUL, PAIR_ADD };
enum { PAIR_NEG = 1, PAIR_ABS = 2, PAIR_NEG_SECOND = 4 };

/* Slots of the operands in x->slot: a, b and c of the first operation, then those of the second. */
static void load_pair_operand(float *to, struct warp *w, const struct op *o, unsigned operand, unsigned k)
{
	const u32 *from = REG(u32, w, o->x->slot[3 * k + operand]);
	u32 signs = (u32)o->x->aux[operand], keep = signs & PAIR_ABS ? 0x7fffffff : ~0u,
	    flip = !(signs & PAIR_NEG) == !(signs & PAIR_NEG_SECOND && k) ? 0 : 0x80000000;

	for (unsigned i = 0; i < LANES; i++) {
		u32 v = (from[i] & keep) ^ flip;

		to[i] = ieee_f32(o->is_signed && !(v & 0x7f800000) ? v & 0x80000000 : v);
	}
}

/* Computes in the rounding that is set; not inline, so that it is not moved before the rounding is set. */
static NOINLINE void compute_pairs(float *r, const float *a, const float *b, const float *c, unsigned how)
{
	for (unsigned i = 0; i < LANES; i++)
		r[i] = how == PAIR_FMA ? fmaf(a[i], b[i], c[i]) : how == PAIR_MUL ? a[i] * b[i] : a[i] + c[i];
}

static void execute_pairs(struct warp *w, const struct op *o, uint32_t m)
{
	float a[LANES], b[LANES], c[LANES], r[2][LANES];
	u32 *d = REG(u32, w, o->d);

	for (unsigned k = 0; k < 2; k++) {
		load_pair_operand(a, w, o, 0, k);
		load_pair_operand(b, w, o, 1, k);
		load_pair_operand(c, w, o, 2, k);
		if (o->n)
			machine_set_rounding(o->n);
		compute_pairs(r[k], a, b, c, o->mode);
		if (o->n)
			machine_set_rounding(0);
	}
	for (unsigned k = 0; k < 2; k++)
		FOR_BITS32 (i, m) {
			u32 v = r[k][i] == r[k][i] ? ieee_f32_bits(r[k][i]) : 0x7fffffff;

			d[i + k * LANES] = o->is_signed && !(v & 0x7f800000) ? v & 0x80000000 : v;
		}
}

/* Sets the slots of an operand, whose first register has this slot. Returns false for an unknown order of the pair. */
static bool order_pair(struct op *o, unsigned operand, uint32_t slot, unsigned order, unsigned signs)
{
	uint32_t next = slot == FRAME_ZERO ? slot : slot + VECTOR;

	o->x->slot[operand] = order == 1 ? next : slot;
	o->x->slot[3 + operand] = order == 0 ? next : slot;
	o->x->aux[operand] = signs;
	return order < 2 ? !(order && signs & PAIR_NEG_SECOND) : order == 2;
}

static unsigned pair_signs(const struct mbind *b, unsigned negative, unsigned absolute, bool np)
{
	return (bit(b, negative) ? PAIR_NEG : 0) | (bit(b, absolute) ? PAIR_ABS : 0) |
	       (np ? PAIR_NEG_SECOND : 0);
}

int mbind_pairs(struct mbind *b, struct op *o)
{
	static const uint8_t operations[3] = {PAIR_FMA, PAIR_MUL, PAIR_ADD};
	unsigned how = operations[(b->inst->opcode & 0x1ff) - 0x49], form = b->inst->opcode >> 9,
		 of_a = (unsigned)field(b, 81, 2), of_b = (unsigned)field(b, 87, 2),
		 of_c = (unsigned)field(b, 84, 2);
	bool immediate = form == FORM_IMM_C || form == FORM_IMM,
	     c_at_32 = how == PAIR_ADD || form == FORM_IMM_C || form == FORM_UREG_C,
	     b_at_64 = how == PAIR_FMA && c_at_32;
	uint32_t at32 = immediate                                  ? mbind_number(b, field(b, 32, 32), 1)
			: form == FORM_UREG || form == FORM_UREG_C ? mbind_ureg(b, 32)
								   : mbind_reg(b, 32, 2),
		 b_slot = b_at_64 ? mbind_reg(b, 64, 2) : at32, c_slot = c_at_32 ? at32 : mbind_reg(b, 64, 2);
	bool known;

	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->mode = (uint8_t)how;
	o->n = (uint8_t)field(b, 78, 2);
	o->is_signed = bit(b, 80);
	o->d = mbind_dst(b, 16, 2);
	known = order_pair(
		o, 0, mbind_reg(b, 24, of_a == 2 ? 1 : 2), of_a, pair_signs(b, 72, 73, bit(b, 83)));
	known &= order_pair(o, 1, how == PAIR_ADD ? FRAME_ZERO : b_slot, how == PAIR_ADD ? 0 : of_b,
		b_at_64     ? pair_signs(b, 75, 74, false)
		: immediate ? 0
			    : pair_signs(b, 63, 62, false));
	known &= order_pair(o, 2, how == PAIR_MUL ? FRAME_ZERO : c_slot, how == PAIR_MUL ? 0 : of_c,
		!c_at_32    ? pair_signs(b, 75, 74, bit(b, 86))
		: immediate ? 0
			    : pair_signs(b, 63, 62, bit(b, 86)));
	known &= !immediate || (c_at_32 ? of_c : of_b) == 2;
	machine_set_function(o, execute_pairs);
	return known && !bit(b, 76) && !bit(b, 77) ? 0 : mbind_refuse(b, "mode");
}
