/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrix products of a warpgroup (HGMMA, IGMMA, QGMMA, BGMMA): the work of one instruction, from the text of its
 * opcode and its registers (HOPPER-gmma).
 */
#ifndef GMMA_H
#define GMMA_H

#include "inst.h"

#define GMMA_WARPS 4u /* number of warps of a warpgroup */

struct gmma {
	uint32_t n;        /* number of columns of the result */
	uint32_t products; /* multiply-adds per warp, counted as 16-bit ones of equal duration */
	uint32_t a_bytes;  /* size of the 64 rows of A in bytes */
	uint32_t b_bytes;  /* bytes of B */
};

/* Sets *g from an opcode with a shape 64xNxK. Returns false if the opcode has no shape that Hopper supports. */
bool gmma_shape(struct gmma *g, const char *opcode);
/* Returns the index of the source register at which A begins; -1 if A is in shared memory. */
int gmma_a_source(const struct inst *in);
/* Returns the number of cycles in which shared memory delivers the operands at `bytes` bytes per cycle. */
uint32_t gmma_read_cycles(const struct gmma *g, bool a_shared, uint32_t bytes);
/* Returns the number of cycles that the tensor cores need if each does `rate` 16-bit multiply-adds per cycle. */
uint32_t gmma_product_cycles(const struct gmma *g, uint32_t rate);

#endif
