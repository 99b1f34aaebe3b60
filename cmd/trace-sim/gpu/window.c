/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a window: its length, its memory side and network, and the order of its parts. The clusters' part is
 * window_clusters.c's. See window.h for what is always true; the argument for each bound is LAUNCH-window-1's.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "core/core.h"
#include "instrument/invariants.h"
#include "inlining.h"
#include "launch.h"
#include "num.h"
#include "window_int.h"

#define HALF_LEAST 32u /* cycles: meetings of threads cost more than shorter windows side by side save */
#define BUSY       2u  /* requests a cycle: so few that the networks are no work worth hiding */

/* ---- bounds ---------------------------------------------------------------------------------------- */

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
	w->share.tested = team_tested();
	tell_sends(g->net, &g->params);
	w->fault = xcalloc(memory_channels(g->mem), sizeof(*w->fault));
	w->half = window_delay(g) / 2 >= HALF_LEAST ? least(w->longest, window_delay(g) / 2) : 0;
	w->alone = window_forbidden(g);
	if (w->alone != N_WINDOW_BOUNDS)
		w->longest = 1;
}

void window_free(struct gpu *g)
{
	if (!g->window)
		return;
	free(g->window->ready);
	free(g->window->fault);
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

static uint64_t from(uint64_t first, uint64_t time) { return time > first ? time - first : 0; }

/* Of a window that begins in so many cycles, at most `longest`; 0: the machine is looked at right before it. */
static struct length length(struct gpu *g, uint64_t until, uint32_t in, uint32_t longest)
{
	const struct params *p = &g->params;
	const struct window *w = g->window;
	struct length l = {longest, WINDOW_longest};
	uint64_t now = gpu_now(g) + in, cycle = g->cycle + in;

	if (w->longest <= 1)
		return (struct length){1, w->alone == N_WINDOW_BOUNDS ? WINDOW_longest : w->alone};
	if (!gpu_live(g) || launch_least_delay(g))
		return (struct length){1, WINDOW_idle};
	if (crowded(g))
		return (struct length){1, WINDOW_requests};
	if (launch_ptx(g))
		return (struct length){1, WINDOW_ptx};
	bound(&l, share_of(p->sample_cycles - cycle % p->sample_cycles, l.cycles), WINDOW_sample);
	if (in && cycle % DEADLOCK_PERIOD == 0)
		l.cycles = 0;
	bound(&l, DEADLOCK_PERIOD - cycle % DEADLOCK_PERIOD, WINDOW_deadlock);
	bound(&l, from(now, until), WINDOW_told);
	if (p->max_cycle)
		bound(&l, from(now, p->max_cycle), WINDOW_cycles);
	bound(&l, from(in, window_kernel_lasts(g, in + l.cycles)), WINDOW_tail);
	if (!net_replies_in_steps(g->net)) {
		bound(&l, cycles_of(g, net_reply_in_room(g->net)), WINDOW_replies);
		bound(&l, cycles_of(g, net_reply_out_room(g->net)), WINDOW_outputs);
	}
	return l;
}

/*
 * Are windows to be so short that the reply side of one can be run beside the clusters of the one before? One
 * thread is quicker with long ones; but a profile tells of windows, and is the same for any number of threads.
 */
static bool goes_ahead(const struct gpu *g)
{
	const struct window *w = g->window;

	if (!(g->team || g->profile) || !w->half || net_replies_in_steps(g->net))
		return false;
	return w->share.tested || (w->busy && share_long(&w->share));
}

/* ---- the steps ------------------------------------------------------------------------------------- */

/*
 * What fires in a window of so many cycles that begins there. Steps in which only DRAM does are part of the
 * step behind them, as in gpu_step().
 */
static FLATTEN void plan(struct gpu *g, struct window_plan *p, struct window_edge at, uint32_t cycles)
{
	uint64_t first_l2 = at.l2;
	uint32_t k = 0;

	p->now = at.now;
	p->cycles = cycles;
	for (p->n = 0; k < cycles;) {
		unsigned fired = clocks_step(&g->clocks);

		g->dram_ticks += (fired & CLOCK_DRAM) != 0;
		if (fired == CLOCK_DRAM)
			continue;
		p->step[p->n++] = (struct memory_work){.now = at.now + k,
			.cycle = at.cycle + k,
			.dram_done = at.dram,
			.l2_done = at.l2,
			.dram_ticks = g->dram_ticks,
			.reply = fired & CLOCK_ICNT,
			.l2 = fired & CLOCK_L2,
			.advance = at.advance,
			.tick = (uint32_t)(at.l2 - first_l2),
			.window = (uint32_t)(p - g->window->plan)};
		at.dram += g->dram_ticks;
		g->dram_ticks = 0;
		at.l2 += (fired & CLOCK_L2) != 0;
		p->seen[k] = at.advance;
		at.advance += (fired & CLOCK_ICNT) != 0;
		p->made[k] = at.advance;
		k += (fired & CLOCK_CORE) != 0;
	}
	p->end = (struct window_edge){at.now + cycles, at.cycle + cycles, at.dram, at.l2, at.advance};
}

static struct window_edge present(const struct gpu *g)
{
	return (struct window_edge){gpu_now(g), g->cycle, memory_dram_ticks(g->mem), memory_l2_ticks(g->mem),
		net_advances(g->net)};
}

void window_items(struct gpu *g, void (*work)(void *ctx, unsigned item), unsigned items, uint32_t cycles)
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
	const struct window_plan *p = window_now(g->window);

	memory_run_channel(g->mem, channel, p->step, p->n);
}

