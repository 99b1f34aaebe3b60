/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures sequences of small kernels that scale one array to another, launched one by one or as a graph, and
 * the same work in one persistent kernel, whose thread blocks meet at a barrier after each pass.
 *
 * The barrier is a counter in memory: a thread of each block adds 1 and reads the counter until all blocks have
 * added. A pass lasts from the time at which all blocks have left one barrier until the last one leaves the
 * next. It is simulated as a kernel whose blocks all start at the same time. The block that arrives last reads
 * the counter once, so its trace has one read, and it determines the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

#define SECTOR          32u
#define SMALL_BLOCK     256u
#define PERSISTENT_MOST 1024u /* threads of the larger blocks of the persistent kernel */
#define SMALL_MOST      6e6   /* size in bytes of the largest kernel that is simulated completely */
#define COUNTER         (MICRO_DATA - 4096)

/* Warms the L2 as if the blocks of a kernel that uses `bytes` bytes had run before. */
static void warm_small_arrays(struct bench *b, const struct subject *s, double bytes)
{
	uint64_t n = (uint64_t)probe_scale_kernel(s, bytes, SMALL_BLOCK).blocks * SMALL_BLOCK;

	for (uint64_t i = 0; i < n; i += SECTOR / 8) {
		uint32_t cluster = (uint32_t)(i / SMALL_BLOCK) % s->params.clusters;

		bench_warm_l2(b, probe_element_address(1, i + 8), SECTOR, cluster, false);
		bench_warm_l2(b, probe_element_address(0, i + 8), SECTOR, cluster, true);
	}
}

static double time_small_kernel(const struct params *p, const struct subject *s, double bytes)
{
	struct micro m = probe_scale_kernel(s, bytes, SMALL_BLOCK);
	struct bench *b = bench_open(p, s->isa);
	double cycles;

	warm_small_arrays(b, s, bytes);
	bench_run_kernel(b, &m);
	cycles = (double)bench_run_kernel(b, &m);
	bench_close(b);
	return cycles;
}

/* ---- the persistent kernel --------------------------------------------------------------------- */

/* Writes the accesses of a warp to its elements in a pass. */
static void write_scaled_elements(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const uint64_t *elements = m->arg;
	uint64_t all = (uint64_t)m->blocks * m->threads, i = (uint64_t)block * m->threads + 32 * warp;

	for (; i < *elements; i += all) {
		uint32_t lanes = *elements - i >= 32 ? LANES_ALL : (1u << (*elements - i)) - 1;

		s->pc = 0x100;
		scribe_masked_op(s, lanes, "R2", "IMAD.WIDE", "R0 R4", 0);
		scribe_mem(s, lanes, "R16", "LDG.E.64", "R2", 8, probe_element_address(1, i + 8), 8);
		scribe_masked_op(s, lanes, "R6", "IMAD.WIDE", "R0 R4", 0);
		scribe_masked_op(s, lanes, "R8", "DMUL", "R16", 0);
		scribe_mem(s, lanes, "", "STG.E.64", "R6 R8", 8, probe_element_address(0, i + 8), 8);
		scribe_masked_op(s, lanes, "R0", "IADD3", "R0", 0);
		scribe_masked_op(s, lanes, "", "ISETP.GE.AND", "R0", 0);
		scribe_masked_op(s, lanes, "", "BRA", "", 0x100);
	}
}

static void write_persistent_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	write_scaled_elements(s, m, block, warp);
	s->pc = 0x200;
	scribe_op(s, "", "BAR.SYNC.DEFER_BLOCKING", "", 0);
	scribe_op(s, "", "MEMBAR.SC.GPU", "", 0);
	scribe_op(s, "", "ERRBAR", "", 0);
	scribe_op(s, "", "CCTL.IVALL", "", 0);
	if (!warp) {
		scribe_mem(s, 1, "R10", "ATOMG.E.ADD.STRONG.GPU", "R2 R4", 4, COUNTER, 0);
		scribe_mem(s, 1, "R10", "LDG.E.STRONG.SYS", "R10", 4, COUNTER, 0);
		scribe_masked_op(s, 1, "", "ISETP.NE.AND", "R10", 0);
		scribe_masked_op(s, 1, "", "BRA", "", 0x100);
	}
	s->pc = 0x400;
	scribe_op(s, "", "BAR.SYNC.DEFER_BLOCKING", "", 0);
	scribe_write_exit(s);
}

