/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a window. See window.h for what is always true; the argument for each bound is LAUNCH-window-1's.
 *
 * Clusters run to the end of the window, or to where they need to know of others. One in which a thread block
 * ends stands still behind that cycle until all have come there; then thread blocks are placed as in a single
 * step. Those that are further have no room for one: had they, they would have stood still, too. One whose
 * input of the request network might be full stands still before its next cycle until the network has come
 * there.
 */
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "core/core.h"
#include "watch/invariants.h"
#include "launch.h"
#include "num.h"
#include "team/catch.h"
#include "team/share.h"
#include "window.h"

#define STEPS_MAX NET_APART_MAX
struct window {
	uint64_t now;              /* of its first cycle */
	uint32_t advance;          /* of the network before it */
	uint32_t cycles, n;        /* core cycles, steps */
	uint32_t served, n_served; /* cycles, and steps, for which the request side has been run */
	uint32_t longest;          /* of all windows */
	enum window_bound alone;   /* where that is 1: why */
	struct share share;        /* in cycles of live clusters */
	uint32_t seen[WINDOW_MAX]; /* advances of the network before a cycle */
	uint32_t made[WINDOW_MAX]; /* and before the first that may move what it sends */
	uint32_t *ready, n_ready;  /* clusters that may go on */
	uint32_t ready_work;       /* cycles that they may do so for */
	struct window_counts count;
	struct memory_work step[STEPS_MAX];
};

/* ---- bounds ---------------------------------------------------------------------------------------- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Core cycles that have no more than n of what comes so often in each. */
static uint32_t cycles_with(uint32_t n, double rate)
{
	double cycles = (n - 4) / rate;

	return cycles < WINDOW_MAX ? (uint32_t)cycles : WINDOW_MAX;
}

/* L1, past it, and instruction fetches (LAUNCH-window-5). */
static void tell_sends(struct net *n, const struct params *p)
{
	uint32_t ports = p->net.cluster_ports ? p->net.cluster_ports : 1;
	uint32_t sends = p->modern.on ? ports + L1_PIPE : p->core.ldst_steps * (ports + 1);
	uint32_t fetches = p->modern.on ? 1 : p->core.fetch_steps;

	net_set_sends(n, p->sms_per_cluster * sends, p->sms_per_cluster * fetches);
}

void window_init(struct gpu *g)
{
	struct window *w = reserve(1, sizeof(*w));
	const char *text = getenv("WARPTOOLS_WINDOW");
	const double *period = g->clocks.period;
	double icnt = period[0] / period[1], l2 = period[0] / period[2];

	g->window = w;
	w->ready = xcalloc(g->params.clusters, sizeof(*w->ready));
	w->longest = text ? least((uint32_t)num_leading(text), WINDOW_MAX) : WINDOW_MAX / 2;
	w->longest = least(w->longest, window_delay(g));
	w->longest = least(w->longest, cycles_with(MEMORY_TICKS, l2));
	w->longest = least(w->longest, cycles_with(STEPS_MAX, 1 + icnt + l2));
	tell_sends(g->net, &g->params);
	w->alone = window_forbidden(g);
	if (w->alone != N_WINDOW_BOUNDS)
		w->longest = 1;
}

void window_free(struct gpu *g)
{
	if (!g->window)
		return;
	free(g->window->ready);
	reserve_free(g->window, 1, sizeof(*g->window));
	g->window = NULL;
}

const struct window_counts *window_counts(const struct gpu *g) { return &g->window->count; }

static uint32_t live_clusters(const struct gpu *g)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < BITSET_WORDS(g->params.clusters); i++)
		live += bit_count64(g->live[i]);
	return live;
}

/* Cycles in which the network advances no more than n times. */
static uint64_t cycles_of(const struct gpu *g, uint32_t n)
{
	return n < 2 ? 0 : (uint64_t)((n - 2) * g->clocks.period[1] / g->clocks.period[0]);
}

struct length {
	uint32_t cycles;
	enum window_bound why;
};

