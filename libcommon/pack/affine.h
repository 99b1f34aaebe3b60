/* SPDX-License-Identifier: BSD-2-Clause */
/* Affine recipes: a pattern of lanes plus a base that depends on warp and thread block. fit.c uses them. */
#ifndef PACK_AFFINE_H
#define PACK_AFFINE_H

#include "addr.h"

#define SHAPES 64u /* number of executions from which affine bases are derived */

/* An execution of a memory instruction: its warp and thread block, its lanes and their addresses. */
struct shape {
	uint32_t warp, block[3];  /* number of the warp, thread block, and active lanes */
	struct recorded recorded; /* addresses by lane */
};

/*
 * Sets the pattern to the addresses by lane, relative to the first one. Inactive lanes continue the last step of the
 * shape.
 */
void affine_pattern(const struct shape *s, int64_t pattern[32]);
/*
 * Sets the steps and the constant of r from at most SHAPES shapes. Returns the number of shapes to which r applies.
 */
uint32_t affine_fit(
	const struct shape *shape, uint32_t n_shapes, const int64_t pattern[32], struct recipe *r);
/* Returns the number of the pattern in the part. Adds the pattern if it is new. */
uint32_t affine_intern_pattern(struct pcode *c, const int64_t pattern[32]);

#endif
