/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Narrow floating-point formats: f16, bf16, tf32, formats of 8, 6 and 4 bits, and the scales ue8m0; conversions
 * from and to double.
 *
 * Always true: a double that is a sum or product of such numbers, or that was rounded to odd, is converted
 * correctly in every rounding mode. e4m3 has no infinities: too large a value becomes its greatest number or its
 * only NaN. Formats of 6 and 4 bits have neither infinities nor NaN: an infinity becomes the greatest number of
 * its sign, a NaN the greatest positive number. A scale is a power of two; the sign of its source is ignored.
 */
#include <math.h>
#include <string.h>
#include "lang/ieee.h"
#include "lang/small.h"

struct format {
	int exponent_bits, mantissa_bits;
	uint32_t greatest, infinity, nan; /* bit patterns of these positive values */
};
static const struct format format[N_SMALL] = {
	[SMALL_F16] = {5, 10, 0x7bff, 0x7c00, 0x7fff},
	[SMALL_BF16] = {8, 7, 0x7f7f, 0x7f80, 0x7fff},
	[SMALL_TF32] = {8, 10, 0x3fbff, 0x3fc00, 0x3ffff},
	[SMALL_E4M3] = {4, 3, 0x7e, 0x7f, 0x7f},
	[SMALL_E5M2] = {5, 2, 0x7b, 0x7c, 0x7f},
	[SMALL_E2M1] = {2, 1, 0x07, 0x07, 0x07},
	[SMALL_E2M3] = {2, 3, 0x1f, 0x1f, 0x1f},
	[SMALL_E3M2] = {3, 2, 0x1f, 0x1f, 0x1f},
	[SMALL_UE8M0] = {8, 0, 0xfe, 0xff, 0xff},
};

static bool does_round_up(double whole, double rest, const struct rounds *r, bool negative)
{
	switch (r->rounding) {
	case ROUND_RN: return rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0);
	case ROUND_RNA: return rest >= 0.5;
	case ROUND_RP: return rest > 0 && !negative;
	case ROUND_RM: return rest > 0 && negative;
	case ROUND_RS: return floor(ldexp(rest, (int)r->bits)) + r->random >= ldexp(1, (int)r->bits);
	default: return false;
	}
}

/* Returns |v| as a scale, the exponent of a power of two, rounded up (`up`) or down. */
static uint32_t scale_of_value(double v, bool up, bool saturate)
{
	int exponent;
	double part = frexp(fabs(v), &exponent); /* mantissa in [1/2, 1) */

	if (v != v)
		return format[SMALL_UE8M0].nan;
	exponent += 126 + (up && part > 0.5);
	if (isinf(v) || exponent > 254)
		return saturate ? format[SMALL_UE8M0].greatest : format[SMALL_UE8M0].infinity;
	return v == 0 || exponent < 0 ? 0 : (uint32_t)exponent;
}

uint32_t small_round(double v, enum small f, const struct rounds *r, bool saturate)
{
	int e = format[f].exponent_bits, n = format[f].mantissa_bits, bias = (1 << (e - 1)) - 1, exponent;
	bool negative = signbit(v);
	uint32_t sign = (uint32_t)negative << (e + n), bits;
	uint32_t beyond = saturate ? format[f].greatest : format[f].infinity;
	double a = fabs(v), scaled, whole;

	if (f == SMALL_UE8M0)
		return scale_of_value(v, r->rounding == ROUND_RP, saturate);
	if (v != v)
		return format[f].nan;
	if (isinf(v))
		return sign | beyond;
	frexp(a, &exponent);
	/* A subnormal number has the least exponent. */
	exponent = a == 0 || exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
	scaled = ldexp(a, n - exponent);
	whole = floor(scaled);
	whole += does_round_up(whole, scaled - whole, r, negative);
	if (whole >= ldexp(1, n + 1)) {
		whole /= 2;
		exponent++;
	}
	bits = (uint32_t)whole;
	if (bits >> n)
		bits = (bits & ((1u << n) - 1)) | (uint32_t)(exponent + bias) << n;
	if (bits <= format[f].greatest)
		return sign | bits;
	return sign | (r->rounding == ROUND_RZ || r->rounding == (negative ? ROUND_RP : ROUND_RM)
				      ? format[f].greatest
				      : beyond);
}

uint32_t small_of_double(double v, enum small f, enum rounding r, bool saturate)
{
	return small_round(v, f, &(struct rounds){.rounding = r}, saturate);
}

double small_value(uint32_t bits, enum small f)
{
	int e = format[f].exponent_bits, n = format[f].mantissa_bits, bias = (1 << (e - 1)) - 1;
	uint32_t man = bits & ((1u << n) - 1), exp = bits >> n & ((1u << e) - 1);
	double v;

	if (f == SMALL_UE8M0)
		return exp == format[f].nan ? (double)NAN : ldexp(1, (int)exp - bias);
	if ((exp << n | man) > format[f].greatest)
		v = (exp << n | man) == format[f].infinity && !man ? (double)INFINITY : (double)NAN;
	else
		v = ldexp((double)(exp ? man | 1u << n : man), (exp ? (int)exp : 1) - bias - n);
	return bits >> (e + n) & 1 ? -v : v;
}

double small_fma_to_odd(double a, double b, double c)
{
	double p = a * b, s = p + c, t = s - p, err = (p - (s - t)) + (c - t);
	uint64_t u;

	if (err == 0 || !isfinite(s))
		return s;
	u = ieee_f64_bits(s);
	return u & 1 ? s : ieee_f64((err > 0) == (s > 0) ? u + 1 : u - 1);
}
