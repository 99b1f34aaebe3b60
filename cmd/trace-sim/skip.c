/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skipping steps in which nothing can happen: the ticks of a launch delay, all warps asleep with the whole
 * memory side empty. The clocks still take every step, for their sums of doubles decide what follows; each
 * unit is told how many of its ticks passed.
 */
#include "launch.h"
#include "run.h"

/* Core cycles during which no SM has anything to do, at most limit. */
static uint64_t sms_sleep(const struct gpu *g, uint64_t limit)
{
	uint64_t now = gpu_now(g);

	for (uint32_t i = 0; i < g->params.sms && limit; i++) {
		const struct sm *s = &g->sm[i];
		uint64_t due;

		if (!s->live_ctas)
			continue;
		due = sm_due_at(s);
		if (due <= now)
			return 0;
		if (due - now < limit)
			limit = due - now;
	}
	return limit;
}

static bool replies_waiting(const struct gpu *g)
{
	for (uint32_t c = 0; c < g->params.clusters; c++)
		if (!ring_empty(&g->cluster[c].reply))
			return true;
	return false;
}

uint64_t gpu_skippable(const struct gpu *g)
{
	const struct params *p = &g->params;
	uint64_t n = DEADLOCK_PERIOD - 1 - g->cycle % DEADLOCK_PERIOD;
	uint32_t delay = launch_least_delay(g);

	if (g->launch->retry && g->launch->ctas_left)
		return 0;
	if (!memory_quiet(g->mem) || !net_empty(g->net) || replies_waiting(g))
		return 0;
	if (p->max_cycle && p->max_cycle - gpu_now(g) - 1 < n)
		n = p->max_cycle - gpu_now(g) - 1;
	if (delay && delay < n)
		n = delay;
	return sms_sleep(g, n);
}

static void rotate_clusters(struct gpu *g, uint64_t n)
{
	uint32_t per = g->params.sms_per_cluster;
	bool more = launch_more(g);

	if (per == 1 || !g->params.rotate_sms)
		return;
	for (uint32_t c = 0; c < g->params.clusters; c++)
		if (g->cluster[c].live_threads || more)
			g->cluster[c].first = (uint32_t)((g->cluster[c].first + n) % per);
}

void gpu_skip(struct gpu *g, uint64_t cycles)
{
	uint64_t icnt = 0, l2 = 0, dram = 0, core = 0;

	while (core < cycles) {
		unsigned fired = clocks_step(&g->clocks);

		core += (fired & CLOCK_CORE) != 0;
		icnt += (fired & CLOCK_ICNT) != 0;
		l2 += (fired & CLOCK_L2) != 0;
		dram += (fired & CLOCK_DRAM) != 0;
	}
	memory_idle_ticks(g->mem, icnt, dram, l2);
	net_idle_advances(g->net, icnt);
	rotate_clusters(g, cycles);
	if ((g->cycle + cycles) / g->params.sample_cycles != g->cycle / g->params.sample_cycles)
		memstat_window(&g->memstat);
	launch_delays(g, cycles);
	g->cycle += cycles;
}
