/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the tensor cores: matrix products of warpgroups (wgmma) and of single warps (mma.sync).
 *
 * Rates and latencies are differences between a longer and a shorter chain on one SM. A figure in TFLOP/s is
 * the rate of an SM times the number of SMs, at the clock rate that the GPU sustains under this load
 * (-core_matrix_clock). A chain accumulates in the same registers, as in the measured programs, so the
 * latency of a product is the time that it adds to the chain. The figures for issue and wait are distances
 * between issues in the event log.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "gmma.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

#define MATRIX_UNROLL 16u
#define MMA_CHAINS    8u

enum matrix_figure { FIGURE_CYCLES, FIGURE_TFLOPS, FIGURE_ISSUE, FIGURE_WAIT, N_MATRIX_FIGURES };

struct matrix_row {
	enum matrix_figure figure;
	uint32_t m, n, k; /* extents of the product; k includes the zeros of a sparse A */
	char op[48];
	bool registers, sparse; /* A */
	uint32_t rounds, chains;
};

/* ---- rows ----------------------------------------------------------------------------------- */

static bool has_text_prefix(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Parses `letter` and a number at *s, and moves *s past them. Returns false if *s has other text. */
static bool parse_extent(const char **s, char letter, uint32_t *out)
{
	char *end;

	if (**s != letter || (*s)[1] < '0' || (*s)[1] > '9')
		return false;
	*out = (uint32_t)strtoul(*s + 1, &end, 10);
	*s = end;
	return true;
}

static enum matrix_figure matrix_figure_of(const struct measured_row *r)
{
	static const struct {
		const char *metric;
		enum matrix_figure figure;
	} rows[] = {{"completion latency", FIGURE_CYCLES}, {"latency and interval", FIGURE_CYCLES},
		{"throughput", FIGURE_TFLOPS}, {"issue", FIGURE_ISSUE}, {"wait", FIGURE_WAIT}};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(r->metric, rows[i].metric) &&
			!strcmp(r->unit, rows[i].figure == FIGURE_TFLOPS ? "TFLOP/s" : "cycles"))
			return rows[i].figure;
	return N_MATRIX_FIGURES;
}

/* Returns the type of the elements, which is the text after the shape. */
static const char *element_type_of(const char *params)
{
	const char *blank = strchr(params, ' ');

	return blank ? blank + 1 : "f16";
}

static bool is_element_type(const char *type, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(type, name, n) && (!type[n] || type[n] == ' ');
}

/*
 * Sets the shape and the opcode of a warpgroup's product. A row without a shape has the smallest shape.
 * Returns false if the row is invalid.
 */
static bool parse_wgmma(struct matrix_row *x, const struct probe *p)
{
	static const struct {
		const char *type, *stem, *suffix;
		uint32_t k;
	} types[] = {{"f16", "HGMMA", "F32", 16}, {"bf16", "HGMMA", "F32.BF16", 16},
		{"tf32", "HGMMA", "F32.TF32", 8}, {"e4m3", "QGMMA", "F32.E4M3.E4M3", 32},
		{"e5m2", "QGMMA", "F32.E5M2.E5M2", 32}, {"fp8", "QGMMA", "F32.E4M3.E4M3", 32},
		{"s8", "IGMMA", "S8.S8", 32}, {"u8", "IGMMA", "U8.U8", 32}, {"b1", "BGMMA", "AND.POPC", 256}};
	const char *s = p->params, *type = element_type_of(p->params);
	struct gmma g;

	x->m = 64;
	x->n = 8;
	x->k = 0;
	x->registers = has_text_prefix(p->rest, "RS");
	x->sparse = strstr(p->rest, "sparse") != NULL;
	if (*s && (!parse_extent(&s, 'm', &x->m) || !parse_extent(&s, 'n', &x->n) || x->m != 64 ||
			  (*s == 'k' && !parse_extent(&s, 'k', &x->k)) || (*s && *s != ' ')))
		return false;
	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!is_element_type(type, types[i].type))
			continue;
		if (!x->k || (x->sparse && x->k == types[i].k))
			x->k = types[i].k * (x->sparse ? 2 : 1);
		snprintf(x->op, sizeof(x->op), "%s%s.64x%ux%u.%s", types[i].stem, x->sparse ? ".SP" : "",
			x->n, x->k, types[i].suffix);
		return gmma_shape(&g, x->op);
	}
	return false;
}

