/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures kernels that copy tiles to shared memory and add up their elements there. One kind uses bulk
 * copies into a ring of slots, with one warp that loads and four warps that add. The other kind uses LDGSTS
 * and thread-block barriers.
 *
 * The figure is the time of a kernel with cold caches. The params of a row are the text of its source, for
 * example "114 blocks of 160, 64 tiles of 4096 B, 2 slots, work 0, cold".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

#define RING_ADDERS 4u  /* number of warps that add */
#define RING_FULL   64u /* offsets of the first mbarriers; not 0, which would mean no mbarrier */
#define RING_EMPTY  128u
#define RING_SLOTS  8u
#define RING_UNROLL 16u   /* number of multiply-adds per iteration of the loop between tiles */
#define RING_DATA   1024u /* offset of the first slot */
#define PARITY      (UINT32_C(1) << 31)

struct tile_ring {
	uint32_t blocks, threads, tiles, bytes, slots, work;
};

/* Returns the number before `word` in the params, or 0 if there is none. */
static uint32_t number_before_word(const char *params, const char *word)
{
	const char *at = strstr(params, word);

	while (at && at > params && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

static bool parse_ring(struct tile_ring *r, const struct probe *p)
{
	const char *threads = strstr(p->params, " blocks of "), *work = strstr(p->params, "work ");

	*r = (struct tile_ring){.blocks = number_before_word(p->params, " blocks of "),
		.threads = threads ? (uint32_t)strtoul(threads + 11, NULL, 10) : 0,
		.tiles = number_before_word(p->params, " tiles of "),
		.bytes = number_before_word(p->params, " B,"),
		.slots = number_before_word(p->params, " slots"),
		.work = work ? (uint32_t)strtoul(work + 5, NULL, 10) : 0};
	return r->blocks && r->blocks <= 4096 && r->tiles && r->tiles <= 4096 && r->work <= 4096 &&
	       r->bytes == 4096;
}

static uint64_t tile_address(const struct tile_ring *r, uint32_t block, uint32_t tile)
{
	return MICRO_DATA + ((uint64_t)block * r->tiles + tile) * r->bytes;
}

/*
 * Writes the work between tiles: dependent multiply-adds in a loop. The instructions of the loop counter are
 * among the first multiply-adds.
 */
static void write_tile_work(struct scribe *s, uint32_t work)
{
	uint32_t pc = s->pc;

	for (uint32_t i = 0; i < work; i++) {
		scribe_op(s, "R20", "FFMA", "R20 R21 R22", 0);
		if (i % RING_UNROLL == 0)
			scribe_op(s, "R23", "IADD3", "R23", 0);
		if (i % RING_UNROLL == 1)
			scribe_op(s, "", "ISETP.NE.AND", "R23", 0);
		if (i % RING_UNROLL < RING_UNROLL - 1 && i + 1 < work)
			continue;
		scribe_op(s, "", "BRA", "", pc);
		s->pc = pc;
	}
	s->pc = pc + 16 * (RING_UNROLL + 3);
}

/* ---- bulk copies -------------------------------------------------------------------------------- */

static void write_tile_loads(struct scribe *s, const struct tile_ring *r, uint32_t block)
{
	for (uint32_t t = 0; t < r->tiles; t++) {
		uint32_t slot = t % r->slots, odd = t / r->slots & 1;
		struct scribe_box box = {
			.base = tile_address(r, block, t), .bytes = r->bytes, .rows = 1, .planes = 1};

		s->pc = 0x400;
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", RING_EMPTY + 8 * slot, odd ? 0 : PARITY);
		scribe_sync(s, "SYNCS.ARRIVE.TRANS64", RING_FULL + 8 * slot, r->bytes);
		scribe_op(s, "UR4", "R2UR", "R2", 0);
		scribe_bulk_copy(s, "UBLKCP.S.G", RING_FULL + 8 * slot, &box);
		scribe_op(s, "R2", "IADD3", "R2", 0);
		scribe_op(s, "", "ISETP.NE.AND", "R2", 0);
		scribe_op(s, "", "BRA", "", 0x400);
	}
}

static void write_tile_sums(struct scribe *s, const struct tile_ring *r, uint32_t warp)
{
	uint32_t quarter = r->bytes / RING_ADDERS;
	char reg[24];

	for (uint32_t t = 0; t < r->tiles; t++) {
		uint32_t slot = t % r->slots, odd = t / r->slots & 1;

		s->pc = 0x800;
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", RING_FULL + 8 * slot, odd ? PARITY : 0);
		for (uint32_t i = 0; i < quarter / 128; i++) {
			snprintf(reg, sizeof(reg), "R%u", 8 + i);
			scribe_mem(s, LANES_ALL, reg, "LDS", "R3", 4,
				MICRO_SHARED + RING_DATA + slot * r->bytes + (warp - 1) * quarter + 128 * i,
				4);
		}
		for (uint32_t i = 0; i < quarter / 128; i++) {
			snprintf(reg, sizeof(reg), "R24 R%u", 8 + i);
			scribe_op(s, "R24", "FADD", reg, 0);
		}
		write_tile_work(s, r->work);
		scribe_sync(s, "SYNCS.ARRIVE.TRANS64.A1T0", RING_EMPTY + 8 * slot, 0);
		scribe_op(s, "R2", "IADD3", "R2", 0);
		scribe_op(s, "", "ISETP.NE.AND", "R2", 0);
		scribe_op(s, "", "BRA", "", 0x800);
	}
}

static void write_ring_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct tile_ring *r = m->arg;

	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t i = 0; !warp && i < r->slots; i++) {
		scribe_sync(s, "SYNCS.EXCH.64", RING_FULL + 8 * i, (0x100000 - 1) << 1);
		scribe_sync(s, "SYNCS.EXCH.64", RING_EMPTY + 8 * i, (0x100000 - RING_ADDERS) << 1);
	}
	s->pc = 0x300;
	scribe_op(s, "", "BAR.SYNC", "", 0);
	if (warp)
		write_tile_sums(s, r, warp);
	else
		write_tile_loads(s, r, block);
	s->pc = 0x1000;
	if (warp)
		scribe_mem(s, LANES_ALL, "", "STG.E", "R4 R24", 4,
			MICRO_DATA + (UINT64_C(1) << 32) + (uint64_t)(block * RING_ADDERS + warp) * 128, 4);
	scribe_write_exit(s);
}

