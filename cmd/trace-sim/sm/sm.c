/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One SM: construction, one cycle, sleeping and waking, placement of thread blocks (SM-cycle, LAUNCH-place).
 *
 * Always true: after a cycle that changed only counters, the cycles up to wake_at would change the counters in the same
 * way, so they are only counted. Other changes come from the calendar of writebacks, from dispatch registers that
 * become empty, from the load/store unit (ldst_next_clock()), or from a reply, which wakes the SM. Not modelled:
 * checkpoints, and the reset of partial last warps.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "core/core.h"
#include "lsu/ldst.h"
#include "power/counts.h"
#include "sm/gang.h"
#include "sm/kernel.h"
#include "sm/mbarrier.h"
#include "sm/pipeline.h"
#include "threads/catch.h"
#include "scheduler.h"
#include "sm/profile.h"
#include "depend.h"
#include "pipereg.h"

#define WINST_MAX 65535u

/* Returns the number of elements of sm.unit: the load/store unit has none. */
static uint32_t units_of_core(const struct core_params *c)
{
	uint32_t n = 0;

	for (unsigned k = 0; k < N_UNIT_KINDS; k++)
		n += k == UNIT_MEM ? 0 : c->unit[k].units;
	return n;
}

static void init_units(struct sm *s)
{
	const struct core_params *c = s->core;
	struct func_unit *unit = s->unit = reserve(units_of_core(c), sizeof(*s->unit));

	s->unit_in = reserve(N_UNIT_KINDS, sizeof(*s->unit_in));
	for (unsigned k = 0; k < N_UNIT_KINDS; k++) {
		struct collector_in *q = &s->collector_in[collector_input_of_unit(k)];
		struct unit_in *r = &s->unit_in[k];

		q->free_slots = slot_mask(c->unit[k].collector_in_width);
		q->end = &q->first;
		q->bit = 1u << collector_input_of_unit(k);
		q->kind = (uint8_t)k;
		q->units = r;
		s->collector_of[k] = q;
		r->all_slots = r->free_slots = slot_mask(c->unit[k].unit_in_width);
		r->served = r->all_slots & slot_mask(c->unit[k].units);
		r->bit = 1u << k;
		r->units = unit;
		unit += k == UNIT_MEM ? 0 : c->unit[k].units;
	}
	s->any_slot = c->sub_core ? 0 : UINT64_MAX;
}

void sm_init(struct sm *s)
{
	const struct params *p = s->params;

	s->core = &p->core;
	s->fetch_buffer = -1;
	s->warp = reserve(MAX_WARPS, sizeof(*s->warp));
	s->depend = depend_rules[p->core.dependence];
	depend_resize_register_sets(s, REG_LIMIT);
	*s->wake_at = NEVER;
	s->winst = reserve(WINST_MAX + 1u, sizeof(*s->winst));
	if (!p->modern.enabled) {
		init_units(s);
		collector_init(s);
		sched_init(s);
	}
	if (!s->core->perfect_icache && s->core->l1i.present)
		s->l1i = cache_new(&s->core->l1i, ROLE_L1I, NULL, s->reqs);
	s->ldst = ldst_new(s);
	if (p->modern.enabled)
		core_new(s);
}

void sm_free(struct sm *s)
{
	if (!s->params)
		return;
	pipeline_free(s->pipeline);
	core_delete(s);
	ldst_delete(s->ldst);
	gang_port_free(s);
	if (s->arrivals)
		reserve_free(s->arrivals, MAX_WARPS * SYNC_ARRIVALS, sizeof(*s->arrivals));
	if (s->l1i)
		cache_delete(s->l1i);
	collector_free(s);
	depend_free(s);
	reserve_free(s->unit, units_of_core(s->core), sizeof(*s->unit));
	reserve_free(s->unit_in, N_UNIT_KINDS, sizeof(*s->unit_in));
	reserve_free(s->winst, WINST_MAX + 1u, sizeof(*s->winst));
	reserve_free(s->warp, MAX_WARPS, sizeof(*s->warp));
	for (unsigned i = 0; i < MAX_CTAS; i++) {
		mbarrier_free(&s->cta[i]);
		tblock_free(&s->cta[i].block);
		free(s->cta[i].entry);
	}
}

