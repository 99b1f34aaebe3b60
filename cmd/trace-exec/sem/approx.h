/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the special function unit, for PTX and machine code. They return the correctly rounded result, whose
 * error is within the documented bounds, because the tables of GPUs are not known.
 */
#ifndef APPROX_H
#define APPROX_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include "lang/ieee.h"

static inline float approx_ex2(float v) { return exp2f(v); }
static inline float approx_lg2(float v) { return log2f(v); }
static inline float approx_rcp(float v) { return 1 / v; }
static inline float approx_rsqrt(float v) { return (float)(1 / sqrt((double)v)); }
static inline float approx_sqrt(float v) { return sqrtf(v); }
static inline float approx_tanh(float v) { return tanhf(v); }

/* Returns v, or 0 with the sign of v if v is subnormal. */
static inline float approx_flush(float v) { return fabsf(v) < FLT_MIN ? copysignf(0, v) : v; }

/* Returns remainder(v, 1), which takes 17 times as many instructions: the subtraction is exact. */
static inline double approx_part_of_turn(double v)
{
	double r = v - rint(v);

	return r == 0 ? copysign(r, v) : r;
}

/*
 * Return the sine and cosine of v turns. The reduction is exact: whole turns have the sine 0. A subnormal v is treated
 * as 0 with and without .ftz, because the compiler emits the same instructions for both.
 */
static inline float approx_sin_turns(float v)
{
	v = approx_flush(v);
	return (float)sin(6.28318530717958647692 * approx_part_of_turn((double)v));
}
static inline float approx_cos_turns(float v)
{
	return (float)cos(6.28318530717958647692 * approx_part_of_turn((double)v));
}

/* Returns v / 2 pi rounded towards 0, as compiled code computes it before the special function. */
static inline float approx_turns(float v)
{
	double exact = (double)v * (double)0x1.45f306p-3f;
	float f = (float)exact;

	return fabs((double)f) > fabs(exact) && !isinf(v) ? nextafterf(f, 0) : f;
}
static inline float approx_sin(float v) { return approx_sin_turns(approx_turns(v)); }
static inline float approx_cos(float v) { return approx_cos_turns(approx_turns(v)); }

/*
 * Returns 1 / v (root: 1 / sqrt(v)), rounded to the upper 32 bits of a double. v is a double with the upper 32 bits of
 * `bits`; a subnormal v is treated as 0.
 */
static inline uint64_t approx_upper_inverse(uint64_t bits, bool root)
{
	double v = ieee_f64(bits & ~0xffffffffull);

	v = fabs(v) < DBL_MIN ? copysign(0, v) : v;
	v = 1 / (root ? sqrt(v) : v);
	if (v != v)
		return 0x7fffffffull << 32;
	v = fabs(v) < DBL_MIN ? copysign(0, v) : v;
	return (ieee_f64_bits(v) + (1u << 31)) & ~0xffffffffull;
}

/*
 * Returns 1 / sqrt(v) as compiled code computes it: the special function gives the upper 32 bits, a polynomial the
 * rest.
 */
static inline double approx_rsqrt_f64(double v)
{
	bool small = v < DBL_MIN;

	if (!(v > 0) || isinf(v))
		return 1 / sqrt(v);
	v *= small ? 0x1p54 : 1;
	double r = ieee_f64(approx_upper_inverse(ieee_f64_bits(v), true));
	double error = fma(v, -(r * r), 1);

	r = fma(fma(error, 0.375, 0.5), r * error, r);
	return r * (small ? 0x1p27 : 1);
}

#endif
