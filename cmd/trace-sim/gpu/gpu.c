/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the GPU, and runs one GPU step (LAUNCH-step).
 *
 * Always true: a step runs the domains that fire in a fixed order (see gpu_step()). `now` does not change
 * during a step until the core part, near its end, increments it. Units without work are not visited.
 * Consecutive steps in which the whole GPU would only increment counters are skipped at once (skip.c). The
 * counters then have the same values as after single steps.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "core/core.h"
#include "instrument/invariants.h"
#include "launch.h"
#include "power_read.h"
#include "sm/pipeline.h"
#include "threads/readahead.h"
#include "window.h"

/*
 * Creates the threads. Uses only one thread if the events of the whole GPU must occur in one order. This is
 * necessary with an event log and with random numbers in address decoding. It is also necessary with perfect
 * memory, because an SM then answers its own requests through its cluster.
 */
static void threads_init(struct gpu *g)
{
	bool single = g->events || addrdec_is_random(g->dec) || g->params.core.perfect_mem;

	g->threads = single ? 1 : g->threads;
	if (g->threads > g->params.clusters)
		g->threads = g->params.clusters;
	g->memstat = reserve(g->threads, sizeof(*g->memstat));
	g->traffic_to_memory = reserve(g->threads, sizeof(*g->traffic_to_memory));
	g->traffic_to_cores = reserve(g->threads, sizeof(*g->traffic_to_cores));
	for (unsigned i = 0; i < g->threads; i++)
		memstat_init(&g->memstat[i], &g->params);
	if (g->threads > 1)
		g->pool = threads_new(g->threads);
	/*
	 * With several concurrent kernels, a separate thread would read the traces in an order that depends
	 * on timing.
	 */
	if (g->pool && g->params.kernel_window == 1)
		threads_set_idle_work(g->pool, readahead_step, g->readahead);
}

static void threads_free(struct gpu *g)
{
	if (!g->memstat)
		return;
	threads_delete(g->pool);
	for (unsigned i = 0; i < g->threads; i++)
		memstat_free(&g->memstat[i]);
	reserve_free(g->memstat, g->threads, sizeof(*g->memstat));
	reserve_free(g->traffic_to_memory, g->threads, sizeof(*g->traffic_to_memory));
	reserve_free(g->traffic_to_cores, g->threads, sizeof(*g->traffic_to_cores));
}

/*
 * Upper bound on the requests in flight: the capacity of all MSHRs, queues and pipes together. The pool only
 * reserves address space for them.
 */
static uint32_t max_requests_in_flight(const struct params *p)
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

static void decode_request_hook(void *ctx, struct req *r) { addrdec_decode_request(ctx, r); }

/* Initialises an SM with the objects that it shares with others. */
static void init_sm(struct gpu *g, uint32_t id)
{
	struct sm *s = &g->sm[id];
	struct cache *l1d;

	s->id = id;
	s->cluster = id / g->params.sms_per_cluster;
	s->params = &g->params;
	s->code = g->code;
	s->uops = g->uops;
	s->core_code = g->core_code;
	s->reqs = &g->reqs;
	s->dec = g->dec;
	s->net = g->net;
	s->traffic_out = g->traffic_to_memory;
	s->replies = &g->cluster[s->cluster].reply;
	s->clusters_with_replies = g->replying;
	s->events = g->events;
	s->wake_at = &g->wake_at[id];
	sm_init(s);
	l1d = ldst_l1d(s);
	if (l1d && addrdec_is_random(g->dec))
		cache_set_decode_hook(l1d, decode_request_hook, g->dec);
	if (g->pipeline)
		s->pipeline = pipeline_new(g->pipeline, kanata_filter(g->pipeline), id);
	s->observed = s->pipeline != NULL;
}

