/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs micro-traces on a GPU (bench.h). Cycles are counted; there is no other output. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "gpu/window.h"
#include "selftest/bench.h"
#include "threads/readahead.h"

struct bench *bench_open(const struct params *p, const struct isa *isa)
{
	return bench_open_logged(p, isa, NULL);
}

struct bench *bench_open_logged(const struct params *p, const struct isa *isa, struct events *events)
{
	struct bench *b = xcalloc(1, sizeof(*b));
	struct fault f;

	b->run.gpu.events = events;
	b->run.gpu.params = *p;
	b->run.gpu.threads = 1;
	if (gpu_init(&b->run.gpu, isa, &f) < 0)
		die_fault(&f);
	return b;
}

void bench_close(struct bench *b)
{
	gpu_free(&b->run.gpu);
	micro_text_free(b->text);
	free(b);
}

void bench_warm_l2(struct bench *b, uint64_t addr, uint64_t bytes, uint32_t cluster, bool write)
{
	uint64_t at = addr / 32, end = (addr + bytes + 31) / 32;

	while (at < end) {
		uint32_t in_line = (uint32_t)(at % 4),
			 n = end - at < 4 - in_line ? (uint32_t)(end - at) : 4 - in_line;

		memory_warm(b->run.gpu.mem, at / 4 * 128, ((1u << n) - 1) << in_line, cluster, write,
			gpu_now(&b->run.gpu));
		at += n;
	}
}

#define MANY (UINT64_C(1) << 30) /* maximum number of cycles to simulate at once; longer than any window */

/* Skips steps in which nothing happens, then runs a step or a window of at most `cycles` cycles. */
static void step_or_skip_bench(struct run *r, uint64_t cycles)
{
	struct gpu *g = &r->gpu;
	struct skip skip;
	unsigned fired;

	if (gpu_can_skip(g, &skip))
		gpu_skip(g, &skip);
	fired = window_run(g, gpu_now(g) + cycles) ? CLOCK_CORE : gpu_step(g);
	if (fired & CLOCK_CORE && g->cycle % DEADLOCK_PERIOD == 0 && run_is_deadlocked(r))
		die("micro-trace deadlocked after %llu cycles", (unsigned long long)gpu_now(g));
}

static void launch_micro(struct bench *b, const struct micro *m)
{
	struct gpu *g = &b->run.gpu;
	struct trace_options o = {.code = g->code};
	struct trace *t;
	struct fault f;

	b->text = micro_text_new(m);
	readahead_queue_warnings(g->readahead, &o);
	t = trace_open_input(micro_input(b->text), &o, &f);
	if (!t || !launch_load_kernel(g, t, m->name, ++b->position, &f))
		die_fault(&f);
	launch_kernels(g);
}

uint64_t bench_run_kernel(struct bench *b, const struct micro *m)
{
	struct gpu *g = &b->run.gpu;
	uint64_t start = gpu_now(g);
	struct kernel *k;

	launch_micro(b, m);
	do
		step_or_skip_bench(&b->run, MANY);
	while (!(k = launch_pop_finished(g)));
	launch_remove_kernel(g, k);
	micro_text_free(b->text);
	b->text = NULL;
	return gpu_now(g) - start;
}

static uint64_t count_issued(const struct gpu *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->params.sms; i++)
		n += g->sm[i].n.warp_insts;
	return n;
}

/*
 * Runs until n instructions or CTAs are done. A window must not run past that point. Its length is therefore
 * the minimum number of cycles in which the schedulers can issue the missing instructions. For CTAs the bound
 * is similar, but the end of a CTA may be noticed only at the end of a window.
 */
static void run_bench_until(struct bench *b, const struct micro *m, enum bench_count unit, double n)
{
	struct gpu *g = &b->run.gpu;
	const struct core_params *c = &g->params.core;
	uint32_t sms = m->blocks < g->params.sms ? m->blocks : g->params.sms;
	uint32_t warps = (m->threads + 31) / 32;
	double most = (double)sms * c->schedulers * c->max_issue;
	double lack;

	if (unit == BENCH_CTAS)
		most /= warps;
	while ((lack = n - (double)(unit == BENCH_CTAS ? g->completed_ctas : count_issued(g))) > 0)
		step_or_skip_bench(&b->run, (uint64_t)fmin(lack / most, (double)MANY));
}

void bench_time_insts(struct bench *b, const struct micro *m, const uint64_t *at, uint64_t *time, unsigned n)
{
	uint64_t before = count_issued(&b->run.gpu);

	launch_micro(b, m);
	for (unsigned i = 0; i < n; i++) {
		run_bench_until(b, m, BENCH_INSTS, (double)(before + at[i]));
		time[i] = gpu_now(&b->run.gpu);
	}
}

uint64_t bench_time_middle(
	struct bench *b, const struct micro *m, enum bench_count unit, double from, double to)
{
	const struct gpu *g = &b->run.gpu;
	double all = unit == BENCH_CTAS ? m->blocks : (double)micro_count_insts(m);
	double before = unit == BENCH_CTAS ? (double)g->completed_ctas : (double)count_issued(g);
	uint64_t start;

	launch_micro(b, m);
	run_bench_until(b, m, unit, before + from * all);
	start = gpu_now(g);
	run_bench_until(b, m, unit, before + to * all);
	return gpu_now(g) - start;
}