static void advance_replies(struct gpu *g, const struct window_plan *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->step[i].reply)
			net_advance_one(g->net, 1);
}

/* Of the cycle that begins with step i. */
static uint32_t advances_from(const struct window_plan *p, uint32_t i)
{
	uint32_t n = 0;

	for (uint64_t now = p->step[i].now; i < p->n && p->step[i].now == now; i++)
		n += p->step[i].reply;
	return n;
}

/* Returns how many cycles come before the first for which some output might not have room. */
static uint32_t reply_steps(struct gpu *g, const struct window_plan *p)
{
	uint64_t now = UINT64_MAX;

	memory_begin(g->mem, p->step);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct memory_work *k = &p->step[i];

		if (k->now != now && advances_from(p, i) > net_reply_out_room(g->net))
			return (uint32_t)(k->now - p->now);
		now = k->now;
		memory_run_step(g->mem, k);
		if (k->reply)
			net_advance_one(g->net, 1);
	}
	return p->cycles;
}

/* Where there is a next window, sub partitions take in what comes in this one when it is behind. */
void window_serve(struct gpu *g, uint32_t cycles)
{
	struct window *w = g->window;
	const struct window_plan *p = window_now(w);
	uint64_t dram = 0, l2 = 0;

	for (; w->n_served < p->n && p->step[w->n_served].now < p->now + cycles; w->n_served++) {
		const struct memory_work *k = &p->step[w->n_served];

		if (k->l2 && !window_next(w)->n)
			memory_accept(g->mem, k);
		if (k->reply)
			net_advance_one(g->net, 0);
		dram += k->dram_ticks;
		l2 += k->l2;
	}
	memory_idle_ticks(g->mem, 0, dram, l2);
	w->served = cycles;
}

/* ---- the window ------------------------------------------------------------------------------ */

static void begin_share(struct gpu *g, uint32_t cycles)
{
	if (g->team)
		share_begin(&g->window->share, (uint64_t)live_clusters(g) * cycles, g->threads, g->if_idle);
}

/*
 * Run, which for a network whose replies go in steps shows how long the window is. Returns its cycles; 0: not
 * even one can be, and nothing was done.
 */