int gpu_init(struct gpu *g, const struct isa *isa, struct fault *f)
{
	const struct params *p = &g->params;

	g->code = code_new(isa);
	g->readahead = readahead_new(g->code);
	g->uops = reserve(CODE_MAX, sizeof(*g->uops));
	req_pool_init(&g->reqs, max_requests_in_flight(p));
	clocks_init(&g->clocks, p->hz);
	g->dec = addrdec_new(p);
	threads_init(g);
	g->net = net_new(p, &g->reqs, f);
	if (!g->net)
		return -1;
	g->mem = memory_new(p, &g->reqs, g->net, g->dec, g->memstat, f);
	if (!g->mem)
		return -1;
	net_log_flits(g->net, g->events && g->events->flits ? g->events : NULL);
	memory_set_events(g->mem, g->events);
	net_set_threads(g->net, g->threads);
	if (p->modern.enabled)
		g->core_code = core_code_new(p);
	g->cluster = reserve(p->clusters, sizeof(*g->cluster));
	for (uint32_t c = 0; c < p->clusters; c++)
		cluster_init(&g->cluster[c], p);
	g->sm = reserve(p->sms, sizeof(*g->sm));
	g->wake_at = reserve(p->sms, sizeof(*g->wake_at));
	for (uint32_t i = 0; i < p->sms; i++)
		init_sm(g, i);
	window_init(g);
	if (g->power_setup)
		power_start(g, g->power_setup);
	return launch_init(g);
}

void gpu_free(struct gpu *g)
{
	const struct params *p = &g->params;

	launch_free(g);
	window_free(g);
	power_end(g);
	for (uint32_t c = 0; g->cluster && c < p->clusters; c++)
		cluster_free(&g->cluster[c]);
	for (uint32_t i = 0; g->sm && i < p->sms; i++)
		sm_free(&g->sm[i]);
	if (g->sm)
		reserve_free(g->sm, p->sms, sizeof(*g->sm));
	if (g->wake_at)
		reserve_free(g->wake_at, p->sms, sizeof(*g->wake_at));
	if (g->cluster)
		reserve_free(g->cluster, p->clusters, sizeof(*g->cluster));
	threads_free(g);
	memory_delete(g->mem);
	net_delete(g->net);
	addrdec_delete(g->dec);
	req_pool_free(&g->reqs);
	reserve_free(g->uops, CODE_MAX, sizeof(*g->uops));
	readahead_delete(g->readahead);
	core_joins_free(&g->joins);
	core_code_free(g->core_code);
	code_free(g->code);
}

/* ---- SMs in a core tick --------------------------------------------------------------------------- */

/*
 * LAUNCH-step-6. quirk Q1-30: the order of the SMs in a cluster rotates only in ticks in which the cluster is
 * simulated.
 */
NOINLINE void gpu_tick_sms_in_order(struct gpu *g, struct cluster *cl, uint32_t id, uint64_t now)
{
	uint32_t per = g->params.sms_per_cluster;

	for (uint32_t i = 0; i < per; i++)
		gpu_tick_sm(g, cl, id * per + (cl->first_sm + i) % per, now);
	if (g->params.rotate_sms && ++cl->first_sm == per)
		cl->first_sm = 0;
}

/*
 * Ticks all clusters while CTAs are left to place, because idle clusters then rotate too; otherwise ticks
 * only the live clusters.
 */
static void tick_clusters(struct gpu *g)
{
	bool tick_all = g->params.sms_per_cluster > 1 && launch_has_placeable_ctas(g);
	uint64_t now = gpu_now(g);

	for (uint32_t c = 0; tick_all && c < g->params.clusters; c++)
		gpu_tick_cluster(g, c, now);
	for (uint32_t w = 0; !tick_all && w < BITSET_WORDS(g->params.clusters); w++)
		FOR_BITS64 (b, g->live[w])
			gpu_tick_cluster(g, w * 64 + (uint32_t)b, now);
}

/* ---- serial end of a core tick ------------------------------------------------------------------- */

