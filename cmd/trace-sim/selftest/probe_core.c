/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the SM: grids of FFMA, empty grids, chains, issue rates, shared-memory conflicts, atomics.
 *
 * Grids are timed from launch to end, as by a profiler. They have the instructions that the compiler
 * generated for the measured kernels. All other figures are differences between a longer and a shorter run.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "selftest/bench.h"
#include "selftest/probe.h"

/* ---- grids ---------------------------------------------------------------------------------- */

static uint32_t warp_mask(const struct micro *m, uint32_t warp)
{
	uint32_t left = m->threads - warp * 32;

	return left >= 32 ? LANES_ALL : (1u << left) - 1;
}

/* Writes a loop of 128 FFMA, each of which depends on the previous one. */
static void write_ffma_loop(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	uint32_t rounds = *(const uint32_t *)m->arg, all = warp_mask(m, warp);

	(void)block;
	scribe_masked_op(s, all, "R1", "LDC", "", 0);
	scribe_masked_op(s, all, "R2", "LDC", "", 0);
	scribe_masked_op(s, all, "", "ISETP.GE.AND", "R2", 1);
	scribe_masked_op(s, 0, "", "EXIT", "", 0);
	scribe_masked_op(s, all, "R3", "HFMA2.MMA", "R255 R255", 0);
	scribe_masked_op(s, all, "", "UMOV", "", 0);
	for (uint32_t r = 0; r < rounds; r++) {
		s->pc = 0x60;
		scribe_masked_op(s, all, "R0", "MOV", "", 1073742663);
		scribe_masked_op(s, all, "", "UIADD3", "", 1);
		scribe_masked_op(s, all, "R3", "FFMA", "R3 R0", 0);
		scribe_masked_op(s, all, "", "ISETP.LE.AND", "R2", 0);
		for (unsigned i = 0; i < 127; i++)
			scribe_masked_op(s, all, "R3", "FFMA", "R3 R0", 0);
		scribe_masked_op(s, r + 1 < rounds ? all : 0, "", "BRA", "", 96);
	}
	scribe_masked_op(s, all, "", "FSETP.NEU.AND", "R3 R255", 0);
	scribe_masked_op(s, all, "", "EXIT", "", 0);
}

static void write_ffma_fixed(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	uint32_t all = warp_mask(m, warp);

	(void)block;
	scribe_masked_op(s, all, "R1", "LDC", "", 0);
	scribe_masked_op(s, all, "R3", "HFMA2.MMA", "R255 R255", 0);
	scribe_masked_op(s, all, "R0", "MOV", "", 1073742663);
	scribe_masked_op(s, all, "R0", "FFMA", "R3 R0", 0);
	for (unsigned i = 0; i < 19; i++)
		scribe_masked_op(s, all, "R0", "FFMA", "R0 R3", 0);
	scribe_masked_op(s, all, "", "FSETP.NEU.AND", "R0 R255", 0);
	scribe_masked_op(s, all, "", "EXIT", "", 0);
}

static void write_empty_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	(void)block;
	scribe_masked_op(s, warp_mask(m, warp), "R1", "LDC", "", 0);
	scribe_masked_op(s, warp_mask(m, warp), "", "EXIT", "", 0);
}

static double time_kernel(const struct subject *s, const struct micro *m)
{
	struct bench *b;
	double cycles;

	b = bench_open(&s->params, s->isa);
	cycles = (double)bench_run_kernel(b, m);
	bench_close(b);
	return cycles;
}

static double time_named_grid(const struct probe *p, const struct subject *s, const char *name,
	void (*body)(struct scribe *, const struct micro *, uint32_t, uint32_t))
{
	uint32_t rounds = (uint32_t)p->param[2];
	struct micro m = {.name = name,
		.blocks = (uint32_t)p->param[1],
		.threads = (uint32_t)p->param[0],
		.nregs = 24,
		.arch = s->arch,
		.body = body,
		.arg = &rounds};

	m.same_for_all_warps = m.threads % 32 == 0 || m.threads < 32;
	return time_kernel(s, &m);
}

