/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversions of all lanes at once. Loops with conversions take these host instructions a thread instruction, checked,
 * where a conversion of one lane after another took those in parentheses: floats through doubles 8 (35), floors and
 * integers of floats 5 (26), f16 16 (126), bytes and integers to floats and doubles 9 (26).
 */
#include <math.h>
#include "lang/ieee.h"
#include "sem/cvt.h"

#define NAN_F32 0x7fffffffu

/* ---- integers ---- */

LANE_OP1(u64_u32, u64, u32, a)
LANE_OP1(s64_s32, s64, s32, a)
LANE_OP1(u32_u64, u32, u64, a)
LANE_OP1(u32_u16, u32, u16, a)
LANE_OP1(s32_s16, s32, s16, a)
LANE_OP1(u16_u32, u16, u32, a)
LANE_OP1(u32_u8, u32, u16, (uint8_t)a)
LANE_OP1(s32_s8, s32, u16, (int8_t)a)
LANE_OP1(u16_u8, u16, u16, (uint8_t)a)
LANE_OP1(s16_s8, s16, u16, (int8_t)a)
LANE_OP1(u8_u32, u16, u32, (uint8_t)a)

/* ---- integers and floating point ---- */

LANE_OP1(f32_s32, float, s32, a)
LANE_OP1(f32_u32, float, u32, a)
LANE_OP1(f32_s64, float, s64, a)
LANE_OP1(f32_u64, float, u64, a)
LANE_OP1(f32_u8, float, u16, (uint8_t)a)
LANE_OP1(f64_s32, double, s32, a)
LANE_OP1(f64_u32, double, u32, a)
LANE_OP1(f64_s64, double, s64, a)
LANE_OP1(f64_u64, double, u64, a)

LANE_OP1(rz_s32_f32, s32, float, cvt_limit_f32_to_s32(a))
LANE_OP1(rz_u32_f32, u32, float, cvt_limit_f32_to_u32(a))
LANE_OP1(rn_s32_f32, s32, float, cvt_limit_f32_to_s32(nearbyintf(a)))
LANE_OP1(rm_s32_f32, s32, float, cvt_limit_f32_to_s32(floorf(a)))
LANE_OP1(rp_s32_f32, s32, float, cvt_limit_f32_to_s32(ceilf(a)))
LANE_OP1(rz_s32_f64, s32, double, cvt_limit_f64_to_s32(a))
LANE_OP1(rz_u32_f64, u32, double, cvt_limit_f64_to_u32(a))

/* ---- floating point ---- */

static inline u32 f32_bits_of_f64(double v) { return v != v ? NAN_F32 : ieee_f32_bits((float)v); }
static inline u32 f32_bits_of_f32(float v) { return v != v ? NAN_F32 : ieee_f32_bits(v); }

/* Returns a number of f32, or a zero of its sign if it is subnormal. */
static inline float flush_subnormal(float v)
{
	u32 bits = ieee_f32_bits(v);

	return ieee_f32(bits & 0x7f800000 ? bits : bits & 0x80000000);
}

LANE_OP1(f64_f32, double, float, a)
LANE_OP1(f32_f64, u32, double, f32_bits_of_f64(a))
LANE_OP1(rn_f32, u32, float, f32_bits_of_f32(nearbyintf(a)))
LANE_OP1(rz_f32, u32, float, f32_bits_of_f32(truncf(a)))
LANE_OP1(rm_f32, u32, float, f32_bits_of_f32(floorf(a)))
LANE_OP1(rp_f32, u32, float, f32_bits_of_f32(ceilf(a)))
LANE_OP1(rm_ftz_f32, u32, float, f32_bits_of_f32(floorf(flush_subnormal(a))))
LANE_OP1(rp_ftz_f32, u32, float, f32_bits_of_f32(ceilf(flush_subnormal(a))))

