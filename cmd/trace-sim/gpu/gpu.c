/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine: building it, and one GPU step (LAUNCH-step).
 *
 * Always true: a step does the work of the domains that fire in the fixed order below; `now` is the same for
 * all of it and grows near the end of the core part. The phases that threads may share are described in
 * gpu.h; who does them is decided in team/share.c. Units that have nothing to do are not visited; steps in
 * which the whole machine would only count are skipped together (skip.c), with the counters as if each had run.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "core/core.h"
#include "gpu/invariants.h"
#include "launch.h"
#include "team/readahead.h"
#include "team/share.h"

/* A bound on requests alive at once: what all MSHRs, queues and pipes can hold. Address space, not memory. */
static uint32_t request_bound(const struct params *p)
{
	const struct memory_params *m = &p->mem;
	uint64_t l1 = (uint64_t)p->core.l1d.mshr_entries * p->core.l1d.mshr_merge +
		      p->core.l1_banks * p->core.l1_latency + p->core.l1d.miss_queue + 4096u +
		      64u * p->core.warps;
	uint64_t l2 = (uint64_t)m->l2.mshr_entries * m->l2.mshr_merge + m->queue_icnt_l2 + m->queue_l2_dram +
		      m->queue_dram_l2 + m->queue_l2_icnt + 4096u;
	uint64_t n = p->sms * l1 + (uint64_t)m->channels * m->subs * l2 + 65536u +
		     (uint64_t)(p->clusters + m->channels * m->subs) * 4096u;

	return n < (1u << 26) ? (uint32_t)n : 1u << 26;
}

static void decode_hook(void *ctx, struct req *r) { addrdec_request(ctx, r); }

int gpu_init(struct gpu *g, const struct isa *isa, struct fault *f)
{
	const struct params *p = &g->params;

	g->code = code_new(isa);
	g->readahead = readahead_new(g->code);
	g->uops = reserve(CODE_MAX, sizeof *g->uops);
	req_pool_init(&g->reqs, request_bound(p));
	clocks_init(&g->clocks, p->hz);
	g->dec = addrdec_new(p);
	share_init(g);
	g->net = net_new(p, &g->reqs, f);
	if (!g->net)
		return -1;
	g->mem = memory_new(p, &g->reqs, g->net, g->dec, g->memstat, f);
	if (!g->mem)
		return -1;
	net_log_flits(g->net, g->events && g->events->flits ? g->events : NULL);
	memory_set_events(g->mem, g->events);
	memory_set_threads(g->mem, g->threads);
	net_set_threads(g->net, g->threads);
	if (p->modern.on)
		g->core_code = core_code_new(p);
	g->sm = reserve(p->sms, sizeof *g->sm);
	g->wake_at = reserve(p->sms, sizeof *g->wake_at);
	for (uint32_t i = 0; i < p->sms; i++) {
		struct cache *l1d;

		sm_init(&g->sm[i], g, i);
		l1d = ldst_l1d(&g->sm[i]);
		if (l1d && addrdec_draws(g->dec))
			cache_set_decode_hook(l1d, decode_hook, g->dec);
	}
	g->cluster = reserve(p->clusters, sizeof *g->cluster);
	for (uint32_t c = 0; c < p->clusters; c++)
		cluster_init(&g->cluster[c], g, c);
	g->born = clock_ns();
	return launch_init(g);
}

/*
 * Memory goes back to the system faster with the process than piece by piece, above all where several threads
 * have used it. A leak checker wants to see the pieces.
 */
void gpu_end(struct gpu *g)
{
	team_delete(g->team);
	g->team = NULL;
#if defined(__SANITIZE_ADDRESS__) && !defined(SHIPPED_EXIT)
	gpu_free(g);
#endif
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
	if (g->wake_at)
		reserve_free(g->wake_at, p->sms, sizeof *g->wake_at);
	if (g->cluster)
		reserve_free(g->cluster, p->clusters, sizeof *g->cluster);
	share_free(g);
	memory_delete(g->mem);
	net_delete(g->net);
	addrdec_delete(g->dec);
	req_pool_free(&g->reqs);
	reserve_free(g->uops, CODE_MAX, sizeof *g->uops);
	readahead_delete(g->readahead);
	core_join_free(g);
	core_code_free(g->core_code);
	code_free(g->code);
}

/* ---- the SMs of a core tick: in a phase that threads may share (team/share.h) ------------------- */

static uint32_t tick_sm(struct gpu *g, struct cluster *cl, uint32_t id, uint64_t now)
{
	struct sm *s = &g->sm[id];

	if (now < g->wake_at[id] || !s->live_ctas)
		return 0;
	sm_tick(s, now);
	if (s->n_ended) {
		cl->ended[cl->n_ended++] = id;
		cl->part->ended = true;
	}
	return 1;
}

/*
 * LAUNCH-step-6. quirk Q1-30: the order inside a cluster rotates only in ticks in which the cluster is
 * cycled.
 */
