/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generates the instructions and control codes of a turn, which is one iteration of the loop in a bandwidth
 * program (loop.h).
 *
 * Always true: an instruction issues as soon as the fixed latencies before it allow, and memory instructions
 * are at least MEMORY_APART cycles apart. Counters cover variable latencies. Turns from a compiler differ
 * only in the order of some instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include "arena.h"
#include "selftest/loop.h"

/*
 * Distances in cycles between instructions, as the compiler chooses them. set_issue_distances() has the
 * distances of IMAD.WIDE and single precision.
 */
#define MEMORY_APART 4u
#define FP32         4u
#define FP64         8u
#define ADDRESS      5u
#define JUMP         5u

/* Registers */
#define BASE    2u /* addresses of the current pass and of the next one, two registers each */
#define STEP    8u
#define SUM     10u
#define PRODUCT 12u
#define FACTOR  14u
#define DATA    32u
#define NO_REG  255u

#define AHEAD      24u /* number of registers of loads in flight; compiled code has 12 to 20 */
#define OWN        3u  /* number of loads with a counter of their own; the other loads share one */
#define FIRST_WAIT 2u  /* first counter of loads; the lower counters are for the readers of addresses */

#define OPS_MOST 512u

enum turn_kind { WIDE, LOAD, MUL, FMA, ADD, COUNT, JUMP_BACK, END, N_KINDS };

struct turn_op {
	enum turn_kind kind;
	uint8_t dst, src[3];
	uint32_t row;  /* row of a load within the turn */
	uint32_t part; /* 1 for the second load of a pair */
	struct control_code code;
};

struct turn {
	const struct loop *loop;
	uint32_t rows;        /* number of rows */
	uint32_t loads_ahead; /* number of rows with loads in flight */
	uint32_t n_ops;       /* number of operations */
	uint32_t sum_latency; /* latency of an addition in cycles */
	/* cycles for which an IMAD.WIDE and a single-precision instruction occupy their unit */
	uint32_t wide_cycles, single_cycles;
	uint32_t last_issue; /* issue cycle of the last instruction */
	uint32_t next_memory,
		next_fp32;    /* earliest issue cycle of the next memory and single-precision instruction */
	uint32_t ready[DATA]; /* for each register, the cycle in which its value of fixed latency is ready */
	struct turn_op op[OPS_MOST];
};

/*
 * Returns the number of rows in a turn. Short passes are unrolled to up to `most` rows. The program requests
 * 32 rows. For passes of a few loads it makes no request, and the compiler unrolls them to about 90 rows.
 */
uint32_t loop_turn_rows(const struct loop *l)
{
	uint32_t most = l->load_bytes == 8 && l->rows_per_pass < 8 ? 96 : 32;

	return l->rows_per_pass >= 64    ? 32
	       : l->rows_per_pass > most ? l->rows_per_pass
					 : most / l->rows_per_pass * l->rows_per_pass;
}

static uint32_t max_of_two_cycles(uint32_t a, uint32_t b) { return a > b ? a : b; }

/*
 * Appends an instruction with destination register dst and source registers a, b and c, and schedules it.
 * `takes` is its fixed latency.
 */
static struct turn_op *append_turn_op(
	struct turn *t, enum turn_kind kind, unsigned dst, unsigned a, unsigned b, unsigned c, unsigned takes)
{
	const unsigned src[3] = {a, b, c};
	struct turn_op *o = &t->op[t->n_ops++];
	uint32_t at = t->last_issue + (t->n_ops > 1);

	*o = (struct turn_op){.kind = kind, .dst = (uint8_t)dst};
	o->code = (struct control_code){
		.opcode = (uint16_t)(0x100 + kind), .guard = 7, .stall = 1, .read = 7, .write = 7};
	for (unsigned i = 0; i < 3; i++) {
		o->src[i] = o->code.slot[i] = (uint8_t)src[i];
		if (src[i] < DATA)
			at = max_of_two_cycles(at, t->ready[src[i]]);
	}
	if (kind == LOAD) {
		at = max_of_two_cycles(at, t->next_memory);
		t->next_memory = at + MEMORY_APART;
	} else if (kind == WIDE || (kind <= ADD && t->loop->load_bytes == 4)) {
		at = max_of_two_cycles(at, t->next_fp32);
		t->next_fp32 = at + (kind == WIDE ? t->wide_cycles : t->single_cycles);
	}
	if (t->n_ops > 1)
		o[-1].code.stall = (uint8_t)(at - t->last_issue);
	t->last_issue = at;
	if (dst < DATA)
		t->ready[dst] = at + takes;
	return o;
}

