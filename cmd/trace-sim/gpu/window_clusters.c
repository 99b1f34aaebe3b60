/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clusters' part of a window (LAUNCH-window-5, 6, 10), and beside it what channels do that are ahead.
 *
 * Clusters run to the end of the window, or to where they need to know of others. One in which a thread block
 * ends stands still behind that cycle until all have come there; then thread blocks are placed as in a single
 * step. Those that are further have no room for one: had they, they would have stood still, too. One whose
 * input of the request network might be full stands still before its next cycle until the network has come
 * there.
 */
#include <assert.h>
#include <setjmp.h>
#include <string.h>
#include "arena.h"
#include "launch.h"
#include "threads/catch.h"
#include "window_int.h"

/* ---- a cluster by itself ----------------------------------------------------------------------------- */

/*
 * The first cycle from k on, and before `end`, in which an
 * SM of cluster id is due; `end`: none without a reply.
 */
static uint32_t next_tick(const struct gpu *g, uint32_t id, uint32_t k, uint32_t end)
{
	uint32_t per = g->params.sms_per_cluster;
	const uint64_t *at = g->wake_at + id * per;
	uint64_t now = window_now(g->window)->now, first = at[0];

	for (uint32_t i = 1; i < per; i++)
		if (at[i] < first)
			first = at[i];
	if (first <= now + k)
		return k;
	return first < now + end ? (uint32_t)(first - now) : end;
}

/* The same of replies that it takes in or hands over. */
static uint32_t next_reply(
	const struct gpu *g, const struct cluster *c, uint32_t id, uint32_t k, uint32_t end)
{
	const struct window_plan *p = window_now(g->window);
	uint32_t due;

	if (c->reply.count)
		return k;
	if (!net_reply_due(g->net, id, &due))
		return end;
	while (k < end && (int32_t)(due - p->seen[k]) > 0)
		k++;
	return k;
}

static void turn(struct gpu *g, struct cluster *c, uint32_t cycles)
{
	if (g->params.rotate_sms)
		c->first = (uint32_t)((c->first + (uint64_t)cycles) % g->params.sms_per_cluster);
}

static void run_cycles(struct gpu *g, uint32_t id)
{
	struct cluster *c = &g->cluster[id];
	const struct window *w = g->window;
	const struct window_plan *p = window_now(g->window);
	struct net_push_time *push = net_push_time(g->net, id);
	bool turns = bitset_test(g->live, id) || launch_more(g);
	uint32_t reply = next_reply(g, c, id, c->at, c->end), room = 0;
	const uint64_t *wake_at = g->wake_at + id * g->params.sms_per_cluster;

	for (; c->at < c->end && !c->n_ended; c->at++) {
		uint32_t k = c->at;

		/* else there is something to do at once */
		if (k != reply && *wake_at > p->now + k) {
			k = least(reply, next_tick(g, id, k, c->end));
			if (turns && k > c->at)
				turn(g, c, k - c->at);
			c->at = k;
			if (k == c->end)
				break;
		}
		*push = (struct net_push_time){p->made[k], k};
		if (!room && turns && w->served <= k && !(room = net_cycles_until_full(g->net, id))) {
			c->full = true;
			return;
		}
		room -= room > 0; /* no cycle sends more than was reckoned with */
		if (k == reply) {
			cluster_response(g, id, p->now + k, p->seen[k]);
			reply = next_reply(g, c, id, k + 1, c->end);
		}
		if (turns)
			gpu_tick_cluster(g, id, p->now + k);
	}
	c->waits = c->n_ended || c->stays;
}

/* Do it; the fault that it met, to be told when its time has come, else NULL. */
static struct fault *catching(struct gpu *g, void (*work)(struct gpu *g, uint32_t unit), uint32_t unit)
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

static void run_cluster(struct gpu *g, uint32_t id)
{
	struct cluster *c = &g->cluster[id];

	c->fault = catching(g, run_cycles, id);
	if (c->fault) {
		c->at++;
		c->waits = true;
	}
}

/* A channel takes in what came in the window behind, and goes on through the next. */
static void run_channel(struct gpu *g, uint32_t id)
{
	const struct window_plan *behind = window_behind(g->window), *next = window_next(g->window);

	memory_accept_behind(g->mem, id, behind->step, behind->n);
	if (next->n)
		memory_run_channel(g->mem, id, next->step, next->n);
}

/* ---- all clusters -------------------------------------------------------------------------------------- */

/* Up to `end`; stays: a pass of placing follows that. */
static void goes_on(struct gpu *g, uint32_t id, uint32_t end, bool stays)
{
	struct cluster *c = &g->cluster[id];

	c->waits = c->full = false;
	c->stays = stays;
	c->end = end;
	g->window->ready[g->window->n_ready++] = id;
	g->window->ready_work += end - c->at;
}

static void run_item(void *ctx, unsigned item)
{
	struct gpu *g = ctx;

	run_cluster(g, g->window->ready[item]);
}

