/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrix products of a warpgroup (HGMMA, IGMMA, QGMMA, BGMMA): the work of one instruction, from the text of its
 * opcode and from its registers (HOPPER-gmma).
 */
#ifndef GMMA_H
#define GMMA_H

#include "inst.h"

#define GMMA_WARPS 4u /* warps of a warpgroup */

struct gmma {
	uint32_t n;        /* columns of the result */
	uint32_t products; /* multiply-adds of 16-bit values that take as long, for each of the four warps */
	uint32_t a_bytes;  /* bytes of the 64 rows of A */
	uint32_t b_bytes;
};

/* Sets *g from an opcode with a shape 64xNxK; returns false if there is none of the chip's. */
bool gmma_shape(struct gmma *g, const char *opcode);
/* Number of the source that is the first register of A; -1: A is in shared memory. */
int gmma_a_source(const struct inst *in);
/* Cycles in which shared memory delivers the operands, `bytes` bytes a cycle. */
uint32_t gmma_read_cycles(const struct gmma *g, bool a_shared, uint32_t bytes);
/* Cycles of the tensor cores at `rate` multiply-adds of 16-bit values in a cycle of one of them. */
uint32_t gmma_product_cycles(const struct gmma *g, uint32_t rate);

#endif
