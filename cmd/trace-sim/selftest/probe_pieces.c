/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the read of a buffer far larger than the L2 by one large block on each SM: by loads of 16 bytes per
 * lane, or by bulk copies of PIECE_BYTES into a ring of PIECE_STAGES stages,
 * each of which is filled again when its copy has arrived.
 *
 * The figure is the difference between kernels with more and with fewer pieces, with cold caches. The size of
 * the pieces and the number of stages are those of the source; its code is not published.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "selftest/micro.h"
#include "selftest/probe.h"

#define PIECE_BYTES   8192u
#define PIECE_STAGES  16u
#define PIECE_ROUNDS  4u  /* number of times that a run fills all stages */
#define PIECE_BARRIER 64u /* offset of the first mbarrier; not 0, which would mean no mbarrier */
#define LOADS_AHEAD   4u

struct read_pieces {
	bool by_copy; /* by bulk copies; false: by loads */
	uint32_t blocks, threads, rounds;
};

static bool parse_pieces(const struct probe *p, struct read_pieces *c)
{
	size_t n = strlen(p->params);
	double blocks, threads;

	if (strcmp(p->rest, "1 GiB") != 0 || !measured_param(p->params, "blocks", &blocks) ||
		!measured_param(p->params, "threads", &threads) || blocks < 1 || blocks > 65536 ||
		threads < 32 || threads > 1024)
		return false;
	*c = (struct read_pieces){.blocks = (uint32_t)blocks, .threads = (uint32_t)threads};
	c->by_copy = n > 10 && !strcmp(p->params + n - 10, " bulk copy");
	return c->by_copy || (n > 5 && !strcmp(p->params + n - 5, " load"));
}

/* Writes LOADS_AHEAD loads of a warp and the sums of their values. */
static void write_piece_loads(struct scribe *s, const struct read_pieces *c, uint64_t at)
{
	uint64_t row = UINT64_C(16) * c->blocks * c->threads;

	for (uint32_t k = 0; k < LOADS_AHEAD; k++) {
		const char *reg[] = {"R8", "R12", "R16", "R20"};

		scribe_mem(s, LANES_ALL, reg[k], "LDG.E.128", "R2", 16, at + k * row, 16);
	}
	for (uint32_t k = 0; k < LOADS_AHEAD; k++) {
		const char *src[] = {"R8 R30", "R12 R30", "R16 R30", "R20 R30"};

		for (uint32_t i = 0; i < 4; i++)
			scribe_op(s, "R30", "FADD", src[k], 0);
	}
}

static void write_piece_copies(struct scribe *s, const struct read_pieces *c, uint32_t block)
{
	for (uint32_t i = 0; i < PIECE_STAGES; i++)
		scribe_sync(s, "SYNCS.EXCH.64", PIECE_BARRIER + 8 * i, 0x1ffffe);
	for (uint32_t i = 0; i < c->rounds * PIECE_STAGES; i++) {
		uint32_t barrier = PIECE_BARRIER + 8 * (i % PIECE_STAGES);
		struct scribe_box box = {.base = MICRO_DATA + ((uint64_t)i * c->blocks + block) * PIECE_BYTES,
			.bytes = PIECE_BYTES,
			.rows = 1,
			.planes = 1};

		s->pc = 0x200;
		if (i >= PIECE_STAGES)
			scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", barrier,
				(i / PIECE_STAGES - 1) % 2 ? UINT32_C(1) << 31 : 0);
		s->pc = 0x240;
		scribe_sync(s, "SYNCS.ARRIVE.TRANS64", barrier, PIECE_BYTES);
		scribe_bulk_copy(s, "UBLKCP.S.G", barrier, &box);
	}
}

static void write_pieces_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct read_pieces *c = m->arg;
	uint64_t all = UINT64_C(16) * c->blocks * c->threads;
	uint64_t at = MICRO_DATA + UINT64_C(16) * (block * c->threads + 32 * warp);
	uint64_t run = (uint64_t)c->rounds * PIECE_STAGES * PIECE_BYTES * c->blocks;

	scribe_op(s, "R2", "MOV", "", 0);
	if (c->by_copy && !warp)
		write_piece_copies(s, c, block);
	for (uint64_t i = 0; !c->by_copy && i < run / all; i += LOADS_AHEAD) {
		s->pc = 0x100;
		write_piece_loads(s, c, at + i * all);
		scribe_op(s, "R2", "IADD3", "R2", 0);
		scribe_op(s, "", "ISETP.NE.AND", "R2", 0);
		scribe_op(s, "", "BRA", "", 0x100);
	}
	s->pc = 0x1000;
	scribe_write_exit(s);
}

double probe_pieces(const struct probe *p, const struct subject *s)
{
	struct read_pieces c = {.rounds = PIECE_ROUNDS};
	struct micro m = {
		.name = "pieces", .nregs = 32, .arch = s->arch, .body = write_pieces_body, .arg = &c};
	double bytes = (double)PIECE_ROUNDS * PIECE_STAGES * PIECE_BYTES, cycles;

	parse_pieces(p, &c);
	m.blocks = c.blocks;
	m.threads = c.threads;
	m.shmem = c.by_copy ? PIECE_STAGES * PIECE_BYTES + 1024 : 0;
	m.v6 = c.by_copy;
	cycles = probe_time_rounds(s, &m, &c.rounds, PIECE_ROUNDS, PIECE_ROUNDS);
	return subject_gb_per_s(s, bytes * c.blocks, cycles) * 1e3 / p->clock_mhz;
}

bool probe_pieces_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct read_pieces c;

	strcpy(p->group, "stream read");
	*why = "unknown read (expected 1 GiB, blocks=N threads=N, and load or bulk copy)";
	if (!parse_pieces(p, &c))
		return false;
	*why = "requires the unit B/cycle and the clock to which the cycles refer";
	if (strcmp(r->unit, "B/cycle") != 0 || !(p->clock_mhz > 0))
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
