/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the functions for dynamic programming (DPX): minimum or maximum of sums or of three numbers. A
 * chain of calls in one thread gives the latency. Four independent calls in each of an SM's 1024 threads give
 * the throughput.
 *
 * The instructions of a function are those of the measured programs. Calls with two numbers are idempotent,
 * so the compiler merges some calls: two calls of a chain into one call with three numbers, and 4096 calls of
 * the other program into 3584.
 */
#include <stdio.h>
#include <string.h>
#include "selftest/probe.h"
#include "selftest/micro.h"

#define DPX_UNROLL 64u
#define DPX_CHAINS 4u
#define DPX_WARPS  32u

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
		if (i % DPX_UNROLL == 0)
			s->pc = 0x100;
		scribe_op(s, dst, x->function->op, src, 0);
		if (x->function->second)
			scribe_op(s, dst, x->function->second, src, 0);
	}
	s->pc = 0x100 + 32 * DPX_UNROLL;
	scribe_write_exit(s);
}

double probe_dpx(const struct probe *p, const struct subject *s)
{
	struct dpx x;
	struct micro m = {.name = "dpx",
		.blocks = 1,
		.nregs = 16,
		.arch = s->arch,
		.alike = true,
		.body = write_dpx_body,
		.arg = &x};
	double cycles;

	parse_dpx(p, &x);
	m.threads = x.measures_latency ? 32 : 32 * DPX_WARPS;
	cycles = probe_time_rounds(s, &m, &x.rounds, 2 * DPX_UNROLL, 4 * DPX_UNROLL) / (4 * DPX_UNROLL);
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
