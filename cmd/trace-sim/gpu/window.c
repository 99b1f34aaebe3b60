/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a window: determines its length, runs its memory side and networks, and calls its parts in order. See
 * window.h for the invariants. The rules from LAUNCH-window-1 on justify each bound.
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

/* ---- bounds ---------------------------------------------------------------------------------------- */

/* Largest number of core cycles that contain at most n events, at `rate` events per cycle. */
static uint32_t cycles_with_events(uint32_t n, double rate)
{
	double cycles = (n - 4) / rate;

	return cycles < WINDOW_MAX ? (uint32_t)cycles : WINDOW_MAX;
}

/*
 * Sets the maximum number of packets that a cluster injects per cycle: L1 misses, L1 bypasses, instruction
 * fetches, and `copies` requests of bulk copies per SM (LAUNCH-window-5).
 */
static void set_injection_limits(struct net *n, const struct params *p, uint32_t copies)
{
	uint32_t ports = p->net.cluster_ports ? p->net.cluster_ports : 1;
	uint32_t sends = p->modern.enabled ? ports + L1_PIPE : p->core.ldst_steps * (ports + 1);
	uint32_t fetches = p->modern.enabled ? 1 : p->core.fetch_steps;

	net_set_max_injections(n, p->sms_per_cluster * (sends + fetches + copies));
}

void window_allow_bulk_copies(struct gpu *g) { set_injection_limits(g->net, &g->params, 1); }

void window_init(struct gpu *g)
{
	struct window *w = reserve(1, sizeof(*w));
	const char *text = getenv("WARPTOOLS_WINDOW");
	const double *period = g->clocks.period;
	double icnt = period[0] / period[1], l2 = period[0] / period[2];

	g->window = w;
	w->ready = xcalloc(g->params.clusters, sizeof(*w->ready));
	w->longest = text ? min_u32((uint32_t)num_leading(text), WINDOW_MAX) : WINDOW_MAX / 2;
	w->longest = min_u32(w->longest, window_request_delay(g));
	w->longest = min_u32(w->longest, cycles_with_events(MEMORY_TICKS, l2));
	w->longest = min_u32(w->longest, cycles_with_events(STEPS_MAX, 1 + icnt + l2));
	set_injection_limits(g->net, &g->params, 0);
	w->disabled_reason = window_disabled_reason(g);
	if (w->disabled_reason != N_WINDOW_BOUNDS)
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

static uint32_t count_live_clusters(const struct gpu *g)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < BITSET_WORDS(g->params.clusters); i++)
		live += bit_count64(g->live[i]);
	return live;
}

/* Largest number of cycles in which the network advances at most n times. */
static uint64_t cycles_with_advances(const struct gpu *g, uint32_t n)
{
	return n < 2 ? 0 : (uint64_t)((n - 2) * g->clocks.period[1] / g->clocks.period[0]);
}

struct window_length {
	uint32_t cycles;
	enum window_bound bound; /* reason why the window is not longer */
};

static void limit_window_length(struct window_length *l, uint64_t cycles, enum window_bound bound)
{
	if (cycles < l->cycles)
		*l = (struct window_length){(uint32_t)cycles, bound};
}

/*
 * Length of the windows that divide the last `left` cycles of a period into about equal parts of at most
 * `longest` cycles.
 */
static uint64_t equal_window_length(uint64_t left, uint32_t longest)
{
	uint64_t n = (left + longest - 1) / longest;

	return (left + n - 1) / n;
}

/* Number of cycles from `now` to `time`; 0 if `time` is in the past. */
static uint64_t cycles_until(uint64_t now, uint64_t time) { return time > now ? time - now : 0; }

/* Length of a window that starts now and ends before cycle `until`. */
static struct window_length window_length(struct gpu *g, uint64_t until)
{
	const struct params *p = &g->params;
	const struct window *w = g->window;
	struct window_length l = {w->longest, WINDOW_longest};
	uint64_t now = gpu_now(g), cycle = g->cycle;

	if (w->longest <= 1)
		return (struct window_length){
			1, w->disabled_reason == N_WINDOW_BOUNDS ? WINDOW_longest : w->disabled_reason};
	if (!gpu_has_live_cta(g) || launch_min_delay(g))
		return (struct window_length){1, WINDOW_idle};
	if (launch_has_ptx(g))
		return (struct window_length){1, WINDOW_ptx};
	if (g->launch->n_gang_kernels)
		return (struct window_length){1, WINDOW_gangs};
	if (g->launch->n_loaded > 1)
		return (struct window_length){1, WINDOW_dependents};
	limit_window_length(&l, equal_window_length(p->sample_cycles - cycle % p->sample_cycles, l.cycles),
		WINDOW_sample);
	limit_window_length(&l, DEADLOCK_PERIOD - cycle % DEADLOCK_PERIOD, WINDOW_deadlock);
	limit_window_length(&l, cycles_until(now, until), WINDOW_told);
	if (p->max_cycle)
		limit_window_length(&l, cycles_until(now, p->max_cycle), WINDOW_cycles);
	limit_window_length(&l, window_min_remaining_cycles(g, l.cycles), WINDOW_tail);
	limit_window_length(&l, cycles_with_advances(g, net_reply_input_free_slots(g->net)), WINDOW_replies);
	limit_window_length(&l, cycles_with_advances(g, net_reply_output_free_slots(g->net)), WINDOW_outputs);
	return l;
}