double probe_ffma_loop(const struct probe *p, const struct subject *s)
{
	return time_named_grid(p, s, "ffma_loop", write_ffma_loop);
}
double probe_ffma_fixed(const struct probe *p, const struct subject *s)
{
	return time_named_grid(p, s, "ffma_fixed", write_ffma_fixed);
}
double probe_empty(const struct probe *p, const struct subject *s)
{
	return time_named_grid(p, s, "empty", write_empty_body);
}

bool probe_grid_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	*why = "thread, block or iters out of range (expected 1 to the threads of an SM, 1 to 2^20, at most 10000)";
	if (p->param[0] < 1 || p->param[0] > fmin(1024, s->params.core.threads) || p->param[1] < 1 ||
		p->param[1] > 1 << 20 || p->param[2] < 0 || p->param[2] > 10000 ||
		(p->kind->run == probe_ffma_loop && p->param[2] < 1))
		return false;
	*why = "these instructions require compute capability 9.0 or later";
	if (s->arch < 90)
		return false;
	snprintf(p->group, sizeof(p->group), "%s%s%.8s", p->kind->workload, *r->tool ? " " : "", r->tool);
	return true;
}

/* ---- chains --------------------------------------------------------------------------------- */

#define MAX_OPS 16u

struct probe_op {
	char name[40];
	bool shared, global;
};

struct chain {
	struct probe_op op[MAX_OPS];
	uint32_t n, rounds;
	const char *src; /* source registers; NULL if the instructions form a chain */
};

/*
 * Chains to which measured files refer by name. `ops` is NULL if the published figure is not a latency. It is
 * then a third of the time of three independent PTX statements, whose instructions are unknown.
 */
static const struct {
	const char *name, *ops;
} chain_names[] = {
	{"dependent add/and/mul32/fadd/ffma", "FADD+FFMA"},
	{"hadd/hfma", "HADD2+HFMA2"},
	{"dadd/dfma", "DADD+DFMA"},
	{"ex2", NULL},
	{"rsqrt", NULL},
	{"rcp.approx", NULL},
	{"shared load", "LDS"},
	{"L1 load", "LDG.E"},
	{"atomic", "ATOMG.E.ADD.STRONG.GPU"},
	{"L2 load", "LDG.E.STRONG.GPU"},
	{"DPX viaddmax s16x2", "VIADDMNMX.S16x2"},
	{"rcp", "FSETP.GEU.AND+FSEL+FSEL+FMUL+MUFU.RCP+FMUL"},
	{"double div", "MUFU.RCP64H+DFMA+DFMA+DFMA+DFMA+DFMA+DMUL+DFMA+DFMA+FFMA+FSETP.GT.AND"},
};