/*
 * Returns the handle of a new winst. The pool is larger than all pipeline registers, units and pipelines together.
 * Freed handles are reused first.
 */
uint16_t sm_winst_new(struct sm *s)
{
	uint16_t w = s->winst_free;

	if (!w) {
		assert(s->winst_made < WINST_MAX);
		return ++s->winst_made;
	}
	s->winst_free = s->winst[w].next;
	return w;
}

void sm_winst_free(struct sm *s, uint16_t w)
{
	s->winst[w].next = s->winst_free;
	s->winst_free = w;
}

/* ---- the cycle ----------------------------------------------------------------------------- */

/* Counts the live warps after a cycle, as the original does for its occupancy lines (SM-stat-3). */
static inline void count_live_warps(struct sm *s)
{
	if (!s->live_warps)
		return;
	s->n.live_warp_cycles += s->live_warps;
	s->n.occupied_cycles++;
}

/* Adds the counts of the skipped cycles. Each has the same counts as the last cycle that was run. */
static NOINLINE void count_skipped_cycles(struct sm *s)
{
	uint64_t n = s->skipped_cycles, first = s->sched_first + n;

	s->skipped_cycles = 0;
	s->n.live_warp_cycles += n * s->live_warps;
	s->n.occupied_cycles += s->live_warps ? n : 0;
	s->sched_first = (uint32_t)(first % s->core->schedulers);
	for (unsigned i = 0; i < N_OCC_IDLE; i++)
		s->n.occupancy[i] += n * s->idle[i];
	if (s->profile)
		profile_repeat_last_cycle(s, n);
	if (s->l1i)
		cache_add_idle_cycles(s->l1i, n * s->core->fetch_steps);
}

/*
 * Skips cycles. With an L1I the cycles are counted at once, because a reply to the L1I occupies a port from its
 * arrival on.
 */
static void skip_cycles(struct sm *s, uint64_t cycles)
{
	s->skipped_cycles += cycles;
	if (s->l1i && s->skipped_cycles)
		count_skipped_cycles(s);
}

/* Skips the cycles before `now` in which the SM slept. */
static void skip_slept_cycles(struct sm *s, uint64_t now)
{
	uint64_t cycles = now - s->now - 1;

	if (!s->live_ctas || now <= s->now + 1)
		return;
	s->clock += cycles;
	s->now += cycles;
	skip_cycles(s, cycles);
}

void sm_flush_counters(struct sm *s, uint64_t now)
{
	/* quirk Q2-23: thread_insts counts inactive lanes, insts does not. */
	s->n.thread_insts = s->core->clock_gated_lanes ? s->n.insts : 32 * s->n.warp_insts;
	if (s->modern) {
		core_count_slept_cycles(s, now);
		core_flush_counters(s);
		return;
	}
	skip_slept_cycles(s, now);
	if (s->skipped_cycles)
		count_skipped_cycles(s);
	ldst_count_idle_cycles(s);
}

static bool is_icache_busy(const struct sm *s)
{
	return !cache_miss_queue_empty(s->l1i) || cache_has_ready(s->l1i) || !cache_ports_idle(s->l1i);
}

/*
 * Returns the clock of the next cycle that may change more than counters. Called after a cycle that changed only
 * counters.
 */
static uint64_t next_run_clock(const struct sm *s)
{
	if (!s->live_ctas)
		return NEVER;
	if (s->policy->updates_when_idle)
		return s->clock + 1;
	if (s->l1i && is_icache_busy(s))
		return s->clock + 1;
	return sm_min_clock(sm_min_clock(writeback_next_clock(s), execute_next_clock(s)), ldst_next_clock(s));
}

/*
 * Runs the stages before the units, or skips them if only the load/store unit had work and its changes do not affect
 * them. With a profile, a skipped cycle has the same reasons as the last cycle that was run. If one of these reasons
 * is a full stage, the stages are run.
 */
