/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the bandwidth of bulk copies: each block loads boxes of a buffer of 4 GiB. It starts a load when
 * the previous one has completed.
 *
 * All blocks are resident at the same time, in equal numbers on all SMs. One thread of a block starts the
 * loads. All threads wait for the mbarrier, and then at a thread-block barrier. Boxes are numbered along the
 * first dimension of a tensor. Of n blocks, block i loads the boxes i, i + n, i + 2 n and so on. A tensor has
 * 4-byte elements and equal extents: 32768 in two dimensions, 1024 in three.
 *
 * The probe is a short part of the measured program, whose blocks make hundreds of loads or more. The durations of
 * loads vary, so the blocks of the program drift apart. Then fewer of the loads at a time are neighbours that share a
 * row of the DRAM. Therefore each block of the probe begins with another load, up to FLOW_DRIFT * sqrt(n) loads ahead
 * if the program has n loads per block. In the model, the numbers of loads of blocks that began together have a
 * standard deviation of 0.09 to 0.21 * sqrt(k) after k loads each. The median of eight rows, 0.12, gives 0.085 *
 * sqrt(n) in the middle of the program, as a uniform distribution over a range of 0.3 * sqrt(n) has. If four blocks
 * share the 64 bytes of a fetch, slower blocks find data in the L2 and catch up. In three rows of this kind, the
 * standard deviation is 0.03 to 0.1 * sqrt(k), about half of that of other rows, so FLOW_SHARED is half of FLOW_DRIFT.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

/* bytes that all blocks load together, within FLOW_LEAST to FLOW_MOST loads per block */
#define FLOW_BYTES   60e6
#define FLOW_PROGRAM 4294967296.0 /* bytes that all blocks of the measured program load together */
#define FLOW_DRIFT   0.3
#define FLOW_SHARED  0.15 /* FLOW_DRIFT of boxes with rows of at most 16 bytes */
#define FLOW_LEAST   24u
#define FLOW_MOST    64u
#define FLOW_FROM    0.4 /* part of the instructions after which the time counts */
#define FLOW_TO      0.9
#define FLOW_BARRIER 64u /* offset of the mbarrier in shared memory */
#define ELEMENT      4u
#define PLANE_SIDE   32768u /* extents of a tensor with two dimensions */
#define CUBE_SIDE    1024u

struct tma_flow {
	const char *op;
	uint32_t bytes;   /* bytes per load */
	uint32_t x, y, z; /* extents of a box; x is 0 if the load is a range of bytes */
	uint32_t blocks;
	uint32_t loads; /* number of loads per block */
	uint32_t drift; /* number of different loads with which the blocks begin */
	bool outside;   /* all boxes are out of bounds */
};

/* Sets x, y and z from "box=X = 16 Y = 16 Z = 4". Absent extents become 1. Returns false if X is absent. */
static bool parse_box(struct tma_flow *f, const char *params)
{
	const char *box = strstr(params, "box=");
	uint32_t *extent[] = {&f->x, &f->y, &f->z};

	for (unsigned i = 0; i < 3; i++) {
		const char name[] = {(char)('X' + i), ' ', '=', ' ', '\0'};
		const char *at = box ? strstr(box, name) : NULL;

		*extent[i] = at ? (uint32_t)strtoul(at + 4, NULL, 10) : 1;
	}
	return box && strstr(box, "X = ");
}

/* Sets *f from the words of a probe's row. Returns false if the row is invalid. */
static bool parse_tma_flow(struct tma_flow *f, const struct probe *p)
{
	double bytes = p->param[1] * 1024;

	*f = (struct tma_flow){.op = "UBLKCP.S.G",
		.blocks = probe_round_count(p->param[0]),
		.bytes = probe_round_count(bytes)};
	if (bytes < 16 || bytes > 1 << 17 || f->bytes % 16 || f->blocks > 1u << 16)
		return false;
	f->loads = probe_round_count(fmin(fmax(FLOW_BYTES / (f->blocks * bytes), FLOW_LEAST), FLOW_MOST));
	if (!strcmp(p->rest, "bulk"))
		return true;
	f->op = "UTMALDG.1D";
	if (!strcmp(p->rest, "tensor 1d"))
		return true;
	f->op = !strcmp(p->rest, "tensor 2d") ? "UTMALDG.2D" : "UTMALDG.3D";
	if (strncmp(p->rest, "tensor ", 7) != 0 || !parse_box(f, p->params))
		return false;
	return f->x * ELEMENT % 16 == 0 && (uint64_t)f->x * f->y * f->z * ELEMENT == f->bytes;
}

/* Returns box number n of the tensor. */
static struct scribe_box flow_box(const struct tma_flow *f, uint64_t n)
{
	uint32_t side = f->z > 1 || strstr(f->op, "3D") ? CUBE_SIDE : PLANE_SIDE;
	struct scribe_box b = {.base = MICRO_DATA + n * f->bytes, .bytes = f->bytes, .rows = 1, .planes = 1};
	uint64_t across, down;

	if (!f->x)
		return b;
	across = side / f->x ? side / f->x : 1;
	down = side / f->y ? side / f->y : 1;
	b.pitch = (uint64_t)side * ELEMENT;
	b.plane = b.pitch * side;
	b.bytes = f->x * ELEMENT;
	b.rows = f->y;
	b.planes = f->z;
	b.base = MICRO_DATA + n % across * b.bytes + n / across % down * f->y * b.pitch +
		 n / across / down * f->z * b.plane;
	return b;
}

