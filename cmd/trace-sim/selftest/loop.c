/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A turn of a bandwidth program's loop, instruction by instruction, and the control codes of it (loop.h).
 *
 * Always true: an instruction issues as soon as the fixed latencies before it allow, one memory instruction
 * each MEMORY_APART cycles; what comes at an unknown time is waited for by a counter. Compiled turns differ
 * in the order of single instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include "arena.h"
#include "selftest/loop.h"

/* Cycles, as the compiler spaces them; for IMAD.WIDE and single precision see spacing(). */
#define MEMORY_APART 4u
#define FP32         4u
#define FP64         8u
#define ADDRESS      5u
#define JUMP         5u

/* Registers */
#define BASE    2u /* address of this pass and of the next, two registers each */
#define STEP    8u
#define SUM     10u
#define PRODUCT 12u
#define FACTOR  14u
#define DATA    32u
#define NO_REG  255u

#define AHEAD      24u /* registers of loads under way; compiled code has 12 to 20 */
#define OWN        3u  /* loads of these that have a counter to themselves; the others share one */
#define FIRST_WAIT 2u  /* counter of the first; those below are of the addresses' readers */

#define OPS_MOST 512u

enum turn_kind { WIDE, LOAD, MUL, FMA, ADD, COUNT, JUMP_BACK, END, N_KINDS };

struct turn_op {
	enum turn_kind kind;
	uint8_t dst, src[3];
	uint32_t row, part; /* of a load: from the turn's first; 1 for the second of a pair */
	struct control_code code;
};

struct turn {
	const struct loop *l;
	uint32_t rows, ahead, n;
	uint32_t sum;          /* cycles of an addition */
	uint32_t wide, single; /* for which IMAD.WIDE, single precision keep their unit */
	uint32_t now;          /* cycle of the last instruction */
	uint32_t memory, fp32; /* those that the next of the memory and the single-precision unit may have */
	uint32_t ready[DATA];  /* cycle in which a register of fixed latency has its value */
	struct turn_op op[OPS_MOST];
};

/*
 * Passes shorter than this are unrolled to that many loads: the program asks for 32, and without such a
 * request the compiler makes some 90 of passes of a few loads.
 */
