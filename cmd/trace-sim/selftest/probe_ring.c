/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures kernels that copy tiles to shared memory and add up their elements there. One kind uses bulk
 * copies into a ring of slots, with one warp that loads and four warps that add. The other kind uses LDGSTS
 * and thread-block barriers.
 *
 * The figure is the time of a kernel with cold caches. The params of a row are the text of its source, for
 * example "114 blocks of 160, 64 tiles of 4096 B, 2 slots, work 0, cold".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

#define RING_ADDERS 4u  /* number of warps that add */
#define RING_FULL   64u /* offsets of the first mbarriers; not 0, which would mean no mbarrier */
#define RING_EMPTY  128u
#define RING_SLOTS  8u
#define RING_DATA   1024u /* offset of the first slot */
#define PARITY      (UINT32_C(1) << 31)

struct tile_ring {
	uint32_t blocks, threads, tiles, tile_bytes, slots, work;
};

/* Returns the number before `word` in the params, or 0 if there is none. */
static uint32_t number_before_word(const char *params, const char *word)
{
	const char *at = strstr(params, word);

	while (at && at > params && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

static bool parse_ring(struct tile_ring *r, const struct probe *p)
{
	const char *threads = strstr(p->params, " blocks of "), *work = strstr(p->params, "work ");

	*r = (struct tile_ring){.blocks = number_before_word(p->params, " blocks of "),
		.threads = threads ? (uint32_t)strtoul(threads + 11, NULL, 10) : 0,
		.tiles = number_before_word(p->params, " tiles of "),
		.tile_bytes = number_before_word(p->params, " B,"),
		.slots = number_before_word(p->params, " slots"),
		.work = work ? (uint32_t)strtoul(work + 5, NULL, 10) : 0};
	return r->blocks && r->blocks <= 4096 && r->tiles && r->tiles <= 4096 && r->work <= 4096 &&
	       r->tile_bytes == 4096;
}

static uint64_t tile_address(const struct tile_ring *r, uint32_t block, uint32_t tile)
{
	return MICRO_DATA + ((uint64_t)block * r->tiles + tile) * r->tile_bytes;
}

/* ---- compiled code ------------------------------------------------------------------------------ */

/*
 * An instruction of the compiled programs. All are written, because those between two tiles, a division among them,
 * take hundreds of cycles.
 */
struct ring_op {
	const char *dst, *op, *src;
};

#define N_OPS(code) ((uint32_t)(sizeof(code) / sizeof(*(code))))

static void write_ring_code(struct scribe *s, uint32_t pc, const struct ring_op *code, uint32_t n)
{
	s->pc = pc;
	for (uint32_t i = 0; i < n; i++)
		scribe_op(s, code[i].dst, code[i].op, code[i].src, 0);
}

/* Computation of the slot and the phase of a warp that adds: a division in the program. */
static const struct ring_op adder_slot[] = {{"R14", "LDC", ""}, {"R17", "IABS", "R7"}, {"R16", "IABS", "R14"},
	{"R11", "I2F.RP", "R16"}, {"R11", "MUFU.RCP", "R11"}, {"R12", "VIADD", "R11"},
	{"R13", "F2I.FTZ.U32.TRUNC.NTZ", "R12"}, {"R12", "IMAD.MOV.U32", "R255 R255 R255"},
	{"R15", "IMAD.MOV", "R255 R255 R13"}, {"R15", "IMAD", "R15 R16 R255"},
	{"R13", "IMAD.HI.U32", "R13 R15 R12"}, {"R15", "MOV", "R17"}, {"R13", "IMAD.HI.U32", "R13 R15 R255"},
	{"R11", "IMAD.MOV", "R255 R255 R13"}, {"R11", "IMAD", "R16 R11 R15"},
	{"", "ISETP.GT.U32.AND", "R16 R11"}, {"R11", "IMAD.IADD", "R11 R16"}, {"R13", "VIADD", "R13"},
	{"", "ISETP.NE.AND", "R14 R255"}, {"", "ISETP.GE.U32.AND", "R11 R16"},
	{"R11", "LOP3.LUT", "R7 R14 R255"}, {"", "ISETP.GE.AND", "R11 R255"}, {"R13", "VIADD", "R13"},
	{"R13", "IADD3", "R13 R255 R255"}, {"R13", "LOP3.LUT", "R255 R14 R255"},
	{"R12", "LOP3.LUT", "R13 R255"}, {"R11", "IMAD.MOV", "R255 R255 R13"},
	{"R12", "SHF.L.U32", "R12 R255"}, {"R14", "IMAD", "R14 R11 R7"}, {"R11", "IMAD", "R14 R5"},
	{"R14", "IMAD", "R14 R9"}};
/* Decisions about the length of the rest of the row, after the first four elements. */
static const struct ring_op adder_skip[] = {{"", "BSYNC", ""}, {"", "ISETP.GE.U32.AND", "R13"},
	{"", "BSSY", ""}, {"R14", "IADD3", "R13 R255"}, {"", "ISETP.LE.U32.OR", "R14"}, {"", "BRA", ""}};
static const struct ring_op adder_next[] = {
	{"", "ISETP.NE.AND", "R3 R255"}, {"UR4", "ULDC", ""}, {"R7", "IADD3", "R7 R255"}};
/* The loader's slot and phase: every fourth time with the reciprocal of the number of slots. */
static const struct ring_op loader_reciprocal[] = {{"R9", "IABS", "R5"}, {"R14", "IMAD.MOV.U32", "R255 R255"},
	{"R12", "IABS", "R4"}, {"R11", "I2F.RP", "R9"}, {"R11", "MUFU.RCP", "R11"}, {"R15", "VIADD", "R11"},
	{"R15", "F2I.FTZ.U32.TRUNC.NTZ", "R15"}, {"R10", "IADD3", "R255 R15"}, {"R13", "IMAD", "R10 R9"},
	{"R14", "IMAD.HI.U32", "R15 R13"}, {"R15", "S2R", ""}};
static const struct ring_op loader_slot[] = {{"R20", "VIADD", "R4"}, {"R16", "IABS", "R20"},
	{"R15", "IMAD.HI.U32", "R14 R16"}, {"R18", "IMAD.MOV", "R255 R15"}, {"R16", "IMAD", "R9 R18 R16"},
	{"", "ISETP.GT.U32.AND", "R9 R16"}, {"R16", "IMAD.IADD", "R16 R9"}, {"R15", "IADD3", "R15 R255"},
	{"", "ISETP.GE.U32.AND", "R16 R9"}, {"R16", "LOP3.LUT", "R20 R5"}, {"", "ISETP.GE.AND", "R16 R255"},
	{"R15", "VIADD", "R15"}, {"R15", "IMAD.MOV", "R255 R15"}, {"R15", "SEL", "R11 R15"},
	{"R16", "IMAD.MOV", "R255 R15"}, {"R15", "LOP3.LUT", "R15 R255"}, {"R16", "IMAD", "R5 R16 R20"},
	{"R15", "SHF.L.U32", "R15 R255"}, {"R18", "IMAD", "R16 R13"}};
static const struct ring_op loader_operands[] = {{"UR4", "R2UR", "R16"}, {"UR5", "R2UR", "R12"},
	{"R15", "IADD3", "R6 R255"}, {"UR6", "R2UR", "R10"}, {"R16", "IADD3.X", "R255 R7"},
	{"UR8", "R2UR", "R15"}, {"UR9", "R2UR", "R16"}, {"", "PLOP3.LUT", ""}, {"UR5", "ULEA", "UR4 UR5"},
	{"UR4", "ULEA", "UR4 UR6"}, {"UR6", "UMOV", ""}};
static const struct ring_op loader_issued[] = {
	{"", "PLOP3.LUT", ""}, {"", "PLOP3.LUT", ""}, {"", "BRA.U.ANY", ""}};
static const struct ring_op ldgsts_address[] = {{"R17", "LDC", ""}, {"R7", "IADD3", "R2 R255"},
	{"", "ULDC.64", ""}, {"R6", "IMAD.X", "R255 R255"}, {"R5", "LEA", "R7 R10"},
	{"R6", "LEA.HI.X", "R7 R12"}, {"R4", "LEA", "R5"}, {"R5", "LEA.HI.X", "R5 R6"}};

/* Writes n dependent multiply-adds. */
static void write_multiply_adds(struct scribe *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		scribe_op(s, "R8", "FFMA", "R8 R5", 0);
}

/*
 * Writes the work between tiles, dependent multiply-adds in a loop that the compiler unrolled, with the branch around
 * it at `pc`.
 */
static void write_tile_work(struct scribe *s, uint32_t pc, uint32_t work)
{
	static const struct ring_op begin[] = {{"", "BRA", ""}, {"", "BRA", ""},
		{"", "ISETP.GT.AND", "R15 R255"}, {"R4", "MOV", "R15"}, {"", "BRA", ""},
		{"", "ISETP.GT.AND", "R4"}, {"", "PLOP3.LUT", ""}, {"", "BRA", ""}, {"", "PLOP3.LUT", ""},
		{"R5", "IMAD.MOV.U32", "R255 R255"}};
	static const struct ring_op eight[] = {
		{"R5", "IMAD.MOV.U32", "R255 R255"}, {"", "PLOP3.LUT", ""}, {"R4", "VIADD", "R4"}};
	static const struct ring_op last[] = {{"", "ISETP.NE.AND", "R11 R255"}, {"", "BRA", ""}};
	uint32_t left = work;

	write_ring_code(s, pc, begin, work ? N_OPS(begin) : 1);
	if (!work)
		return;
	for (; left > 12; left = left > 16 ? left - 16 : 0) {
		s->pc = pc + 0xa0;
		write_multiply_adds(s, 1);
		scribe_op(s, "R4", "VIADD", "R4", 0);
		write_multiply_adds(s, 1);
		scribe_op(s, "", "ISETP.GT.AND", "R4", 0);
		write_multiply_adds(s, 14);
		scribe_op(s, "", "BRA", "", 0);
	}
	scribe_op(s, "", "ISETP.GT.AND", "R4", 0);
	scribe_op(s, "", "BRA", "", 0);
	write_ring_code(s, pc + 0x1f0, eight, left ? N_OPS(eight) : 0);
	write_multiply_adds(s, left);
	s->pc = pc + 0x2a0;
	scribe_op(s, "", "ISETP.NE.OR", "R4 R255", 0);
	scribe_op(s, "", "BRA", "", 0);
	write_ring_code(s, pc + 0x340, last, N_OPS(last));
}

/* ---- bulk copies -------------------------------------------------------------------------------- */

/* Address of the first instruction of the loader's code for a tile, of which there are four copies. */
#define LOADER_PC(tile) (0x13e0u + 0x260u * ((tile) % 4))

static void write_tile_loads(struct scribe *s, const struct tile_ring *r, uint32_t block)
{
	for (uint32_t t = 0; t < r->tiles; t++) {
		uint32_t slot = t % r->slots, odd = t / r->slots & 1;
		struct scribe_box box = {
			.base = tile_address(r, block, t), .bytes = r->tile_bytes, .rows = 1, .planes = 1};

		if (t % 4 == 0)
			write_ring_code(s, LOADER_PC(t) - 16 * N_OPS(loader_reciprocal), loader_reciprocal,
				N_OPS(loader_reciprocal));
		write_ring_code(s, LOADER_PC(t), loader_slot, N_OPS(loader_slot));
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", RING_EMPTY + 8 * slot, odd ? 0 : PARITY);
		scribe_op(s, "", "BRA", "", 0);
		write_ring_code(s, s->pc, loader_operands, N_OPS(loader_operands));
		scribe_sync(s, "SYNCS.ARRIVE.TRANS64", RING_FULL + 8 * slot, r->tile_bytes);
		scribe_op(s, "", "ELECT", "", 0);
		scribe_bulk_copy(s, "UBLKCP.S.G", RING_FULL + 8 * slot, &box);
		write_ring_code(s, s->pc, loader_issued, N_OPS(loader_issued));
		if (t % 4 == 3)
			scribe_op(s, "", "BRA", "", 0);
	}
}

/*
 * Writes the sum of four elements of each lane. With `ends`, instructions between the loads compare with the end of the
 * row.
 */
static void write_sum_of_four(struct scribe *s, const char *base, uint64_t address, bool ends)
{
	static const char *const to[] = {"R15", "R16", "R18", "R20"};
	char src[16];

	for (uint32_t i = 0; i < 4; i++) {
		scribe_mem(s, LANES_ALL, to[i], "LDS", base, 4, address + 128 * i, 4);
		if (i)
			scribe_op(s, "", "ISETP.GE.U32.AND", "R13", 0);
		else if (ends)
			scribe_op(s, "R13", "VIADD", "R23", 0);
	}
	for (uint32_t i = 0; i < 4; i++) {
		snprintf(src, sizeof(src), "R10 %s", to[i]);
		scribe_op(s, "R10", "FADD", src, 0);
	}
}

static void write_tile_sums(struct scribe *s, const struct tile_ring *r, uint32_t warp)
{
	uint32_t quarter = r->tile_bytes / RING_ADDERS;

	for (uint32_t t = 0; t < r->tiles; t++) {
		uint32_t slot = t % r->slots, odd = t / r->slots & 1;
		uint64_t row = MICRO_SHARED + RING_DATA + slot * r->tile_bytes + (warp - 1) * quarter;

		write_ring_code(s, 0x590, adder_slot, N_OPS(adder_slot));
		scribe_sync(s, "SYNCS.PHASECHK.TRANS64.TRYWAIT", RING_FULL + 8 * slot, odd ? PARITY : 0);
		scribe_op(s, "", "BRA", "", 0);
		write_sum_of_four(s, "R14", row, true);
		s->pc = 0x880;
		scribe_op(s, "", "BRA", "", 0);
		write_ring_code(s, 0xad0, adder_skip, N_OPS(adder_skip));
		s->pc = 0xc60;
		write_sum_of_four(s, "R12", row + 512, false);
		write_tile_work(s, 0xd10, r->work);
		s->pc = 0x10d0;
		scribe_op(s, "", "WARPSYNC.ALL", "", 0);
		write_ring_code(s, s->pc, adder_next, N_OPS(adder_next));
		scribe_sync(s, "SYNCS.ARRIVE.TRANS64.A1T0", RING_EMPTY + 8 * slot, 0);
		scribe_op(s, "", "ISETP.GE.AND", "R7 UR4", 0);
		scribe_op(s, "", "BRA", "", 0x590);
	}
}

static void write_ring_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct tile_ring *r = m->arg;

	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t i = 0; !warp && i < r->slots; i++) {
		scribe_sync(s, "SYNCS.EXCH.64", RING_FULL + 8 * i, (0x100000 - 1) << 1);
		scribe_sync(s, "SYNCS.EXCH.64", RING_EMPTY + 8 * i, (0x100000 - RING_ADDERS) << 1);
	}
	s->pc = 0x430;
	scribe_op(s, "", "BAR.SYNC", "", 0);
	if (warp)
		write_tile_sums(s, r, warp);
	else
		write_tile_loads(s, r, block);
	if (warp)
		scribe_mem(s, LANES_ALL, "", "STG.E", "R4 R10", 4,
			MICRO_DATA + (UINT64_C(1) << 32) + (uint64_t)(block * RING_ADDERS + warp) * 128, 4);
	scribe_write_exit(s);
}

