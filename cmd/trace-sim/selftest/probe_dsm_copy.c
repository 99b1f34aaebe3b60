/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures bulk copies from the shared memory of a thread block to that of another block in the cluster, alone or
 * together with loads from another block.
 *
 * Each block that receives copies expects all their bytes on one mbarrier and waits for them at the end. The first
 * warp of a block starts its copies one after another, and the other warps load. All blocks wait at the barrier of the
 * cluster before the first copy and after the last one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

#define COPY_BYTES   2048u /* the mbarrier counts the bytes of at most 2^20 / COPY_BYTES rounds */
#define COPY_BARRIER 64u   /* offset of the mbarrier in shared memory */
#define COPY_UNROLL  16u
#define LOAD_WARPS   16u /* number of warps of block 0 that load; a round of their loads has COPY_BYTES bytes */
#define DSM_WINDOW   (UINT64_C(1) << 24)
#define RING_BLOCKS  4u /* number of blocks in a ring if its row gives a range of numbers */
#define FEW_ROUNDS   64u
#define MORE_ROUNDS  256u

struct copy_row {
	uint32_t blocks;
	bool loads; /* block 0 also loads from block 1 */
	uint32_t senders; /* set of the blocks that send; block i sends to block i + 1, and the last one to block 0 */
	uint32_t rounds; /* number of copies of a sender, and of loads of a warp that loads */
};

/* Sets *x from the parameters of a row. Returns false if they do not describe copies. */
static bool parse_copy_row(struct copy_row *x, const char *params)
{
	const char *direction = strchr(params, ',');

	*x = (struct copy_row){.blocks = 2, .senders = 1};
	if (!direction)
		return false;
	direction += strspn(direction, ", ");
	if (!strncmp(params, "ring of bulk copies,", 20)) {
		char *end;
		unsigned long n = strtoul(direction, &end, 10);

		x->blocks = strncmp(end, " SM", 3) ? RING_BLOCKS : (uint32_t)n;
		x->senders = (1u << x->blocks % 32) - 1;
		return x->blocks >= 2 && x->blocks <= 16;
	}
	x->loads = !strncmp(params, "load and bulk copy,", 19);
	if (x->loads) /* the loads move data from block 1 to block 0 */
		x->senders = !strncmp(direction, "same direction", 14) ? 2 : 1;
	else if (!strncmp(direction, "both directions", 15))
		x->senders = 3;
	return x->loads || !strncmp(params, "bulk copy shared to remote shared,", 34);
}

static void write_loads_of_warp(struct scribe *s, const struct copy_row *x, uint32_t warp)
{
	char dst[8];

	for (uint32_t i = 0; i < x->rounds; i++) {
		s->pc = 0x400 + 16 * (i % COPY_UNROLL);
		snprintf(dst, sizeof(dst), "R%u", 8 + i % COPY_UNROLL);
		scribe_mem(s, LANES_ALL, dst, "LD.E", "R2", 4, MICRO_SHARED + DSM_WINDOW + 128 * warp, 4);
	}
}

static void write_cluster_barrier(struct scribe *s, uint32_t pc)
{
	s->pc = pc;
	scribe_op(s, "", "UCGABAR_ARV", "", 0);
	scribe_op(s, "", "UCGABAR_WAIT", "", 0);
}

static void write_dsm_copy_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct copy_row *x = m->arg;
	uint32_t to = (block + 1) % x->blocks, from = (block + x->blocks - 1) % x->blocks;
	bool receives = !warp && x->senders >> from & 1;

	scribe_op(s, "R2", "MOV", "", 0);
	if (receives) {
		scribe_sync(s, "SYNCS.EXCH.64", COPY_BARRIER, 0x1ffffe);
		scribe_sync(s, "SYNCS.ARRIVE.TRANS64", COPY_BARRIER, x->rounds * COPY_BYTES);
	}
	write_cluster_barrier(s, 0x100);
	for (uint32_t i = 0; !warp && x->senders >> block & 1 && i < x->rounds; i++) {
		s->pc = 0x200 + 16 * (i % COPY_UNROLL);
		scribe_cluster_copy(s, to, COPY_BARRIER, COPY_BYTES);
	}
	if (warp && !block)
		write_loads_of_warp(s, x, warp - 1);
	s->pc = 0x800;
	if (receives)
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", COPY_BARRIER, 0);
	write_cluster_barrier(s, 0x1000);
	scribe_write_exit(s);
}

double probe_dsm_copy(const struct probe *p, const struct subject *s)
{
	struct copy_row x;
	struct micro m = {.name = "dsm_copy",
		.shmem = 8192,
		.nregs = 32,
		.arch = s->arch,
		.v6 = true,
		.body = write_dsm_copy_body,
		.arg = &x};
	double bytes = (double)COPY_BYTES * MORE_ROUNDS;

	parse_copy_row(&x, p->params);
	m.blocks = m.cluster = x.blocks;
	m.threads = x.loads ? 32 * (1 + LOAD_WARPS) : 32;
	return (x.loads ? 2 : 1) * bytes / probe_time_rounds(s, &m, &x.rounds, FEW_ROUNDS, MORE_ROUNDS);
}

bool probe_is_dsm_copy(const char *params)
{
	struct copy_row x;

	return parse_copy_row(&x, params);
}