static bool parse_mma(struct matrix_row *x, const struct probe *p)
{
	static const struct {
		const char *type;
		uint32_t k;
		const char *op;
	} types[] = {{"f16", 8, "HMMA%s.1688.F16"}, {"f16", 16, "HMMA%s.16816.F16"},
		{"f16", 32, "HMMA%s.16832.F16"}, {"f32", 8, "HMMA%s.1688.F32"},
		{"f32", 16, "HMMA%s.16816.F32"}, {"bf16", 8, "HMMA%s.1688.F32.BF16"},
		{"bf16", 16, "HMMA%s.16816.F32.BF16"}, {"tf32", 4, "HMMA%s.1684.F32.TF32"},
		{"tf32", 8, "HMMA%s.1688.F32.TF32"}, {"tf32", 16, "HMMA%s.16816.F32.TF32"},
		{"s8", 16, "IMMA%s.16816.S8.S8"}, {"s8", 32, "IMMA%s.16832.S8.S8"},
		{"s8", 64, "IMMA%s.16864.S8.S8"}};
	const char *s = p->params, *type = element_type_of(p->params);

	if (!parse_extent(&s, 'm', &x->m) || !parse_extent(&s, 'n', &x->n) || !parse_extent(&s, 'k', &x->k) ||
		x->m != 16 || x->n != 8)
		return false;
	x->sparse = strstr(s, "sparse") != NULL;
	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (is_element_type(type, types[i].type) && types[i].k == x->k) {
			snprintf(x->op, sizeof(x->op), types[i].op, x->sparse ? ".SP" : "");
			return true;
		}
	return false;
}

/* ---- warpgroups ----------------------------------------------------------------------------- */

static void write_wgmma_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct matrix_row *x = m->arg;

	(void)block;
	(void)warp;
	scribe_op(s, "", "BAR.SYNC", "", 0);
	scribe_op(s, "", "WARPGROUP.ARRIVE", "", 0);
	for (uint32_t r = 0; r < x->rounds; r++) {
		s->pc = 0x100 + 16 * (r % MATRIX_UNROLL);
		scribe_op(s, "R24", x->op, x->registers ? "R8 UR4 R24" : "R24 UR4", 0);
	}
	s->pc = x->rounds > 1 ? 0x100 + 16 * MATRIX_UNROLL : 0x110;
	scribe_op(s, "", "WARPGROUP.DEPBAR.LE", "", 0);
	scribe_write_exit(s);
}

static struct micro wgmma_micro(const struct subject *s, const struct matrix_row *x)
{
	return (struct micro){.name = "wgmma",
		.blocks = 1,
		.threads = 32 * GMMA_WARPS,
		.shmem = 98304,
		.nregs = 168,
		.arch = s->arch,
		.same_for_all_warps = true,
		.body = write_wgmma_body,
		.arg = x};
}

/* Cycle in which warp 0 issues the instruction at pc, or 0 if it never does. */
static uint64_t issue_cycle_of_pc(const char *log, uint64_t pc)
{
	for (const char *at = log; *at; at = strchr(at, '\n') + 1) {
		uint64_t cycle, warp, is;

		if (probe_issue_event(at, &cycle, &warp, &is) && !warp && is == pc)
			return cycle;
	}
	return 0;
}

/*
 * Number of cycles from the issue of a single product to the issue of the instruction that waits for it. With
 * `wait`, number of cycles from the issue of the waiting instruction to the next issue.
 */
static double time_lone_product(const struct subject *s, struct matrix_row *x, bool wait)
{
	struct bytes log = {0};
	struct events events = {.out = bytes_stream(&log)};
	struct params *params = xcalloc(1, sizeof(*params));
	uint64_t at_wait = 0x110;
	struct micro m = wgmma_micro(s, x);
	struct bench *b;
	double cycles;

	x->rounds = 1;
	*params = s->params;
	params->core.perfect_icache = true;
	b = bench_open_logged(params, s->isa, &events);
	bench_run_kernel(b, &m);
	bench_close(b);
	fclose(events.out);
	cycles = wait ? (double)(issue_cycle_of_pc(log.p, at_wait + 16) - issue_cycle_of_pc(log.p, at_wait))
		      : (double)(issue_cycle_of_pc(log.p, at_wait) - issue_cycle_of_pc(log.p, 0x100));
	bytes_free(&log);
	free(params);
	return cycles;
}

