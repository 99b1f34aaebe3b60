/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversions between floating-point numbers of 32 and 64 bits and their bits. They keep every bit, even of a NaN.
 * Numbers of 16 bits and fewer are in small.h.
 */
#ifndef TRACE_PTX_IEEE_H
#define TRACE_PTX_IEEE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float ieee_f32(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t ieee_f32_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Returns v. If v is a NaN, returns the canonical NaN, which is the result of instructions on 32 bits. */
static inline float ieee_canonical_f32(float v) { return v == v ? v : ieee_f32(0x7fffffff); }

/* Returns the bits of a number of 32 bits. If ftz is set, a subnormal number becomes a zero of the same sign. */
static inline uint32_t ieee_flush_f32_bits(uint32_t v, bool ftz)
{
	return ftz && !(v & 0x7f800000) ? v & 0x80000000 : v;
}

static inline double ieee_f64(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static inline uint64_t ieee_f64_bits(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/*
 * Return a + b, a * b and a * b + c. If several operands are NaNs, the result is the first of them made quiet, whatever
 * instructions the host has: C lets a compiler exchange operands.
 */
static inline double ieee_add_f64(double a, double b) { return a != a ? a + a : a + b; }
static inline double ieee_mul_f64(double a, double b) { return a != a ? a + a : a * b; }
static inline double ieee_fma_f64(double a, double b, double c)
{
	double nan = a != a ? a : b != b ? b : c;

	return nan != nan ? nan + nan : __builtin_fma(a, b, c);
}

/* Returns a number of f16 as f32: the fraction of a subnormal number counts units of 2^-24. NaN is 0x7fffffff. */
static inline uint32_t ieee_f32_bits_of_f16(uint32_t h)
{
	uint32_t magnitude = h & 0x7fff, sign = (h & 0x8000) << 16;
	uint32_t normal = (magnitude << 13) + (112u << 23);
	uint32_t small = ieee_f32_bits((float)(int32_t)magnitude * 0x1p-24f);

	return magnitude > 0x7c00    ? 0x7fffffffu
	       : magnitude == 0x7c00 ? sign | 0x7f800000
				     : sign | (magnitude < 0x400 ? small : normal);
}

/*
 * Returns a number of f32 as f16, rounded to nearest even, NaN as 0x7fff. The sum with 0.5 rounds a number that is
 * subnormal in f16 to units of 2^-24.
 */
static inline uint16_t ieee_f16_of_f32(float v)
{
	uint32_t bits = ieee_f32_bits(v), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
	uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
	uint32_t small = ieee_f32_bits(ieee_f32(magnitude) + 0.5f) - 0x3f000000;

	return (uint16_t)(magnitude > 0x7f800000    ? 0x7fff
			  : magnitude >= 0x47800000 ? sign | 0x7c00
						    : sign | (magnitude < 0x38800000 ? small : normal));
}

/* Returns a number of f32 as bf16, rounded to nearest even, NaN as 0x7fff. */
static inline uint16_t ieee_bf16_of_f32(float v)
{
	uint32_t bits = ieee_f32_bits(v);

	return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff
							   : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
