/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversions between floating-point numbers of 32 and 64 bits and their bits. They keep every bit, even of a
 * NaN; instructions that return a canonical NaN set it themselves. Numbers of 16 bits and fewer are in small.h.
 */
#ifndef TRACE_PTX_IEEE_H
#define TRACE_PTX_IEEE_H

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

#endif
