/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures pointer chases: the cycles of a load that depends on the previous load.
 *
 * The chase visits the lines of its footprint repeatedly in one random order. A pass over hundreds of
 * megabytes would need millions of loads. Instead, the caches are put into the state that a pass leaves. The
 * L2 is warmed by passing the chase through its tags, which takes no simulated time; the L1 is warmed by a
 * real pass if the footprint is small. Then some loads of the next pass are timed within one kernel, from
 * issue to issue. The measured programs begin with an empty L1 and include the time of the first pass, which
 * matters if the footprint fits into the L1. The time of the first pass is therefore added, in proportion to
 * its share of the loads.
 */
#include <stdio.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/order.h"
#include "selftest/probe.h"

#define LINE      128u
#define TIMED     1504u /* number of timed loads; the figure is their mean */
#define LEAD      64u   /* number of loads before the timed ones */
#define REAL_PASS 4096u /* number of lines of the longest simulated pass; more than any L1 has */
#define UNROLL    32u
/* ratio of footprint to L1 size from which on the L1 keeps no line of a chase */
#define BEYOND_L1 1.6
/* number of loads of a measured kernel, derived from the slope of the L1 plateaus */
#define PROGRAM 350000.0

/* ---- the kernel ----------------------------------------------------------------------------- */

static uint64_t chase_address(const struct line_order *o, uint64_t step)
{
	return MICRO_DATA + order_line(o, step % o->lines) * LINE;
}

struct chase {
	struct line_order order;
	uint64_t first_step, loads;
	bool bulk; /* true if loads are bulk copies of 16 bytes to shared memory */
};

#define CHASE_BARRIER 64u /* offset of the mbarrier in shared memory */
#define COPY_STEPS    5u  /* number of instructions of a load by bulk copy */

/*
 * Writes load i as a bulk copy. The mbarrier expects the bytes, the copy starts, and the warp waits for it
 * and reads the next address from shared memory.
 */
static void scribe_chase_copy(struct scribe *s, const struct chase *c, uint64_t i)
{
	struct scribe_box box = {
		.base = chase_address(&c->order, c->first_step + i), .bytes = 16, .rows = 1, .planes = 1};

	scribe_sync(s, "SYNCS.ARRIVE.TRANS64", CHASE_BARRIER, 16);
	scribe_bulk_copy(s, "UBLKCP.S.G", CHASE_BARRIER, &box);
	scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", CHASE_BARRIER, i % 2 ? UINT32_C(1) << 31 : 0);
	scribe_mem(s, 1, "R2", "LDS.64", "R8", 8, MICRO_SHARED, 0);
	scribe_op(s, "UR4", "R2UR", "R2", 0);
}

static void write_chase_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct chase *c = m->arg;

	(void)block;
	(void)warp;
	scribe_op(s, "R2", "MOV", "", 0);
	if (c->bulk)
		scribe_sync(s, "SYNCS.EXCH.64", CHASE_BARRIER, 0x1ffffe);
	else
		scribe_op(s, "R3", "MOV", "", 0);
	for (uint64_t i = 0; i < c->loads; i++) {
		if (i % UNROLL == 0)
			s->pc = 0x100;
		if (c->bulk)
			scribe_chase_copy(s, c, i);
		else
			scribe_mem(s, 1, "R2", "LDG.E.64", "R2", 8,
				chase_address(&c->order, c->first_step + i), 0);
		if (i % UNROLL == UNROLL - 1) {
			scribe_op(s, "R6", "IADD3", "R6 R255 R255", 0);
			scribe_op(s, "", "ISETP.GE.U32.AND", "R6", 0);
			scribe_op(s, "", "BRA", "", 0x100);
		}
	}
	s->pc = 0x100 + 16 * (UNROLL * (c->bulk ? COPY_STEPS : 1) + 3);
	scribe_write_exit(s);
}

/*
 * Number of instructions up to and including load i. For a bulk copy, only the first instruction of the load
 * is included.
 */
static uint64_t insts_up_to_load(const struct chase *c, uint64_t i)
{
	return 2 + i / UNROLL * 3 + i * (c->bulk ? COPY_STEPS : 1) + 1;
}

