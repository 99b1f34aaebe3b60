/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Approximations of the special function unit, for PTX and machine code alike: the correctly rounded result, whose
 * error is within the documented bounds. The bits of the tables of GPUs are not known.
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

/*
 * Returns the upper 32 bits of 1 / v (root: 1 / sqrt(v)), v being the upper 32 bits of a double. flush: a subnormal v
 * counts as 0.
 */
static inline uint64_t approx_upper_inverse(uint64_t bits, bool root, bool flush)
{
	double v = ieee_f64(bits & ~0xffffffffull);

	v = flush && fabs(v) < DBL_MIN ? copysign(0, v) : v;
	v = 1 / (root ? sqrt(v) : v);
	if (bits << 1 > 0x7ffull << 53 || v != v)
		return 0x7fffffffull << 32;
	v = fabs(v) < DBL_MIN ? copysign(0, v) : v;
	return (ieee_f64_bits(v) + (1u << 31)) & ~0xffffffffull;
}

#endif