static void bound(struct length *l, uint64_t cycles, enum window_bound why)
{
	if (cycles < l->cycles)
		*l = (struct length){(uint32_t)cycles, why};
}

/* The rest of a period in windows of about the same length. */
static uint64_t share_of(uint64_t left, uint32_t longest)
{
	uint64_t n = (left + longest - 1) / longest;

	return (left + n - 1) / n;
}

/* Clusters would stand still before each cycle. */
static bool crowded(const struct gpu *g)
{
	return net_replies_in_steps(g->net) && 2 * net_crowded(g->net) > live_clusters(g);
}

static struct length length(struct gpu *g, uint64_t until)
{
	const struct params *p = &g->params;
	const struct window *w = g->window;
	struct length l = {w->longest, WINDOW_longest};
	uint64_t now = gpu_now(g);

	if (w->longest <= 1)
		return (struct length){1, w->alone == N_WINDOW_BOUNDS ? WINDOW_longest : w->alone};
	if (!gpu_live(g) || launch_least_delay(g))
		return (struct length){1, WINDOW_idle};
	if (crowded(g))
		return (struct length){1, WINDOW_requests};
	if (launch_ptx(g))
		return (struct length){1, WINDOW_ptx};
	bound(&l, share_of(p->sample_cycles - g->cycle % p->sample_cycles, l.cycles), WINDOW_sample);
	bound(&l, DEADLOCK_PERIOD - g->cycle % DEADLOCK_PERIOD, WINDOW_deadlock);
	bound(&l, until - now, WINDOW_told);
	if (p->max_cycle)
		bound(&l, p->max_cycle - now, WINDOW_cycles);
	bound(&l, window_kernel_lasts(g, l.cycles), WINDOW_tail);
	if (!net_replies_in_steps(g->net)) {
		bound(&l, cycles_of(g, net_reply_in_room(g->net)), WINDOW_replies);
		bound(&l, cycles_of(g, net_reply_out_room(g->net)), WINDOW_outputs);
	}
	return l;
}

/* ---- the steps ------------------------------------------------------------------------------------- */

/*
 * What fires in the next cycles. Steps in which only DRAM
 * does are part of the step behind them, as in gpu_step().
 */
static void plan(struct gpu *g, uint32_t cycles)
{
	struct window *w = g->window;
	uint64_t dram = memory_dram_ticks(g->mem), first_l2 = memory_l2_ticks(g->mem), l2 = first_l2;
	uint32_t advance = w->advance, k = 0;

	w->now = gpu_now(g);
	w->cycles = cycles;
	w->served = w->n_served = 0;
	for (w->n = 0; k < cycles;) {
		unsigned fired = clocks_step(&g->clocks);

		g->dram_ticks += (fired & CLOCK_DRAM) != 0;
		if (fired == CLOCK_DRAM)
			continue;
		w->step[w->n++] = (struct memory_work){.now = w->now + k,
			.cycle = g->cycle + k,
			.dram_done = dram,
			.l2_done = l2,
			.dram_ticks = g->dram_ticks,
			.reply = fired & CLOCK_ICNT,
			.l2 = fired & CLOCK_L2,
			.advance = advance,
			.tick = (uint32_t)(l2 - first_l2)};
		dram += g->dram_ticks;
		g->dram_ticks = 0;
		l2 += (fired & CLOCK_L2) != 0;
		w->seen[k] = advance;
		advance += (fired & CLOCK_ICNT) != 0;
		w->made[k] = advance;
		k += (fired & CLOCK_CORE) != 0;
	}
}

/* Of so many cycles of clusters. */
static void run_items(struct gpu *g, void (*work)(void *ctx, unsigned item), unsigned items, uint32_t cycles)
{
	if (items > 1 && share_part(&g->window->share, cycles)) {
		team_run(g->team, work, g, items);
		return;
	}
	for (unsigned i = 0; i < items; i++)
		work(g, i);
}

static void run_channel(void *ctx, unsigned channel)
{
	struct gpu *g = ctx;

	memory_run_channel(g->mem, channel, g->window->step, g->window->n);
}