static unsigned data_reg(const struct turn *t, uint32_t row, unsigned part)
{
	return DATA + (row % t->loads_ahead * (t->loop->pairs ? 2 : 1) + part) * (t->loop->load_bytes / 4);
}

static unsigned load_counter(const struct turn *t, uint32_t row)
{
	uint32_t place = row % t->loads_ahead;

	return FIRST_WAIT + (place < OWN ? place : OWN);
}

/* Returns the counter for the readers of a row's address. Passes alternate between two address registers. */
static unsigned reader_counter(const struct turn *t, uint32_t row)
{
	return row / t->loop->rows_per_pass % 2;
}

static unsigned address_register(const struct turn *t, uint32_t row)
{
	return BASE + 2 * reader_counter(t, row);
}

/*
 * Appends the address computation if `row` is the first of a pass. It uses the address of the previous pass,
 * and waits until the loads of the pass before that one have read the register.
 */
static void append_address_op(struct turn *t, uint32_t row)
{
	unsigned reader = reader_counter(t, row);

	if (row % t->loop->rows_per_pass == 0)
		append_turn_op(
			t, WIDE, address_register(t, row), STEP, NO_REG, BASE + 2 * (1 - reader), ADDRESS)
			->code.wait = (uint8_t)(1u << reader);
}

static void append_loads(struct turn *t, uint32_t row)
{
	for (unsigned part = t->loop->pairs ? 2 : 1; part-- > 0;) {
		struct turn_op *o = append_turn_op(
			t, LOAD, data_reg(t, row, part), address_register(t, row), NO_REG, NO_REG, 0);

		o->row = row;
		o->part = part;
		o->code.read = (uint8_t)reader_counter(t, row);
		o->code.write = (uint8_t)load_counter(t, row);
	}
}

/*
 * Returns true if this row scales the sum so far. The first row of each pass does, except at the start of a
 * turn, because the end of a turn scales the sum.
 */
static bool row_scales_sum(const struct turn *t, uint32_t row)
{
	return row && row % t->loop->rows_per_pass == 0;
}

/*
 * Appends the instruction that consumes the loads of a row. It adds them to the sum. With pairs, it only
 * multiplies them if the sum must be scaled first.
 */
static struct turn_op *append_row_sum(struct turn *t, uint32_t row)
{
	unsigned a = data_reg(t, row, 0), b = data_reg(t, row, 1);
	struct turn_op *o;

	if (t->loop->pairs)
		o = row_scales_sum(t, row) ? append_turn_op(t, MUL, PRODUCT, a, b, NO_REG, t->sum_latency)
					   : append_turn_op(t, FMA, SUM, a, b, SUM, t->sum_latency);
	else
		o = row_scales_sum(t, row) ? append_turn_op(t, FMA, SUM, SUM, FACTOR, a, t->sum_latency)
					   : append_turn_op(t, ADD, SUM, SUM, a, NO_REG, t->sum_latency);
	if (row % t->loads_ahead <= OWN)
		o->code.wait = (uint8_t)(1u << load_counter(t, row));
	return o;
}

/*
 * Appends the sum of a row, and the loads into the registers that it frees. In passes of one pair of loads,
 * the compiler has few registers left. Half of the sums then write to a register that loads must have read
 * first.
 */
static void append_row_of_turn(struct turn *t, uint32_t row)
{
	uint32_t next = row + t->loads_ahead;
	struct turn_op *o;

	if (next < t->rows)
		append_address_op(t, next);
	o = append_row_sum(t, row);
	if (next < t->rows)
		append_loads(t, next);
	if (t->loop->pairs && row_scales_sum(t, row))
		o = append_turn_op(t, FMA, SUM, SUM, FACTOR, PRODUCT, t->sum_latency);
	if (t->loop->pairs && t->loop->rows_per_pass == 1 && next < t->rows && next % 2 == 0)
		o->code.wait |= (uint8_t)(1u << reader_counter(t, next));
}

/*
 * Sets the issue distances. Compute capabilities 8.6 and 8.9 issue a single-precision instruction in the
 * cycle after an IMAD.WIDE, because the integer unit executes IMAD.WIDE.
 */
