/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures accesses to DRAM: many pointer chases at once over 1 GiB, one per lane, and a read of a buffer by
 * all SMs. The chases of a row follow one random cycle of nodes, which are 256 bytes apart. They begin at
 * equal distances on the cycle, so that no chase reads a node that another chase has read.
 *
 * The figure is the difference in time between kernels with more and with fewer rounds, with cold caches. The
 * params of a row are the text of its source.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "selftest/micro.h"
#include "selftest/probe.h"

#define NODES_LOG2   22u /* binary logarithm of the number of nodes, which cover 1 GiB */
#define NODE_BYTES   256u
#define FEW_HOPS     8u
#define MORE_HOPS    24u
#define READ_BLOCKS  912u
#define READ_THREADS 256u
#define READ_UNROLL  4u
#define READ_ROUNDS  2u

struct many_chases {
	uint32_t chains;
	uint32_t lanes; /* number of lanes per warp that chase */
	uint32_t blocks;
	uint32_t hops;
};

/*
 * Returns the node at a place of the random cycle. Odd factors and a shifted exclusive or permute the nodes.
 */
static uint64_t node_at_cycle_place(uint64_t place)
{
	uint32_t mask = (1u << NODES_LOG2) - 1, x = (uint32_t)place & mask;

	x = x * 0x2545F5u & mask;
	x ^= x >> NODES_LOG2 / 2;
	return x * 0x1B873593u & mask;
}

/*
 * Parses "32 lanes/warp" and "912 chains 1 GiB cold". Returns false for other texts, and if the chains cannot
 * be divided into equal blocks.
 */
static bool parse_chases(const struct probe *p, const struct subject *s, struct many_chases *c)
{
	uint32_t threads;

	*c = (struct many_chases){.chains = (uint32_t)strtoul(p->params, NULL, 10),
		.lanes = (uint32_t)strtoul(p->rest, NULL, 10),
		.blocks = s->params.sms};
	if (!c->blocks || !strstr(p->params, " chains 1 GiB cold") || !c->lanes || c->lanes > 32 ||
		c->chains % c->blocks)
		return false;
	threads = c->chains / c->blocks;
	if (threads < c->lanes)
		c->lanes = threads;
	return threads && threads % c->lanes == 0 && threads / c->lanes <= 32;
}

static void write_chases_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct many_chases *c = m->arg;
	uint32_t first = (block * (m->threads / 32) + warp) * c->lanes;
	uint64_t lane[32] = {0}, apart = (UINT64_C(1) << NODES_LOG2) / c->chains;

	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t i = 0; i < c->hops; i++) {
		for (uint32_t k = 0; k < c->lanes; k++)
			lane[k] = MICRO_DATA + NODE_BYTES * node_at_cycle_place((first + k) * apart + i);
		s->pc = 0x100;
		scribe_lanes(s, c->lanes < 32 ? (1u << c->lanes) - 1 : LANES_ALL, "R2", "LDG.E.STRONG.GPU",
			"R2", 4, lane);
		scribe_op(s, "R2", "IMAD.WIDE", "R2 R4", 0);
		scribe_op(s, "R6", "IADD3", "R6", 0);
		scribe_op(s, "", "ISETP.NE.AND", "R6", 0);
		scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x1000;
	scribe_write_exit(s);
}

double probe_chases(const struct probe *p, const struct subject *s)
{
	struct many_chases c;
	struct micro m = {
		.name = "chases", .nregs = 24, .arch = s->arch, .body = write_chases_body, .arg = &c};

	parse_chases(p, s, &c);
	m.blocks = c.blocks;
	m.threads = 32 * (c.chains / c.blocks / c.lanes);
	return probe_time_rounds(s, &m, &c.hops, FEW_HOPS, MORE_HOPS) / MORE_HOPS;
}

bool probe_chases_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct many_chases c;

	strcpy(p->group, "chases at once");
	*why = "unknown chases (expected N lanes/warp and N chains 1 GiB cold, the same number on each SM)";
	return parse_chases(p, s, &c) && !strcmp(r->unit, "cycles");
}

/* ---- read ----------------------------------------------------------------------------------- */

static void write_read_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const uint32_t *rounds = m->arg;
	uint64_t stride = UINT64_C(16) * READ_BLOCKS * READ_THREADS;
	uint64_t at = MICRO_DATA + UINT64_C(16) * (block * READ_THREADS + 32 * warp);
	char reg[24];

	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t i = 0; i < *rounds; i++) {
		s->pc = 0x100;
		for (uint32_t k = 0; k < READ_UNROLL; k++, at += stride) {
			snprintf(reg, sizeof(reg), "R%u", 8 + 4 * k);
			scribe_mem(s, LANES_ALL, reg, "LDG.E.128.STRONG.GPU", "R2", 16, at, 16);
		}
		for (uint32_t k = 0; k < 4 * READ_UNROLL; k++) {
			snprintf(reg, sizeof(reg), "R%u R30", 8 + k);
			scribe_op(s, "R30", "FADD", reg, 0);
		}
		scribe_op(s, "R2", "IADD3", "R2", 0);
		scribe_op(s, "", "ISETP.NE.AND", "R2", 0);
		scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x1000;
	scribe_write_exit(s);
}

double probe_read(const struct probe *p, const struct subject *s)
{
	uint32_t rounds;
	struct micro m = {.name = "read",
		.blocks = READ_BLOCKS,
		.threads = READ_THREADS,
		.nregs = 32,
		.arch = s->arch,
		.body = write_read_body,
		.arg = &rounds};
	double bytes = 16.0 * READ_BLOCKS * READ_THREADS * READ_UNROLL * READ_ROUNDS;

	(void)p;
	return subject_gb_per_s(s, bytes, probe_time_rounds(s, &m, &rounds, READ_ROUNDS, READ_ROUNDS));
}

bool probe_read_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	(void)s;
	strcpy(p->group, "read");
	*why = "unknown parameters or unit (expected grid=912 block=256 and GB/s)";
	return strstr(p->params, "grid=912 block=256") && !strcmp(r->unit, "GB/s");
}