static uint32_t reply_side(struct gpu *g, struct length *l)
{
	struct window *w = g->window;
	struct window_plan *p = window_now(w);
	struct clocks clocks = g->clocks;
	struct window_edge at = present(g);
	uint32_t dram_ticks = g->dram_ticks, cycles;

	begin_share(g, l->cycles);
	net_split(g->net);
	plan(g, p, at, l->cycles);
	if (!net_replies_in_steps(g->net)) {
		w->count.phases++;
		window_items(g, run_channel, memory_channels(g->mem), UINT32_MAX);
		advance_replies(g, p);
		return l->cycles;
	}
	cycles = reply_steps(g, p);
	if (cycles < l->cycles) {
		g->clocks = clocks;
		g->dram_ticks = dram_ticks;
		l->why = WINDOW_outputs;
		plan(g, p, at, cycles);
	}
	if (!cycles)
		net_join(g->net);
	return cycles;
}

/* A window with nothing before it; false: only a single step will do. */
static bool begin(struct gpu *g, uint64_t until)
{
	struct window *w = g->window;
	struct length l = length(g, until, 0, goes_ahead(g) ? w->half : w->longest);

	l.cycles = l.cycles > 1 ? reply_side(g, &l) : 0;
	w->count.by[l.why]++;
	return l.cycles != 0;
}

/*
 * Plan the next window, if its reply side may be run beside the clusters of this one (LAUNCH-window-12): the
 * two have half of the delay queue each, and the outputs of the request network room for all that comes in
 * this one.
 */
static void look_ahead(struct gpu *g, uint64_t until)
{
	struct window *w = g->window;
	const struct window_plan *p = window_now(w);
	struct length l;

	window_next(w)->n = 0;
	if (!goes_ahead(g) || p->cycles > cycles_of(g, net_request_out_room(g->net)))
		return;
	l = length(g, until, p->cycles, w->half);
	if (l.cycles <= 1)
		return;
	assert(p->cycles + l.cycles <= window_delay(g));
	w->count.by[l.why]++;
	plan(g, window_next(w), p->end, l.cycles);
}

/* The networks: of requests in this window, of replies in the next. */
static void run_network(void *ctx, unsigned item)
{
	struct gpu *g = ctx;

	if (item)
		advance_replies(g, window_next(g->window));
	else
		window_serve(g, window_now(g->window)->cycles);
}

/* This window becomes the one behind, if there is a next. */
static void turn_over(struct gpu *g)
{
	struct window *w = g->window;

	window_behind(w)->n = 0;
	if (window_next(w)->n) {
		w->turn = (w->turn + 1) % MEMORY_WINDOWS;
		return;
	}
	window_now(w)->n = 0;
	net_join(g->net);
#ifdef CHECK_INVARIANTS
	gpu_invariants(g);
#endif
}

bool window_ahead(const struct gpu *g) { return window_now(g->window)->n; }

bool window_run(struct gpu *g, uint64_t until)
{
	struct window *w = g->window;
	bool ahead = window_ahead(g), done;
	uint64_t work, requests;

	if (ahead)
		begin_share(g, window_now(w)->cycles);
	done = ahead || begin(g, until);
	w->share.shared &= done;
	if (g->team && !w->share.shared)
		team_rest(g->team);
	if (!done)
		return false;
	work = (uint64_t)live_clusters(g) * window_now(w)->cycles;
	w->count.windows++;
	w->count.cycles += window_now(w)->cycles;
	w->served = w->n_served = 0;
	look_ahead(g, until);
	window_clusters(g);
	w->count.phases += window_next(w)->n != 0;
	requests = net_requests(g->net);
	window_items(g, run_network, window_next(w)->n ? 2 : 1, UINT32_MAX);
	w->busy = net_requests(g->net) - requests >= BUSY * window_now(w)->cycles;
	share_count(&w->share, work);
	if (g->team)
		share_end(&w->share, work);
	turn_over(g);
	if (g->cycle % g->params.sample_cycles == 0)
		gpu_window(g);
	return true;
}
