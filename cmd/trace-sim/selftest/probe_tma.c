/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bandwidth of bulk copies: each block loads boxes of a buffer of 4 GiB. It starts a load when the previous
 * one has completed.
 *
 * All blocks are resident at the same time, in equal numbers on all SMs. One thread of a block starts the
 * loads; all threads wait for the mbarrier and then at a thread-block barrier. Boxes are numbered along the
 * first dimension of a tensor, and block i loads every blocks-th box from box i on. A tensor has 4-byte
 * elements and equal extents: 32768 in two dimensions, 1024 in three.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

/* bytes that all blocks load together, within FLOW_LEAST to FLOW_MOST loads per block */
#define FLOW_BYTES   12e6
#define FLOW_LEAST   8u
#define FLOW_MOST    40u
#define FLOW_THREADS 1024u /* threads of a block; half as many if the blocks do not fit on an SM */
#define FLOW_UNROLL  8u
#define FLOW_BARRIER 64u /* offset of the mbarrier in shared memory */
#define ELEMENT      4u
#define PLANE_SIDE   32768u /* extent of a tensor of two dimensions */
#define CUBE_SIDE    1024u

struct tma_flow {
	const char *op;
	uint32_t bytes;         /* bytes of a load */
	uint32_t x, y, z;       /* extents of a box; x is 0 for a range of bytes */
	uint32_t blocks, loads; /* loads: number of loads per block */
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

/* Sets *f from a probe. Returns false if the row is invalid. */
static bool parse_tma_flow(struct tma_flow *f, const struct probe *p)
{
	double bytes = p->param[1] * 1024;

	*f = (struct tma_flow){
		.op = "UBLKCP.S.G", .blocks = probe_count(p->param[0]), .bytes = probe_count(bytes)};
	if (bytes < 16 || bytes > 1 << 17 || f->bytes % 16 || f->blocks > 1u << 16)
		return false;
	f->loads = probe_count(fmin(fmax(FLOW_BYTES / (f->blocks * bytes), FLOW_LEAST), FLOW_MOST));
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

static void tma_flow_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct tma_flow *f = m->arg;

	scribe_op(s, "R2", "MOV", "", 0);
	if (!warp)
		scribe_sync(s, "SYNCS.EXCH.64", FLOW_BARRIER, 0x1ffffe);
	else
		scribe_op(s, "R2", "MOV", "", 0);
	scribe_op(s, "", "BAR.SYNC", "", 0);
	for (uint32_t i = 0; i < f->loads; i++) {
		struct scribe_box box = flow_box(f, (uint64_t)i * f->blocks + block);

		if (i % FLOW_UNROLL == 0)
			s->pc = 0x100;
		if (warp) { /* gives all warps the same number of instructions */
			scribe_op(s, "R2", "MOV", "", 0);
			scribe_op(s, "R2", "MOV", "", 0);
		} else {
			scribe_sync(s, "SYNCS.ARRIVE.TRANS64", FLOW_BARRIER, f->bytes);
			scribe_bulk_copy(s, f->op, FLOW_BARRIER, &box);
		}
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", FLOW_BARRIER, i % 2 ? UINT32_C(1) << 31 : 0);
		scribe_op(s, "", "BAR.SYNC", "", 0);
		scribe_op(s, "R6", "IADD3", "R6 R255 R255", 0);
		scribe_op(s, "", "ISETP.GE.U32.AND", "R6", 0);
		if (i % FLOW_UNROLL == FLOW_UNROLL - 1)
			scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x1000;
	scribe_write_exit(s);
}

double probe_tma_flow(const struct probe *p, const struct subject *s)
{
	struct tma_flow f;
	struct micro m = {.name = "tma_flow",
		.nregs = 16,
		.arch = s->arch,
		.v6 = true,
		.body = tma_flow_body,
		.arg = &f};
	struct bench *b;
	uint32_t per_sm;
	double cycles;

	parse_tma_flow(&f, p);
	m.blocks = f.blocks;
	per_sm = (f.blocks + s->params.sms - 1) / s->params.sms;
	m.threads = per_sm * FLOW_THREADS <= s->params.core.threads ? FLOW_THREADS : FLOW_THREADS / 2;
	m.shmem = s->params.core.shmem_bytes / (per_sm + 1);
	b = bench_open(&s->params, s->isa);
	cycles = (double)bench_time_middle(b, &m, BENCH_INSTS, 0.3, 0.9);
	bench_close(b);
	/* the measured program uses units of 2^30 bytes */
	return subject_gb_per_s(s, 0.6 * f.loads * f.blocks * f.bytes, cycles) * 1e9 / (1u << 30);
}

bool probe_tma_flow_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct tma_flow f;

	(void)r;
	snprintf(p->group, sizeof(p->group), "tma load %.8s", p->rest);
	*why = "unknown load (expected bulk, or tensor 1d, 2d or 3d with a box of its size)";
	if (!parse_tma_flow(&f, p))
		return false;
	*why = "more blocks than the SMs can hold";
	if (f.blocks > s->params.sms * s->params.core.max_ctas)
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
