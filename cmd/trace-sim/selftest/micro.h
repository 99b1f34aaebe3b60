/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Micro-traces: kernels with a few kinds of instructions, generated in the format of the tracer and read by
 * the trace reader meanwhile, thread block by thread block.
 *
 * Always true: equal structs micro give equal text, however often it is read. The kernel's body() generates
 * the text of a warp; where all warps are alike, once. Nothing is stored on disk.
 */
#ifndef SELFTEST_MICRO_H
#define SELFTEST_MICRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bytes.h"

#define LANES_ALL    0xffffffffu
#define MICRO_DATA   UINT64_C(0x7f4000000000) /* start of the buffers of a kernel */
#define MICRO_SHARED UINT64_C(0x7f5000000000)

/* Instructions of a warp, line by line. pc: of the next instruction; set by loops. */
struct scribe {
	struct bytes text;
	uint32_t insts, pc;
	bool v6;
};

struct micro {
	const char *name;         /* name of the kernel */
	uint32_t blocks, threads; /* grid and block size, one-dimensional */
	uint32_t shmem, nregs;
	uint32_t arch;    /* binary version: 80 */
	bool alike;       /* body() ignores block and warp */
	uint32_t cluster; /* thread blocks of a cluster; 0: none */
	bool v6;          /* lines of version 6 of the format, for mbarriers and bulk copies */
	void (*body)(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp);
	const void *arg; /* argument of body() */
};

/* Writes an instruction without addresses. Registers as in "R1 R2"; "": none. */
void scribe_op(struct scribe *s, const char *dst, const char *op, const char *src, uint64_t imm);
void scribe_masked(
	struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src, uint64_t imm);
/* Writes a memory instruction: lane i of the mask accesses `width` bytes at base + i * stride. */
void scribe_mem(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src,
	uint32_t width, uint64_t base, int64_t stride);
/* The same with an address for each lane. */
void scribe_lanes(struct scribe *s, const char *dst, const char *op, const char *src, uint32_t width,
	const uint64_t lane[32]);
/* Writes a SYNCS of lane 0 on the mbarrier at `barrier` in shared memory, with the value of its second source. */
void scribe_sync(struct scribe *s, const char *op, uint32_t barrier, uint32_t value);
/*
 * Writes a bulk copy of `rows` rows of `bytes` bytes, a multiple of 16, from `base` on, and of the same at each of the
 * `planes` distances `plane`.
 */
struct scribe_box {
	uint64_t base, pitch, plane;
	uint32_t bytes, rows, planes;
};
void scribe_copy(struct scribe *s, const char *op, uint32_t barrier, const struct scribe_box *b);
void scribe_exit(struct scribe *s);

/* Number of warp instructions of the grid, if all warps have as many as the first. */
uint64_t micro_insts(const struct micro *m);

/* Text of the kernel, as an input for trace_over(). m must outlive it. */
struct micro_text;
struct micro_text *micro_text_new(const struct micro *m);
struct input *micro_input(struct micro_text *t);
void micro_text_free(struct micro_text *t);

#endif
