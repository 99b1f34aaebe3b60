/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the trace of recipe "archive": an application with thousands of launches. It repeats an iteration,
 * which launches kernels of a few kinds. The buffers of the iterations are the same, except a few that an
 * allocator has moved.
 *
 * Always true: the code of a kind, the buffers of a launch in the iteration and the lanes of a gather depend
 * only on the seed. One launch in six has one to three of its buffers at different addresses. One kind in
 * eight changes its grid. One kind in six gathers. Names have about a kilobyte, like mangled names of
 * templates.
 */
#include <stdlib.h>
#include <string.h>
#include "gen.h"

#define KINDS_MAX    100u
#define OPS_MAX      160u
#define BUFFERS_MAX  6u
#define LAUNCHES_MAX (4 * KINDS_MAX)
#define FREED        32u /* number of freed addresses that the allocator may reuse */

enum op_type { OP_MATH, OP_LOAD, OP_STORE, OP_SHARED, OP_GATHER };

struct archive_op {
	enum op_type type;
	unsigned opcode, dst, src[3], buffer, width;
};

struct archive_kind {
	char name[1400];
	struct archive_op op[OPS_MAX];
	unsigned n_ops, loop; /* number of instructions, and index of the first instruction of the loop */
	unsigned rounds, threads, grid[4], n_grids, n_buffers, nregs, shmem;
	uint64_t seed; /* seed of the addresses of its gathers */
};

struct archive_launch {
	unsigned kind;
	uint64_t buffer[BUFFERS_MAX];
};

struct archive {
	struct archive_kind kind[KINDS_MAX];
	struct archive_launch launch[LAUNCHES_MAX];
	unsigned n_kinds, n_launches;
	uint64_t freed[FREED];
};

static uint64_t allocate_buffer(struct gen *g) { return GLOBAL_BASE + 512ull * gen_random(g, 1u << 22); }

/* Returns the address of a freed buffer, or a new one. */
static uint64_t reuse_or_allocate(struct gen *g, struct archive *a)
{
	uint64_t *slot = &a->freed[gen_random(g, FREED)], was = *slot;

	if (!was || gen_random(g, 2))
		*slot = allocate_buffer(g);
	return was ? was : *slot;
}

static void write_name_of_kind(struct gen *g, struct archive_kind *k, unsigned number)
{
	static const char *const word[] = {"at::native::", "vectorized_elementwise_kernel", "reduce_kernel",
		"cutlass::gemm::kernel", "float", "c10::Half", "unsigned int, ", "OffsetCalculator",
		"std::array<char*, 3ul>", "::operator()() const::{lambda(float)#1}", "layer_norm_",
		"<512, 1, "};
	size_t most = 700 + gen_random(g, 500), n = 0;

	n += (size_t)snprintf(k->name, sizeof(k->name), "void kernel_%u<", number);
	while (n < most)
		n += (size_t)snprintf(k->name + n, sizeof(k->name) - n, "%s",
			word[gen_random(g, sizeof(word) / sizeof(*word))]);
	snprintf(k->name + n, sizeof(k->name) - n, ">(int)");
}

static void make_op(struct gen *g, const struct archive_kind *k, struct archive_op *o)
{
	static const unsigned width[] = {4, 4, 8, 16};
	unsigned type = gen_random(g, 20);

	o->type = type < 13 ? OP_MATH : type < 16 ? OP_LOAD : type < 19 ? OP_STORE : OP_SHARED;
	o->opcode = gen_random(g, 8);
	o->dst = gen_random(g, 60);
	for (unsigned i = 0; i < 3; i++)
		o->src[i] = gen_random(g, 60);
	o->buffer = gen_random(g, k->n_buffers);
	o->width = width[gen_random(g, 4)];
}

static void make_kind(struct gen *g, struct archive_kind *k, unsigned number)
{
	unsigned few = gen_random(g, 3);

	write_name_of_kind(g, k, number);
	k->n_buffers = 2 + gen_random(g, BUFFERS_MAX - 1);
	k->n_ops = 40 + gen_random(g, OPS_MAX - 40);
	k->loop = k->n_ops / 4;
	k->rounds = 1 + gen_random(g, 4);
	k->threads = 32u << gen_random(g, 3);
	k->grid[0] = few ? 2 + gen_random(g, 8) : 1;
	k->n_grids = number % 8 == 3 ? 4 : 1;
	for (unsigned i = 1; i < k->n_grids; i++)
		k->grid[i] = 1 + gen_random(g, 12);
	k->nregs = 16 + 8 * gen_random(g, 12);
	k->shmem = 1024 * gen_random(g, 8);
	k->seed = gen_random(g, UINT32_MAX);
	for (unsigned i = 0; i < k->n_ops; i++)
		make_op(g, k, &k->op[i]);
	if (number % 6 == 5)
		k->op[k->loop / 2].type = OP_GATHER;
}

