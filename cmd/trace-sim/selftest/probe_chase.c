/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pointer chases: the cycles of one load that waits for the one before.
 *
 * The chase goes over the lines of its footprint in one random order, again and again. A pass over hundreds
 * of megabytes would be millions of loads, so the caches are brought to where a pass leaves them without
 * spending time (the L2 by reading tags in the chase's order, as much of the order as any cache can still
 * hold; a small footprint's L1 by a real pass), and then some loads of the next pass are timed, from the
 * issue of one to that of another, within one kernel. The programs begin with an empty L1 and time that, too,
 * which shows where a footprint fits it; so the first pass counts by its share of their loads.
 */
#include <stdio.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

#define LINE      128u
#define TIMED     1504u /* loads of which the figure is the mean */
#define LEAD      64u   /* loads before them */
#define REAL_PASS 4096u /* lines up to which a pass is run: more than any L1 holds */
#define UNROLL    32u
#define BEYOND_L1 1.6      /* times its size: no line of a chase stays */
#define PROGRAM   350000.0 /* loads of a program's kernel, by how the plateaus of L1s rise */

/* ---- the order ------------------------------------------------------------------------------ */

struct chase_order {
	uint64_t lines;
	uint32_t half; /* bits of each half of a number that the network permutes */
};

static uint32_t mix(uint32_t half, uint32_t round)
{
	uint64_t z = ((uint64_t)round << 32 | half) * 0x9E3779B97F4A7C15ull;

	z = (z ^ z >> 29) * 0xBF58476D1CE4E5B9ull;
	return (uint32_t)(z >> 32);
}

static void order_init(struct chase_order *o, uint64_t lines)
{
	o->lines = lines;
	o->half = 1;
	while (1ull << 2 * o->half < lines)
		o->half++;
}

/*
 * The line of step i of a pass: a permutation of 0 to lines - 1 (a Feistel network, walked until it stays
 * inside).
 */
static uint64_t order_at(const struct chase_order *o, uint64_t i)
{
	uint64_t mask = (1ull << o->half) - 1;

	do {
		uint64_t left = i >> o->half, right = i & mask;

		for (uint32_t round = 0; round < 4; round++) {
			uint64_t next = left ^ (mix((uint32_t)right, round) & mask);

			left = right;
			right = next;
		}
		i = left << o->half | right;
	} while (i >= o->lines);
	return i;
}

static uint64_t address(const struct chase_order *o, uint64_t step)
{
	return MICRO_DATA + order_at(o, step % o->lines) * LINE;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

struct chase {
	struct chase_order order;
	uint64_t first, loads;
};

static void body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct chase *c = m->what;

	(void)block;
	(void)warp;
	scribe_op(s, "R2", "MOV", "", 0);
	scribe_op(s, "R3", "MOV", "", 0);
	for (uint64_t i = 0; i < c->loads; i++) {
		if (i % UNROLL == 0)
			s->pc = 0x100;
		scribe_mem(s, 1, "R2", "LDG.E.64", "R2", 8, address(&c->order, c->first + i), 0);
		if (i % UNROLL == UNROLL - 1) {
			scribe_op(s, "R6", "IADD3", "R6 R255 R255", 0);
			scribe_op(s, "", "ISETP.GE.U32.AND", "R6", 0);
			scribe_op(s, "", "BRA", "", 0x100);
		}
	}
	s->pc = 0x100 + 16 * (UNROLL + 3);
	scribe_exit(s);
}

/* Instructions up to the load number i, itself with them. */
static uint64_t issue_of(uint64_t i) { return 2 + i / UNROLL * 3 + i + 1; }

/* Of a footprint far larger than the L2 a pass finds nothing that the one before has left. */
static void warm(struct bench *b, const struct subject *s, const struct chase_order *o)
{
	uint64_t most = 5 * subject_l2_bytes(s) / 2 / LINE, steps = 2 * o->lines;

	if (o->lines * LINE > 3 * subject_l2_bytes(s))
		return;
	if (steps > most)
		steps = most < o->lines ? most : (most / o->lines) * o->lines;
	for (uint64_t i = o->lines - steps % o->lines, n = 0; n < steps; n++)
		bench_warm(b, address(o, i + n), 8, 0, false);
}

double probe_chase(const struct probe *p, const struct subject *s)
{
	struct chase c = {.first = 0};
	struct micro m = {.name = "chase",
		.blocks = 1,
		.threads = 32,
		.nregs = 16,
		.arch = s->arch,
		.body = body,
		.what = &c};
	uint64_t lines = (uint64_t)(p->n[0] * 1024 / LINE), pass, at[4], time[4];
	double load, first;
	struct bench *b;

	order_init(&c.order, lines ? lines : 1);
	pass = c.order.lines <= REAL_PASS ? c.order.lines : 0;
	b = bench_open(&s->params, s->isa);
	warm(b, s, &c.order);
	c.loads = pass + LEAD + TIMED + 1;
	at[0] = issue_of(pass > LEAD ? LEAD : 0);
	at[1] = issue_of(pass);
	at[2] = issue_of(pass + LEAD);
	at[3] = issue_of(pass + LEAD + TIMED);
	bench_times(b, &m, at, time, 4);
	load = (double)(time[3] - time[2]) / TIMED;
	bench_close(b);
	if (pass <= LEAD || (double)pass * LINE >= BEYOND_L1 * (double)subject_l1_bytes(s, 32))
		return load;
	first = (double)(time[1] - time[0]) / (double)(pass - LEAD);
	return load + (first - load) * (double)pass / PROGRAM;
}

/* The group tells on which level of this machine the footprint lives; between the levels is "between". */
bool probe_chase_ready(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	double bytes = p->n[0] * 1024, l1 = (double)subject_l1_bytes(s, 32), l2 = (double)subject_l2_bytes(s);
	double near = l2 / s->params.mem.l2_sides;
	const char *level = "between";

	(void)r;
	*why = "a footprint of 128 bytes to 64 GiB is wanted";
	if (bytes < LINE || bytes > 64e9)
		return false;
	if (bytes <= 0.95 * l1)
		level = "L1";
	else if (bytes >= BEYOND_L1 * l1 && bytes <= 0.85 * near)
		level = near < l2 ? "near L2" : "L2";
	else if (near < l2 && bytes >= 1.2 * near && bytes <= 0.9 * l2)
		level = "far L2";
	else if (bytes >= 200e6)
		level = "DRAM";
	snprintf(p->group, sizeof(p->group), "chase %s", level);
	return true;
}
