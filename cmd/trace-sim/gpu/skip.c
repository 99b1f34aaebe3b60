/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skips steps in which nothing can happen: the ticks of a launch delay, and steps in which all warps sleep
 * while the memory side is empty or waits for latencies to elapse. The clocks still take every step, because
 * the rounding of their sums determines later steps. Each unit receives the number of ticks that it missed.
 */
#include "launch.h"

/* Number of core cycles, at most `limit`, before an SM of the cluster has work. */
static uint64_t cluster_sleep_cycles(const struct gpu *g, uint32_t cluster, uint64_t limit)
{
	uint32_t per = g->params.sms_per_cluster;
	uint64_t now = gpu_now(g);

	for (uint32_t i = cluster * per; i < (cluster + 1) * per; i++) {
		uint64_t due = g->wake_at[i];

		if (due >= now + limit)
			continue;
		if (due <= now)
			return 0;
		limit = due - now;
	}
	return limit;
}

/* Number of core cycles, at most `limit`, before an SM with a thread block has work. */
static uint64_t sm_sleep_cycles(const struct gpu *g, uint64_t limit)
{
	for (uint32_t w = 0; w < BITSET_WORDS(g->params.clusters); w++)
		FOR_BITS64 (b, g->live[w]) {
			limit = cluster_sleep_cycles(g, w * 64 + (uint32_t)b, limit);
			if (!limit)
				return 0;
		}
	return limit;
}

static bool is_any_reply_waiting(const struct gpu *g)
{
	for (uint32_t w = 0; w < BITSET_WORDS(g->params.clusters); w++)
		if (g->replying[w])
			return true;
	return false;
}

/* memory_is_asleep() sets the time and the DRAM tick up to which the memory side only increments counters. */
bool gpu_can_skip(const struct gpu *g, struct skip *k)
{
	const struct params *p = &g->params;
	uint64_t n = DEADLOCK_PERIOD - 1 - g->cycle % DEADLOCK_PERIOD, until;
	uint32_t delay;

	if ((g->launch->retry && g->launch->kernels_with_ctas) || g->dram_ticks)
		return false;
	n = sm_sleep_cycles(g, n);
	if (!n || !net_is_empty(g->net) || is_any_reply_waiting(g) ||
		!memory_is_asleep(g->mem, gpu_now(g), &until, &k->dram_ticks))
		return false;
	if (until - gpu_now(g) < n)
		n = until - gpu_now(g);
	if (p->max_cycle && p->max_cycle - gpu_now(g) - 1 < n)
		n = p->max_cycle - gpu_now(g) - 1;
	delay = launch_min_delay(g);
	if (delay && delay < n)
		n = delay;
	delay = launch_min_final_delay(g);
	if (delay && delay - 1 < n)
		n = delay - 1;
	k->cycles = n;
	return n != 0;
}

static void rotate_skipped_clusters(struct gpu *g, uint64_t n)
{
	uint32_t per = g->params.sms_per_cluster;
	bool more = launch_has_placeable_ctas(g);

	if (per == 1 || !g->params.rotate_sms)
		return;
	for (uint32_t c = 0; c < g->params.clusters; c++)
		if (bitset_test(g->live, c) || more)
			g->cluster[c].first_sm = (uint32_t)((g->cluster[c].first_sm + n) % per);
}

void gpu_skip(struct gpu *g, const struct skip *k)
{
	struct clock_ticks n = clocks_advance_ticks(&g->clocks, k->cycles, k->dram_ticks);

	memory_idle_ticks(g->mem, n.icnt, n.dram, n.l2);
	net_skip_idle_advances(g->net, n.icnt);
	rotate_skipped_clusters(g, n.core);
	if ((g->cycle + n.core) / g->params.sample_cycles != g->cycle / g->params.sample_cycles)
		gpu_end_sample_period(g);
	launch_advance_delays(g, n.core);
	g->cycle += n.core;
}
