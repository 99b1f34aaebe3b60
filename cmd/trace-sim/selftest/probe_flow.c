/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures cache bandwidth: traffic out of the L1 and the L2 when all SMs read as fast as they can.
 *
 * Each figure is taken in the middle of a kernel, on a GPU with an L2 that holds the lines that earlier
 * traffic would have left. If all SMs do the same in their L1s, only one SM is simulated.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "arena.h"
#include "selftest/bench.h"
#include "selftest/loop.h"
#include "selftest/probe.h"

#define SECTOR 32u

/* ---- a single buffer that is read repeatedly -------------------------------------------------- */

#define L1_THREADS 256u

/*
 * Maximum distance between the rows at which two SMs start. In thousands of passes SMs drift apart, so each
 * SM starts at its own row. LOOP_APART is greater than the number of loads in flight, and small relative to
 * the L2. LOOP_CLOSE is about the number of loads in flight. It is used if the buffer does not fit in the L2:
 * an SM that is ahead then waits for DRAM until the other SMs have caught up.
 */
#define LOOP_APART 1024u
#define LOOP_CLOSE 16u

/*
 * Number of threads of a CTA. The program with pairs uses the largest of 128, 256 and 512 that divides half
 * of the buffer.
 */
static uint32_t threads_of_loop_cta(uint32_t words, bool pairs)
{
	uint32_t wide = 512;

	if (!pairs)
		return L1_THREADS;
	while (wide > 128 && words / 2 % wide)
		wide /= 2;
	return wide;
}

/*
 * The part of a program that is simulated, and the fraction of this part that is measured. If the buffer is
 * far larger than the L1, the part is a section of one pass. If the buffer is about as large as the L1, the
 * part is a pass that fills the L1 and the next pass, which hits the remaining lines. If the buffer fits in
 * the L1, the part is many passes.
 */
struct loop_part {
	uint32_t steps; /* number of steps of the loop that are simulated */
	double from;    /* start of the measured part, as a fraction of the simulated part */
	double to;      /* end of the measured part, likewise */
};

static struct loop_part choose_measured_part(uint32_t pass, double bytes, double l1)
{
	if (bytes > 1.6 * l1)
		return (struct loop_part){192, 0.6, 0.9};
	if (bytes > 0.95 * l1)
		return (struct loop_part){5 * pass / 2, 0.45, 0.85};
	return (struct loop_part){pass < 256 ? 1024 / pass * pass : 4 * pass, 0.6, 0.9};
}

double probe_l1_flow(const struct probe *p, const struct subject *s)
{
	double bytes = p->param[0] * 1024, l1 = (double)subject_l1_bytes(s, L1_THREADS),
	       l2 = (double)subject_l2_bytes(s);
	bool inside = bytes <= 0.95 * l1, pairs = p->param[1] > 0;
	struct loop l = {.load_bytes = probe_round_count(p->param[2]), .pairs = pairs};
	uint32_t threads = threads_of_loop_cta(probe_round_count(bytes / l.load_bytes), pairs),
		 parts = pairs ? 2 : 1;
	struct micro m = {.name = "read",
		.blocks = inside ? 1 : s->params.sms,
		.threads = threads,
		.nregs = 64,
		.arch = s->arch,
		.body = loop_write_body,
		.arg = &l};
	struct loop_part part;
	double cycles;
	struct bench *b;

	l.rows_per_pass = probe_round_count(bytes / l.load_bytes / threads / parts);
	part = choose_measured_part(l.rows_per_pass, bytes, l1);
	l.total_rows = (part.steps + loop_turn_rows(&l) - 1) / loop_turn_rows(&l) * loop_turn_rows(&l);
	l.start_rows = inside ? 0 : bytes <= l2 ? LOOP_APART : LOOP_CLOSE;
	b = bench_open(&s->params, s->isa);
	b->run.gpu.joins.cubins = loop_codes(&m);
	for (uint64_t at = 0; at < (uint64_t)fmin(bytes, l2); at += SECTOR)
		bench_warm_l2(b, MICRO_DATA + at, SECTOR,
			inside ? 0 : (uint32_t)(at / SECTOR) % s->params.clusters, false);
	cycles = (double)bench_time_middle(b, &m, BENCH_INSTS, part.from, part.to);
	bench_close(b);
	bytes = (part.to - part.from) * l.total_rows * parts * threads * l.load_bytes;
	return subject_gb_per_s(s, bytes * s->params.sms, cycles);
}

/* ---- CTAs that each read a share of a buffer -------------------------------------------------- */

/*
 * CTA b of the program reads share b modulo the number of shares, row by row. A row has one element per
 * thread of the CTA. With pairs, a row has two adjacent pieces of that length, whose elements are multiplied in pairs.
 * The figure is taken in the middle of a long run. Resident CTAs have started one after another, so each one is at a
 * different row. The L2 has lines that they and earlier CTAs have read.
 */
#define L2_THREADS 1024u
#define ROW_BYTES  (L2_THREADS * 8)
#define L2_BATCH   4u /* number of rows that a warp reads before it adds up their elements */
#define L2_ROWS    12u

