/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --as sass: kernels that were executed as PTX, traced as the machine code that they would roughly become.
 *
 *   lower.def  what instructions become             rows.c    its rows: which one fits, its steps
 *   values.c   what needs no instruction            select.c  a kernel's code, step by step
 *   widen.c    loads that become one                live.c    registers by first and last use
 *   code.c     the trace's header and lines
 *
 * An assembler's simplest work is done: parameters and constants are operands, addresses take what is added
 * to them, copies and conversions of pointers vanish, a product and a sum become one, adjacent words of shared
 * memory are loaded at once. The rest of its work is left out: no
 * instruction changes its place, no loop is unrolled, nothing is kept uniform, nothing is spilled.
 *
 * Always true: the code follows from the PTX and the binary version alone; an instruction has at most one
 * destination and four sources; registers are R0, R2 and so on to R254, R1 being the stack's.
 */
#ifndef LOWER_H
#define LOWER_H

#include "exec/exec.h"

/* Binary versions that lower.def has rows for. */
#define LOWER_FIRST 60u
#define LOWER_LAST  120u

struct lower;

/* The code of a kernel (its number in c->prog->func) and all it may call. NULL and *f: an instruction that the GPU
 * lacks, too many registers. The caller frees it; it refers to c. */
struct lower *lower_kernel(const struct bound_code *c, uint32_t kernel, unsigned binary, struct fault *f);
void lower_free(struct lower *l);

/* The header of g's trace, with g->lower. */
void lower_header(FILE *out, const struct grid *g, const struct occupancy *k);
/* The lines of PTX instruction pc, with the addresses of its access made last. */
record_fn lower_record;

/* ---- for tests: the table ---- */

/* Calls f for each opcode of each row of a binary version, as the trace has it but for its width. */
void lower_each_opcode(
	unsigned binary, void (*f)(void *ctx, const char *words, const char *opcode), void *ctx);

#endif