static uint32_t tick_cluster(struct gpu *g, struct cluster *cl, uint64_t now)
{
	uint32_t per = g->params.sms_per_cluster, ticked = 0, base = (uint32_t)(cl - g->cluster) * per;

	for (uint32_t i = 0; i < per; i++)
		ticked += tick_sm(g, cl, base + (cl->first + i) % per, now);
	if (g->params.rotate_sms && ++cl->first == per)
		cl->first = 0;
	return ticked;
}

/* A word of the clusters to be cycled: while there are CTAs to come, idle ones turn, too. */
static uint64_t cycled(const struct gpu *g, uint32_t word, bool turn_all)
{
	uint64_t set = g->live[word];

	for (unsigned i = 0; turn_all && i < g->parts; i++)
		set |= g->part[i].clusters[word];
	return set;
}

uint32_t gpu_tick_clusters(struct gpu *g, const struct core_part *p)
{
	bool single = g->params.sms_per_cluster == 1, turn_all = !single && launch_more(g);
	uint64_t now = gpu_now(g);
	uint32_t ticked = 0;

	for (uint32_t w = 0; w < BITSET_WORDS(g->params.clusters); w++) {
		FOR_BITS64 (b, cycled(g, w, turn_all) & (p ? p->clusters[w] : UINT64_MAX)) {
			uint32_t c = w * 64 + (uint32_t)b;
			struct cluster *cl = &g->cluster[c];

			ticked += single ? tick_sm(g, cl, c, now) : tick_cluster(g, cl, now);
		}
	}
	return ticked;
}

/* ---- the serial end of a core tick ----------------------------------------------------------- */

static void end_ctas(struct gpu *g, struct cluster *cl)
{
	for (uint32_t i = 0; i < cl->n_ended; i++) {
		struct sm *s = &g->sm[cl->ended[i]];

		for (uint32_t k = 0; k < s->n_ended; k++)
			launch_cta_ended(g, s, s->ended[k]);
		s->n_ended = 0;
	}
	cl->n_ended = 0;
}

/* In the order in which one thread ticks the SMs. */
static void end_all_ctas(struct gpu *g)
{
	bool any = false;

	for (unsigned i = 0; i < g->parts; i++) {
		any |= g->part[i].ended;
		g->part[i].ended = false;
	}
	for (uint32_t c = 0; any && c < g->params.clusters; c++)
		if (g->cluster[c].n_ended)
			end_ctas(g, &g->cluster[c]);
}

/*
 * quirk Q1-19: the original invalidates in every tick of an idle cluster; only the first of them can find
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

/* 6: the core part of a step. */
static void core_end(struct gpu *g)
{
	const struct params *p = &g->params;

	share_sms(g);
	end_all_ctas(g);
	g->cycle++;
	launch_ctas(g);
	launch_delays(g, 1);
	if (p->core.flush_l1 && g->cluster_idled)
		flush_l1(g);
	if (p->mem.flush_l2 && !gpu_live(g))
		memory_flush_l2(g->mem, NULL);
	if (g->cycle % p->sample_cycles == 0)
		gpu_window(g);
}

unsigned gpu_step(struct gpu *g)
{
	unsigned fired = clocks_step(&g->clocks);

	/* `now` grows only in core ticks, so DRAM ticks alone can wait for company. */
	if (fired == CLOCK_DRAM && !g->events) {
		g->dram_ticks++;
		return fired;
	}
	if (g->team)
		share_weigh(g);
	share_memory(g, fired);
	if (g->events)
		g->events->now = gpu_now(g);
	if (fired & CLOCK_ICNT)
		net_advance(g->net);
	if (fired & CLOCK_CORE)
		core_end(g);
#ifdef CHECK_INVARIANTS
	gpu_invariants(g);
#endif
	return fired;
}

/* The interval's occupancy. */
static void take_occupancy(struct gpu *g)
{
	uint64_t filled = 0, cycles = 0;

	for (uint32_t i = 0; i < g->params.sms; i++) {
		filled += g->sm[i].n.live_warp_cycles;
		cycles += g->sm[i].n.occupied_cycles;
	}
	g->occupancy_filled = filled - g->tot_occupancy_filled;
	g->occupancy_slots = cycles * g->params.core.warps - g->tot_occupancy_slots;
}

void gpu_sync(struct gpu *g)
{
	if (g->dram_ticks)
		share_memory(g, 0);
	for (uint32_t i = 0; i < g->params.sms; i++)
		sm_flush(&g->sm[i], gpu_now(g));
	memstat_fold(g->memstat, g->threads);
	traffic_fold(g->out, g->threads);
	traffic_fold(g->back, g->threads);
	take_occupancy(g);
}

void gpu_window(struct gpu *g)
{
	memstat_fold(g->memstat, g->threads);
	memstat_window(g->memstat);
}

uint64_t gpu_interval_insn(const struct gpu *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->params.sms; i++)
		n += g->sm[i].n.insts;
	return n - g->insn_base;
}