static void reply_channels(struct gpu *g)
{
	struct window *w = g->window;

	w->count.phases++;
	run_items(g, run_channel, memory_channels(g->mem), UINT32_MAX);
	for (uint32_t i = 0; i < w->n; i++)
		if (w->step[i].reply)
			net_advance_one(g->net, 1);
}

/* Of the cycle that begins with step i. */
static uint32_t advances_from(const struct window *w, uint32_t i)
{
	uint32_t n = 0;

	for (uint64_t now = w->step[i].now; i < w->n && w->step[i].now == now; i++)
		n += w->step[i].reply;
	return n;
}

/* Returns how many cycles come before the first for which some output might not have room. */
static uint32_t reply_steps(struct gpu *g)
{
	struct window *w = g->window;
	uint64_t now = UINT64_MAX;

	memory_begin(g->mem);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct memory_work *k = &w->step[i];

		if (k->now != now && advances_from(w, i) > net_reply_out_room(g->net))
			return (uint32_t)(k->now - w->now);
		now = k->now;
		memory_run_step(g->mem, k);
		if (k->reply)
			net_advance_one(g->net, 1);
	}
	return w->cycles;
}

/* The request side of the first so many cycles, before the last of which all clusters have come. */
static void serve_requests(struct gpu *g, uint32_t cycles)
{
	struct window *w = g->window;
	uint64_t first = w->step[0].now, dram = 0, l2 = 0;

	for (; w->n_served < w->n && w->step[w->n_served].now < first + cycles; w->n_served++) {
		const struct memory_work *k = &w->step[w->n_served];

		if (k->l2)
			memory_accept(g->mem, k);
		if (k->reply)
			net_advance_one(g->net, 0);
		dram += k->dram_ticks;
		l2 += k->l2;
	}
	memory_idle_ticks(g->mem, 0, dram, l2);
	w->served = cycles;
}

/* ---- a cluster by itself ----------------------------------------------------------------------------- */

/*
 * The first cycle from k on, and before `end`, in which an
 * SM of cluster id is due; `end`: none without a reply.
 */
static uint32_t next_tick(const struct gpu *g, uint32_t id, uint32_t k, uint32_t end)
{
	uint32_t per = g->params.sms_per_cluster;
	const uint64_t *at = g->wake_at + id * per;
	uint64_t now = g->window->now, first = at[0];

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
	uint32_t due;

	if (c->reply.count)
		return k;
	if (!net_reply_due(g->net, id, &due))
		return end;
	while (k < end && (int32_t)(due - g->window->seen[k]) > 0)
		k++;
	return k;
}

static void turn(struct gpu *g, struct cluster *c, uint32_t cycles)
{
	if (g->params.rotate_sms)
		c->first = (uint32_t)((c->first + (uint64_t)cycles) % g->params.sms_per_cluster);
}

static void run_cycles(struct gpu *g, struct cluster *c, uint32_t id)
{
	const struct window *w = g->window;
	struct net_push_time *push = net_push_time(g->net, id);
	bool turns = bitset_test(g->live, id) || launch_more(g);
	uint32_t reply = next_reply(g, c, id, c->at, c->end), room = 0;
	const uint64_t *wake_at = g->wake_at + id * g->params.sms_per_cluster;

	for (; c->at < c->end && !c->n_ended; c->at++) {
		uint32_t k = c->at;

		/* else there is something to do at once */
		if (k != reply && *wake_at > w->now + k) {
			k = least(reply, next_tick(g, id, k, c->end));
			if (turns && k > c->at)
				turn(g, c, k - c->at);
			c->at = k;
			if (k == c->end)
				break;
		}
		*push = (struct net_push_time){w->made[k], k};
		if (!room && turns && w->served <= k && !(room = net_request_room(g->net, id))) {
			c->full = true;
			return;
		}
		room -= room > 0; /* no cycle sends more than was reckoned with */
		if (k == reply) {
			cluster_response(g, id, w->now + k, w->seen[k]);
			reply = next_reply(g, c, id, k + 1, c->end);
		}
		if (turns)
			gpu_tick_cluster(g, id, w->now + k);
	}
	c->waits = c->n_ended || c->stays;
}