/* Clusters and channels are mixed evenly, so that each thread has about the same of either each time. */
static void run_mixed(void *ctx, unsigned item)
{
	struct gpu *g = ctx;
	struct window *w = g->window;
	uint32_t of = w->n_ready + memory_channels(g->mem), before = item * w->n_ready / of;

	if ((item + 1) * w->n_ready / of > before)
		run_cluster(g, w->ready[before]);
	else
		w->fault[item - before] = catching(g, run_channel, item - before);
}

static void run_ready(struct gpu *g)
{
	struct window *w = g->window;

	window_items(g, run_item, w->n_ready, w->ready_work);
	w->n_ready = w->ready_work = 0;
}

/* All clusters, and beside them the channels, if they have something to do. */
static void run_all(struct gpu *g)
{
	struct window *w = g->window;

	if (!window_behind(w)->n && !window_next(w)->n) {
		run_ready(g);
		return;
	}
	window_items(g, run_mixed, w->n_ready + memory_channels(g->mem), UINT32_MAX);
	w->n_ready = w->ready_work = 0;
	memory_count_accepted(g->mem);
}

/*
 * Before which cycles the first cluster waits, and the first
 * that needs to know what room it has; UINT32_MAX: none.
 */
static void first_stops(const struct gpu *g, uint32_t *waiting, uint32_t *full)
{
	*waiting = *full = UINT32_MAX;
	for (const struct cluster *c = g->cluster; c < g->cluster + g->params.clusters; c++) {
		if (c->waits)
			*waiting = least(*waiting, c->at);
		if (c->full)
			*full = least(*full, c->at);
	}
}

/*
 * All clusters have come to the cycle `at`, or stand still further on. Where there still is no room for all
 * that a cluster may send it has the truth for one cycle, so that it stops behind it: that is little work to
 * share.
 */
static void ask_network(struct gpu *g, uint32_t at)
{
	window_serve(g, at + 1);
	for (uint32_t i = 0; i < g->params.clusters; i++) {
		struct cluster *c = &g->cluster[i];

		if (!c->full || (c->at > at && !net_cycles_until_full(g->net, i)))
			continue;
		goes_on(g, i, c->end, c->stays);
		if (!net_cycles_until_full(g->net, i))
			g->window->ready_work -= c->end - c->at - 1;
	}
}

/* The serial end of the cycle before `at`, to which all have come. */
static void end_cycle(struct gpu *g, uint64_t first, uint32_t at, uint64_t *among)
{
	g->cycle = first + at - 1;
	memset(among, 0, BITSET_WORDS(g->params.clusters) * sizeof(*among));
	for (uint32_t c = 0; c < g->params.clusters; c++) {
		struct cluster *cl = &g->cluster[c];

		if (!cl->waits || cl->at != at)
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

/* Before which cycle behind `at` the first cluster waits; else the window's end. */
static uint32_t next_stop(const struct gpu *g, uint32_t at)
{
	uint32_t next = window_now(g->window)->cycles;

	for (const struct cluster *c = g->cluster; c < g->cluster + g->params.clusters; c++)
		if (c->waits && c->at > at)
			next = least(next, c->at);
	return next;
}

/*
 * Where a block may be placed now, more may be a cycle later, among the same clusters. Else they may run on to
 * the end. Threads have more to share where they go no further than to the next who waits, and on with it.
 */
static void go_on_among(struct gpu *g, const uint64_t *among, uint32_t at)
{
	uint32_t end = window_now(g->window)->cycles, next = end;
	bool stay = launch_placing(g) && at < end;

	if (stay)
		next = at + 1;
	else if (g->window->share.shared)
		next = next_stop(g, at);
	for (uint32_t c = 0; c < g->params.clusters; c++)
		if (bitset_test(among, c))
			goes_on(g, c, next, stay || next < end);
}

void window_clusters(struct gpu *g)
{
	struct window *w = g->window;
	uint64_t first = g->cycle, among[4096 / 64];
	uint32_t waiting, full;

	memset(among, 0xff, sizeof(among));
	for (uint32_t c = 0; c < g->params.clusters; c++)
		g->cluster[c].at = 0;
	go_on_among(g, among, 0);
	w->count.phases++;
	run_all(g);
	for (;; run_ready(g)) {
		first_stops(g, &waiting, &full);
		if (full < waiting) {
			ask_network(g, full);
		} else if (waiting != UINT32_MAX) {
			end_cycle(g, first, waiting, among);
			go_on_among(g, among, waiting);
		} else {
			break;
		}
	}
	assert(!g->launch->n_finished);
	for (uint32_t c = 0; c < memory_channels(g->mem); c++)
		if (w->fault[c])
			die_fault(w->fault[c]);
	for (uint32_t c = 0; c < g->params.clusters; c++)
		cluster_note_replies(g, c);
	g->cycle = first + window_now(w)->cycles;
}