/* Returns parameters with which all blocks start at once, with their code in the instruction caches. */
static struct params *params_without_start(const struct subject *s)
{
	struct params *p = xcalloc(1, sizeof(*p));

	*p = s->params;
	p->launch_latency = 0;
	p->core.perfect_icache = true;
	p->modern.cta_interval = p->modern.cta_retire = 0;
	p->modern.cta_latency = p->modern.cta_latency_per_warp = p->modern.warp_interval = 0;
	p->modern.const_cold = false;
	memset(p->modern.kernel_least, 0, sizeof(p->modern.kernel_least));
	return p;
}

/* Returns the cycles of a pass with blocks of `threads` threads, of which no more run than fit. */
static double cycles_of_pass(const struct subject *s, double bytes, uint32_t threads)
{
	uint64_t elements = probe_round_count(bytes / 16);
	uint32_t most = s->params.sms * (s->params.core.threads / threads);
	struct params *p = params_without_start(s);
	struct micro m = {.name = "persistent",
		.threads = threads,
		.nregs = 24,
		.arch = s->arch,
		.body = write_persistent_body,
		.arg = &elements};
	struct bench *b = bench_open(p, s->isa);
	double cycles;

	m.blocks = (uint32_t)fmin(fmax(floor((double)elements / threads), 1), most);
	warm_small_arrays(b, s, bytes);
	bench_warm_l2(b, COUNTER, SECTOR, 0, true);
	cycles = (double)bench_run_kernel(b, &m);
	bench_close(b);
	free(p);
	return cycles;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static bool is_persistent(const struct probe *p) { return !strcmp(p->rest, "(pt)"); }

static bool is_graph(const struct probe *p) { return !strcmp(p->rest, "(graph)"); }

/* Returns the cycles of a kernel or pass that uses `bytes` bytes in the L2. */
static double time_small(const struct probe *p, const struct subject *s, double bytes)
{
	struct params *graph;
	double cycles;

	if (is_persistent(p))
		return fmin(cycles_of_pass(s, bytes, SMALL_BLOCK), cycles_of_pass(s, bytes, PERSISTENT_MOST));
	if (!is_graph(p))
		return time_small_kernel(&s->params, s, bytes);
	graph = xcalloc(1, sizeof(*graph));
	*graph = s->params;
	graph->launch_latency = probe_round_count(p->param[1]);
	cycles = time_small_kernel(graph, s, bytes);
	free(graph);
	return cycles;
}

/*
 * Beyond SMALL_MOST bytes, the time is extrapolated with the slope between half of that size and that size.
 * If both arrays together do not fit into the L2, the time is extrapolated with the rate of a stream: each
 * kernel then starts with the lines that the previous kernel accessed first, which are no longer in the L2.
 */
double probe_small(const struct probe *p, const struct subject *s)
{
	double bytes = p->param[0], run = bytes < SMALL_MOST ? bytes : SMALL_MOST;
	double time = time_small(p, s, run);

	if (bytes > 0.8 * (double)subject_l2_bytes(s))
		time += (bytes - run) / (probe_scale_rate(s) * 1e9 / s->params.hz[0]);
	else if (bytes > run)
		time += (time - time_small(p, s, run / 2)) / (run / 2) * (bytes - run);
	return subject_gb_per_s(s, bytes, time);
}

bool probe_small_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	(void)r;
	*why = "unknown launch (expected nothing, (graph), or (pt): a persistent kernel)";
	if (*p->rest && !is_graph(p) && !is_persistent(p))
		return false;
	*why = "launches of a graph need their latency (#params TOOL graph_launch=CYCLES)";
	if (is_graph(p) && p->param[1] < 1)
		return false;
	*why = "an SM of this GPU has fewer than 1024 threads";
	if (is_persistent(p) && s->params.core.threads < PERSISTENT_MOST)
		return false;
	strcpy(p->group, is_graph(p)        ? "small kernels, graph"
			 : is_persistent(p) ? "persistent kernels"
					    : "small kernels");
	*why = "size out of range (expected 64 bytes to 16 GiB)";
	return p->param[0] >= 64 && p->param[0] <= 16.0 * (1u << 30);
}
