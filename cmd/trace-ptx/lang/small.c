/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of few bits: f16, bf16, tf32, e4m3, e5m2, from doubles and back.
 *
 * Always true: a double that is a sum or product of such numbers, or was rounded to odd, gives the right
 * result in every rounding. e4m3 has no infinities: what is too large becomes its greatest number or its only
 * NaN.
 */
#include <math.h>
#include <string.h>
#include "lang/ieee.h"
#include "lang/small.h"

struct format {
	int exp_bits, man_bits;
};
static const struct format format[N_SMALL] = {
	[SMALL_F16] = {5, 10},
	[SMALL_BF16] = {8, 7},
	[SMALL_TF32] = {8, 10},
	[SMALL_E4M3] = {4, 3},
	[SMALL_E5M2] = {5, 2},
};

static uint32_t greatest(enum small f)
{
	int e = format[f].exp_bits, n = format[f].man_bits;

	return f == SMALL_E4M3                  ? 0x7e
	       : ((1u << e) - 1) << n << 0 >> 0 ? (((1u << e) - 2) << n) | ((1u << n) - 1)
						: 0;
}

static uint32_t overflow(enum small f, enum rounding r, bool negative, bool saturate)
{
	int e = format[f].exp_bits, n = format[f].man_bits;
	bool away = r == ROUND_RN || r == ROUND_RNA || (r == ROUND_RP && !negative) ||
		    (r == ROUND_RM && negative);

	return saturate || !away ? greatest(f) : f == SMALL_E4M3 ? 0x7f : ((1u << e) - 1) << n;
}

uint32_t small_from(double v, enum small f, enum rounding r, bool saturate)
{
	int e = format[f].exp_bits, n = format[f].man_bits, bias = (1 << (e - 1)) - 1, exponent;
	bool negative = signbit(v);
	uint32_t sign = (uint32_t)negative << (e + n), bits;
	double a = fabs(v), scaled, whole, rest;

	if (v != v)
		return f == SMALL_TF32 ? 0x7fffffffu >> 13 : (1u << (e + n)) - 1;
	if (isinf(v))
		return sign | (saturate ? greatest(f) : f == SMALL_E4M3 ? 0x7f : ((1u << e) - 1) << n);
	frexp(a, &exponent);
	exponent =
		a == 0 || exponent - 1 < 1 - bias ? 1 - bias : exponent - 1; /* of the last place's number */
	scaled = ldexp(a, n - exponent);
	whole = floor(scaled);
	rest = scaled - whole;
	bool up = r == ROUND_RN    ? rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0)
		  : r == ROUND_RNA ? rest >= 0.5
		  : r == ROUND_RP  ? rest > 0 && !negative
		  : r == ROUND_RM  ? rest > 0 && negative
				   : false;
	whole += up;
	if (whole >= ldexp(1, n + 1)) {
		whole /= 2;
		exponent++;
	}
	if (exponent > bias + (f == SMALL_E4M3))
		return sign | overflow(f, r, negative, saturate);
	bits = (uint32_t)whole;
	if (bits >> n)
		bits = (bits & ((1u << n) - 1)) | (uint32_t)(exponent + bias) << n;
	if (f == SMALL_E4M3 && bits > 0x7e)
		return sign | overflow(f, r, negative, saturate);
	return sign | bits;
}

double small_value(uint32_t bits, enum small f)
{
	int e = format[f].exp_bits, n = format[f].man_bits, bias = (1 << (e - 1)) - 1;
	uint32_t man = bits & ((1u << n) - 1), exp = bits >> n & ((1u << e) - 1);
	double v;

	if (exp == (1u << e) - 1 && (f != SMALL_E4M3 || man == 7))
		v = man ? (double)NAN : (double)INFINITY;
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
