/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the bandwidth of a cache level with loads of 16 bytes per lane: blocks of 1024 threads that
 * read the L1 of one SM, or the L2 with all SMs.
 *
 * In each round a warp reads the data that the next warp has read in the round before. The order of loads and
 * sums, and the instructions that compute addresses, are those of the compiled programs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

#define WIDE_THREADS 1024u
#define LOAD_BYTES   16u
#define L1_ARRAY     65536u /* bytes of the array that is read from the L1 */
#define L1_ROUNDS    384u
#define L2_ROUNDS    32u
#define L1_AHEAD     4u /* number of loads that a warp issues before the sums of the first */
#define L2_AHEAD     2u

struct wide_reads {
	bool from_l1;
	uint32_t rounds, ahead;
};

static bool parse_wide_reads(const struct probe *p, struct wide_reads *w)
{
	bool l1 = !strcmp(p->params, "L1 FP32.v4");

	*w = (struct wide_reads){
		.from_l1 = l1, .rounds = l1 ? L1_ROUNDS : L2_ROUNDS, .ahead = l1 ? L1_AHEAD : L2_AHEAD};
	return l1 || !strcmp(p->params, "L2 FP32.v4");
}

static uint64_t wide_address(const struct wide_reads *w, uint32_t block, uint32_t warp, uint32_t round)
{
	uint64_t at = LOAD_BYTES * ((uint64_t)block * WIDE_THREADS + 32 * (warp + round));

	return MICRO_DATA + (w->from_l1 ? at % L1_ARRAY : at);
}

/* Writes a load to a register, and the instructions that compute its address in the same register. */
static void write_wide_load(struct scribe *s, const struct wide_reads *w, uint64_t address, uint32_t reg)
{
	static const char *const l1_ops[] = {"IADD3", "LOP3.LUT", "IADD3", "IADD3.X"},
				 *const l2_ops[] = {
					 "SHF.R.U32.HI", "IMAD.WIDE.U32", "IMAD", "IADD3", "IMAD.WIDE.U32"};
	uint32_t n = w->from_l1 ? sizeof(l1_ops) / sizeof(*l1_ops) : sizeof(l2_ops) / sizeof(*l2_ops);
	char dst[8];

	snprintf(dst, sizeof(dst), "R%u", reg);
	for (uint32_t i = 0; i < n; i++)
		scribe_op(s, dst, w->from_l1 ? l1_ops[i] : l2_ops[i], i ? dst : "R4", 0);
	scribe_mem(s, LANES_ALL, dst, w->from_l1 ? "LDG.E.128.STRONG.SM" : "LDG.E.128.STRONG.GPU", dst,
		LOAD_BYTES, address, LOAD_BYTES);
}

static void write_wide_sums(struct scribe *s, uint32_t reg)
{
	char sum[8], src[16];

	for (uint32_t i = 0; i < 4; i++) {
		snprintf(sum, sizeof(sum), "R%u", 8 + 2 * i);
		snprintf(src, sizeof(src), "%s R%u", sum, reg + i);
		scribe_op(s, sum, "FADD", src, 0);
	}
}

static void write_wide_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct wide_reads *w = m->arg;
	uint32_t turn = w->ahead + 1, unroll = 4 * turn;

	scribe_op(s, "R4", "MOV", "", 0);
	for (uint32_t i = 0; i < w->rounds; i++) {
		if (i % unroll == 0)
			s->pc = 0x100;
		write_wide_load(s, w, wide_address(w, block, warp, i), 20 + 4 * (i % turn));
		if (i >= w->ahead)
			write_wide_sums(s, 20 + 4 * ((i + 1) % turn));
	}
	s->pc = 0x4000;
	scribe_write_exit(s);
}

double probe_bandwidth(const struct probe *p, const struct subject *s)
{
	uint32_t per_sm = s->params.core.threads / WIDE_THREADS;
	struct wide_reads w;
	struct micro m = {.name = "bandwidth",
		.threads = WIDE_THREADS,
		.nregs = 32,
		.arch = s->arch,
		.body = write_wide_body,
		.arg = &w};
	const double from = 0.4, to = 0.9;
	double cycles, bytes;
	uint64_t end;
	struct bench *b = bench_open(&s->params, s->isa);

	parse_wide_reads(p, &w);
	m.blocks = w.from_l1 ? 1 : s->params.sms * (per_sm ? per_sm : 1);
	end = w.from_l1 ? L1_ARRAY : UINT64_C(16) * (m.blocks * WIDE_THREADS + 32 * w.rounds);
	for (uint32_t side = 0; side < 2; side++)
		bench_warm_l2(b, MICRO_DATA, end, side * (s->params.clusters - 1), false);
	cycles = (double)bench_time_middle(b, &m, BENCH_INSTS, from, to);
	bench_close(b);
	bytes = (to - from) * w.rounds * LOAD_BYTES * (double)m.blocks * WIDE_THREADS;
	return cycles > 0 ? bytes / cycles : NAN;
}

bool probe_bandwidth_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct wide_reads w;

	strcpy(p->group, "wide loads");
	*why = "unknown bandwidth (expected L1 or L2, and FP32.v4)";
	if (!parse_wide_reads(p, &w))
		return false;
	*why = "unknown unit (expected B/cycle/SM for the L1, B/cycle for the L2)";
	if (strcmp(r->unit, w.from_l1 ? "B/cycle/SM" : "B/cycle") != 0)
		return false;
	*why = "an SM of this GPU has fewer than 1024 threads";
	return s->params.core.threads >= WIDE_THREADS;
}