static void run_stages_before_units(struct sm *s, bool moving)
{
	if (!(moving || s->changed || s->policy->updates_when_idle ||
		    (s->profile && profile_stage_is_full(s)))) {
		collector_free_banks(s);
		skip_cycles(s, 1);
		return;
	}
	if (s->skipped_cycles)
		count_skipped_cycles(s);
	collector_stage(s);
	issue_stage(s);
	fetch_stage(s);
	count_live_warps(s);
}

static void run_sm_stages(struct sm *s, uint64_t now)
{
	bool moving = s->changed || (s->l1i && is_icache_busy(s));
	uint64_t next;

	skip_slept_cycles(s, now);
	s->now = now;
	s->clock++;
	s->changed = false;
	if (s->calendar[s->clock % CALENDAR])
		writeback_stage(s);
	execute_stage(s);
	run_stages_before_units(s, moving);
	if (s->changed && s->live_ctas) {
		*s->wake_at = now + 1;
		return;
	}
	next = next_run_clock(s);
	*s->wake_at = next == NEVER ? NEVER : now + (next - s->clock);
}

/* Runs a cycle of an SM that may have messages of gangs. */
static void run_cycle_with_port(struct sm *s, uint64_t now)
{
	skip_slept_cycles(s, now);
	s->now = now;
	gang_handle_messages(s);
	run_sm_stages(s, now);
	if (s->live_ctas)
		*s->wake_at = sm_min_clock(*s->wake_at, gang_next_message_time(s));
}

/* Runs a cycle with the power model (POWER-duty-1), the pipeline log or a port. */
static NOINLINE void run_observed_cycle(struct sm *s, uint64_t now)
{
	if (s->power)
		power_duty_begin(s->power, now, s->core->clock_gated_lanes ? s->n.insts : s->n.warp_insts);
	if (s->modern)
		core_tick(s, now);
	else if (s->port)
		run_cycle_with_port(s, now);
	else
		run_sm_stages(s, now);
	if (s->power)
		power_duty_end(s->power, s->live_ctas != 0);
	if (s->pipeline)
		pipeline_observe(s);
}

void sm_tick(struct sm *s, uint64_t now)
{
	if (s->observed)
		run_observed_cycle(s, now);
	else if (s->modern)
		core_tick(s, now);
	else
		run_sm_stages(s, now);
}

/* ---- placing a thread block ---------------------------------------------------------------- */

static bool is_exit_record(const struct sm *s, const struct rec *rec)
{
	return s->uops[rec->inst].flags & UOP_EXIT;
}

/*
 * Returns the index of the record whose issue ends the warp: the last record, with one exception. quirk Q2-18: if all
 * lanes have executed EXIT only with the last record but one, and this is the first of its fetch pair (SM-warp-2), the
 * last record does not issue. The original aborts or hangs if all lanes exit earlier, or if some never exit.
 */
static uint32_t last_record_to_issue(const struct sm *s, const struct rec *rec, uint32_t n, unsigned lanes)
{
	uint32_t left = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;

	if (n < 2 || n % 2 || !is_exit_record(s, &rec[n - 2]))
		return n - 1;
	for (uint32_t i = 0; i < n - 2; i++)
		if (is_exit_record(s, &rec[i]) && !(left &= ~rec[i].mask))
			return n - 1;
	return left & ~rec[n - 2].mask ? n - 1 : n - 2;
}

static uint32_t count_ldgsts(const struct sm *s, const struct rec *rec, uint32_t n)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++)
		found += (s->uops[rec[i].inst].flags & UOP_LDGSTS) != 0;
	return found;
}

/* Starts a warp. quirk Q2-9: the marks of long operations of the slot's last warp remain. */
static void start_warp(struct sm *s, unsigned w, struct warp *p)
{
	uint64_t bit = 1ull << w;

	s->live |= bit;
	s->done &= ~bit;
	s->at_barrier &= ~bit;
	s->membar &= ~bit;
	s->atomic_wait &= ~bit;
	s->dep_wait &= ~bit;
	s->gmma_wait &= ~bit;
	s->sync_wait &= ~bit;
	s->gang_wait &= ~bit;
	s->grid_wait &= ~bit;
	s->ibuf &= ~bit;
	s->imiss &= ~bit;
	s->wrong_path &= ~bit;
	s->drained &= ~bit;
	s->dynamic_id[w] = s->next_dynamic_id++;
	p->cursor = p->insts_in_pipe = 0;
	p->buffered = 0;
	ldgsts_reset(p);
	gmma_reset(&p->gmma);
	bulk_reset(&p->sync);
	p->copies = 0;
	if (p->n_recs) {
		p->fetch_pc = s->uops[p->rec[0].inst].pc;
		return;
	}
	s->done |= bit;
	s->drained |= bit;
}