static bool has_op_prefix(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Parses the instructions "A+B+C". Returns false if the text is invalid. */
static bool parse_ops(struct chain *c, const char *text)
{
	for (c->n = 0; *text; c->n++) {
		size_t n = strcspn(text, "+");
		struct probe_op *o = &c->op[c->n];

		if (c->n == MAX_OPS || !n || n >= sizeof(o->name) ||
			strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._") < n)
			return false;
		memcpy(o->name, text, n);
		o->name[n] = '\0';
		o->shared = has_op_prefix(o->name, "LDS") || has_op_prefix(o->name, "ATOMS");
		o->global = has_op_prefix(o->name, "LDG") || has_op_prefix(o->name, "ATOMG");
		text += n + (text[n] == '+');
	}
	return c->n != 0;
}

/* Returns true if the figure is the time of all instructions of the chain together. */
static bool is_whole_chain(const struct probe *p) { return !*p->rest; }

static bool parse_chain(const struct probe *p, struct chain *c, const char **why)
{
	const char *name = *p->rest ? p->rest : p->kind->workload;
	char ops[256];

	*c = (struct chain){.n = 0};
	*why = "unknown chain (expected a known name, or ops=A+B+... of at most 16 instructions)";
	for (unsigned i = 0; i < sizeof(chain_names) / sizeof(*chain_names); i++) {
		if (strcmp(name, chain_names[i].name) != 0)
			continue;
		*why = "the measured figure is of three independent PTX statements of unknown instructions, not a latency";
		return chain_names[i].ops && parse_ops(c, chain_names[i].ops);
	}
	return measured_copy_value(p->params, "ops", ops, sizeof(ops)) && parse_ops(c, ops);
}

#define CHAIN_UNROLL 32u /* number of rounds between branches */

static void write_probe_op(
	struct scribe *s, const struct probe_op *o, const char *dst, const char *src, uint64_t offset)
{
	bool wide = o->name[0] == 'D' || strstr(o->name, ".64");

	if (o->shared)
		scribe_mem(s, LANES_ALL, dst, o->name, src, 4, MICRO_SHARED + offset, 4);
	else if (o->global)
		scribe_mem(s, strstr(o->name, "ATOM") ? 1 : LANES_ALL, dst, o->name, src, wide ? 8 : 4,
			MICRO_DATA + offset, wide ? 8 : 4);
	else
		scribe_op(s, dst, o->name, src, 0);
}

static void write_chain_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct chain *c = m->arg;

	(void)block;
	(void)warp;
	for (uint32_t r = 0; r < c->rounds; r++) {
		if (r % CHAIN_UNROLL == 0)
			s->pc = 0x100;
		for (uint32_t i = 0; i < c->n; i++)
			write_probe_op(s, &c->op[i], "R8", "R8", 0);
	}
	s->pc = 0x100 + 16 * CHAIN_UNROLL * c->n;
	scribe_write_exit(s);
}

double probe_time_rounds(
	const struct subject *s, struct micro *m, uint32_t *count, uint32_t few, uint32_t more)
{
	double first;

	*count = few;
	first = time_kernel(s, m);
	*count = few + more;
	return time_kernel(s, m) - first;
}

double probe_chain(const struct probe *p, const struct subject *s)
{
	const char *why;
	struct chain c;
	struct micro m = {.name = "chain",
		.blocks = 1,
		.threads = 32,
		.shmem = 1024,
		.nregs = 24,
		.arch = s->arch,
		.same_for_all_warps = true,
		.body = write_chain_body,
		.arg = &c};

	parse_chain(p, &c, &why);
	return probe_time_rounds(s, &m, &c.rounds, 4 * CHAIN_UNROLL, 8 * CHAIN_UNROLL) / (8 * CHAIN_UNROLL) /
	       (is_whole_chain(p) ? 1 : c.n);
}

bool probe_chain_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct chain c;

	(void)r;
	(void)s;
	strcpy(p->group, "chains");
	return parse_chain(p, &c, why);
}

/* ---- issue rates ---------------------------------------------------------------------------- */

static void write_rate_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct chain *c = m->arg;
	char dst[8];

	(void)block;
	for (uint32_t r = 0; r < c->rounds; r++) {
		if (r % CHAIN_UNROLL == 0)
			s->pc = 0x100;
		snprintf(dst, sizeof(dst), "R%u", 20 + 2 * (r % 16));
		write_probe_op(s, &c->op[0], dst, c->src, warp * 128);
	}
	s->pc = 0x100 + 16 * CHAIN_UNROLL;
	scribe_write_exit(s);
}

static bool parse_rate(const struct probe *p, struct chain *c, char *src, size_t cap)
{
	char op[40];

	*c = (struct chain){.src = src};
	if (!measured_copy_value(p->params, "op", op, sizeof(op)) || !parse_ops(c, op) || c->n != 1)
		return false;
	if (!measured_copy_value(p->params, "src", src, cap))
		strcpy(src, c->op[0].shared || c->op[0].global ? "R2" : "R4 R5 R6");
	for (char *s = src; *s; s++)
		if (*s == '+')
			*s = ' ';
	return strspn(src, "R0123456789 ") == strlen(src);
}