/* Returns the number of different loads with which the blocks begin. */
static uint32_t flow_drift(const struct tma_flow *f)
{
	bool shared = f->x && f->x * ELEMENT <= 16;

	return probe_round_count(
		(shared ? FLOW_SHARED : FLOW_DRIFT) * sqrt(FLOW_PROGRAM / ((double)f->blocks * f->bytes)));
}

/*
 * Returns the number of loads by which a block is ahead of the last blocks, less than f->drift. It is a hash of
 * `block`.
 */
static uint32_t flow_lead(const struct tma_flow *f, uint32_t block)
{
	uint32_t hash = (block ^ block >> 16) * 0x85ebca6bu;

	hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
	return (uint32_t)((uint64_t)(hash ^ hash >> 16) * f->drift >> 32);
}

/* Writes the instructions between two loads, as compiled for a block of one thread. */
static void scribe_flow_address(struct scribe *s, const struct tma_flow *f)
{
	scribe_op(s, "UR5", "S2UR", "", 0);
	for (uint32_t i = 0; f->x && i < 3; i++) /* a coordinate each */
		scribe_op(s, "R2", "LOP3.LUT", "R0", 0);
	scribe_op(s, "UR12", "UIADD3", "UR6", 0);
	scribe_op(s, "", "PLOP3.LUT", "", 0);
	scribe_op(s, "UR8", "UMOV", "", 0);
	scribe_op(s, "UR13", "UIADD3.X", "UR7", 0);
	scribe_op(s, "UR8", "ULEA", "UR5 UR8", 0);
	scribe_op(s, "", "ELECT", "", 0);
	scribe_op(s, "UR10", "R2UR", "R2", 0);
	scribe_op(s, "", "PLOP3.LUT", "", 0);
	scribe_op(s, "", "PLOP3.LUT", "", 0);
}

static void write_tma_flow_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct tma_flow *f = m->arg;
	uint64_t lead = flow_lead(f, block);

	(void)warp;
	scribe_op(s, "R0", "MOV", "", 0);
	scribe_sync(s, "SYNCS.EXCH.64", FLOW_BARRIER, 0x1ffffe);
	for (uint32_t i = 0; i < f->loads; i++) {
		struct scribe_box box = flow_box(f, (lead + i) * f->blocks + block);

		box.rows = f->outside ? 0 : box.rows;
		s->pc = 0x100;
		scribe_flow_address(s, f);
		scribe_bulk_copy(s, f->op, FLOW_BARRIER, &box);
		scribe_op(s, "", "BRA", "", 0);
		scribe_op(s, "R6", "IMAD.MOV.U32", "R255", 0);
		scribe_sync(s, "SYNCS.ARRIVE.TRANS64.RED.A0TR", FLOW_BARRIER, f->bytes);
		scribe_sync(s, "SYNCS.ARRIVE.TRANS64.A1T0", FLOW_BARRIER, 0);
		scribe_op(s, "R8", "CS2R", "", 0);
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", FLOW_BARRIER, i % 2 ? UINT32_C(1) << 31 : 0);
		scribe_op(s, "R0", "IADD3", "R0 UR4", 0);
		scribe_op(s, "", "ISETP.GE.U32.AND", "R0", 0);
		scribe_op(s, "", "BRA", "", 0);
		scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x1000;
	scribe_write_exit(s);
}

/* Returns the cycles of a load, in the mean over all blocks. */
static double flow_cycles(const struct subject *s, const struct tma_flow *f)
{
	struct micro m = {.name = "tma_flow",
		.blocks = f->blocks,
		.threads = 32,
		.shmem = s->params.core.shmem_bytes / ((f->blocks + s->params.sms - 1) / s->params.sms + 1),
		.nregs = 16,
		.arch = s->arch,
		.v6 = true,
		.body = write_tma_flow_body,
		.arg = f};
	struct bench *b = bench_open(&s->params, s->isa);
	double cycles = (double)bench_time_middle(b, &m, BENCH_INSTS, FLOW_FROM, FLOW_TO);

	bench_close(b);
	return cycles / (FLOW_TO - FLOW_FROM) / f->loads;
}

double probe_tma_flow(const struct probe *p, const struct subject *s)
{
	struct tma_flow f;
	double cycles;

	parse_tma_flow(&f, p);
	f.drift = flow_drift(&f);
	cycles = flow_cycles(s, &f);
	/*
	 * The measured program computes the coordinate of a tensor of one dimension in 32 bits. It is negative in the
	 * second half of the tensor unless the size is a power of two, for which the compiler shifts.
	 */
	if (!strcmp(f.op, "UTMALDG.1D") && !is_pow2(f.bytes)) {
		f.outside = true;
		cycles = (cycles + flow_cycles(s, &f)) / 2;
	}
	/* the measured program uses units of 2^30 bytes */
	return subject_gb_per_s(s, (double)f.blocks * f.bytes, cycles) * 1e9 / (1u << 30);
}

bool probe_tma_flow_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct tma_flow f;

	(void)r;
	snprintf(p->group, sizeof(p->group), "tma load %.9s", p->rest);
	*why = "unknown load (expected bulk, or tensor 1d, 2d or 3d with a box of its size)";
	if (!parse_tma_flow(&f, p))
		return false;
	*why = "more blocks than the SMs can hold";
	if (f.blocks > s->params.sms * s->params.core.max_ctas)
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