struct shares {
	uint32_t shares;   /* number of shares in the buffer */
	uint32_t rows;     /* number of rows in a share */
	uint32_t slots;    /* number of resident CTAs */
	uint16_t *rank;    /* for each slot, the rank of its CTA by start time; random, as on a GPU */
	uint32_t next_row; /* next row of slot 0 */
	uint32_t loads;    /* number of loads per thread */
	uint32_t pieces;   /* number of adjacent pieces in a row */
};

/* Returns a random permutation of the slots. All calls return the same permutation. */
static uint16_t *shuffled_slots(uint32_t slots)
{
	uint16_t *turn = xcalloc(slots, sizeof(*turn));
	uint32_t seed = 1;

	for (uint32_t i = 0; i < slots; i++) {
		uint32_t k;

		seed = seed * 1664525 + 1013904223;
		k = (uint32_t)((uint64_t)seed * (i + 1) >> 32);
		turn[i] = turn[k];
		turn[k] = (uint16_t)i;
	}
	return turn;
}

/* Address of the row that the CTA in a slot reads in a step. */
static uint64_t share_row_address(const struct shares *h, uint32_t slot, uint32_t step)
{
	uint32_t turn = h->rank[slot];
	uint64_t progress = step + (uint64_t)turn * h->rows / h->slots, row = progress % h->rows;
	uint64_t cta = progress / h->rows * h->slots + (h->slots - 1 - turn), piece = row % h->pieces;

	return MICRO_DATA + ((row / h->pieces * h->shares + cta % h->shares) * h->pieces + piece) * ROW_BYTES;
}

static void write_shares_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct shares *h = m->arg;

	for (uint32_t i = 0; i < h->loads; i += L2_BATCH) {
		for (uint32_t k = 0; k < L2_BATCH; k++) {
			uint64_t at = share_row_address(h, block, h->next_row + i + k) + warp * 32 * 8;
			char reg[8];

			snprintf(reg, sizeof(reg), "R%u", 16 + 2 * k);
			scribe_mem(s, LANES_ALL, reg, "LDG.E.64", "R2", 8, at, 8);
		}
		for (uint32_t k = 0; k < L2_BATCH; k += h->pieces) {
			char src[24];

			snprintf(src, sizeof(src), "R%u R%u R4", 16 + 2 * k, 14 + 2 * (k + h->pieces));
			scribe_op(s, "R4", h->pieces > 1 ? "DFMA" : "DADD", src, 0);
		}
	}
	scribe_write_exit(s);
}

/* Warms the L2 with enough steps to fill it several times, or with several passes over a smaller buffer. */
static void warm_shares(struct bench *b, const struct subject *s, struct shares *h)
{
	double most = fmin(4 * (double)subject_l2_bytes(s), 8.0 * h->shares * h->rows * ROW_BYTES);
	uint32_t steps = probe_round_count(ceil(most / ((double)h->slots * ROW_BYTES)));

	for (; h->next_row < steps; h->next_row++)
		for (uint32_t slot = 0; slot < h->slots; slot++)
			bench_warm_l2(b, share_row_address(h, slot, h->next_row), ROW_BYTES,
				slot % s->params.clusters, false);
}

double probe_l2_flow(const struct probe *p, const struct subject *s)
{
	uint32_t per_sm = s->params.core.threads / L2_THREADS;
	struct shares h = {.shares = probe_round_count(p->param[0] / p->param[1]),
		.rows = probe_round_count(p->param[1] * 1024 / ROW_BYTES),
		.slots = s->params.sms * (per_sm ? per_sm : 1),
		.loads = L2_ROWS,
		.pieces = p->param[2] > 0 ? 2 : 1};
	struct micro m = {.name = "shares",
		.blocks = h.slots,
		.threads = L2_THREADS,
		.nregs = 32,
		.arch = s->arch,
		.body = write_shares_body,
		.arg = &h};
	const double from = 0.3, to = 0.9;
	struct bench *b;
	double cycles;

	h.rank = shuffled_slots(h.slots);
	b = bench_open(&s->params, s->isa);
	warm_shares(b, s, &h);
	cycles = (double)bench_time_middle(b, &m, BENCH_INSTS, from, to);
	bench_close(b);
	free(h.rank);
	return subject_gb_per_s(s, (to - from) * h.loads * m.blocks * ROW_BYTES, cycles);
}

bool probe_flow_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	bool l1 = p->kind->run == probe_l1_flow;
	double bytes = p->param[0] * 1024,
	       cache = (double)(l1 ? subject_l1_bytes(s, L1_THREADS) : subject_l2_bytes(s));

	(void)r;
	*why = "word size not supported (expected 4 or 8 bytes)";
	if (l1 && p->param[2] != 4 && p->param[2] != 8)
		return false;
	*why = "footprint out of range (expected 1 KiB to 64 GiB)";
	if (bytes < 1024 || bytes > 64.0 * (1u << 30) ||
		(!l1 && (p->param[1] < 1 || p->param[1] > p->param[0])))
		return false;
	snprintf(p->group, sizeof(p->group), "bandwidth %s",
		l1 ? (bytes <= 0.95 * cache         ? "L1"
			     : bytes <= 1.6 * cache ? "L1 to L2"
						    : "one buffer")
		   : (bytes <= 0.5 * cache          ? "L2"
			     : bytes <= 1.6 * cache ? "L2 to DRAM"
						    : "DRAM shares"));
	return true;
}