static void run_cluster(void *ctx, unsigned item)
{
	struct gpu *g = ctx;
	uint32_t id = g->window->ready[item];
	struct catcher here;

	catch_here = &here;
	if (!setjmp(here.out)) {
		run_cycles(g, &g->cluster[id], id);
	} else {
		struct cluster *c = &g->cluster[g->window->ready[item]];

		c->at++;
		c->waits = true;
		c->fault = xmalloc(sizeof(*c->fault));
		*c->fault = here.fault;
	}
	catch_here = NULL;
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

static void run_ready(struct gpu *g)
{
	struct window *w = g->window;

	run_items(g, run_cluster, w->n_ready, w->ready_work);
	w->n_ready = w->ready_work = 0;
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
	serve_requests(g, at + 1);
	for (uint32_t i = 0; i < g->params.clusters; i++) {
		struct cluster *c = &g->cluster[i];

		if (!c->full || (c->at > at && !net_request_room(g->net, i)))
			continue;
		goes_on(g, i, c->end, c->stays);
		if (!net_request_room(g->net, i))
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
	uint32_t next = g->window->cycles;

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
	bool stay = launch_placing(g) && at < g->window->cycles;
	uint32_t end = g->window->cycles, next = end;

	if (stay)
		next = at + 1;
	else if (g->window->share.shared)
		next = next_stop(g, at);
	for (uint32_t c = 0; c < g->params.clusters; c++)
		if (bitset_test(among, c))
			goes_on(g, c, next, stay || next < end);
}

static void clusters(struct gpu *g)
{
	struct window *w = g->window;
	uint64_t first = g->cycle, among[4096 / 64];
	uint32_t waiting, full;

	memset(among, 0xff, sizeof(among));
	for (uint32_t c = 0; c < g->params.clusters; c++)
		g->cluster[c].at = 0;
	go_on_among(g, among, 0);
	w->count.phases++;
	for (;;) {
		run_ready(g);
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
	for (uint32_t c = 0; c < g->params.clusters; c++)
		cluster_note_replies(g, c);
	g->cycle = first + w->cycles;
}

/* ---- the window ------------------------------------------------------------------------------ */

/*
 * Run, which for a network whose replies go in steps shows how long the window is. Returns its cycles; 0: not
 * even one can be, and nothing was done.
 */
static uint32_t reply_side(struct gpu *g, struct length *l)
{
	struct window *w = g->window;
	struct clocks clocks = g->clocks;
	uint32_t dram_ticks = g->dram_ticks, cycles;

	if (g->team)
		share_begin(&w->share, (uint64_t)live_clusters(g) * l->cycles, g->threads, g->if_idle);
	w->advance = net_advances(g->net);
	net_split(g->net);
	plan(g, l->cycles);
	if (!net_replies_in_steps(g->net)) {
		reply_channels(g);
		return l->cycles;
	}
	cycles = reply_steps(g);
	if (cycles < l->cycles) {
		g->clocks = clocks;
		g->dram_ticks = dram_ticks;
		l->why = WINDOW_outputs;
		plan(g, cycles);
	}
	if (!cycles)
		net_join(g->net);
	return cycles;
}

bool window_run(struct gpu *g, uint64_t until)
{
	struct window *w = g->window;
	struct length l = length(g, until);
	uint64_t work;

	w->share.shared = false;
	l.cycles = l.cycles > 1 ? reply_side(g, &l) : 0;
	if (g->team && !w->share.shared)
		team_rest(g->team);
	w->count.by[l.why]++;
	if (!l.cycles)
		return false;
	work = (uint64_t)live_clusters(g) * l.cycles;
	w->count.windows++;
	w->count.cycles += l.cycles;
	clusters(g);
	serve_requests(g, l.cycles);
	net_join(g->net);
	if (g->team)
		share_end(&w->share, work);
	if (g->cycle % g->params.sample_cycles == 0)
		gpu_window(g);
#ifdef CHECK_INVARIANTS
	gpu_invariants(g);
#endif
	return true;
}