double probe_rate(const struct probe *p, const struct subject *s)
{
	uint32_t warps = (uint32_t)p->param[0] * s->params.core.schedulers;
	char src[64];
	struct chain c;
	struct micro m = {.name = "rate",
		.blocks = 1,
		.threads = warps * 32,
		.shmem = 32768,
		.nregs = 64,
		.arch = s->arch,
		.body = write_rate_body,
		.arg = &c};

	parse_rate(p, &c, src, sizeof(src));
	return probe_time_rounds(s, &m, &c.rounds, 4 * CHAIN_UNROLL, 8 * CHAIN_UNROLL) / (8 * CHAIN_UNROLL) /
	       p->param[0];
}

bool probe_rate_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	char src[64];
	struct chain c;

	(void)r;
	strcpy(p->group, "rates");
	*why = "invalid op, src or warps (expected op=NAME, src=R4+R6, and 1 to 8 warps that fit on a sub-core)";
	return parse_rate(p, &c, src, sizeof(src)) && p->param[0] >= 1 && p->param[0] <= 8 &&
	       p->param[0] * s->params.core.schedulers <= s->params.core.warps;
}

/* ---- shared memory and atomics ---------------------------------------------------------------- */

struct bank_conflict {
	uint32_t ways, lanes, rounds;
	bool same;
};

static void write_conflict_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct bank_conflict *t = m->arg;
	char dst[8];

	(void)block;
	(void)warp;
	for (uint32_t r = 0; r < t->rounds; r++) {
		if (r % CHAIN_UNROLL == 0)
			s->pc = 0x100;
		snprintf(dst, sizeof(dst), "R%u", 16 + r % 16);
		scribe_mem(s, LANES_ALL, dst, "LDS", "R2", 4, MICRO_SHARED, 4 * (int64_t)t->ways);
	}
	s->pc = 0x100 + 16 * CHAIN_UNROLL;
	scribe_write_exit(s);
}

double probe_conflict(const struct probe *p, const struct subject *s)
{
	struct bank_conflict t = {.ways = (uint32_t)fmin(fmax(p->param[0], 1), 32)};
	struct micro m = {.name = "conflict",
		.blocks = 1,
		.threads = 256,
		.shmem = 8192,
		.nregs = 40,
		.arch = s->arch,
		.same_for_all_warps = true,
		.body = write_conflict_body,
		.arg = &t};

	return probe_time_rounds(s, &m, &t.rounds, CHAIN_UNROLL, 2 * CHAIN_UNROLL) / (2 * CHAIN_UNROLL * 8);
}

static void write_atomic_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct bank_conflict *t = m->arg;
	uint32_t mask = t->lanes >= 32 ? LANES_ALL : (1u << t->lanes) - 1;

	(void)block;
	for (uint32_t r = 0; r < t->rounds; r++) {
		if (r % CHAIN_UNROLL == 0)
			s->pc = 0x100;
		scribe_mem(s, mask, "", "RED.E.ADD.STRONG.GPU", "R2 R4", 4,
			MICRO_DATA + (t->same ? 0 : warp * 128), t->same ? 0 : 4);
	}
	s->pc = 0x100 + 16 * CHAIN_UNROLL;
	scribe_write_exit(s);
}

double probe_atomic(const struct probe *p, const struct subject *s)
{
	struct bank_conflict t = {.lanes = (uint32_t)fmin(fmax(p->param[0], 1), 32), .same = p->param[1] > 0};
	struct micro m = {.name = "atomics",
		.blocks = 1,
		.threads = 256,
		.nregs = 24,
		.arch = s->arch,
		.body = write_atomic_body,
		.arg = &t};

	return probe_time_rounds(s, &m, &t.rounds, CHAIN_UNROLL, 2 * CHAIN_UNROLL) / (2 * CHAIN_UNROLL * 8);
}