/* ---- LDGSTS ------------------------------------------------------------------------------------- */

static void write_ldgsts_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct tile_ring *r = m->arg;

	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t t = 0; t < r->tiles; t++) {
		s->pc = 0x400;
		scribe_mem(s, LANES_ALL, "", "LDGSTS.E.BYPASS.128", "R3 R4", 16,
			tile_address(r, block, t) + 512 * warp, 16);
		scribe_op(s, "", "LDGDEPBAR", "", 0);
		write_tile_work(s, r->work);
		scribe_op(s, "", "DEPBAR.LE", "", 0);
		scribe_op(s, "", "BAR.SYNC", "", 0);
		scribe_mem(s, LANES_ALL, "R8", "LDS.128", "R3", 16, MICRO_SHARED + 512 * warp, 16);
		for (uint32_t i = 0; i < 4; i++)
			scribe_op(s, "R24", "FADD", "R24 R8", 0);
		scribe_op(s, "", "BAR.SYNC", "", 0);
		scribe_op(s, "R2", "IADD3", "R2", 0);
		scribe_op(s, "", "ISETP.NE.AND", "R2", 0);
		scribe_op(s, "", "BRA", "", 0x400);
	}
	s->pc = 0x1000;
	scribe_mem(s, LANES_ALL, "", "STG.E", "R4 R24", 4,
		MICRO_DATA + (UINT64_C(1) << 32) + ((uint64_t)block * 8 + warp) * 128, 4);
	scribe_write_exit(s);
}

double probe_ring(const struct probe *p, const struct subject *s)
{
	struct tile_ring r;
	bool bulk = !strcmp(p->kind->workload, "bulk copy ring");
	struct micro m = {.name = "ring", .nregs = 40, .arch = s->arch, .v6 = bulk, .arg = &r};
	struct bench *b;
	double cycles;

	parse_ring(&r, p);
	m.body = bulk ? write_ring_body : write_ldgsts_body;
	m.blocks = r.blocks;
	m.threads = r.threads;
	m.shmem = RING_DATA + RING_SLOTS * r.bytes;
	b = bench_open(&s->params, s->isa);
	cycles = (double)bench_run_kernel(b, &m);
	bench_close(b);
	return cycles / subject_gb_per_s(s, 1, 1) / 1e3; /* microseconds */
}

bool probe_ring_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	bool bulk = !strcmp(p->kind->workload, "bulk copy ring");
	struct tile_ring ring;

	(void)r;
	strcpy(p->group, bulk ? "bulk copy ring" : "cp.async tiles");
	*why = "unknown tiles (expected N blocks of T, N tiles of 4096 B, work N and, for bulk copies, N slots)";
	if (!parse_ring(&ring, p) || ring.threads != (bulk ? 32 * (1 + RING_ADDERS) : 256) ||
		(bulk && (!ring.slots || ring.slots > RING_SLOTS)))
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
