/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * add, sub and fma of f32 with factors or a first summand of 16 bits (for example add.f32.bf16).
 *
 * Always true: a source of 16 bits is converted to f32 exactly, also a subnormal one, and the result is
 * rounded once. The default rounding is .rn.
 */
#include <math.h>
#include "lang/ieee.h"
#include "sem/mixed.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

static void mixed_arithmetic(struct warp *w, const struct op *o, uint32_t m)
{
	enum small f = (enum small)o->reg_bytes;
	const u16 *pa = REG(u16, w, o->a), *pb = REG(u16, w, o->b);
	const float *pc = REG(float, w, o->c);
	float *d = REG(float, w, o->d);

	sem_set_rounding((enum rounding)o->n);
	FOR_BITS32 (i, m) {
		/* volatile, so that the sum is computed after the rounding mode is set */
		volatile float a = (float)small_value(pa[i], f), c = pc[i];
		volatile float b = o->b ? (float)small_value(pb[i], f) : 1;
		float r = o->b ? fmaf(a, b, c) : o->imm ? a - c : a + c;

		if (o->mode & MODE_SAT)
			d[i] = r > 0 ? r < 1 ? r : 1 : 0;
		else
			d[i] = r == r ? r : ieee_f32(0x7fffffff);
	}
	sem_reset_rounding((enum rounding)o->n);
}

int bind_mixed(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	enum type d = (enum type)in->type[0], s = (enum type)in->type[1];
	bool good = d == T_F32 && (s == T_F16 || s == T_BF16);

	o->n = (uint8_t)sem_rounding_suffix(in);
	o->mode = stmt_has(in, M_SAT) ? MODE_SAT : 0;
	o->reg_bytes = s == T_BF16 ? SMALL_BF16 : SMALL_F16;
	o->imm = in->opcode == I_sub;
	if (in->opcode == I_fma)
		return BIND(b, o, good ? mixed_arithmetic : NULL, d, s, s, d);
	if (BIND(b, o, good ? mixed_arithmetic : NULL, d, s, d))
		return -1;
	o->c = o->b;
	o->b = 0;
	return 0;
}
