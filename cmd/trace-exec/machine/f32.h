/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of f32 as machine code has them. */
#ifndef MACHINE_F32_H
#define MACHINE_F32_H

#include <stdbool.h>
#include <stdint.h>

/* Returns v, or the NaN of results if v is a NaN. */
static inline float canonical_f32(float v)
{
	union {
		uint32_t u;
		float f;
	} nan = {.u = 0x7fffffff};

	return v == v ? v : nan.f;
}

/* Returns the bits of an f32. With ftz, a subnormal number becomes zero with its sign. */
static inline uint32_t flush_bits(uint32_t v, bool ftz)
{
	return ftz && !(v & 0x7f800000) ? v & 0x80000000 : v;
}

#endif
