/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates the clusters in a window (LAUNCH-window-5, 6, 10).
 *
 * A cluster runs to the end of the window, or until it depends on other clusters. A cluster in which a thread
 * block ends stops after that cycle until all clusters have reached it. Then thread blocks are placed as in a
 * single step. Clusters that have run further have no free slot; otherwise they would have stopped as well. A
 * cluster whose input of the request network might be full stops before its next cycle until the network has
 * reached that cycle.
 */
#include <assert.h>
#include <setjmp.h>
#include <string.h>
#include "arena.h"
#include "launch.h"
#include "threads/catch.h"
#include "window_int.h"

/* ---- a single cluster ------------------------------------------------------------------------------ */

/* First cycle at or after k in which an SM of cluster id is due, or `end` if no SM is due before it. */
static uint32_t next_due_cycle(const struct gpu *g, uint32_t id, uint32_t k, uint32_t end)
{
	uint32_t per = g->params.sms_per_cluster;
	const uint64_t *wake_at = g->wake_at + id * per;
	uint64_t now = g->window->plan.now, first = wake_at[0];

	for (uint32_t i = 1; i < per; i++)
		if (wake_at[i] < first)
			first = wake_at[i];
	if (first <= now + k)
		return k;
	return first < now + end ? (uint32_t)(first - now) : end;
}

/*
 * First cycle at or after k in which cluster id accepts or delivers a reply, or `end` if there is none before
 * it.
 */
static uint32_t next_reply_cycle(
	const struct gpu *g, const struct cluster *c, uint32_t id, uint32_t k, uint32_t end)
{
	const struct window_plan *p = &g->window->plan;
	uint32_t due;

	if (c->reply.count)
		return k;
	if (!net_has_reply_due(g->net, id, &due))
		return end;
	while (k < end && (int32_t)(due - p->advances_before[k]) > 0)
		k++;
	return k;
}

/* Rotates the SM order of a cluster as `cycles` idle cycles would. */
static void rotate_first_sm(struct gpu *g, struct cluster *c, uint32_t cycles)
{
	if (g->params.rotate_sms)
		c->first_sm = (uint32_t)((c->first_sm + (uint64_t)cycles) % g->params.sms_per_cluster);
}

/* Simulates cluster id up to its end_cycle, or to the cycle before which it must stop. */
static void run_cluster_cycles(struct gpu *g, uint32_t id)
{
	struct cluster *c = &g->cluster[id];
	const struct window *w = g->window;
	const struct window_plan *p = &g->window->plan;
	struct net_push_time *push = net_push_time(g->net, id);
	bool rotates = bitset_test(g->live, id) || launch_has_placeable_ctas(g);
	uint32_t reply = next_reply_cycle(g, c, id, c->cycle, c->end_cycle);
	/* number of cycles in which the input is certain to have space for all packets */
	uint32_t free_cycles = 0;
	const uint64_t *wake_at = g->wake_at + id * g->params.sms_per_cluster;

	for (; c->cycle < c->end_cycle && !c->n_ended; c->cycle++) {
		uint32_t k = c->cycle;

		if (k != reply && *wake_at > p->now + k) {
			k = min_u32(reply, next_due_cycle(g, id, k, c->end_cycle));
			if (rotates && k > c->cycle)
				rotate_first_sm(g, c, k - c->cycle);
			c->cycle = k;
			if (k == c->end_cycle)
				break;
		}
		*push = (struct net_push_time){p->first_advance[k], k};
		if (!free_cycles && rotates && w->request_side_cycles <= k &&
			!(free_cycles = net_cycles_until_full(g->net, id))) {
			c->input_full = true;
			return;
		}
		free_cycles -= free_cycles > 0;
		if (k == reply) {
			cluster_move_replies(g, id, p->now + k, p->advances_before[k]);
			reply = next_reply_cycle(g, c, id, k + 1, c->end_cycle);
		}
		if (rotates)
			gpu_tick_cluster(g, id, p->now + k);
	}
	c->waiting = c->n_ended || c->waits_for_placement;
}

/*
 * Calls work(g, unit). Returns the fault that work() raised, or NULL if it raised none. The caller reports
 * faults in the order of cycles.
 */
static struct fault *run_guarded(struct gpu *g, void (*work)(struct gpu *g, uint32_t unit), uint32_t unit)
{
	struct catcher here;
	struct fault *fault = NULL;

	catch_here = &here;
	if (!setjmp(here.out)) {
		work(g, unit);
	} else {
		fault = xmalloc(sizeof(*fault));
		*fault = here.fault;
	}
	catch_here = NULL;
	return fault;
}

static void run_one_cluster(struct gpu *g, uint32_t id)
{
	struct cluster *c = &g->cluster[id];

	c->fault = run_guarded(g, run_cluster_cycles, id);
	if (c->fault) {
		c->cycle++;
		c->waiting = true;
	}
}

/* ---- all clusters -------------------------------------------------------------------------------------- */

/*
 * Marks cluster id as ready to run up to cycle `end`. With `placement` set, it waits there for a placement
 * pass.
 */