uint32_t loop_turn(const struct loop *l)
{
	uint32_t most = l->word == 8 && l->pass < 8 ? 96 : 32;

	return l->pass >= 64 ? 32 : l->pass > most ? l->pass : most / l->pass * l->pass;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static struct turn_op *put(
	struct turn *t, enum turn_kind kind, unsigned dst, unsigned a, unsigned b, unsigned c, unsigned takes)
{
	const unsigned src[3] = {a, b, c};
	struct turn_op *o = &t->op[t->n++];
	uint32_t at = t->now + (t->n > 1);

	*o = (struct turn_op){.kind = kind, .dst = (uint8_t)dst};
	o->code = (struct control_code){
		.opcode = (uint16_t)(0x100 + kind), .guard = 7, .stall = 1, .read = 7, .write = 7};
	for (unsigned i = 0; i < 3; i++) {
		o->src[i] = o->code.slot[i] = (uint8_t)src[i];
		if (src[i] < DATA)
			at = later(at, t->ready[src[i]]);
	}
	if (kind == LOAD) {
		at = later(at, t->memory);
		t->memory = at + MEMORY_APART;
	} else if (kind == WIDE || (kind <= ADD && t->l->word == 4)) {
		at = later(at, t->fp32);
		t->fp32 = at + (kind == WIDE ? t->wide : t->single);
	}
	if (t->n > 1)
		o[-1].code.stall = (uint8_t)(at - t->now);
	t->now = at;
	if (dst < DATA)
		t->ready[dst] = at + takes;
	return o;
}

static unsigned data_reg(const struct turn *t, uint32_t row, unsigned part)
{
	return DATA + (row % t->ahead * (t->l->pairs ? 2 : 1) + part) * (t->l->word / 4);
}

static unsigned counter_of(const struct turn *t, uint32_t row)
{
	uint32_t place = row % t->ahead;

	return FIRST_WAIT + (place < OWN ? place : OWN);
}

/* Counter of the readers of a row's address, which lies in the registers of that number of pairs. */
static unsigned reader_of(const struct turn *t, uint32_t row) { return row / t->l->pass % 2; }

static unsigned base_of(const struct turn *t, uint32_t row) { return BASE + 2 * reader_of(t, row); }

/* The address of a pass, from that of the pass before, once the loads of the one before that have read it. */
static void put_address(struct turn *t, uint32_t row)
{
	unsigned reader = reader_of(t, row);

	if (row % t->l->pass == 0)
		put(t, WIDE, base_of(t, row), STEP, NO_REG, BASE + 2 * (1 - reader), ADDRESS)->code.wait =
			(uint8_t)(1u << reader);
}

static void put_loads(struct turn *t, uint32_t row)
{
	for (unsigned part = t->l->pairs ? 2 : 1; part-- > 0;) {
		struct turn_op *o = put(t, LOAD, data_reg(t, row, part), base_of(t, row), NO_REG, NO_REG, 0);

		o->row = row;
		o->part = part;
		o->code.read = (uint8_t)reader_of(t, row);
		o->code.write = (uint8_t)counter_of(t, row);
	}
}

/* The first row of a pass scales the sum before it, but that of a turn, whose sum is scaled at its end. */
static bool scales(const struct turn *t, uint32_t row) { return row && row % t->l->pass == 0; }

/* What takes a row's loads: the sum, or their product where the sum is to be scaled. */
static struct turn_op *put_taker(struct turn *t, uint32_t row)
{
	unsigned a = data_reg(t, row, 0), b = data_reg(t, row, 1);
	struct turn_op *o;

	if (t->l->pairs)
		o = scales(t, row) ? put(t, MUL, PRODUCT, a, b, NO_REG, t->sum)
				   : put(t, FMA, SUM, a, b, SUM, t->sum);
	else
		o = scales(t, row) ? put(t, FMA, SUM, SUM, FACTOR, a, t->sum)
				   : put(t, ADD, SUM, SUM, a, NO_REG, t->sum);
	if (row % t->ahead <= OWN)
		o->code.wait = (uint8_t)(1u << counter_of(t, row));
	return o;
}

/*
 * A row is summed up, and the loads go out that its registers are free for. With an address for each pair of
 * loads the compiler is short of registers: half of the sums go into one that these loads have to read first.
 */
static void put_row(struct turn *t, uint32_t row)
{
	uint32_t next = row + t->ahead;
	struct turn_op *o;

	if (next < t->rows)
		put_address(t, next);
	o = put_taker(t, row);
	if (next < t->rows)
		put_loads(t, next);
	if (t->l->pairs && scales(t, row))
		o = put(t, FMA, SUM, SUM, FACTOR, PRODUCT, t->sum);
	if (t->l->pairs && t->l->pass == 1 && next < t->rows && next % 2 == 0)
		o->code.wait |= (uint8_t)(1u << reader_of(t, next));
}

/* 8.6 and 8.9 put single precision right behind IMAD.WIDE: the integer unit executes it. */
static void spacing(struct turn *t, uint32_t arch)
{
	t->single = arch > 80 ? 1 : 2;
	t->wide = arch > 80 && arch < 90 ? 1 : 4;
}

/* Caller frees. */
static struct turn *turn_of(const struct micro *m)
{
	const struct loop *l = m->what;
	struct turn *t = xcalloc(1, sizeof(*t));

	t->l = l;
	spacing(t, m->arch);
	t->rows = loop_turn(l);
	t->sum = l->word == 8 ? FP64 : FP32;
	t->ahead = AHEAD / (l->word / 4) / (l->pairs ? 2 : 1);
	if (t->ahead > t->rows)
		t->ahead = t->rows;
	for (uint32_t row = 0; row < t->ahead; row++) {
		put_address(t, row);
		put_loads(t, row);
	}
	for (uint32_t row = 0; row < t->rows; row++)
		put_row(t, row);
	put(t, COUNT, FACTOR + 2, FACTOR + 2, NO_REG, NO_REG, FP32);
	put(t, MUL, SUM, SUM, FACTOR, NO_REG, 0);
	put(t, JUMP_BACK, NO_REG, NO_REG, NO_REG, NO_REG, 0);
	put(t, END, NO_REG, NO_REG, NO_REG, NO_REG, 0)->code.stall = JUMP;
	t->op[t->n - 2].code.stall = JUMP;
	return t;
}

static const char *opcode_of(const struct loop *l, enum turn_kind kind)
{
	static const char *const name[2][N_KINDS] = {
		{"IMAD.WIDE", "LDG.E", "FMUL", "FFMA", "FADD", "IADD3", "BRA", "EXIT"},
		{"IMAD.WIDE", "LDG.E.64", "DMUL", "DFMA", "DADD", "IADD3", "BRA", "EXIT"}};

	return name[l->word == 8][kind];
}

static void write_op(
	struct scribe *s, const struct micro *m, const struct turn_op *o, uint32_t from, uint32_t warp)
{
	const struct loop *l = m->what;
	const char *op = opcode_of(l, o->kind);
	char dst[8] = "", src[24] = "";
	size_t n = 0;

	if (o->dst != NO_REG)
		snprintf(dst, sizeof(dst), "R%u", o->dst);
	for (unsigned i = 0; i < 3; i++)
		if (o->src[i] != NO_REG)
			n += (size_t)snprintf(src + n, sizeof(src) - n, "%sR%u", n ? " " : "", o->src[i]);
	if (o->kind == LOAD) {
		uint64_t row = (from + o->row) % l->pass + o->part * l->pass;

		scribe_mem(s, LANES_ALL, dst, op, src, l->word,
			MICRO_DATA + (row * m->threads + warp * 32) * l->word, l->word);
	} else {
		scribe_op(s, dst, op, src, 0);
	}
}

/* Products with 2^32 by the golden ratio are spread evenly. */
#define GOLDEN UINT32_C(2654435769)

void loop_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct loop *l = m->what;
	struct turn *t = turn_of(m);
	uint32_t ahead = (uint32_t)((uint64_t)l->apart * (uint32_t)(block * GOLDEN) >> 32);

	for (uint32_t i = 0; i < l->total; i += t->rows) {
		s->pc = 0;
		for (uint32_t k = 0; k < t->n - 1; k++)
			write_op(s, m, &t->op[k], ahead + i, warp);
	}
	write_op(s, m, &t->op[t->n - 1], 0, warp);
	free(t);
}

struct cubins *loop_codes(const struct micro *m)
{
	struct cubins *c = cubins_new();
	struct turn *t = turn_of(m);
	uint8_t(*code)[16] = xcalloc(t->n, sizeof(*code));

	for (uint32_t i = 0; i < t->n; i++)
		control_encode(&t->op[i].code, code[i]);
	cubins_add_code(c, m->name, m->arch, code[0], t->n);
	free(code);
	free(t);
	return c;
}