/* ---- the steps ------------------------------------------------------------------------------------- */

/*
 * Computes the steps of a window of `cycles` cycles that starts at edge e, and advances the clocks. A step in
 * which only DRAM fires is merged into the next step, as in gpu_step().
 */
static FLATTEN void plan_steps(struct gpu *g, struct window_plan *p, struct window_edge e, uint32_t cycles)
{
	uint64_t first_l2 = e.l2_ticks;
	uint32_t k = 0;

	p->now = e.now;
	p->cycles = cycles;
	for (p->n_steps = 0; k < cycles;) {
		unsigned fired = clocks_step(&g->clocks);

		g->dram_ticks += (fired & CLOCK_DRAM) != 0;
		if (fired == CLOCK_DRAM)
			continue;
		p->step[p->n_steps++] = (struct memory_work){.now = e.now + k,
			.cycle = e.cycle + k,
			.dram_ticks_before = e.dram_ticks,
			.l2_ticks_before = e.l2_ticks,
			.dram_ticks = g->dram_ticks,
			.replies = fired & CLOCK_ICNT,
			.runs_l2 = fired & CLOCK_L2,
			.advance = e.advance,
			.tick = (uint32_t)(e.l2_ticks - first_l2)};
		e.dram_ticks += g->dram_ticks;
		g->dram_ticks = 0;
		e.l2_ticks += (fired & CLOCK_L2) != 0;
		p->advances_before[k] = e.advance;
		e.advance += (fired & CLOCK_ICNT) != 0;
		p->first_advance[k] = e.advance;
		k += (fired & CLOCK_CORE) != 0;
	}
}

/* Current state of the clocks. */
static struct window_edge current_window_edge(const struct gpu *g)
{
	return (struct window_edge){gpu_now(g), g->cycle, memory_dram_ticks(g->mem), memory_l2_ticks(g->mem),
		net_advances(g->net)};
}

void window_run_items(struct gpu *g, void (*work)(void *ctx, unsigned item), unsigned items, uint32_t cycles)
{
	if (items > 1 && g->window->shared && cycles >= SHARED_CYCLES) {
		threads_run(g->pool, work, g, items);
		return;
	}
	for (unsigned i = 0; i < items; i++)
		work(g, i);
}

static void run_channel_item(void *ctx, unsigned channel)
{
	struct gpu *g = ctx;
	const struct window_plan *p = &g->window->plan;

	memory_run_channel(g->mem, channel, p->step, p->n_steps);
}

static void advance_reply_network(struct gpu *g, const struct window_plan *p)
{
	for (uint32_t i = 0; i < p->n_steps; i++)
		if (p->step[i].replies)
			net_advance_side(g->net, 1);
}

void window_run_request_side(struct gpu *g, uint32_t cycles)
{
	struct window *w = g->window;
	const struct window_plan *p = &w->plan;
	uint64_t dram = 0, l2 = 0;

	for (; w->request_side_steps < p->n_steps && p->step[w->request_side_steps].now < p->now + cycles;
		w->request_side_steps++) {
		const struct memory_work *k = &p->step[w->request_side_steps];

		if (k->runs_l2)
			memory_accept_packets(g->mem, k);
		if (k->replies)
			net_advance_side(g->net, 0);
		dram += k->dram_ticks;
		l2 += k->runs_l2;
	}
	memory_idle_ticks(g->mem, 0, dram, l2);
	w->request_side_cycles = cycles;
}

/* ---- the window ------------------------------------------------------------------------------ */

/* Decides whether threads share a window. If they do not, all but the main thread sleep. */
static void set_window_shared(struct gpu *g, uint32_t cycles)
{
	g->window->shared = g->pool && count_live_clusters(g) * cycles >= SHARED_WINDOW;
	if (g->pool && !g->window->shared)
		threads_park(g->pool);
}

/* Computes the steps of a window and runs its reply side. */
static void run_reply_side(struct gpu *g, uint32_t cycles)
{
	struct window *w = g->window;

	set_window_shared(g, cycles);
	net_decouple(g->net);
	plan_steps(g, &w->plan, current_window_edge(g), cycles);
	w->count.phases++;
	window_run_items(g, run_channel_item, memory_channels(g->mem), UINT32_MAX);
	advance_reply_network(g, &w->plan);
}

/* Starts a window. Returns false if the next cycle must be a single step. */
static bool window_begin(struct gpu *g, uint64_t until)
{
	struct window_length l = window_length(g, until);

	g->window->count.windows_by_bound[l.bound]++;
	if (l.cycles <= 1)
		return false;
	run_reply_side(g, l.cycles);
	return true;
}

bool window_run(struct gpu *g, uint64_t until)
{
	struct window *w = g->window;

	if (!window_begin(g, until))
		return false;
	w->count.windows++;
	w->count.cycles += w->plan.cycles;
	w->request_side_cycles = w->request_side_steps = 0;
	window_run_clusters(g);
	window_run_request_side(g, w->plan.cycles);
	net_recouple(g->net);
#ifdef CHECK_INVARIANTS
	gpu_check_invariants(g);
#endif
	if (g->cycle % g->params.sample_cycles == 0)
		gpu_end_sample_period(g);
	return true;
}
