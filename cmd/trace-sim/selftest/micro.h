/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Micro-traces: kernels with a few kinds of instructions. Their text is generated in the format of the tracer
 * while the trace reader reads it, thread block by thread block.
 *
 * Always true: equal structs micro always give equal text. The kernel's body() generates the text of a warp.
 * It is called only once if all warps are alike. No file is written.
 */
#ifndef SELFTEST_MICRO_H
#define SELFTEST_MICRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bytes.h"

#define LANES_ALL    0xffffffffu
#define MICRO_DATA   UINT64_C(0x7f4000000000) /* address at which the buffers of a kernel begin */
#define MICRO_SHARED UINT64_C(0x7f5000000000)

/*
 * Writer of the instructions of a warp, as lines of text. `pc` is the pc of the next instruction; loops set
 * it back.
 */
struct scribe {
	struct bytes text;
	uint32_t insts; /* number of instructions written */
	uint32_t pc;    /* pc of the next instruction */
	bool v6;        /* true if the lines have version 6 */
};

struct micro {
	const char *name; /* name of the kernel */
	uint32_t blocks;  /* number of blocks in the grid */
	uint32_t threads; /* number of threads in a block */
	uint32_t shmem, nregs;
	uint32_t arch;           /* binary version of the trace, for example 80 */
	bool same_for_all_warps; /* true if body() ignores `block` and `warp` */
	uint32_t cluster;        /* number of thread blocks in a cluster; 0 without clusters */
	bool v6;                 /* true if lines have version 6 of the format */
	void (*body)(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp);
	const void *arg; /* argument of body() */
};

/* Writes an instruction without addresses. `dst` and `src` are registers, for example "R1 R2", or "". */
void scribe_op(struct scribe *s, const char *dst, const char *op, const char *src, uint64_t imm);
void scribe_masked_op(
	struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src, uint64_t imm);
/* Writes a memory instruction: lane i of `mask` accesses `width` bytes at base + i * stride. */
void scribe_mem(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src,
	uint32_t width, uint64_t base, int64_t stride);
/* Writes a memory instruction with an address for each lane of `mask`. */
void scribe_lanes(struct scribe *s, uint32_t mask, const char *dst, const char *op, const char *src,
	uint32_t width, const uint64_t lane[32]);
/*
 * Writes a SYNCS of lane 0 on the mbarrier at `barrier` in shared memory. `value` is the value of its second
 * source.
 */
void scribe_sync(struct scribe *s, const char *op, uint32_t barrier, uint32_t value);
/*
 * Source of a bulk copy: `planes` planes at a distance of `plane` bytes. Each has `rows` rows at a distance
 * of `pitch` bytes. Each row has `bytes` bytes, which is a multiple of 16. With 0 rows, all `bytes` bytes are out of
 * bounds.
 */
struct scribe_box {
	uint64_t base, pitch, plane;
	uint32_t bytes, rows, planes;
	uint32_t mask; /* ranks of the blocks of the cluster that get the data, for multicast; 0: the block */
};
void scribe_bulk_copy(struct scribe *s, const char *op, uint32_t barrier, const struct scribe_box *b);
/*
 * Writes a bulk copy of `bytes` bytes from shared memory to that of the block with a rank of the cluster. The bytes
 * complete on the mbarrier at `barrier` in that block's shared memory.
 */
void scribe_cluster_copy(struct scribe *s, uint32_t rank, uint32_t barrier, uint32_t bytes);
void scribe_write_exit(struct scribe *s);

/* Number of warp instructions of the grid, if each warp has the same number as the first. */
uint64_t micro_count_insts(const struct micro *m);

/* Text of a kernel, which micro_input() turns into an input for trace_open_input(). m must outlive it. */
struct micro_text;
struct micro_text *micro_text_new(const struct micro *m);
struct input *micro_input(struct micro_text *t);
void micro_text_free(struct micro_text *t);

#endif
