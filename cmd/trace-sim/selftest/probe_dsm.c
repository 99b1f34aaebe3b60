/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the shared memory of other thread blocks in a cluster: latency of dependent loads, bandwidth of
 * loads and stores.
 *
 * Block 0 accesses the shared memory of block 1. If a row measures both directions, block 1 also accesses the
 * shared memory of block 0. At the end all blocks wait at the barrier of the cluster, because a block must
 * not end while others access its memory.
 */
#include <stdio.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

#define DSM_UNROLL 16u
#define DSM_WARPS  16u /* number of warps of a block that measures bandwidth */
#define DSM_WINDOW (UINT64_C(1) << 24)

struct dsm_row {
	bool chase, local, store, both_directions;
	uint32_t rounds; /* number of accesses of a warp */
};

static bool parse_dsm(struct dsm_row *x, const struct probe *p)
{
	*x = (struct dsm_row){
		.chase = !strcmp(p->kind->workload, "dsm-chase") || strstr(p->params, "shared load"),
		.local = strstr(p->params, "local") != NULL,
		.store = !strncmp(p->params, "remote store", 12),
		.both_directions = strstr(p->params, "both directions") != NULL};
	return x->chase || x->store || !strncmp(p->params, "remote load", 11);
}

static void write_dsm_access(
	struct scribe *s, const struct dsm_row *x, uint32_t warp, uint64_t base, uint32_t number)
{
	char dst[8];

	snprintf(dst, sizeof(dst), "R%u", 8 + number % DSM_UNROLL);
	if (x->chase && x->local)
		scribe_mem(s, 1, "R2", "LDS", "R2", 4, base, 0);
	else if (x->chase)
		scribe_mem(s, 1, "R2", "LD.E", "R2", 4, base, 0);
	else if (x->store)
		scribe_mem(s, LANES_ALL, "", "ST.E", "R2 R4", 4, base + 128 * warp, 4);
	else
		scribe_mem(s, LANES_ALL, dst, "LD.E", "R2", 4, base + 128 * warp, 4);
}

static void write_dsm_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct dsm_row *x = m->arg;
	bool acts = !block || (block == 1 && x->both_directions);
	uint64_t base = MICRO_SHARED + (x->local || block == 1 ? 0 : DSM_WINDOW);

	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t i = 0; acts && i < x->rounds; i++) {
		s->pc = 0x100 + 16 * (i % DSM_UNROLL);
		if (x->chase) { /* the program computes the address of the next load */
			s->pc += 32 * (i % DSM_UNROLL);
			scribe_op(s, "R2", "IADD3", "R2 R255 R255", 0);
			scribe_op(s, "R2", "IADD3", "R2 R255 R255", 0);
		}
		write_dsm_access(s, x, warp, base, i);
	}
	s->pc = 0x1000;
	scribe_op(s, "", "UCGABAR_ARV", "", 0);
	scribe_op(s, "", "UCGABAR_WAIT", "", 0);
	scribe_write_exit(s);
}

double probe_dsm(const struct probe *p, const struct subject *s)
{
	struct dsm_row x;
	struct micro m = {.name = "dsm",
		.blocks = p->param[0] >= 2 ? probe_round_count(p->param[0]) : 2,
		.threads = 32,
		.shmem = 8192,
		.nregs = 32,
		.arch = s->arch,
		.body = write_dsm_body,
		.arg = &x};
	uint32_t more;
	double cycles;

	if (!parse_dsm(&x, p))
		return probe_dsm_copy(p, s);
	m.cluster = m.blocks;
	m.threads = x.chase ? 32 : 32 * DSM_WARPS;
	more = x.chase ? 8 * DSM_UNROLL : 16 * DSM_UNROLL;
	cycles = probe_time_rounds(s, &m, &x.rounds, 4 * DSM_UNROLL, more) / more;
	return x.chase ? cycles : 128.0 * DSM_WARPS / cycles;
}

bool probe_dsm_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct dsm_row x;

	strcpy(p->group, "dsm latency");
	*why = "unknown access (expected dsm-chase with cluster=N, or dsm with a remote load, remote store or bulk copy)";
	if ((!parse_dsm(&x, p) && !probe_is_dsm_copy(p->params)) ||
		(!x.chase && strcmp(r->unit, "B/cycle/SM") != 0))
		return false;
	if (x.chase && (p->param[0] < 2 || p->param[0] > 16 || strcmp(r->unit, "cycles") != 0))
		return false;
	if (!x.chase)
		strcpy(p->group, "dsm bandwidth");
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}

/* ---- rings of loads --------------------------------------------------------------------------- */

#define RING_THREADS 1024u
#define RING_FEW     8u
#define RING_MORE    24u

struct load_ring {
	uint32_t cluster, rounds;
};

/* Each thread of a block follows a chain of loads from the next block of the cluster. */
static void write_load_ring_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct load_ring *x = m->arg;
	uint64_t next = MICRO_SHARED + (block % x->cluster + 1) % x->cluster * DSM_WINDOW;

	scribe_op(s, "R2", "MOV", "", 0);
	scribe_op(s, "", "UCGABAR_ARV", "", 0);
	scribe_op(s, "", "UCGABAR_WAIT", "", 0);
	for (uint32_t i = 0; i < x->rounds; i++) {
		s->pc = 0x100;
		scribe_op(s, "R4", "IMAD.WIDE.U32", "R2 R6", 0);
		scribe_mem(s, LANES_ALL, "R2", "LD.E", "R4", 4, next + 128 * warp, 4);
	}
	s->pc = 0x1000;
	scribe_op(s, "", "UCGABAR_ARV", "", 0);
	scribe_op(s, "", "UCGABAR_WAIT", "", 0);
	scribe_write_exit(s);
}

double probe_dsm_ring(const struct probe *p, const struct subject *s)
{
	struct load_ring x = {.cluster = probe_round_count(p->param[0])};
	struct micro m = {.name = "dsm_ring",
		.threads = RING_THREADS,
		.shmem = 16384,
		.nregs = 16,
		.arch = s->arch,
		.cluster = x.cluster,
		.body = write_load_ring_body,
		.arg = &x};
	uint32_t clusters = 0;
	double cycles;

	for (uint32_t i = 0; i < s->params.modern.groups; i++)
		clusters += (params_group_begin(&s->params, i + 1) - params_group_begin(&s->params, i)) /
			    x.cluster;
	m.blocks = s->params.core.threads / RING_THREADS * clusters * x.cluster;
	cycles = probe_time_rounds(s, &m, &x.rounds, RING_FEW, RING_MORE);
	return subject_gb_per_s(s, 4.0 * RING_MORE * RING_THREADS * m.blocks, cycles) / 1000;
}

bool probe_dsm_ring_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	strcpy(p->group, "dsm ring");
	*why = "unknown unit or cluster (expected TB/s and cluster=2 to 16)";
	if (strcmp(r->unit, "TB/s") != 0 || p->param[0] < 2 || p->param[0] > 16)
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90 && s->params.modern.group_most >= p->param[0];
}
