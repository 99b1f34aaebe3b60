/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option --as sass: traces kernels, executed as PTX, as approximate machine code.
 *
 *   lower.def  sequences of machine instructions    rows.c    search and steps of its rows
 *   values.c   PTX without machine code, fusion     select.c  code selection
 *   widen.c    widening of shared loads             live.c    register allocation
 *   code.c     header and lines of the trace        async.c   columns of asynchronous instructions
 *
 * Only the simplest optimisations of an assembler are done: parameters and constants are operands, constant
 * sums are folded into addresses, copies and conversions of pointers are dropped, a product and a sum are fused,
 * and adjacent words of shared memory are loaded at once. Instructions are not reordered, loops not unrolled,
 * registers not spilled, and uniform registers not used.
 *
 * Always true: the code depends only on the PTX and the binary version. An instruction has at most one
 * destination and four sources. Registers are R0 and R2 to R254; R1 is the stack pointer.
 */
#ifndef LOWER_H
#define LOWER_H

#include "exec/exec.h"

/* Binary versions that lower.def has rows for. */
#define LOWER_FIRST 60u
#define LOWER_LAST  120u

struct lower;

/*
 * Returns the code of a kernel (a number in c->prog->func) and of all functions that it may call. Returns NULL
 * with *f set if the GPU lacks an instruction or has too few registers. The caller frees the result, which
 * refers to c.
 */
struct lower *lower_kernel(const struct bound_code *c, uint32_t kernel, unsigned binary, struct fault *f);
void lower_free(struct lower *l);

/* Prints the header of g's trace. g->lower must be set. */
void lower_write_header(FILE *out, const struct grid *g, const struct occupancy *k);
/* Prints the lines about a block's place in its cluster, for kernels with asynchronous instructions. */
void lower_write_block(FILE *out, const struct cta *c);
/* Records the lines of PTX instruction pc, with the addresses of its latest access. */
record_fn lower_write_record;

/* ---- table for tests ---- */

/* Calls f for each opcode of each row of a binary version, with its placeholders (% and @). */
void lower_each_opcode(
	unsigned binary, void (*f)(void *ctx, const char *words, const char *opcode), void *ctx);

#endif