/* ---- LDGSTS ------------------------------------------------------------------------------------- */

static void write_ldgsts_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct tile_ring *r = m->arg;

	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t t = 0; t < r->tiles; t++) {
		write_ring_code(s, 0x200, ldgsts_address, N_OPS(ldgsts_address));
		s->pc = 0x2b0;
		scribe_mem(s, LANES_ALL, "", "LDGSTS.E.BYPASS.128", "R14 R4", 16,
			tile_address(r, block, t) + 512 * warp, 16);
		scribe_op(s, "", "ISETP.GE.AND", "R17", 0);
		scribe_op(s, "", "LDGDEPBAR", "", 0);
		write_tile_work(s, s->pc, r->work);
		s->pc = 0x6a0;
		scribe_op(s, "", "DEPBAR.LE", "", 0);
		scribe_op(s, "", "BAR.SYNC", "", 0);
		scribe_op(s, "", "UIADD3", "", 0);
		scribe_op(s, "R17", "LDC", "", 0);
		scribe_mem(s, LANES_ALL, "R20", "LDS.128", "R16", 16, MICRO_SHARED + 512 * warp, 16);
		scribe_op(s, "", "BAR.SYNC", "", 0);
		scribe_op(s, "", "ISETP.LE.AND", "R17", 0);
		for (uint32_t i = 0; i < 4; i++)
			scribe_op(s, "R24", "FADD", "R24 R20", 0);
		scribe_op(s, "", "BRA", "", 0x200);
	}
	scribe_mem(s, LANES_ALL, "", "STG.E", "R4 R24", 4,
		MICRO_DATA + (UINT64_C(1) << 32) + ((uint64_t)block * 8 + warp) * 128, 4);
	scribe_write_exit(s);
}