/*
 * Passes the chase through the tags of the L2. For a footprint far larger than the L2 this is not necessary,
 * because a pass never hits a line of the previous pass.
 */
static void warm_chase(struct bench *b, const struct subject *s, const struct line_order *o)
{
	uint64_t most = 5 * subject_l2_bytes(s) / 2 / LINE, steps = 2 * o->lines;

	if (o->lines * LINE > 3 * subject_l2_bytes(s))
		return;
	if (steps > most)
		steps = most < o->lines ? most : (most / o->lines) * o->lines;
	for (uint64_t i = o->lines - steps % o->lines, n = 0; n < steps; n++)
		bench_warm_l2(b, chase_address(o, i + n), 8, 0, false);
}

/*
 * Returns the cycles per load of chase c. Sets *first to the cycles per load of the first pass, or to 0 if
 * that pass is not simulated.
 */
static double time_chase(const struct subject *s, struct chase *c, double *first)
{
	struct micro m = {.name = "chase",
		.blocks = 1,
		.threads = 32,
		.shmem = c->bulk ? 1024 : 0,
		.nregs = 16,
		.arch = s->arch,
		.v6 = c->bulk,
		.body = write_chase_body,
		.arg = c};
	uint64_t pass = c->order.lines <= REAL_PASS ? c->order.lines : 0, at[4], time[4];
	struct bench *b = bench_open(&s->params, s->isa);

	warm_chase(b, s, &c->order);
	if (c->bulk)
		pass = 0; /* bulk copies bypass the L1 */
	c->loads = pass + LEAD + TIMED + 1;
	at[0] = insts_up_to_load(c, pass > LEAD ? LEAD : 0);
	at[1] = insts_up_to_load(c, pass);
	at[2] = insts_up_to_load(c, pass + LEAD);
	at[3] = insts_up_to_load(c, pass + LEAD + TIMED);
	bench_time_insts(b, &m, at, time, 4);
	bench_close(b);
	*first = pass > LEAD ? (double)(time[1] - time[0]) / (double)(pass - LEAD) : 0;
	return (double)(time[3] - time[2]) / TIMED;
}

double probe_chase(const struct probe *p, const struct subject *s)
{
	struct chase c = {.bulk = false};
	uint64_t lines = (uint64_t)(p->param[0] * 1024 / LINE);
	double load, first;

	if (p->param[0] <= 0)
		return probe_named_walk(p, s);
	order_init(&c.order, lines ? lines : 1);
	load = time_chase(s, &c, &first);
	if (first <= 0 || (double)lines * LINE >= BEYOND_L1 * (double)subject_l1_bytes(s, 32))
		return load;
	return load + (first - load) * (double)lines / PROGRAM;
}

double probe_tma_chase(const struct probe *p, const struct subject *s)
{
	struct chase c = {.bulk = true};
	uint64_t lines = (uint64_t)(p->param[0] * 1024 / LINE);
	double first;

	order_init(&c.order, lines ? lines : 1);
	return time_chase(s, &c, &first);
}

bool probe_tma_chase_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	double bytes = p->param[0] * 1024, near = (double)subject_l2_bytes(s) / s->params.mem.l2_sides;

	*why = "unknown metric (expected a latency in cycles of one dependent bulk copy)";
	if (strcmp(r->unit, "cycles") != 0 || !strstr(r->metric, "latency of one"))
		return false;
	*why = "footprint out of range (expected 128 bytes to 64 GiB)";
	if (bytes < LINE || bytes > 64e9)
		return false;
	strcpy(p->group, bytes <= 0.85 * near ? "tma chase L2"
			 : bytes >= 200e6     ? "tma chase DRAM"
					      : "tma chase between");
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}

/*
 * Sets the group to the level of the memory hierarchy that the footprint fits in, or to "between" if the
 * footprint is between two levels.
 */
bool probe_chase_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	double bytes = p->param[0] * 1024, l1 = (double)subject_l1_bytes(s, 32),
	       l2 = (double)subject_l2_bytes(s);
	double near = l2 / s->params.mem.l2_sides;
	const char *level = "between";

	if (bytes <= 0)
		return probe_named_walk_prepare(p, r, s, why);
	*why = "footprint out of range (expected 128 bytes to 64 GiB)";
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