LANE_OP1(f32_f16, u32, u16, ieee_f32_bits_of_f16(a))
LANE_OP1(f32_bf16, u32, u16, (u32)a << 16) /* also a NaN, as in compiled code */
LANE_OP1(f16_f32, u16, float, ieee_f16_of_f32(a))
LANE_OP1(bf16_f32, u16, float, ieee_bf16_of_f32(a))

LANE_OP1(tf32_away, u32, u32, cvt_tf32_away(a))
LANE_OP1(tf32_away_finite, u32, u32, cvt_finite_tf32_away(a))

/* ---- table ---- */

enum ftz { FTZ_NO, FTZ_YES, FTZ_ANY };

static const struct {
	enum type d, s;
	uint8_t d_bytes, s_bytes;  /* bytes of the registers */
	uint8_t integral_rounding; /* INTEGRAL_... */
	enum ftz ftz;              /* .ftz is absent, present, or without effect */
	op_fn *fn;
} conversions[] = {
	{T_U64, T_U32, 8, 4, INTEGRAL_NO, FTZ_NO, u64_u32},
	{T_S64, T_U32, 8, 4, INTEGRAL_NO, FTZ_NO, u64_u32},
	{T_U64, T_S32, 8, 4, INTEGRAL_NO, FTZ_NO, s64_s32},
	{T_S64, T_S32, 8, 4, INTEGRAL_NO, FTZ_NO, s64_s32},
	{T_U32, T_U64, 4, 8, INTEGRAL_NO, FTZ_NO, u32_u64},
	{T_S32, T_U64, 4, 8, INTEGRAL_NO, FTZ_NO, u32_u64},
	{T_U32, T_S64, 4, 8, INTEGRAL_NO, FTZ_NO, u32_u64},
	{T_S32, T_S64, 4, 8, INTEGRAL_NO, FTZ_NO, u32_u64},
	{T_U32, T_U16, 4, 2, INTEGRAL_NO, FTZ_NO, u32_u16},
	{T_S32, T_U16, 4, 2, INTEGRAL_NO, FTZ_NO, u32_u16},
	{T_U32, T_S16, 4, 2, INTEGRAL_NO, FTZ_NO, s32_s16},
	{T_S32, T_S16, 4, 2, INTEGRAL_NO, FTZ_NO, s32_s16},
	{T_U16, T_U32, 2, 4, INTEGRAL_NO, FTZ_NO, u16_u32},
	{T_S16, T_U32, 2, 4, INTEGRAL_NO, FTZ_NO, u16_u32},
	{T_U16, T_S32, 2, 4, INTEGRAL_NO, FTZ_NO, u16_u32},
	{T_S16, T_S32, 2, 4, INTEGRAL_NO, FTZ_NO, u16_u32},
	{T_U32, T_U8, 4, 2, INTEGRAL_NO, FTZ_NO, u32_u8},
	{T_S32, T_U8, 4, 2, INTEGRAL_NO, FTZ_NO, u32_u8},
	{T_U32, T_S8, 4, 2, INTEGRAL_NO, FTZ_NO, s32_s8},
	{T_S32, T_S8, 4, 2, INTEGRAL_NO, FTZ_NO, s32_s8},
	{T_U16, T_U8, 2, 2, INTEGRAL_NO, FTZ_NO, u16_u8},
	{T_S16, T_U8, 2, 2, INTEGRAL_NO, FTZ_NO, u16_u8},
	{T_U16, T_S8, 2, 2, INTEGRAL_NO, FTZ_NO, s16_s8},
	{T_S16, T_S8, 2, 2, INTEGRAL_NO, FTZ_NO, s16_s8},
	{T_U8, T_U32, 2, 4, INTEGRAL_NO, FTZ_NO, u8_u32},
	{T_F32, T_S32, 4, 4, INTEGRAL_NO, FTZ_ANY, f32_s32},
	{T_F32, T_U32, 4, 4, INTEGRAL_NO, FTZ_ANY, f32_u32},
	{T_F32, T_S64, 4, 8, INTEGRAL_NO, FTZ_ANY, f32_s64},
	{T_F32, T_U64, 4, 8, INTEGRAL_NO, FTZ_ANY, f32_u64},
	{T_F32, T_U8, 4, 2, INTEGRAL_NO, FTZ_ANY, f32_u8},
	{T_F64, T_S32, 8, 4, INTEGRAL_NO, FTZ_NO, f64_s32},
	{T_F64, T_U32, 8, 4, INTEGRAL_NO, FTZ_NO, f64_u32},
	{T_F64, T_S64, 8, 8, INTEGRAL_NO, FTZ_NO, f64_s64},
	{T_F64, T_U64, 8, 8, INTEGRAL_NO, FTZ_NO, f64_u64},
	{T_S32, T_F32, 4, 4, INTEGRAL_RZ, FTZ_ANY, rz_s32_f32},
	{T_U32, T_F32, 4, 4, INTEGRAL_RZ, FTZ_ANY, rz_u32_f32},
	{T_S32, T_F32, 4, 4, INTEGRAL_RN, FTZ_ANY, rn_s32_f32},
	{T_S32, T_F32, 4, 4, INTEGRAL_RM, FTZ_NO, rm_s32_f32},
	{T_S32, T_F32, 4, 4, INTEGRAL_RP, FTZ_NO, rp_s32_f32},
	{T_S32, T_F64, 4, 8, INTEGRAL_RZ, FTZ_NO, rz_s32_f64},
	{T_U32, T_F64, 4, 8, INTEGRAL_RZ, FTZ_NO, rz_u32_f64},
	{T_F64, T_F32, 8, 4, INTEGRAL_NO, FTZ_NO, f64_f32},
	{T_F32, T_F64, 4, 8, INTEGRAL_NO, FTZ_NO, f32_f64},
	{T_F32, T_F32, 4, 4, INTEGRAL_RN, FTZ_ANY, rn_f32},
	{T_F32, T_F32, 4, 4, INTEGRAL_RZ, FTZ_ANY, rz_f32},
	{T_F32, T_F32, 4, 4, INTEGRAL_RM, FTZ_NO, rm_f32},
	{T_F32, T_F32, 4, 4, INTEGRAL_RP, FTZ_NO, rp_f32},
	{T_F32, T_F32, 4, 4, INTEGRAL_RM, FTZ_YES, rm_ftz_f32},
	{T_F32, T_F32, 4, 4, INTEGRAL_RP, FTZ_YES, rp_ftz_f32},
	{T_F32, T_F16, 4, 2, INTEGRAL_NO, FTZ_ANY, f32_f16},
	{T_F32, T_BF16, 4, 2, INTEGRAL_NO, FTZ_NO, f32_bf16},
	{T_F16, T_F32, 2, 4, INTEGRAL_NO, FTZ_NO, f16_f32},
	{T_BF16, T_F32, 2, 4, INTEGRAL_NO, FTZ_NO, bf16_f32},
};

op_fn *cvt_vector_function(const struct cvt *c)
{
	if (c->round == ROUND_RNA && c->to_type == T_TF32 && c->d_bytes == 4 && c->s_bytes == 4)
		return c->satfinite ? tf32_away_finite : tf32_away;
	if (c->sat || c->relu || c->satfinite || c->round != ROUND_RN)
		return NULL;
	for (unsigned i = 0; i < sizeof(conversions) / sizeof(conversions[0]); i++)
		if (conversions[i].d == c->to_type && conversions[i].s == c->from_type &&
			conversions[i].d_bytes == c->d_bytes && conversions[i].s_bytes == c->s_bytes &&
			conversions[i].integral_rounding == c->integral_rounding &&
			(conversions[i].ftz == FTZ_ANY || (conversions[i].ftz == FTZ_YES) == c->ftz))
			return conversions[i].fn;
	return NULL;
}