static void make_iteration(struct gen *g, struct archive *a, unsigned kinds)
{
	a->n_kinds = kinds < KINDS_MAX ? kinds : KINDS_MAX;
	a->n_launches = 3 * a->n_kinds + gen_random(g, a->n_kinds);
	for (unsigned i = 0; i < a->n_kinds; i++)
		make_kind(g, &a->kind[i], i);
	for (unsigned i = 0; i < a->n_launches; i++) {
		/*
		 * A kind has the same buffers at most of its launches, because an allocator reuses freed
		 * memory.
		 */
		unsigned k = i < a->n_kinds ? i : gen_random(g, a->n_kinds);

		a->launch[i].kind = k;
		for (unsigned b = 0; b < BUFFERS_MAX; b++)
			a->launch[i].buffer[b] = i < a->n_kinds ? allocate_buffer(g) : a->launch[k].buffer[b];
	}
}

static void write_op(
	struct gen *g, const struct archive_op *o, const uint64_t *buffer, uint64_t at, uint32_t m)
{
	static const char *const math[] = {
		"FFMA", "FADD", "IADD3", "IMAD.WIDE", "MUFU.EX2", "LOP3.LUT", "FMUL", "SHF.L.U32"};
	static const char *const load[] = {"LDG.E", "LDG.E.64", "LDG.E.128"};
	static const char *const store[] = {"STG.E", "STG.E.64", "STG.E.128"};
	char dst[8], src[40];
	uint64_t base = buffer[o->buffer], lane[32];

	snprintf(dst, sizeof(dst), "R%u", o->dst);
	snprintf(src, sizeof(src), "R%u R%u R%u", o->src[0], o->src[1], o->src[2]);
	if (o->type == OP_MATH) {
		gen_op(g, m, dst, math[o->opcode], src, 0);
		return;
	}
	snprintf(src, sizeof(src), "R%u", o->src[0]);
	if (o->type == OP_LOAD)
		gen_mem_stride(g, m, dst, load[o->width / 8], src, o->width, base + at * o->width, o->width);
	if (o->type == OP_SHARED)
		gen_mem_stride(g, m, dst, "LDS", src, 4, SHARED_BASE + 4 * (at % 1024), 4);
	if (o->type == OP_GATHER) {
		for (unsigned l = 0; l < 32; l++)
			lane[l] = base + 4ull * gen_random(g, 1u << 12);
		gen_mem(g, m, dst, "LDG.E", src, 4, lane);
	}
	snprintf(src, sizeof(src), "R%u R%u", o->src[0], o->src[1]);
	if (o->type == OP_STORE)
		gen_mem_stride(g, m, "", store[o->width / 8], src, o->width, base + at * o->width, o->width);
}

static void write_warp(
	struct gen *g, const struct archive_kind *k, const uint64_t *buffer, unsigned number, uint32_t m)
{
	unsigned i = 0;

	for (; i < k->loop; i++)
		write_op(g, &k->op[i], buffer, 32ull * number, m);
	for (unsigned r = 0; r < k->rounds; r++) {
		g->pc = 16 * k->loop;
		for (i = k->loop; i < k->n_ops; i++)
			write_op(g, &k->op[i], buffer, 32ull * number + 4096ull * r, m);
		gen_op(g, r + 1 < k->rounds ? m : 0, "", "BRA", "", 16 * k->loop);
	}
	gen_exit(g, m);
}

static void write_launch(
	struct gen *g, const struct archive_kind *k, const uint64_t *buffer, unsigned grid, unsigned stream)
{
	const uint64_t seed = g->seed;

	gen_kernel(g, (struct kernel_shape){k->name, grid, k->threads, k->shmem, k->nregs, 80, stream});
	g->seed = k->seed;
	for (unsigned tb = 0; tb < grid; tb++) {
		gen_block(g, tb);
		for (unsigned w = 0; w < k->threads / 32; w++) {
			gen_warp(g, w);
			write_warp(g, k, buffer, tb * k->threads / 32 + w, gen_lanes(g, w));
			gen_warp_end(g);
		}
		gen_block_end(g);
	}
	gen_kernel_end(g);
	g->seed = seed;
}

void gen_archive(struct gen *g)
{
	struct archive *a = calloc(1, sizeof(*a));
	unsigned n = 100 * g->scale, at = 0;

	if (!a)
		abort();
	make_iteration(g, a, g->kinds);
	for (unsigned i = 0; i < n; i++) {
		const struct archive_launch *p = &a->launch[at];
		const struct archive_kind *k = &a->kind[p->kind];
		uint64_t buffer[BUFFERS_MAX];

		memcpy(buffer, p->buffer, sizeof(buffer));
		for (unsigned moved = gen_random(g, 6) ? 0 : 1 + gen_random(g, 3); moved; moved--)
			buffer[gen_random(g, k->n_buffers)] = reuse_or_allocate(g, a);
		write_launch(g, k, buffer, k->grid[gen_random(g, k->n_grids)], gen_random(g, 40) ? 0 : 7);
		/* Sometimes a launch is skipped. */
		at = (at + (gen_random(g, 50) ? 1u : 2u)) % a->n_launches;
	}
	free(a);
}