void gpu_end_ctas(struct gpu *g, struct cluster *cl)
{
	for (uint32_t i = 0; i < cl->n_ended; i++) {
		struct sm *s = &g->sm[cl->ended[i]];

		for (uint32_t k = 0; k < s->n_ended; k++)
			if (s->ended[k] & CTA_PREEXITED)
				g->launch->dependents_due = true;
			else
				launch_cta_ended(g, s, s->ended[k]);
		s->n_ended = 0;
	}
	cl->n_ended = 0;
}

/* Removes ended CTAs in the order in which their SMs were ticked. */
static void remove_ended_ctas(struct gpu *g)
{
	for (uint32_t w = 0; w < BITSET_WORDS(g->params.clusters); w++)
		FOR_BITS64 (b, g->live[w])
			if (g->cluster[w * 64 + b].n_ended)
				gpu_end_ctas(g, &g->cluster[w * 64 + b]);
}

/*
 * quirk Q1-19: the original invalidates the L1Ds in every tick of an idle cluster. Only the first
 * invalidation can find valid lines, so later ones are omitted.
 */
void gpu_flush_idle(struct gpu *g)
{
	uint32_t per = g->params.sms_per_cluster;

	if (!g->params.core.flush_l1 || !g->cluster_idled)
		return;
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

/* Runs the core part at the end of a step (LAUNCH-step-6). */
static void run_core_part(struct gpu *g)
{
	const struct params *p = &g->params;

	tick_clusters(g);
	remove_ended_ctas(g);
	g->cycle++;
	launch_ctas(g, NULL);
	launch_advance_delays(g, 1);
	gpu_flush_idle(g);
	if (p->mem.flush_l2 && !gpu_has_live_cta(g))
		memory_flush_l2(g->mem, NULL);
	if (g->cycle % p->sample_cycles == 0)
		gpu_end_sample_period(g);
}

/* Runs parts 2 to 4 of a step, the memory side, with the DRAM ticks of all steps since the last call. */
static void run_memory_part(struct gpu *g, unsigned fired)
{
	struct memory_work k = {.now = gpu_now(g),
		.cycle = g->cycle,
		.dram_ticks_before = memory_dram_ticks(g->mem),
		.l2_ticks_before = memory_l2_ticks(g->mem),
		.dram_ticks = g->dram_ticks + ((fired & CLOCK_DRAM) != 0),
		.replies = fired & CLOCK_ICNT,
		.runs_l2 = fired & CLOCK_L2};

	memory_step(g->mem, &k);
	g->dram_ticks = 0;
}

unsigned gpu_step(struct gpu *g)
{
	unsigned fired = clocks_step(&g->clocks);

	/*
	 * `now` grows only in core ticks, so a step with only a DRAM tick can be combined with the next step
	 */
	if (fired == CLOCK_DRAM && !g->events) {
		g->dram_ticks++;
		return fired;
	}
	if (fired & CLOCK_CORE)
		cluster_move_all_replies(g);
	run_memory_part(g, fired);
	if (g->events)
		g->events->now = gpu_now(g);
	if (fired & CLOCK_ICNT)
		net_advance(g->net);
	if (fired & CLOCK_CORE)
		run_core_part(g);
#ifdef CHECK_INVARIANTS
	gpu_check_invariants(g);
#endif
	return fired;
}

/* Computes the occupancy in the current interval. */
static void compute_occupancy(struct gpu *g)
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
		run_memory_part(g, 0);
	for (uint32_t i = 0; i < g->params.sms; i++)
		sm_flush_counters(&g->sm[i], gpu_now(g));
	memstat_fold(g->memstat, g->threads);
	traffic_sum_threads(g->traffic_to_memory, g->threads);
	traffic_sum_threads(g->traffic_to_cores, g->threads);
	compute_occupancy(g);
}

void gpu_end_sample_period(struct gpu *g)
{
	memstat_fold(g->memstat, g->threads);
	memstat_end_sample_period(g->memstat);
}

uint64_t gpu_interval_insn(const struct gpu *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->params.sms; i++)
		n += g->sm[i].n.insts;
	return n - g->insn_before_interval;
}
