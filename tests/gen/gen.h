/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that all recipes use to write traces in the form of the tracer.
 *
 * Always true: the same recipe, seed and scale result in the same bytes on every host. Instructions are
 * collected per warp, because the number of instructions precedes the lines of a warp. Addresses have the
 * form that the tracer would use: a stride for contiguous lanes, otherwise deltas, or a list if a delta would
 * not fit.
 */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define FULL        0xffffffffu
#define GLOBAL_BASE UINT64_C(0x7f4000000000)
#define SHARED_BASE UINT64_C(0x7f5000000000)
#define LOCAL_BASE  UINT64_C(0x7f6000000000)

struct gen {
	const char *directory;
	FILE *list, *file; /* kernelslist.g, and file of the current kernel */
	char *text;        /* lines of the current warp */
	size_t len, cap;
	unsigned insts, kernels;
	uint32_t pc;
	uint64_t seed;
	unsigned block_threads; /* number of threads per block of the current kernel */
	unsigned scale;         /* factor for the iterations of loops in recipes */
	unsigned kinds;         /* number of kinds of kernels in the archive recipe */
};

struct gen_recipe {
	const char *name, *what;
	void (*write)(struct gen *g);
};

extern const struct gen_recipe recipes[];
extern const unsigned n_recipes;

uint32_t gen_random(struct gen *g, uint32_t below);
void gen_archive(struct gen *g);       /* archive.c: writes 100 launches times the scale */
void gen_stored_values(struct gen *g); /* values.c: writes stores with their values */

struct kernel_shape {
	const char *name;
	unsigned grid, block, shmem, nregs, binary, stream;
};
void gen_memcpy(struct gen *g, uint64_t address, uint64_t bytes);
void gen_kernel(struct gen *g, struct kernel_shape k);
void gen_kernel_end(struct gen *g);
void gen_block(struct gen *g, unsigned x);
void gen_block_end(struct gen *g);
void gen_warp(struct gen *g, unsigned warp); /* Begins a warp at pc 0. */
void gen_warp_end(struct gen *g);
/* Returns the mask of the lanes that exist in a warp of the current kernel. */
uint32_t gen_lanes(const struct gen *g, unsigned warp);

/* Appends an instruction without addresses. dst and src are lists of registers such as "R1 R2", and may be empty. */
void gen_op(struct gen *g, uint32_t mask, const char *dst, const char *op, const char *src, uint64_t imm);
/* Appends a memory instruction. lane[i] is the address of the lane of bit i in `mask`. */
void gen_mem(struct gen *g, uint32_t mask, const char *dst, const char *op, const char *src, unsigned width,
	const uint64_t lane[32]);
void gen_mem_stride(struct gen *g, uint32_t mask, const char *dst, const char *op, const char *src,
	unsigned width, uint64_t base, int64_t stride);
void gen_exit(struct gen *g, uint32_t mask);
/*
 * Appends the values of a store to the last line, as a fork of the tracer does: `regs` values of 32 bits for
 * each lane.
 */
void gen_values(struct gen *g, uint32_t mask, const char *type, unsigned regs, uint32_t value[][32]);

#endif
