/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The modern core of one SM: construction, one cycle, sleeping and waking.
 *
 * Always true: a cycle in which nothing is due would change only counters, and is not run. The calendar, each sub-core
 * and the memory pipeline have a time at which they are due. This time is lowered only in cycles that are run. A
 * reply wakes the SM.
 */
#include <stdlib.h>
#include "arena.h"
#include "core/code.h"
#include "lsu/ldst_int.h"
#include "sm/gang.h"

/* ---- life --------------------------------------------------------------------------------------- */

static void init_subcore(struct core *c, unsigned k)
{
	struct subcore *b = &c->sub[k];
	size_t lines = (size_t)c->params->l0i_sets * c->params->l0i_ways;

	b->tag = xcalloc(lines, sizeof(*b->tag));
	b->used = xcalloc(lines, sizeof(*b->used));
	b->greedy = -1;
	b->counted_until = 1;
	c->sub_due_at[k] = NEVER;
	b->idle = STALL_EMPTY;
}

void core_new(struct sm *s)
{
	struct core *c = reserve(1, sizeof(*c));

	s->modern = c;
	c->params = &s->params->modern;
	c->inst = s->core_code->inst;
	c->latency = &s->core_code->latency;
	c->issue_distance = s->core_code->issue_distance;
	c->longest_distance = s->core_code->longest_distance;
	c->subs = s->core->schedulers;
	c->warp = reserve(MAX_WARPS, sizeof(*c->warp));
	c->op = reserve(UINT16_MAX + 1u, sizeof(*c->op));
	c->event = reserve(EVENTS_MAX + 1u, sizeof(*c->event));
	c->pipe = reserve(L1_PIPE, sizeof(*c->pipe));
	c->warpgroup = reserve(MAX_WARPS, sizeof(*c->warpgroup));
	c->mem_due = NEVER;
	for (unsigned k = 0; k < c->subs; k++)
		init_subcore(c, k);
}

void core_delete(struct sm *s)
{
	struct core *c = s->modern;

	if (!c)
		return;
	for (unsigned k = 0; k < c->subs; k++) {
		free(c->sub[k].tag);
		free(c->sub[k].used);
	}
	reserve_free(c->warpgroup, MAX_WARPS, sizeof(*c->warpgroup));
	reserve_free(c->pipe, L1_PIPE, sizeof(*c->pipe));
	reserve_free(c->event, EVENTS_MAX + 1u, sizeof(*c->event));
	reserve_free(c->op, UINT16_MAX + 1u, sizeof(*c->op));
	reserve_free(c->warp, MAX_WARPS, sizeof(*c->warp));
	reserve_free(c, 1, sizeof(*c));
}

/* ---- the cycle ---------------------------------------------------------------------------------- */

static void count_occupancy(struct sm *s, uint64_t cycles)
{
	s->n.live_warp_cycles += cycles * s->live_warps;
	s->n.occupied_cycles += s->live_warps ? cycles : 0;
}

void core_count_slept_cycles(struct sm *s, uint64_t now)
{
	uint64_t cycles = now - s->now - 1;

	if (!s->live_ctas || now <= s->now + 1)
		return;
	s->clock += cycles;
	s->now += cycles;
	count_occupancy(s, cycles);
}

void core_flush_counters(struct sm *s)
{
	for (unsigned k = 0; k < s->modern->subs; k++)
		core_count_cycles_before(s, k, s->clock + 1);
	core_sample_ports(s);
}

static NOINLINE void run_subcore(struct sm *s, unsigned k)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[k];
	uint64_t next = core_issue_stage(s, k);

	if ((b->needs_fetch || b->active_streams) && core_fetch_stage(s, k))
		next = s->clock + 1;
	if (next > s->clock + 1)
		next = sm_min_clock(next, core_wheel_next_time(s, b));
	c->sub_due_at[k] = next;
	if (!b->issued || next > s->clock + 1)
		core_set_idle_reason(s, k);
}

/*
 * Returns the time of the next cycle to run. This is the next cycle if a sub-core became due after it had run in this
 * cycle.
 */
static uint64_t next_core_clock(const struct sm *s)
{
	const struct core *c = s->modern;
	uint64_t next = c->mem_due;

	for (unsigned k = 0, n = c->subs; k < n; k++)
		next = sm_min_clock(next, c->sub_due_at[k]);
	if (c->l1i_busy || next <= s->clock + 1)
		return s->clock + 1;
	return sm_min_clock(next, core_next_event_time(s));
}

void core_tick(struct sm *s, uint64_t now)
{
	struct core *c = s->modern;
	uint64_t clock, next;

	core_count_slept_cycles(s, now);
	clock = s->clock + 1;
	s->now = now;
	s->clock = clock;
	core_run_due_events(s);
	if (s->port)
		gang_handle_messages(s);
	if (c->l1i_busy)
		core_l1i_step(s);
	if (clock >= c->mem_due || s->ldst->responses.count)
		core_memory_cycle(s);
	for (unsigned k = 0, n = c->subs; k < n; k++)
		if (c->sub_due_at[k] <= clock)
			run_subcore(s, k);
	count_occupancy(s, 1);
	next = next_core_clock(s);
	*s->wake_at = next == NEVER || !s->live_ctas ? NEVER : now + (next - clock);
	if (s->port && s->live_ctas)
		*s->wake_at = sm_min_clock(*s->wake_at, gang_next_message_time(s));
}

/* ---- CTAs and kernels --------------------------------------------------------------------------- */

/* Starts the warps of a CTA one after another, -core_warp_interval cycles apart. */
void core_place_cta(struct sm *s, const struct cta *k, uint16_t stream)
{
	struct core *c = s->modern;
	uint64_t start = s->clock + 1 + c->params->cta_latency +
			 bit_count64(k->warps) * (uint64_t)c->params->cta_latency_per_warp;

	if (c->params->warp_interval && c->started_at > start)
		start = c->started_at;
	c->stream = stream;
	core_warpgroup_reset(c, k);
	FOR_BITS64 (w, k->warps) {
		start += c->params->warp_interval;
		core_warp_place(s, (unsigned)w, k->kernel);
		core_add_event(s, start, EVENT_START, (unsigned)w, 0);
	}
	c->started_at = start;
}

void core_empty_caches(struct sm *s)
{
	core_fetch_flush(s);
	s->modern->const_kernel = 0;
}
