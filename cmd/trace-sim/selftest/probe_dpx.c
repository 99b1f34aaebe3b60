/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the functions for dynamic programming (DPX): minimum or maximum of sums or of three numbers. A
 * chain of calls in one thread gives the latency. Four independent calls in each of an SM's 1024 threads give
 * the throughput. These programs have 1024 times four calls without a loop, so they fetch 64 KiB of code or more.
 *
 * The instructions of a function are those of the measured programs. Calls with two numbers are idempotent,
 * so the compiler merges some calls: two calls of a chain into one call with three numbers, and 4096 calls of
 * the other program into 3584.
 *
 * In a chain, the control codes are those of compiled code: an instruction waits four cycles for a result of its
 * own unit. IMAD and VIMNMX have different units, and wait five cycles for each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cubin.h"
#include "selftest/bench.h"
#include "selftest/micro.h"
#include "selftest/probe.h"

#define DPX_UNROLL 64u
#define DPX_CHAINS 4u
#define DPX_WARPS  32u
#define DPX_CALLS  1024u /* calls of each chain in the program that measures throughput */
#define NO_REG     255u

static const struct dpx_function {
	const char *name, *op, *second; /* `second` is the instruction after `op` in the same call, or NULL */
	double chain, flow; /* calls replaced by `op` and `second`: in the chain, in the other program */
} dpx_functions[] = {
	{"viaddmax_s16x2", "VIADDMNMX.S16x2", NULL, 1, 1},
	{"viaddmax_s16x2_relu", "VIADDMNMX.S16x2.RELU", NULL, 1, 1},
	{"viaddmax_s32", "IMAD.IADD", "VIMNMX", 1, 1},
	{"viaddmax_s32_relu", "IMAD.IADD", "VIMNMX.RELU", 1, 1},
	{"viaddmax_u32", "IMAD.IADD", "VIMNMX.U32", 1, 1},
	{"viaddmin_s32", "IMAD.IADD", "VIMNMX", 1, 1},
	{"vibmax_s16x2", "VIMNMX.S16x2", NULL, 2, 4096.0 / 3584},
	{"vibmax_s32", "VIMNMX", "VIMNMX", 1, 1},
	{"vimax3_s16x2", "VIMNMX3.S16x2", NULL, 1, 1},
	{"vimax3_s16x2_relu", "VIMNMX3.S16x2.RELU", NULL, 1, 1},
	{"vimax3_s32", "VIMNMX", "VIMNMX", 1, 1},
	{"vimax3_s32_relu", "VIMNMX3.RELU", NULL, 1, 1},
	{"vimax_s16x2_relu", "VIMNMX.S16x2.RELU", NULL, 2, 4096.0 / 3584},
	{"vimax_s32_relu", "VIMNMX.RELU", NULL, 2, 4096.0 / 3584},
};

struct dpx {
	const struct dpx_function *function;
	bool measures_latency; /* true to measure latency, false to measure throughput */
	uint32_t rounds;
};

static const struct dpx_function *find_dpx_function(const char *name)
{
	for (unsigned i = 0; i < sizeof(dpx_functions) / sizeof(dpx_functions[0]); i++)
		if (!strcmp(dpx_functions[i].name, name))
			return &dpx_functions[i];
	return NULL;
}

static bool parse_dpx(const struct probe *p, struct dpx *x)
{
	*x = (struct dpx){
		.function = find_dpx_function(p->rest), .measures_latency = !strcmp(p->params, "dependent")};
	return x->function && (x->measures_latency || !strcmp(p->params, "one SM"));
}

static void write_dpx_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct dpx *x = m->arg;
	uint32_t chains = x->measures_latency ? 1 : DPX_CHAINS;
	char dst[8], src[16];

	(void)block;
	(void)warp;
	for (uint32_t i = 0; i < x->rounds * chains; i++) {
		snprintf(dst, sizeof(dst), "R%u", 8 + i % chains);
		snprintf(src, sizeof(src), "%s R4 R5", dst);
		if (i % (x->measures_latency ? DPX_UNROLL : DPX_CALLS * chains) == 0)
			s->pc = 0;
		scribe_op(s, dst, x->function->op, src, 0);
		if (x->function->second)
			scribe_op(s, dst, x->function->second, src, 0);
	}
	s->pc = 16 * (x->measures_latency ? DPX_UNROLL : DPX_CALLS * chains) * (x->function->second ? 2 : 1);
	scribe_write_exit(s);
}

/* Returns the control codes of a chain, which the caller deletes. */
static struct cubins *dpx_codes(const struct dpx *x, const struct micro *m)
{
	bool two = x->function->second != NULL, crosses = two && !strncmp(x->function->op, "IMAD", 4);
	uint32_t n = DPX_UNROLL * (two ? 2 : 1);
	struct cubins *c = cubins_new();
	uint8_t(*code)[16] = xcalloc(n + 1, sizeof(*code));

	for (uint32_t i = 0; i <= n; i++) {
		struct control_code k = {.opcode = (uint16_t)(0x100 + (i == n           ? 2
									      : crosses ? i % 2
											: 0)),
			.guard = 7,
			.stall = crosses || i == n ? 5 : 4,
			.yield = i < n,
			.write = 7,
			.read = 7,
			.slot = {NO_REG, NO_REG, NO_REG}};

		control_encode(&k, code[i]);
	}
	cubins_add_code(c, m->name, m->arch, code[0], n + 1);
	free(code);
	return c;
}

/* Returns the cycles of a kernel with x->rounds calls in each chain. */
static double time_dpx_rounds(const struct subject *s, const struct micro *m)
{
	const struct dpx *x = m->arg;
	struct bench *b = bench_open(&s->params, s->isa);
	double cycles;

	if (x->measures_latency)
		b->run.gpu.joins.cubins = dpx_codes(x, m);
	cycles = (double)bench_run_kernel(b, m);
	bench_close(b);
	return cycles;
}

double probe_dpx(const struct probe *p, const struct subject *s)
{
	struct dpx x;
	struct micro m = {.name = "dpx",
		.blocks = 1,
		.nregs = 16,
		.arch = s->arch,
		.same_for_all_warps = true,
		.body = write_dpx_body,
		.arg = &x};
	double few, cycles;
	uint32_t more;

	parse_dpx(p, &x);
	more = x.measures_latency ? 4 * DPX_UNROLL : DPX_CALLS - 1;
	m.threads = x.measures_latency ? 32 : 32 * DPX_WARPS;
	x.rounds = x.measures_latency ? 2 * DPX_UNROLL : 1;
	few = time_dpx_rounds(s, &m);
	x.rounds += more;
	cycles = (time_dpx_rounds(s, &m) - few) / more;
	return x.measures_latency ? cycles / x.function->chain
				  : 32 * DPX_WARPS * DPX_CHAINS * x.function->flow / cycles;
}

bool probe_dpx_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct dpx x;

	strcpy(p->group, "dpx latency");
	*why = "unknown function (expected a name such as viaddmax_s32, and dependent or one SM)";
	if (!parse_dpx(p, &x) || strcmp(r->unit, x.measures_latency ? "cycles" : "instr/cycle/SM") != 0)
		return false;
	if (!x.measures_latency)
		strcpy(p->group, "dpx throughput");
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}
