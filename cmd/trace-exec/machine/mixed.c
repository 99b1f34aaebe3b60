/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FADD and FFMA of sm_100 whose first summand, or whose factors, have 16 bits (PTX add.f32.f16, fma.f32.bf16).
 *
 * Bit 81 selects these forms, bit 82 bf16. Bits 83 and 84: the upper half of a and of b. A source of 16 bits is
 * converted exactly; the result is rounded once.
 */
#include <math.h>
#include "machine/half.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

enum { MIXED_FMA = 1, MIXED_BF16 = 2, MIXED_HIGH_A = 4, MIXED_HIGH_B = 8, MIXED_SAT = 16 };

static float apply_sign_modifiers(float v, unsigned mode, unsigned absolute, unsigned negative)
{
	v = mode & absolute ? fabsf(v) : v;
	return mode & negative ? -v : v;
}

static float read_half_source(const struct op *o, u32 v, unsigned high, unsigned absolute, unsigned negative)
{
	double h = half_to_double(o->space & high ? v >> 16 : v & 0xffff, o->space & MIXED_BF16);

	return apply_sign_modifiers((float)h, o->mode, absolute, negative);
}

static void execute_mixed(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *pa = REG(u32, w, o->a), *pb = REG(u32, w, o->b), *pc = REG(u32, w, o->c);
	float *d = REG(float, w, o->d);

	machine_set_rounding(o->n);
	FOR_BITS32 (i, m) {
		volatile float a = read_half_source(o, pa[i], MIXED_HIGH_A, ABS_A, NEG_A);
		volatile float b, c; /* volatile: computed after the rounding is set */
		float r;

		if (o->space & MIXED_FMA) {
			b = read_half_source(o, pb[i], MIXED_HIGH_B, ABS_B, NEG_B);
			c = apply_sign_modifiers(ieee_f32(pc[i]), o->mode, ABS_C, NEG_C);
			r = fmaf(a, b, c);
		} else {
			c = apply_sign_modifiers(ieee_f32(pb[i]), o->mode, ABS_B, NEG_B);
			r = a + c;
		}
		if (o->space & MIXED_SAT)
			r = r > 0 ? r < 1 ? r : 1 : 0;
		d[i] = r == r ? r : ieee_f32(0x7fffffff);
	}
	machine_set_rounding(0);
}

int mixed_bind(struct mbind *b, struct op *o, bool fma)
{
	o->n = (uint8_t)field(b, 78, 2);
	o->space = (uint8_t)((fma ? MIXED_FMA : 0) | (bit(b, 82) ? MIXED_BF16 : 0) |
			     (bit(b, 83) ? MIXED_HIGH_A : 0) | (bit(b, 84) ? MIXED_HIGH_B : 0) |
			     (bit(b, 77) ? MIXED_SAT : 0));
	machine_set_function(o, execute_mixed);
	return bit(b, 80) || (fma && bit(b, 76)) ? mbind_refuse(b, "mode") : 0;
}
