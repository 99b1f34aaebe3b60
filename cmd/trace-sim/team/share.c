/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sharing the phases of a step among threads: cutting the machine into parts, and for each phase whether to share it.
 *
 * Always true: what a phase computes does not depend on how it was shared. The machine is whole (one part) or cut into
 * TEAM_SLICES parts for each thread; between phases only. What makes a phase worth sharing is in tuner.h.
 */
#include "arena.h"
#include "gpu/gpu.h"
#include "readahead.h"
#include "share.h"

/* ---- the team, and what each thread keeps for itself ----------------------------------------- */

/*
 * Whatever has one order for the whole machine is done by one thread: the event log, the random numbers of
 * address decoding; and perfect memory, where an SM answers itself through its cluster.
 */
void share_init(struct gpu *g)
{
	bool alone = g->events || addrdec_draws(g->dec) || g->params.core.perfect_mem;

	g->threads = alone ? 1 : team_size(g->threads);
	if (g->threads > g->params.clusters)
		g->threads = g->params.clusters;
	if (g->threads > g->params.mem.channels)
		g->threads = g->params.mem.channels;
	g->parts = 1;
	g->part = reserve(g->threads * TEAM_SLICES, sizeof *g->part);
	g->memstat = reserve(g->threads, sizeof *g->memstat);
	g->out = reserve(g->threads, sizeof *g->out);
	g->back = reserve(g->threads, sizeof *g->back);
	for (unsigned i = 0; i < g->threads; i++)
		memstat_init(&g->memstat[i], &g->params);
	if (g->threads > 1)
		g->team = team_new(g->threads);
	/* With several kernels at once the order of reading would be a matter of luck. */
	if (g->team && g->params.window == 1)
		team_meanwhile(g->team, readahead_step, g->readahead);
	g->tested = team_tested();
	while (g->team && g->tested && !team_ready(g->team))
		;
}

void share_free(struct gpu *g)
{
	if (!g->part)
		return;
	team_delete(g->team);
	for (unsigned i = 0; i < g->threads; i++)
		memstat_free(&g->memstat[i]);
	reserve_free(g->part, g->threads * TEAM_SLICES, sizeof *g->part);
	reserve_free(g->memstat, g->threads, sizeof *g->memstat);
	reserve_free(g->out, g->threads, sizeof *g->out);
	reserve_free(g->back, g->threads, sizeof *g->back);
}

/* ---- parts ----------------------------------------------------------------------------------- */

unsigned share_part_of(const struct gpu *g, uint32_t id)
{
	return g->parts == 1 ? 0 : team_slice(id, g->params.clusters, g->threads);
}

/* Deal the clusters out to g->parts. */
static void cut_clusters(struct gpu *g)
{
	for (uint32_t id = 0; id < g->params.clusters; id++) {
		struct core_part *from = g->cluster[id].part, *to = &g->part[share_part_of(g, id)];

		if (bitset_test(from->replying, id)) {
			bitset_clear(from->replying, id);
			bitset_set(to->replying, id);
		}
		bitset_clear(from->clusters, id);
		bitset_set(to->clusters, id);
		g->cluster[id].part = to;
	}
}

/*
 * Below these a phase is shorter than the clock can tell, and not worth sharing. The amount of work of the last
 * step stands for this one's.
 */
#define WORTH_SMS    4u
#define WORTH_MEMORY 8u
/*
 * A run's machine is cut into parts, whose sets take a little longer to look through, when so much work was met
 * in steps with that much, and is whole again when enough steps were without. Starting threads and moving data
 * to their caches takes a millisecond or two, which does not pay in a run that is over in a few, and takes light
 * steps long to earn: their work counts less.
 */
#define LOADED      16384u
#define HEAVY       32u
#define LIGHT_SHARE 8u
#define RELIEF      16u /* what a step without takes off */
#define LONG_NS     4000000u

static bool cut_pays(struct gpu *g)
{
	if (!g->tested && clock_ns() - g->born < LONG_NS)
		g->load = LOADED / 2;
	return g->tested || g->load == LOADED;
}

void share_weigh(struct gpu *g)
{
	uint32_t ticked = g->ticked, visits = memory_visits(g->mem), work = ticked + visits;
	uint32_t enough = g->tested ? 1 : LOADED;
	bool slices = g->parts > 1;

	if (work < HEAVY)
		work = (work + LIGHT_SHARE - 1) / LIGHT_SHARE;
	if (ticked >= WORTH_SMS || visits >= WORTH_MEMORY)
		g->load = g->load + work < enough ? g->load + work : enough;
	else
		g->load = g->load > RELIEF ? g->load - RELIEF : 0;
	if (slices ? g->load : g->load < enough || !cut_pays(g))
		return;
	g->parts = slices ? 1 : g->threads * TEAM_SLICES;
	memory_cut(g->mem, !slices);
	cut_clusters(g);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static void core_phase(void *ctx, unsigned part)
{
	struct gpu *g = ctx;

	g->part[part].ticked = gpu_tick_clusters(g, &g->part[part]);
}

static bool wants_team(struct gpu *g, const struct tuner *c)
{
	return (g->tested || tuner_share(c)) && team_ready(g->team);
}

static uint32_t tick_shared(struct gpu *g, bool *shared)
{
	uint32_t ticked = 0;

	*shared = team_run(g->team, core_phase, g);
	for (unsigned i = 0; i < g->parts; i++)
		ticked += g->part[i].ticked;
	return ticked;
}

void share_sms(struct gpu *g)
{
	struct tuner *c = &g->tuner[1];
	bool share;

	if (g->parts == 1 || g->ticked < WORTH_SMS) {
		g->ticked = gpu_tick_clusters(g, NULL);
		return;
	}
	share = wants_team(g, c);
	tuner_begin(c);
	g->ticked = share ? tick_shared(g, &share) : gpu_tick_clusters(g, NULL);
	tuner_end(c, share, g->ticked);
}

struct memory_phase {
	struct gpu *gpu;
	bool responses;
	struct memory_work work;
};

static void memory_phase(void *ctx, unsigned part)
{
	const struct memory_phase *k = ctx;

	if (k->responses)
		cluster_response_steps(k->gpu, &k->gpu->part[part]);
	memory_part_run(k->gpu->mem, part, &k->work);
}

/* Responses and the memory side neither read nor write what the other writes. */
void share_memory(struct gpu *g, unsigned fired)
{
	struct memory_phase k = {g, fired & CLOCK_CORE,
		{.now = gpu_now(g),
			.cycle = g->cycle,
			.dram_ticks = g->dram_ticks + ((fired & CLOCK_DRAM) != 0),
			.reply = fired & CLOCK_ICNT,
			.l2 = fired & CLOCK_L2}};
	struct tuner *c = g->parts > 1 && memory_visits(g->mem) >= WORTH_MEMORY ? &g->tuner[0] : NULL;
	bool share = c && wants_team(g, c);

	if (c)
		tuner_begin(c);
	if (share)
		share = team_run(g->team, memory_phase, &k);
	else
		for (unsigned i = 0; i < g->parts; i++)
			memory_phase(&k, i);
	memory_gather(g->mem, &k.work);
	if (c)
		tuner_end(c, share, memory_visits(g->mem));
	g->dram_ticks = 0;
}