static void set_issue_distances(struct turn *t, uint32_t arch)
{
	t->single_cycles = arch > 80 ? 1 : 2;
	t->wide_cycles = arch > 80 && arch < 90 ? 1 : 4;
}

/* Builds a turn of the loop of m, which the caller frees. */
static struct turn *new_turn(const struct micro *m)
{
	const struct loop *l = m->arg;
	struct turn *t = xcalloc(1, sizeof(*t));

	t->loop = l;
	set_issue_distances(t, m->arch);
	t->rows = loop_turn_rows(l);
	t->sum_latency = l->load_bytes == 8 ? FP64 : FP32;
	t->loads_ahead = AHEAD / (l->load_bytes / 4) / (l->pairs ? 2 : 1);
	if (t->loads_ahead > t->rows)
		t->loads_ahead = t->rows;
	for (uint32_t row = 0; row < t->loads_ahead; row++) {
		append_address_op(t, row);
		append_loads(t, row);
	}
	for (uint32_t row = 0; row < t->rows; row++)
		append_row_of_turn(t, row);
	append_turn_op(t, COUNT, FACTOR + 2, FACTOR + 2, NO_REG, NO_REG, FP32);
	append_turn_op(t, MUL, SUM, SUM, FACTOR, NO_REG, 0);
	append_turn_op(t, JUMP_BACK, NO_REG, NO_REG, NO_REG, NO_REG, 0);
	append_turn_op(t, END, NO_REG, NO_REG, NO_REG, NO_REG, 0)->code.stall = JUMP;
	t->op[t->n_ops - 2].code.stall = JUMP;
	return t;
}

static const char *turn_opcode(const struct loop *l, enum turn_kind kind)
{
	static const char *const name[2][N_KINDS] = {
		{"IMAD.WIDE", "LDG.E", "FMUL", "FFMA", "FADD", "IADD3", "BRA", "EXIT"},
		{"IMAD.WIDE", "LDG.E.64", "DMUL", "DFMA", "DADD", "IADD3", "BRA", "EXIT"}};

	return name[l->load_bytes == 8][kind];
}

static void write_turn_op(
	struct scribe *s, const struct micro *m, const struct turn_op *o, uint32_t from, uint32_t warp)
{
	const struct loop *l = m->arg;
	const char *op = turn_opcode(l, o->kind);
	char dst[8] = "", src[24] = "";
	size_t n = 0;

	if (o->dst != NO_REG)
		snprintf(dst, sizeof(dst), "R%u", o->dst);
	for (unsigned i = 0; i < 3; i++)
		if (o->src[i] != NO_REG)
			n += (size_t)snprintf(src + n, sizeof(src) - n, "%sR%u", n ? " " : "", o->src[i]);
	if (o->kind == LOAD) {
		uint64_t row = (from + o->row) % l->rows_per_pass + o->part * l->rows_per_pass;

		scribe_mem(s, LANES_ALL, dst, op, src, l->load_bytes,
			MICRO_DATA + (row * m->threads + warp * 32) * l->load_bytes, l->load_bytes);
	} else {
		scribe_op(s, dst, op, src, 0);
	}
}

/* 2^32 divided by the golden ratio, whose multiples modulo 2^32 are evenly spread */
#define GOLDEN UINT32_C(2654435769)

void loop_write_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct loop *l = m->arg;
	struct turn *t = new_turn(m);
	uint32_t ahead = (uint32_t)((uint64_t)l->start_rows * (uint32_t)(block * GOLDEN) >> 32);

	for (uint32_t i = 0; i < l->total_rows; i += t->rows) {
		s->pc = 0;
		for (uint32_t k = 0; k < t->n_ops - 1; k++)
			write_turn_op(s, m, &t->op[k], ahead + i, warp);
	}
	write_turn_op(s, m, &t->op[t->n_ops - 1], 0, warp);
	free(t);
}

struct cubins *loop_codes(const struct micro *m)
{
	struct cubins *c = cubins_new();
	struct turn *t = new_turn(m);
	uint8_t(*code)[16] = xcalloc(t->n_ops, sizeof(*code));

	for (uint32_t i = 0; i < t->n_ops; i++)
		control_encode(&t->op[i].code, code[i]);
	cubins_add_code(c, m->name, m->arch, code[0], t->n_ops);
	free(code);
	free(t);
	return c;
}
