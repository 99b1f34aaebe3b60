/* SPDX-License-Identifier: BSD-2-Clause */
/* Narrow floating-point formats of initial values and instructions. */
#ifndef SMALL_H
#define SMALL_H

#include <stdbool.h>
#include <stdint.h>

enum small {
	SMALL_F16,
	SMALL_BF16,
	SMALL_TF32,
	SMALL_E4M3,
	SMALL_E5M2,
	SMALL_E2M1,
	SMALL_E2M3,
	SMALL_E3M2,
	SMALL_UE8M0,
	N_SMALL
};
enum rounding { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA, ROUND_RS };
struct rounds {
	enum rounding rounding;
	uint32_t random; /* ROUND_RS: added to the first `bits` discarded bits; a carry rounds away from 0 */
	uint32_t bits;   /* ROUND_RS: number of random bits */
};
/* Returns the bits of v in the format. saturate: the greatest finite value instead of infinity (e4m3 always). */
uint32_t small_round(double v, enum small f, const struct rounds *r, bool saturate);
uint32_t small_of_double(double v, enum small f, enum rounding r, bool saturate);
double small_value(uint32_t bits, enum small f);
/*
 * Returns a * b + c rounded to odd in 53 bits, so that a second rounding to fewer bits is correct in every
 * mode.
 */
double small_fma_to_odd(double a, double b, double c);

#endif
