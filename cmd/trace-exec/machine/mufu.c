/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MUFU: approximations of functions, of f32, f16, bf16 and the upper word of f64. The source is b.
 *
 * Always true: absolute value and negation are applied to the source first.
 */
#include <math.h>
#include "inlining.h"
#include "machine/code.h"
#include "sem/approx.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

enum {
	MUFU_COS,
	MUFU_SIN,
	MUFU_EX2,
	MUFU_LG2,
	MUFU_RCP,
	MUFU_RSQ,
	MUFU_RCP64H,
	MUFU_RSQ64H,
	MUFU_SQRT,
	MUFU_TANH
};

/* Returns the function's value. Subnormal results are 0; compiled code scales the operand if .ftz is absent. */
static ALWAYS_INLINE u32 mufu_value(unsigned function, u32 bits)
{
	float v = ieee_f32(ieee_flush_f32_bits(bits, function != MUFU_TANH));

	switch (function) {
	case MUFU_COS: v = approx_cos_turns(v); break;
	case MUFU_SIN: v = approx_sin_turns(v); break;
	case MUFU_EX2: v = approx_flush(approx_ex2(v)); break;
	case MUFU_LG2: v = approx_lg2(v); break;
	case MUFU_RCP: v = approx_flush(approx_rcp(v)); break;
	case MUFU_RSQ: v = approx_rsqrt(v); break;
	case MUFU_RCP64H: return (u32)(approx_upper_inverse((u64)bits << 32, false) >> 32);
	case MUFU_RSQ64H: return (u32)(approx_upper_inverse((u64)bits << 32, true) >> 32);
	case MUFU_SQRT: v = approx_sqrt(v); break;
	default: v = approx_tanh(v);
	}
	return ieee_f32_bits(ieee_canonical_f32(v));
}

/*
 * Defines a function that computes the values of all lanes at once. 3.2 million MUFU.RSQ took 0.41 s lane by lane, and
 * take 0.11 s.
 */
#define MUFU_LANES(name, function) \
	LANE_FN static void name(u32 *d, const u32 *p, u32 n, u32 x, uint32_t m) \
	{ \
		EACH_LANE (i) { \
			u32 v = mufu_value(function, (p[i] & n) ^ x); \
			d[i] = m >> i & 1 ? v : d[i]; \
		} \
	}
MUFU_LANES(mufu_rcp_lanes, MUFU_RCP)
MUFU_LANES(mufu_rsq_lanes, MUFU_RSQ)
MUFU_LANES(mufu_sqrt_lanes, MUFU_SQRT)
MUFU_LANES(mufu_rcp64h_lanes, MUFU_RCP64H)
MUFU_LANES(mufu_rsq64h_lanes, MUFU_RSQ64H)

static void execute_mufu(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *p = REG(u32, w, o->b);
	u32 n = o->mode & ABS_B ? 0x7fffffff : ~0u, x = o->mode & NEG_B ? 0x80000000 : 0;

	switch (o->n) {
	case MUFU_RCP: mufu_rcp_lanes(d, p, n, x, m); return;
	case MUFU_RSQ: mufu_rsq_lanes(d, p, n, x, m); return;
	case MUFU_SQRT: mufu_sqrt_lanes(d, p, n, x, m); return;
	case MUFU_RCP64H: mufu_rcp64h_lanes(d, p, n, x, m); return;
	case MUFU_RSQ64H: mufu_rsq64h_lanes(d, p, n, x, m); return;
	default: break;
	}
	FOR_BITS32 (i, m)
		d[i] = mufu_value(o->n, (p[i] & n) ^ x);
}

/* Returns the function's value for a 16-bit number, rounded once. */
static u32 mufu_small_value(unsigned function, u16 bits, enum small format)
{
	double v = small_value(bits, format);

	if (function == MUFU_TANH)
		v = tanh(v);
	else if (function == MUFU_EX2)
		v = exp2(v);
	else
		v = (double)ieee_f32(mufu_value(function, ieee_f32_bits((float)v)));
	if (v != v)
		return 0x7fff;
	return format == SMALL_BF16 && function != MUFU_TANH && fabs(v) < (double)FLT_MIN
		       ? 0
		       : (u32)small_of_double(v, format, ROUND_RN, false);
}

/*
 * Returns the function's value for the source's lower half (shift 0) or upper half (shift 16). o->reg_bytes: its
 * format.
 */
static u32 mufu_of_half(const struct op *o, u32 source, unsigned shift)
{
	u32 h = source >> shift & 0xffff;

	h = o->mode & ABS_B ? h & 0x7fff : h;
	h = o->mode & NEG_B ? h ^ 0x8000 : h;
	return mufu_small_value(o->n, (u16)h, (enum small)o->reg_bytes);
}

/* Executes MUFU on 16-bit numbers. o->is_param: the source is the register's upper half. */
static void execute_small_mufu(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *p = REG(u32, w, o->b);

	FOR_BITS32 (i, m)
		d[i] = mufu_of_half(o, p[i], o->is_param ? 16 : 0);
}

/* Executes MUFU on pairs of 16-bit numbers. */
static void execute_mufu_pair(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), *p = REG(u32, w, o->b);

	FOR_BITS32 (i, m)
		d[i] = mufu_of_half(o, p[i], 0) | mufu_of_half(o, p[i], 16) << 16;
}

int mbind_mufu(struct mbind *b, struct op *o)
{
	unsigned format = (unsigned)field(b, 72, 2), f16 = b->code->sm < 90 ? 2 : 1;
	bool bf16_pair = b->code->sm == 103 && bit(b, 80), f16_pair = b->code->sm == 103 && format == 3;

	if (mbind_forms(b, o, WIDE_NONE))
		return -1;
	o->n = (uint8_t)field(b, 74, 4);
	o->mode &= NEG_B | ABS_B;
	o->is_param = field(b, 60, 2) == 1 && b->inst->form != FORM_IMM;
	o->reg_bytes = format == f16 || f16_pair ? SMALL_F16 : SMALL_BF16;
	machine_set_function(o, bf16_pair || f16_pair ? execute_mufu_pair
				: format              ? execute_small_mufu
						      : execute_mufu);
	if (f16_pair || bf16_pair ? o->is_param || (format && bf16_pair)
				  : format == 3 || (format && format != f16 && b->code->sm < 90))
		return mbind_refuse(b, "format");
	return o->n > MUFU_TANH || mbind_has_constant_c(b) ? mbind_refuse(b, "function") : 0;
}
