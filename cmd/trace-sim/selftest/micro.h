/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Micro-traces: kernels of a few kinds of instructions, written as the tracer would write them and read by
 * the trace reader while they are made, thread block by thread block.
 *
 * Always true: the same struct micro gives the same text, whoever reads it and how often. The text of a warp
 * is made by the kernel's body(); where all warps are alike it is made once. Nothing is kept on disk.
 */
#ifndef SELFTEST_MICRO_H
#define SELFTEST_MICRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bytes.h"

#define LANES_ALL    0xffffffffu
#define MICRO_DATA   UINT64_C(0x7f4000000000) /* where the buffers of a kernel begin */
#define MICRO_SHARED UINT64_C(0x7f5000000000)

/* A warp's instructions, line by line. pc of the next one: may be set, for a loop. */
struct scribe {
	struct bytes text;
	uint32_t insts, pc;
};

struct micro {
	const char *name;         /* of the kernel */
	uint32_t blocks, threads; /* grid and block, both of one dimension */
	uint32_t shmem, nregs;
	uint32_t arch; /* binary version: 80 */
	bool alike;    /* block and warp of body() change nothing */
	void (*body)(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp);
	const void *what; /* body()'s own */
};

/* One instruction without addresses; registers as "R1 R2", "" for none. */
void scribe_op(struct scribe *s, const char *dst, const char *op, const char *src, uint64_t imm);
void scribe_masked(
	struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src, uint64_t imm);
/* A memory instruction: lane i of the mask's at base + i * stride bytes, width bytes each. */
void scribe_mem(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src,
	uint32_t width, uint64_t base, int64_t stride);
/* The same with an address for each lane. */
void scribe_lanes(struct scribe *s, const char *dst, const char *op, const char *src, uint32_t width,
	const uint64_t lane[32]);
void scribe_exit(struct scribe *s);

/* Warp instructions of the whole grid, if every warp has as many as the first. */
uint64_t micro_insts(const struct micro *m);

/* The kernel's text as an input for trace_over(). m outlives it. */
struct micro_text;
struct micro_text *micro_text_new(const struct micro *m);
struct input *micro_input(struct micro_text *t);
void micro_text_free(struct micro_text *t);

#endif
