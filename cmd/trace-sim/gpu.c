/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine: building it, and one GPU step (part 1 section 13.2, part 4 section 2).
 *
 * Always true: a step does the work of the domains that fire in the fixed order below; `now` is the same for
 * all of it and grows near the end of the core part. Units that have nothing to do are not visited; steps in
 * which the whole machine would only count are skipped together (skip.c), with the counters as if each had run.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "launch.h"

#define UOPS_MAX (1u << 22)

/* A bound on requests alive at once: what all MSHRs, queues and pipes can hold. Address space, not memory. */
static uint32_t request_bound(const struct params *p)
{
	const struct memory_params *m = &p->mem;
	uint64_t l1 = (uint64_t)p->core.l1d.mshr_entries * p->core.l1d.mshr_merge + p->core.l1_banks * p->core.l1_latency
		+ p->core.l1d.miss_queue + 4096u + 64u * p->core.warps;
	uint64_t l2 = (uint64_t)m->l2.mshr_entries * m->l2.mshr_merge + m->queue_icnt_l2 + m->queue_l2_dram + m->queue_dram_l2
		+ m->queue_l2_icnt + 4096u;
	uint64_t n = p->sms * l1 + (uint64_t)m->channels * m->subs * l2 + 65536u
		+ (uint64_t)(p->clusters + m->channels * m->subs) * 4096u;

	return n < (1u << 26) ? (uint32_t)n : 1u << 26;
}

static void decode_hook(void *ctx, struct req *r) { addrdec_request(ctx, r); }

int gpu_init(struct gpu *g, const struct isa *isa, struct fault *f)
{
	const struct params *p = &g->params;

	g->code = code_new(isa);
	g->uops = reserve(UOPS_MAX, sizeof *g->uops);
	req_pool_init(&g->reqs, request_bound(p));
	clocks_init(&g->clocks, p->hz);
	memstat_init(&g->memstat, p);
	g->dec = addrdec_new(p, f);
	if (!g->dec)
		return -1;
	g->net = net_new(p, &g->reqs, f);
	if (!g->net)
		return -1;
	g->mem = memory_new(p, &g->reqs, g->net, g->dec, &g->memstat, f);
	if (!g->mem)
		return -1;
	memory_set_events(g->mem, g->events);
	g->sm = reserve(p->sms, sizeof *g->sm);
	for (uint32_t i = 0; i < p->sms; i++) {
		struct cache *l1d;

		sm_init(&g->sm[i], g, i);
		l1d = ldst_l1d(&g->sm[i]);
		if (l1d && addrdec_draws(g->dec))
			cache_set_decode_hook(l1d, decode_hook, g->dec);
	}
	g->cluster = xcalloc(p->clusters, sizeof *g->cluster);
	for (uint32_t c = 0; c < p->clusters; c++)
		cluster_init(&g->cluster[c], g, c);
	return launch_init(g);
}

void gpu_free(struct gpu *g)
{
	const struct params *p = &g->params;

	launch_free(g);
	for (uint32_t c = 0; g->cluster && c < p->clusters; c++)
		cluster_free(&g->cluster[c]);
	for (uint32_t i = 0; g->sm && i < p->sms; i++)
		sm_free(&g->sm[i]);
	if (g->sm)
		reserve_free(g->sm, p->sms, sizeof *g->sm);
	free(g->cluster);
	memstat_free(&g->memstat);
	memory_delete(g->mem);
	net_delete(g->net);
	addrdec_delete(g->dec);
	req_pool_free(&g->reqs);
	reserve_free(g->uops, UOPS_MAX, sizeof *g->uops);
	code_free(g->code);
}

static void tick_sm(struct gpu *g, struct sm *s, uint64_t now)
{
	if (!s->live_ctas || !sm_due(s, now))
		return;
	sm_tick(s, now);
	for (uint32_t i = 0; i < s->n_ended; i++)
		launch_cta_ended(g, s, s->ended[i]);
	s->n_ended = 0;
}

/* Section 13.2 6a. quirk: the order inside a cluster rotates only in ticks in which the cluster is cycled. */
static void tick_clusters(struct gpu *g, uint64_t now)
{
	uint32_t per = g->params.sms_per_cluster;
	bool more = launch_more(g);

	if (per == 1) {
		for (uint32_t i = 0; i < g->params.sms; i++)
			tick_sm(g, &g->sm[i], now);
		return;
	}
	for (uint32_t c = 0; c < g->params.clusters; c++) {
		struct cluster *cl = &g->cluster[c];

		if (!cl->live_threads && !more)
			continue;
		for (uint32_t i = 0; i < per; i++)
			tick_sm(g, &g->sm[cl->order[(cl->first + i) % per]], now);
		if (g->params.rotate_sms)
			cl->first = (cl->first + 1) % per;
	}
}

/*
 * 6e. quirk Q19: the original invalidates in every tick of an idle cluster; only the first of them can find
 * anything, so the others are left out.
 */
static void flush_l1(struct gpu *g)
{
	uint32_t per = g->params.sms_per_cluster;

	g->cluster_idled = false;
	for (uint32_t c = 0; c < g->params.clusters; c++) {
		struct cluster *cl = &g->cluster[c];

		if (cl->live_threads || !cl->needs_flush)
			continue;
		cl->needs_flush = false;
		for (uint32_t i = 0; i < per; i++)
			ldst_invalidate_l1d(&g->sm[c * per + i]);
	}
}

static bool any_live(const struct gpu *g)
{
	for (uint32_t c = 0; c < g->params.clusters; c++)
		if (g->cluster[c].live_threads)
			return true;
	return false;
}

/* 6: the core part of a step. */
static void core_end(struct gpu *g)
{
	const struct params *p = &g->params;
	uint64_t now = gpu_now(g);

	tick_clusters(g, now);
	g->cycle++;
	launch_ctas(g);
	launch_delays(g, 1);
	if (p->core.flush_l1 && g->cluster_idled)
		flush_l1(g);
	if (p->mem.flush_l2 && !any_live(g))
		memory_flush_l2(g->mem, NULL);
	if (g->cycle % p->sample_cycles == 0)
		memstat_window(&g->memstat);
}

unsigned gpu_step(struct gpu *g)
{
	unsigned fired = clocks_step(&g->clocks);
	uint64_t now = gpu_now(g);

	if (fired & CLOCK_CORE)
		cluster_response_steps(g);
	if (fired & CLOCK_ICNT)
		memory_reply_tick(g->mem, now);
	if (fired & CLOCK_DRAM)
		memory_dram_tick(g->mem, now, g->cycle);
	if (fired & CLOCK_L2)
		memory_l2_tick(g->mem, now);
	if (fired & CLOCK_ICNT)
		net_advance(g->net);
	if (fired & CLOCK_CORE)
		core_end(g);
	return fired;
}

void gpu_sync(struct gpu *g)
{
	for (uint32_t i = 0; i < g->params.sms; i++)
		sm_sync(&g->sm[i], gpu_now(g));
}

uint64_t gpu_interval_insn(const struct gpu *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->params.sms; i++)
		n += g->sm[i].n.insts;
	return n - g->insn_base;
}