static void resume_cluster(struct gpu *g, uint32_t id, uint32_t end, bool placement)
{
	struct cluster *c = &g->cluster[id];

	c->waiting = c->input_full = false;
	c->waits_for_placement = placement;
	c->end_cycle = end;
	g->window->ready[g->window->n_ready++] = id;
	g->window->ready_cycles += end - c->cycle;
}

static void run_cluster_item(void *ctx, unsigned item)
{
	struct gpu *g = ctx;

	run_one_cluster(g, g->window->ready[item]);
}

static void run_ready_clusters(struct gpu *g)
{
	struct window *w = g->window;

	window_run_items(g, run_cluster_item, w->n_ready, w->ready_cycles);
	w->n_ready = w->ready_cycles = 0;
}

/*
 * Sets *waiting to the earliest cycle at which a cluster waits for the other clusters, and *full to the
 * earliest cycle at which a cluster waits to know whether its input is full. Either is UINT32_MAX if no
 * cluster waits for that.
 */
static void find_first_stops(const struct gpu *g, uint32_t *waiting, uint32_t *full)
{
	*waiting = *full = UINT32_MAX;
	for (const struct cluster *c = g->cluster; c < g->cluster + g->params.clusters; c++) {
		if (c->waiting)
			*waiting = min_u32(*waiting, c->cycle);
		if (c->input_full)
			*full = min_u32(*full, c->cycle);
	}
}

/*
 * Runs the request network up to cycle `first`, which all clusters have reached, and resumes the clusters
 * whose inputs have free slots. The free slots of an input are then known exactly for one cycle. A cluster
 * whose input might be full after that cycle stops again.
 */
static void resolve_full_inputs(struct gpu *g, uint32_t first)
{
	window_run_request_side(g, first + 1);
	for (uint32_t i = 0; i < g->params.clusters; i++) {
		struct cluster *c = &g->cluster[i];

		if (!c->input_full || (c->cycle > first && !net_cycles_until_full(g->net, i)))
			continue;
		resume_cluster(g, i, c->end_cycle, c->waits_for_placement);
		if (!net_cycles_until_full(g->net, i))
			g->window->ready_cycles -= c->end_cycle - c->cycle - 1;
	}
}

/*
 * Ends the cycle before `at`, which all clusters have reached: removes ended CTAs and places new ones.
 * `first` is g->cycle at the start of the window. Stores in `among` the set of the clusters that waited at
 * `at`.
 */
static void end_window_cycle(struct gpu *g, uint64_t first, uint32_t at, uint64_t *among)
{
	g->cycle = first + at - 1;
	memset(among, 0, BITSET_WORDS(g->params.clusters) * sizeof(*among));
	for (uint32_t c = 0; c < g->params.clusters; c++) {
		struct cluster *cl = &g->cluster[c];

		if (!cl->waiting || cl->cycle != at)
			continue;
		if (cl->fault)
			die_fault(cl->fault);
		bitset_set(among, c);
	}
	for (uint32_t c = 0; c < g->params.clusters; c++)
		if (bitset_test(among, c))
			gpu_end_ctas(g, &g->cluster[c]);
	g->cycle++;
	launch_ctas(g, among);
	gpu_flush_idle(g);
}

/* Earliest cycle after `at` at which a cluster waits, or the end of the window if no cluster waits. */
static uint32_t next_waiting_cycle(const struct gpu *g, uint32_t at)
{
	uint32_t next = g->window->plan.cycles;

	for (const struct cluster *c = g->cluster; c < g->cluster + g->params.clusters; c++)
		if (c->waiting && c->cycle > at)
			next = min_u32(next, c->cycle);
	return next;
}

/*
 * Resumes the clusters of the set `among` at cycle `at`. If a thread block may be placed now, more may be
 * placed one cycle later in the same clusters, so these run a single cycle. Otherwise they run to the end of
 * the window. If threads share the window, they run only to the cycle of the next waiting cluster and
 * continue together with it, which gives the threads more clusters to share.
 */
static void resume_clusters(struct gpu *g, const uint64_t *among, uint32_t at)
{
	uint32_t end = g->window->plan.cycles, next = end;
	bool placing = launch_may_place_cta(g) && at < end;

	if (placing)
		next = at + 1;
	else if (g->window->shared)
		next = next_waiting_cycle(g, at);
	for (uint32_t c = 0; c < g->params.clusters; c++)
		if (bitset_test(among, c))
			resume_cluster(g, c, next, placing || next < end);
}

void window_run_clusters(struct gpu *g)
{
	struct window *w = g->window;
	uint64_t first = g->cycle, among[4096 / 64];
	uint32_t waiting, full;

	memset(among, 0xff, sizeof(among));
	for (uint32_t c = 0; c < g->params.clusters; c++)
		g->cluster[c].cycle = 0;
	resume_clusters(g, among, 0);
	w->count.phases++;
	for (;;) {
		run_ready_clusters(g);
		find_first_stops(g, &waiting, &full);
		if (full < waiting) {
			resolve_full_inputs(g, full);
		} else if (waiting != UINT32_MAX) {
			end_window_cycle(g, first, waiting, among);
			resume_clusters(g, among, waiting);
		} else {
			break;
		}
	}
	assert(!g->launch->n_finished);
	for (uint32_t c = 0; c < g->params.clusters; c++)
		cluster_update_replying(g, c);
	g->cycle = first + w->plan.cycles;
}
