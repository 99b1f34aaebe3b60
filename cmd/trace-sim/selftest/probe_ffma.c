/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures chains of FFMA in a loop. Each warp has one or more independent chains. A step is one FFMA of each
 * chain. The instructions and control codes of the loop are those of the measured programs, compiled by
 * nvcc 13.0 for compute capability 9.0: four steps, or 16 steps if these have at most 64 FFMA.
 *
 * With one chain, the loop counter is updated between the first FFMAs, while these wait for their sums. With more
 * chains, the constant factor and the counter come first. The first FFMA then waits for both, so a single warp
 * issues nothing for seven cycles of each iteration.
 *
 * The blocks of a row do the same work, each on its own SM, so only one block is simulated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cubin.h"
#include "selftest/bench.h"
#include "selftest/micro.h"
#include "selftest/probe.h"

#define FFMA_CHAINS  16u /* most chains of a warp */
#define FFMA_LATENCY 4u  /* cycles after which the next FFMA of a chain issues */
#define FFMA_FACTOR  2u  /* register of the factor */
#define FFMA_COUNT   3u  /* register of the loop counter */
#define FFMA_FIRST \
	17u /* register of the first chain; the others follow in the bank that the factor does not use */
#define NO_REG 255u

enum ffma_kind { FFMA_SET, FFMA_COUNT_DOWN, FFMA_TEST, FFMA_STEP, FFMA_JUMP, FFMA_END };

struct ffma_op {
	enum ffma_kind kind;
	uint8_t reg;   /* FFMA_STEP: register of the chain */
	uint8_t stall; /* cycles until the next instruction may issue */
};

struct ffma_chains {
	uint32_t chains, threads, turns;
	uint32_t steps; /* number of steps in an iteration of the loop */
	uint32_t n_ops; /* number of instructions in an iteration of the loop, and one after it */
	struct ffma_op op[FFMA_CHAINS * 16 + 8];
};

/*
 * Parses "2 chains" and "114 blocks of 1024", or "chain" and "1 thread, ...". Returns false for other texts.
 */
static bool parse_ffma_chains(const struct probe *p, struct ffma_chains *f)
{
	const char *of = strstr(p->params, " blocks of ");

	*f = (struct ffma_chains){.chains = 1, .threads = 32};
	if (!strcmp(p->kind->workload, "ffma chain"))
		return !strncmp(p->params, "1 thread,", 9);
	f->chains = (uint32_t)strtoul(p->rest, NULL, 10);
	f->threads = of ? (uint32_t)strtoul(of + 11, NULL, 10) : 0;
	return f->chains && f->chains <= FFMA_CHAINS && f->threads >= 32 && f->threads <= 1024;
}

static void append_ffma_op(struct ffma_chains *f, enum ffma_kind kind, uint32_t chain, uint32_t stall)
{
	f->op[f->n_ops++] = (struct ffma_op){kind, (uint8_t)(FFMA_FIRST + 2 * chain), (uint8_t)stall};
}

/* Lists the instructions of an iteration in their order. */
static void schedule_ffma_turn(struct ffma_chains *f)
{
	/* the last FFMA of a step waits until the first chain has its sum */
	uint32_t last = f->chains < FFMA_LATENCY ? FFMA_LATENCY - f->chains + 1 : 1;

	f->steps = 16 * f->chains <= 64 ? 16 : 4;
	if (f->chains > 1) {
		append_ffma_op(f, FFMA_SET, 0, 1);
		append_ffma_op(f, FFMA_COUNT_DOWN, 0, 4);
		append_ffma_op(f, FFMA_TEST, 0, 5);
	}
	for (uint32_t i = 0; i < f->steps * f->chains; i++) {
		bool counts = f->chains == 1 && i < 2, ends = i % f->chains == f->chains - 1;

		append_ffma_op(f, FFMA_STEP, i % f->chains,
			counts || i == f->steps * f->chains - 1 ? 1
			: ends                                  ? last
								: 1);
		if (counts)
			append_ffma_op(f, i ? FFMA_TEST : FFMA_COUNT_DOWN, 0, FFMA_LATENCY - 1);
	}
	append_ffma_op(f, FFMA_JUMP, 0, 6);
	append_ffma_op(f, FFMA_END, 0, 5);
}