static void place_warps(struct sm *s, struct cta *c, uint32_t slot, uint16_t stream)
{
	uint32_t n = (c->threads + 31) / 32, first = c->first_thread / 32, entries = 0;
	bool ptx = c->kernel->head->ptx;

	assert(first + n <= MAX_WARPS && c->block.n_warps >= n);
	for (uint32_t i = 0; i < n; i++) {
		const struct warp_recs *r = &c->block.warp[i];
		struct warp *p = &s->warp[first + i];
		uint32_t left = c->threads - 32 * i, count = 0;

		p->rec = c->block.rec + r->first_rec;
		p->n_recs = r->n_recs;
		p->cta = (uint8_t)slot;
		p->stream = stream;
		p->lanes = (uint8_t)(left < 32 ? left : 32);
		p->last = ptx ? r->n_recs - 1 : last_record_to_issue(s, p->rec, r->n_recs, p->lanes);
		if (c->kernel->may_have_ldgsts && !ptx)
			count = count_ldgsts(s, p->rec, r->n_recs);
		s->ptx = (s->ptx & ~(1ull << (first + i))) | (uint64_t)ptx << (first + i);
		start_warp(s, first + i, p);
		p->n_entries = count; /* number of entries that the loop below allocates */
		entries += count;
		c->warps |= 1ull << (first + i);
		if (r->n_recs)
			c->running |= 1ull << (first + i);
	}
	grow(&c->entry, &c->cap_entries, entries, sizeof(*c->entry));
	for (uint32_t i = 0, at = 0; i < n; i++) {
		struct warp *p = &s->warp[first + i];

		p->entry = c->entry ? c->entry + at : NULL;
		at += p->n_entries;
		p->n_entries = 0;
	}
	s->live_warps += n;
}

void sm_place_cta(struct sm *s, uint64_t now, uint32_t slot, uint32_t first_thread, struct kernel *k)
{
	struct cta *c = &s->cta[slot];

	if (!s->live_ctas)
		s->now = now - 1; /* the SM was idle until now */
	if (k->head->ptx && k->head->registers > s->reg_limit)
		depend_resize_register_sets(s, k->head->registers);
	if (k->head->ptx)
		ldst_create_readonly_caches(s);
	else if (k->head->arch >= ARCH_HOPPER)
		ldst_create_tma(s);
	sm_flush_counters(
		s, now); /* counts the skipped cycles before the new CTA changes warps and reasons */
	if (s->profile)
		profile_place_cta(s, slot, k->uid, first_thread / 32, (kernel_threads(k->head) + 31) / 32);
	c->kernel = k;
	c->id = k->next_cta;
	c->first_thread = first_thread;
	c->threads = c->live_threads = kernel_threads(k->head);
	c->warps = c->running = 0;
	c->preexited = false;
	c->barriers = 0;
	memset(c->arrived, 0, sizeof(c->arrived));
	memset(c->arrivals, 0, sizeof(c->arrivals));
	mbarrier_make_table(s, c);
	place_warps(s, c, slot, k->stream);
	s->live_ctas++;
	s->live_threads += c->threads;
	if (s->modern)
		core_place_cta(s, c, k->stream);
	s->changed = true;
	sm_wake(s);
}

void sm_fatal(const struct sm *s, const struct winst *w, const char *id, const char *fmt, ...)
{
	const struct cta *c = &s->cta[w->cta];
	const struct warp_recs *r = &c->block.warp[w->warp - c->first_thread / 32];
	struct fault f;
	char text[sizeof(f.text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fault_set(
		&f, (struct place){.file = c->kernel->path, .line = r->line + w->rec_index}, id, "%s", text);
	catch_raise_fault(&f);
}
