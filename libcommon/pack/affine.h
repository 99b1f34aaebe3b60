/* SPDX-License-Identifier: BSD-2-Clause */
/* Affine recipes: a pattern of lanes upon a base that follows from warp and thread block. For fit.c. */
#ifndef PACK_AFFINE_H
#define PACK_AFFINE_H

#include "format.h"

#define SHAPES 64u /* executions kept for affine bases */

/* An execution: where it ran, its lanes and their addresses. */
struct shape {
	uint32_t warp, block[3], mask;
	uint64_t a[32];
};

/* Addresses by lane from the first on; the lanes that a shape leaves open continue its last step. */
void affine_pattern(const struct shape *s, int64_t pattern[32]);
/*
 * Steps for each coordinate and the constant into r, for at most SHAPES shapes; how many of them it explains.
 */
uint32_t affine_fit(
	const struct shape *shape, uint32_t n_shapes, const int64_t pattern[32], struct recipe *r);
/* Number of the pattern among the part's, new or not. */
uint32_t affine_keep(struct pcode *c, const int64_t pattern[32]);

#endif