double probe_ring(const struct probe *p, const struct subject *s)
{
	struct tile_ring r;
	bool bulk = !strcmp(p->kind->workload, "bulk copy ring");
	struct micro m = {.name = "ring", .nregs = 40, .arch = s->arch, .v6 = bulk, .arg = &r};
	struct bench *b;
	double cycles;

	parse_ring(&r, p);
	m.body = bulk ? write_ring_body : write_ldgsts_body;
	m.blocks = r.blocks;
	m.threads = r.threads;
	m.shmem = RING_DATA + RING_SLOTS * r.tile_bytes;
	b = bench_open(&s->params, s->isa);
	cycles = (double)bench_run_kernel(b, &m);
	bench_close(b);
	return cycles / subject_gb_per_s(s, 1, 1) / 1e3; /* microseconds */
}

bool probe_ring_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	bool bulk = !strcmp(p->kind->workload, "bulk copy ring");
	struct tile_ring ring;

	(void)r;
	strcpy(p->group, bulk ? "bulk copy ring" : "cp.async tiles");
	*why = "unknown tiles (expected N blocks of T, N tiles of 4096 B, work N and, for bulk copies, N slots)";
	if (!parse_ring(&ring, p) || ring.threads != (bulk ? 32 * (1 + RING_ADDERS) : 256) ||
		(bulk && (!ring.slots || ring.slots > RING_SLOTS)))
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