static void write_ffma_op(struct scribe *s, const struct ffma_op *o)
{
	char reg[8], src[16];

	snprintf(reg, sizeof(reg), "R%u", o->reg);
	snprintf(src, sizeof(src), "%s R%u", reg, FFMA_FACTOR);
	switch (o->kind) {
	case FFMA_SET: scribe_op(s, "R2", "HFMA2.MMA", "R255 R255", 0); return;
	case FFMA_COUNT_DOWN: scribe_op(s, "R3", "IADD3", "R3 R255", 0); return;
	case FFMA_TEST: scribe_op(s, "", "ISETP.NE.AND", "R3 R255", 0); return;
	case FFMA_STEP: scribe_op(s, reg, "FFMA", src, 0); return;
	case FFMA_JUMP: scribe_op(s, "", "BRA", "", 0); return;
	case FFMA_END: scribe_write_exit(s); return;
	}
}

static void write_ffma_turns(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct ffma_chains *f = m->arg;

	(void)block;
	(void)warp;
	for (uint32_t t = 0; t < f->turns; t++) {
		s->pc = 0;
		for (uint32_t i = 0; i < f->n_ops - 1; i++)
			write_ffma_op(s, &f->op[i]);
	}
	write_ffma_op(s, &f->op[f->n_ops - 1]);
}

/* Returns the control codes of the loop, which the caller deletes. */
static struct cubins *ffma_codes(const struct ffma_chains *f, const struct micro *m)
{
	struct cubins *c = cubins_new();
	uint8_t(*code)[16] = xcalloc(f->n_ops, sizeof(*code));

	for (uint32_t i = 0; i < f->n_ops; i++) {
		const struct ffma_op *o = &f->op[i];
		bool reuses = o->kind == FFMA_STEP && f->chains > 1 && o->stall == 1 && i < f->n_ops - 3;
		struct control_code k = {.opcode = (uint16_t)(0x100 + o->kind),
			.guard = 7,
			.stall = o->stall,
			.yield = o->stall > 2 && o->kind < FFMA_JUMP,
			.write = 7,
			.read = 7,
			.reuse = reuses ? 2 : 0,
			.slot = {NO_REG, NO_REG, NO_REG}};

		if (o->kind == FFMA_STEP) {
			k.slot[0] = o->reg;
			k.slot[1] = FFMA_FACTOR;
		} else if (o->kind == FFMA_COUNT_DOWN || o->kind == FFMA_TEST) {
			k.slot[0] = FFMA_COUNT;
		}
		control_encode(&k, code[i]);
	}
	cubins_add_code(c, m->name, m->arch, code[0], f->n_ops);
	free(code);
	return c;
}

/* Returns the cycles of a kernel with f->turns iterations. */
static double time_ffma_turns(const struct subject *s, const struct micro *m)
{
	struct bench *b = bench_open(&s->params, s->isa);
	double cycles;

	b->run.gpu.joins.cubins = ffma_codes(m->arg, m);
	cycles = (double)bench_run_kernel(b, m);
	bench_close(b);
	return cycles;
}

double probe_ffma_chains(const struct probe *p, const struct subject *s)
{
	struct ffma_chains f;
	struct micro m = {.name = "ffma_chains",
		.blocks = 1,
		.nregs = 64,
		.arch = s->arch,
		.same_for_all_warps = true,
		.body = write_ffma_turns,
		.arg = &f};
	double few;

	parse_ffma_chains(p, &f);
	schedule_ffma_turn(&f);
	m.threads = f.threads;
	f.turns = 64 / f.steps;
	few = time_ffma_turns(s, &m);
	f.turns *= 5;
	return (time_ffma_turns(s, &m) - few) / (4 * 64);
}

bool probe_ffma_chains_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct ffma_chains f;

	(void)s;
	strcpy(p->group, "ffma chains");
	*why = "unknown chains (expected 1 thread, or N chains in blocks of 32 to 1024 threads)";
	return parse_ffma_chains(p, &f) && !strcmp(r->unit, "cycles");
}
