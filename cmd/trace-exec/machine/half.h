/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion between f16 or bf16 and double, without tables: bit operations that compilers inline. */
#ifndef MACHINE_HALF_H
#define MACHINE_HALF_H

#include "machine/code.h"

/* Returns v rounded to nearest even in a format with `man` bits of mantissa and exponent bias `bias`. */
static inline u32 half_round(double v, unsigned man, int bias)
{
	u64 u = ieee_f64_bits(v), mag = u & ~(1ull << 63);
	u32 sign = (u32)(u >> 63) << 15, infinity = (2u * (unsigned)bias + 1) << man;
	int e = (int)(mag >> 52) - 1023;
	unsigned cut = 52 - man;
	u64 x, r;

	if (mag > 0x7ffull << 52)
		return 0x7fff;
	if (e > bias)
		return sign | infinity;
	if (e < 1 - bias) {
		int more = 1 - bias - e;

		if (more + (int)cut > 60)
			return sign;
		cut += (unsigned)more;
		x = (mag & ((1ull << 52) - 1)) | 1ull << 52;
	} else {
		x = mag - ((u64)(1023 - bias) << 52);
	}
	r = (x + (1ull << (cut - 1)) - 1 + (x >> cut & 1)) >> cut;
	return sign | (r > infinity ? infinity : (u32)r);
}

static inline double half_expand(u32 h)
{
	u32 e = h >> 10 & 31, f = h & 0x3ff, sign = (h & 0x8000) << 16;
	float v;

	if (e == 31)
		v = ieee_f32(0x7f800000 | f << 13);
	else if (e)
		v = ieee_f32((e + 112) << 23 | f << 13);
	else
		v = (float)f * 0x1p-24f;
	return (double)ieee_f32(ieee_f32_bits(v) | sign);
}

static inline double half_to_double(u32 h, bool bf16)
{
	return bf16 ? (double)ieee_f32((h & 0xffff) << 16) : half_expand(h);
}
static inline u32 half_from_double(double v, bool bf16)
{
	return bf16 ? half_round(v, 7, 127) : half_round(v, 10, 15);
}

#endif
