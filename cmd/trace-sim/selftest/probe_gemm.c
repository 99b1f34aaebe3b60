/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times of a product of two matrices of F16 by warpgroups, with tensor copies.
 *
 * A cluster of two blocks has a tile of C, of which each block has the upper or lower half. A block has one warpgroup.
 * In each step along K, one thread starts copies of tiles of A and B, all warps wait for both, and the warpgroup
 * multiplies them. The next copies start when this product is complete: the two buffers alternate, but the measured
 * program does not load ahead. It loads the tile of B by one copy for each half. With multicast each block of the
 * cluster loads one half for both. Both matrices have rows along K, and are in the L2 if they fit there, because the
 * measured program runs before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gmma.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

#define GEMM_BARRIER 64u    /* offset of the first of two mbarriers in shared memory */
#define GEMM_SHMEM   65552u /* bytes of a block, as measured */
#define GEMM_OTHERS  40u    /* registers of a thread besides the accumulators */
#define GEMM_EVENTS \
	0.015       /* milliseconds between the events of the program that do not depend on the product */
#define GEMM_K  16u /* elements of a row of A in a product */
#define GEMM_M  64u /* rows of A in a product */
#define B_START (MICRO_DATA + (UINT64_C(1) << 32))
#define C_START (MICRO_DATA + (UINT64_C(2) << 32))

enum { PC_STEP = 0x200, PC_STORE = 0x1000, PC_DONE = 0x4000 };

struct tiled_gemm {
	uint32_t m, n, k;                /* extents of the matrices */
	uint32_t tile_m, tile_n, tile_k; /* extents of the tiles of a block */
	bool multicast;
};

static bool parse_gemm(struct tiled_gemm *g, const struct probe *p)
{
	unsigned cluster, stages;
	int end = 0;

	if (sscanf(p->params, "tile=%ux%ux%u cluster=%u stages=%u M=%u N=%u K=%u tma %n", &g->tile_m,
		    &g->tile_n, &g->tile_k, &cluster, &stages, &g->m, &g->n, &g->k, &end) != 8 ||
		!end)
		return false;
	g->multicast = !strcmp(p->params + end, "multicast");
	if (!g->multicast && strcmp(p->params + end, "unicast"))
		return false;
	g->tile_m /= 2;
	if (cluster != 2 || stages != 2 || g->tile_k != 64 || g->tile_m % GEMM_M || g->tile_n % 16 ||
		!g->tile_m || !g->tile_n || g->tile_m > 128 || g->tile_n > 256)
		return false;
	return g->m && g->n && g->k && g->m <= 65536 && g->n <= 65536 && g->k <= 65536 &&
	       g->m % (2 * g->tile_m) == 0 && g->n % g->tile_n == 0 && g->k % g->tile_k == 0;
}

/* Writes a tensor copy of a tile: `rows` rows of the matrix at `base`, from `row` on, in step number `step`. */
static void scribe_tile(struct scribe *s, const struct tiled_gemm *g, uint64_t base, uint32_t row,
	uint32_t rows, uint32_t step, uint32_t barrier, bool both)
{
	uint64_t pitch = (uint64_t)g->k * 2;
	struct scribe_box box = {.base = base + row * pitch + (uint64_t)step * g->tile_k * 2,
		.pitch = pitch,
		.bytes = g->tile_k * 2,
		.rows = rows,
		.planes = 1,
		.mask = both ? 3 : 0};

	scribe_bulk_copy(s, both ? "UTMALDG.2D.MULTICAST" : "UTMALDG.2D", barrier, &box);
}

static void scribe_loads(struct scribe *s, const struct tiled_gemm *g, uint32_t block, uint32_t step)
{
	uint32_t across = g->n / g->tile_n, barrier = GEMM_BARRIER + 8 * (step % 2), rank = block % 2;
	uint32_t row_a = (block / 2 / across * 2 + rank) * g->tile_m, row_b = block / 2 % across * g->tile_n;
	uint32_t part = g->tile_n / 2;

	scribe_sync(s, "SYNCS.ARRIVE.TRANS64", barrier, (g->tile_m + g->tile_n) * g->tile_k * 2);
	scribe_tile(s, g, MICRO_DATA, row_a, g->tile_m, step, barrier, false);
	for (uint32_t half = 0; half < 2; half++)
		if (!g->multicast || half == rank)
			scribe_tile(s, g, B_START, row_b + half * part, part, step, barrier, g->multicast);
}

