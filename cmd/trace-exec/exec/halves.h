/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums, products and fused products of f16 or bf16 numbers in all lanes at once. */
#ifndef HALVES_H
#define HALVES_H

#include "exec/exec.h"

#define EXPONENT_BIAS (112u << 23) /* difference of the biases of f32 and f16, in the bits of an f32 */
#define LEAST_NORMAL  (113u << 23) /* the least normal f16 as an f32 */

enum halves_op { HALVES_ADD, HALVES_MUL, HALVES_FMA };

/* Place of a number in a register, and changes of its bits. */
struct half_source {
	uint8_t shift; /* 0 or 16 */
	uint16_t keep; /* bits to keep */
	uint16_t flip; /* bits to invert afterwards */
};

/*
 * Computes a number of 16 bits for each lane, rounded once to nearest even, NaN as 0x7fff. c is unused by HALVES_ADD,
 * which adds a and b, and by HALVES_MUL. Returns false if a result may be subnormal in bf16; then d is undefined.
 */
bool halves_compute(uint32_t *d, enum halves_op op, bool bf16, const uint32_t *const source[3],
	const struct half_source how[3]);

#endif
