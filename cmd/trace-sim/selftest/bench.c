/* SPDX-License-Identifier: BSD-2-Clause */
/* A machine for micro-traces (bench.h). What a whole run prints and counts beside cycles is left out. */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "selftest/bench.h"
#include "team/readahead.h"

struct bench *bench_open(const struct params *p, const struct isa *isa)
{
	return bench_open_logged(p, isa, NULL);
}

struct bench *bench_open_logged(const struct params *p, const struct isa *isa, struct events *events)
{
	struct bench *b = xcalloc(1, sizeof *b);
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
	free(b);
}

void bench_warm(struct bench *b, uint64_t addr, uint32_t cluster, bool write)
{
	memory_warm(b->run.gpu.mem, addr, cluster, write, gpu_now(&b->run.gpu));
}

static void step(struct run *r)
{
	struct gpu *g = &r->gpu;
	struct skip skip;

	if (gpu_skippable(g, &skip))
		gpu_skip(g, &skip);
	if (gpu_step(g) & CLOCK_CORE && g->cycle % DEADLOCK_PERIOD == 0 && run_deadlocked(r))
		die("a micro-trace hangs on this machine after %llu cycles", (unsigned long long)gpu_now(g));
}

uint64_t bench_kernel(struct bench *b, const struct micro *m)
{
	struct gpu *g = &b->run.gpu;
	struct trace_options o = {.code = g->code};
	struct micro_text *text = micro_text_new(m);
	uint64_t start = gpu_now(g);
	struct kernel *k;
	struct trace *t;
	struct fault f;

	readahead_watch(g->readahead, &o);
	t = trace_over(micro_input(text), &o, &f);
	k = t ? launch_load(g, t, m->name, ++b->position, &f) : NULL;
	if (!k)
		die_fault(&f);
	launch_kernels(g);
	do
		step(&b->run);
	while (!(k = launch_pop_finished(g)));
	launch_remove(g, k);
	micro_text_free(text);
	return gpu_now(g) - start;
}