/* Writes the products of a step, which are one group. */
static void scribe_products(struct scribe *s, const struct tiled_gemm *g)
{
	uint32_t n = g->tile_m / GEMM_M * (g->tile_k / GEMM_K);

	scribe_op(s, "", "WARPGROUP.ARRIVE", "", 0);
	for (uint32_t i = 0; i < n; i++) {
		bytes_printf(&s->text,
			"%04" PRIx32 " ffffffff 1 R24 HGMMA.64x%" PRIu32 "x16.F32 2 R24 UR4 %d 0 0 0 NoVal\n",
			s->pc, g->tile_n, i + 1 == n);
		s->pc += 16;
		s->insts++;
	}
}

static void gemm_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct tiled_gemm *g = m->arg;
	uint32_t bytes = g->tile_m * g->tile_n * 2, stores = bytes / (512 * GMMA_WARPS);

	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t i = 0; !warp && i < 2; i++)
		scribe_sync(s, "SYNCS.EXCH.64", GEMM_BARRIER + 8 * i, 0x1ffffe);
	if (g->multicast) {
		scribe_op(s, "", "UCGABAR_ARV", "", 0);
		scribe_op(s, "", "UCGABAR_WAIT", "", 0);
	}
	for (uint32_t i = 0; i < g->k / g->tile_k; i++) {
		s->pc = PC_STEP;
		scribe_op(s, "", "WARPGROUP.DEPBAR.LE", "", 0);
		scribe_op(s, "", "BAR.SYNC", "", 0);
		if (!warp)
			scribe_loads(s, g, block, i);
		s->pc = PC_STEP + 0x100;
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", GEMM_BARRIER + 8 * (i % 2),
			i / 2 % 2 ? UINT32_C(1) << 31 : 0);
		scribe_products(s, g);
		scribe_op(s, "R2", "IADD3", "R2", 0);
		scribe_op(s, "", "ISETP.NE.AND", "R2", 0);
		scribe_op(s, "", "BRA", "", PC_STEP);
	}
	s->pc = PC_STORE;
	scribe_op(s, "", "WARPGROUP.DEPBAR.LE", "", 0);
	for (uint32_t i = 0; i < stores; i++) {
		scribe_op(s, "R24", "F2FP.F16.F32.PACK_AB", "R24 R25", 0);
		scribe_mem(s, LANES_ALL, "", "STG.E.128", "R4 R24", 16,
			C_START + (uint64_t)block * bytes + (i * GMMA_WARPS + warp) * 512, 16);
	}
	s->pc = PC_DONE;
	if (g->multicast) {
		scribe_op(s, "", "UCGABAR_ARV", "", 0);
		scribe_op(s, "", "UCGABAR_WAIT", "", 0);
	}
	scribe_write_exit(s);
}

double probe_gemm(const struct probe *p, const struct subject *s)
{
	struct tiled_gemm g;
	struct micro m = {.name = "gemm",
		.threads = 32 * GMMA_WARPS,
		.shmem = GEMM_SHMEM,
		.arch = s->arch,
		.cluster = 2,
		.v6 = true,
		.body = gemm_body,
		.arg = &g};
	struct params params = s->params;
	struct bench *b;
	double cycles;

	parse_gemm(&g, p);
	if (p->clock_mhz > 0) {
		params.hz[1] *= p->clock_mhz * 1e6 / params.hz[0];
		params.hz[0] = p->clock_mhz * 1e6;
	}
	m.nregs = g.tile_m * g.tile_n / m.threads + GEMM_OTHERS;
	m.nregs = m.nregs < 255 ? m.nregs : 255;
	m.blocks = g.m / g.tile_m * (g.n / g.tile_n);
	b = bench_open(&params, s->isa);
	for (uint32_t c = 0; c < 2; c++) { /* both sides of the L2 */
		bench_warm_l2(b, B_START, (uint64_t)g.n * g.k * 2, c * (s->params.sms - 1), false);
		bench_warm_l2(b, MICRO_DATA, (uint64_t)g.m * g.k * 2, c * (s->params.sms - 1), false);
	}
	cycles = (double)bench_run_kernel(b, &m);
	bench_close(b);
	return cycles / params.hz[0] * 1e3 + GEMM_EVENTS; /* milliseconds */
}

bool probe_gemm_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct tiled_gemm g;

	(void)r;
	strcpy(p->group, "gemm");
	*why = "unknown words for the product (expected tile, cluster=2, stages=2, M, N, K, and tma unicast or multicast)";
	if (!parse_gemm(&g, p))
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