static double tflops_of_rate(const struct subject *s, const struct matrix_row *x, double products_per_cycle)
{
	double hz = s->params.modern.matrix_mhz ? s->params.modern.matrix_mhz * 1e6 : s->params.hz[0];

	return 2.0 * x->m * x->n * x->k * products_per_cycle * s->params.sms * hz / 1e12;
}

double probe_wgmma(const struct probe *p, const struct subject *s)
{
	struct matrix_row x = {.figure = (enum matrix_figure)p->param[0]};
	struct micro m = wgmma_micro(s, &x);
	double cycles;

	parse_wgmma(&x, p);
	if (x.figure == FIGURE_ISSUE || x.figure == FIGURE_WAIT)
		return time_lone_product(s, &x, x.figure == FIGURE_WAIT);
	cycles = probe_time_rounds(s, &m, &x.rounds, 4 * MATRIX_UNROLL, 8 * MATRIX_UNROLL) /
		 (8 * MATRIX_UNROLL);
	return x.figure == FIGURE_CYCLES ? cycles : tflops_of_rate(s, &x, 1 / cycles);
}

bool probe_wgmma_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct matrix_row x;

	p->param[0] = matrix_figure_of(r);
	*why = "unknown metric (expected completion latency, latency and interval, issue or wait in cycles, or throughput in TFLOP/s)";
	if (matrix_figure_of(r) == N_MATRIX_FIGURES)
		return false;
	snprintf(p->group, sizeof(p->group), "wgmma %s",
		matrix_figure_of(r) == FIGURE_ISSUE || matrix_figure_of(r) == FIGURE_WAIT ? "issue, wait"
											  : "rate");
	*why = "unknown shape or type (expected m64nNkK and f16, bf16, tf32, e4m3, e5m2, s8, u8 or b1)";
	if (!parse_wgmma(&x, p))
		return false;
	*why = "requires compute capability 9.0";
	return s->arch == 90;
}

/* ---- single warps --------------------------------------------------------------------------- */

static void write_mma_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct matrix_row *x = m->arg;

	(void)block;
	(void)warp;
	for (uint32_t r = 0; r < x->rounds; r++) {
		unsigned to = 40 + 4 * (r % x->chains);
		char dst[8], src[24];

		s->pc = 0x100 + 16 * (r % MATRIX_UNROLL);
		snprintf(dst, sizeof(dst), "R%u", to);
		snprintf(src, sizeof(src), "R8 R16 R%u%s", to, x->sparse ? " R20" : "");
		scribe_op(s, dst, x->op, src, 0);
	}
	s->pc = 0x100 + 16 * MATRIX_UNROLL;
	scribe_write_exit(s);
}

double probe_mma(const struct probe *p, const struct subject *s)
{
	struct matrix_row x = {.figure = (enum matrix_figure)p->param[0]};
	bool rate = x.figure == FIGURE_TFLOPS;
	uint32_t warps = rate ? 2 * s->params.core.schedulers : 1;
	struct micro m = {.name = "mma",
		.blocks = 1,
		.threads = warps * 32,
		.nregs = 96,
		.arch = s->arch,
		.same_for_all_warps = true,
		.body = write_mma_body,
		.arg = &x};
	double cycles;

	parse_mma(&x, p);
	x.chains = rate ? MMA_CHAINS : 1;
	cycles = probe_time_rounds(s, &m, &x.rounds, 4 * MATRIX_UNROLL, 8 * MATRIX_UNROLL) /
		 (8 * MATRIX_UNROLL);
	return rate ? tflops_of_rate(s, &x, warps / cycles) : cycles;
}

bool probe_mma_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct matrix_row x;
	enum matrix_figure figure = matrix_figure_of(r);

	p->param[0] = figure;
	strcpy(p->group, figure == FIGURE_TFLOPS ? "mma.sync rate" : "mma.sync latency");
	*why = "unknown metric (expected completion latency in cycles, or throughput in TFLOP/s)";
	if (figure != FIGURE_TFLOPS && figure != FIGURE_CYCLES)
		return false;
	*why = "unknown shape or type (expected m16n8kK and f16, f32, bf16, tf32 or s8, dense or sparse)";
	if (!parse_mma(&x, p))
		return false;
	*why = "requires compute capability 8.0 or later";
	return s->arch >= 80;
}
