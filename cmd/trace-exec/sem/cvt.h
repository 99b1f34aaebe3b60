/* SPDX-License-Identifier: BSD-2-Clause */
/* A conversion between two scalar types, and functions that convert all lanes at once. */
#ifndef CVT_H
#define CVT_H

#include "sem/sem.h"

struct cvt {
	enum type to_type;   /* type of the destination */
	enum type from_type; /* type of the source */
	uint8_t d_bytes;     /* bytes of the register of the destination */
	uint8_t s_bytes;     /* bytes of the register of the source */
	bool sat, ftz, relu, satfinite;
	enum rounding round;
	uint8_t integral_rounding; /* rounding to a whole number: INTEGRAL_... */
};
enum { INTEGRAL_NO, INTEGRAL_RN, INTEGRAL_RZ, INTEGRAL_RM, INTEGRAL_RP };

/* Returns the function that executes a common conversion for all lanes at once; NULL if there is none. */
op_fn *cvt_vector_function(const struct cvt *c);

/*
 * Return a number of f32 as tf32, rounded to nearest with ties away from zero. Compiled code adds half of the last
 * place to finite numbers only, so a NaN loses its low bits, and one without other bits becomes an infinity.
 */
static inline u32 cvt_tf32_away(u32 a) { return ((a & 0x7fffffff) < 0x7f800000 ? a + 0x1000 : a) & ~0x1fffu; }
static inline u32 cvt_finite_tf32_away(u32 a)
{
	u32 r = cvt_tf32_away(a);

	return (r & 0x7fffffff) < 0x7f800000 ? r : r - 0x2000;
}

/* Return a number as an integer, limited to its range. NaN is 0 if the source is f32, and 1 << 31 if it is f64. */
static inline s32 cvt_limit_f32_to_s32(float v)
{
	return v != v ? 0 : v <= -0x1p31f ? INT32_MIN : v >= 0x1p31f ? INT32_MAX : (s32)v;
}
static inline u32 cvt_limit_f32_to_u32(float v) { return !(v > 0) ? 0 : v >= 0x1p32f ? UINT32_MAX : (u32)v; }
static inline s32 cvt_limit_f64_to_s32(double v)
{
	return !(v > -0x1p31) ? INT32_MIN : v >= 0x1p31 ? INT32_MAX : (s32)v;
}
static inline u32 cvt_limit_f64_to_u32(double v)
{
	return v != v ? 1u << 31 : v <= 0 ? 0 : v >= 0x1p32 ? UINT32_MAX : (u32)v;
}

#endif
