/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits of warps other than for registers: thread-block barriers, memory fences, mbarriers, groups of asynchronous
 * copies, and DEPBAR.
 *
 * Always true: a held warp does not issue from hold_from until hold_until. If it waits for an event, hold_until is
 * NEVER until the event. A barrier holds a warp with control codes only after some cycles. Until then, instructions
 * that affect only the warp may issue; the stall counts of the assembler allow one or two of them. A thread-block
 * barrier does not wait for warps that have ended.
 */
#include "core/core.h"
#include "sm/gang.h"
#include "sm/mbarrier.h"

static void hold_warp_between(struct core_warp *cw, uint64_t from, uint64_t until, unsigned why)
{
	cw->hold_from = from;
	cw->hold_until = until;
	cw->hold_stall = (uint8_t)why;
	cw->local_insts_until = 0;
}

static void release_held_warp(struct sm *s, unsigned w, uint64_t at)
{
	core_warp_of(s, w)->hold_until = at;
	core_reschedule_waiting(s, w);
}

void core_sync_hold_warp(struct sm *s, unsigned w, uint64_t from)
{
	hold_warp_between(core_warp_of(s, w), from, NEVER, STALL_UNIT);
}

void core_sync_release_warp(struct sm *s, unsigned w, uint64_t at) { release_held_warp(s, w, at); }

/* ---- barriers ----------------------------------------------------------------------------------- */

/* Releases `warps` of CTA k from a barrier at which the last warp arrived at time t. */
static void release_from_barrier(struct sm *s, const struct cta *k, uint64_t warps, uint64_t t)
{
	const struct modern_params *m = s->modern->params;
	unsigned all = bit_count64(k->warps);

	FOR_BITS64 (w, warps)
		release_held_warp(s, (unsigned)w, t + m->barrier + m->barrier_per_warp * (all - 1));
}

static void arrive_at_barrier(struct sm *s, unsigned w, uint64_t t)
{
	struct core_warp *cw = core_warp_of(s, w);
	struct cta *k = &s->cta[s->warp[w].cta];

	const struct warp *p = &s->warp[w];
	const struct rec *r = &p->rec[p->cursor];
	const struct uop *u = &s->uops[r->inst];

	/* the exit of a warp counts as an arrival */
	if (p->cursor == p->last || barrier_has_no_effect(s, r))
		return;
	if (!(u->flags & UOP_ARRIVE)) {
		hold_warp_between(cw, t + 1, NEVER, STALL_BARRIER);
		cw->local_insts_until = cw->control ? t + s->modern->params->barrier_delay : 0;
	}
	release_from_barrier(s, k, barrier_arrive(s, w, u, r), t);
}

void core_sync_warp_exit(struct sm *s, unsigned w, uint64_t t)
{
	struct cta *k = &s->cta[s->warp[w].cta];

	release_from_barrier(s, k, barrier_warp_exit(s, w), t);
	core_warpgroup_warp_exit(s, w);
	core_maxreg_warp_exit(s, w);
	gang_warp_exit(s, w);
}

/* ---- memory fences ------------------------------------------------------------------------------ */

static bool are_accesses_done(const struct sm *s, unsigned w)
{
	return !s->warp[w].insts_in_pipe && !s->warp[w].stores;
}

/*
 * Returns the time at which a fence ends if the accesses of its warp were done at t. A fence of the CTA takes `cycles`.
 * Others need a message to the L2 and back. An SM has one such message under way, so fences whose accesses are done
 * meanwhile share the next one.
 */
static uint64_t time_of_fence_end(struct sm *s, unsigned scope, uint64_t cycles, uint64_t t)
{
	struct core *c = s->modern;

	if (!scope)
		return t + cycles;
	if (t > c->fence_leaves_at) {
		c->fence_leaves_at = t < c->fence_returns_at ? c->fence_returns_at : t;
		c->fence_returns_at = 0;
	}
	if (c->fence_returns_at < c->fence_leaves_at + cycles)
		c->fence_returns_at = c->fence_leaves_at + cycles;
	return c->fence_returns_at;
}

void core_sync_access_done(struct sm *s, unsigned w)
{
	const struct core_warp *cw = core_warp_of(s, w);

	if (!(s->membar >> w & 1) || !are_accesses_done(s, w))
		return;
	s->membar &= ~(1ull << w);
	release_held_warp(s, w, time_of_fence_end(s, cw->fence_scope, cw->fence_cycles, s->clock));
	if (s->core->flush_l1 && ldst_l1d(s))
		ldst_invalidate_l1d(s);
}

static void issue_fence(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t)
{
	struct core_warp *cw = core_warp_of(s, w);

	cw->fence_scope = in->scope;
	cw->fence_cycles = s->modern->params->membar[in->scope];
	if (are_accesses_done(s, w)) {
		hold_warp_between(
			cw, t + 1, time_of_fence_end(s, in->scope, cw->fence_cycles, t + 1), STALL_BARRIER);
		return;
	}
	hold_warp_between(cw, t + 1, NEVER, STALL_BARRIER);
	s->membar |= 1ull << w;
}

/* ---- groups of LDGSTS --------------------------------------------------------------------------- */

static bool are_copy_groups_done(const struct core_warp *cw) { return cw->first_group >= cw->fence_until; }

/* Removes completed groups, from the oldest up to the first incomplete one. */
static void drop_completed_groups(struct sm *s, unsigned w)
{
	struct core_warp *cw = core_warp_of(s, w);

	while (cw->first_group < cw->group && !cw->group_left[cw->first_group % LDGSTS_SLOTS]) {
		unsigned counter = cw->group_counter[cw->first_group % LDGSTS_SLOTS];

		cw->first_group++;
		if (counter)
			core_add_event(
				s, s->clock + s->modern->params->sb_release, EVENT_COUNTER, w, counter - 1);
	}
}

/* Closes the current group at an LDGDEPBAR. If all slots are in use, the group remains open. */
static void close_copy_group(struct sm *s, unsigned w, const struct core_inst *in)
{
	struct core_warp *cw = core_warp_of(s, w);
	unsigned write = cw->control ? core_control_of(cw, in->pc)->write : 7u;

	s->warp[w].sync.last_group_is_bulk = false;
	if (cw->group + 1 - cw->first_group >= LDGSTS_SLOTS)
		return;
	if (write < COUNTERS)
		cw->counter[write]++;
	cw->group_counter[cw->group % LDGSTS_SLOTS] = write < COUNTERS ? (uint8_t)(write + 1) : 0;
	cw->group++;
	cw->group_left[cw->group % LDGSTS_SLOTS] = 0;
	drop_completed_groups(s, w);
}

void core_ldgsts_done(struct sm *s, unsigned w, uint32_t group)
{
	struct core_warp *cw = core_warp_of(s, w);

	cw->group_left[group % LDGSTS_SLOTS]--;
	mbarrier_note_copies_done(s, w, s->warp[w].sync.copies_done + 1);
	drop_completed_groups(s, w);
	if (s->dep_wait >> w & 1 && are_copy_groups_done(cw)) {
		s->dep_wait &= ~(1ull << w);
		release_held_warp(s, w, s->clock + 1);
	}
}

/* Executes a DEPBAR without control codes: waits until at most in->groups groups are open. */
static void wait_for_copy_groups(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t)
{
	struct core_warp *cw = core_warp_of(s, w);

	cw->fence_until = cw->group > in->groups ? cw->group - in->groups : 0;
	if (are_copy_groups_done(cw))
		return;
	s->dep_wait |= 1ull << w;
	hold_warp_between(cw, t + 1, NEVER, STALL_FENCE);
}

void core_gmma_product_done(struct sm *s, unsigned w)
{
	if (gmma_count_done(s, w))
		release_held_warp(s, w, s->clock);
}

/* ---- DEPBAR with control codes ------------------------------------------------------------------ */

static bool is_depbar_satisfied(const struct core_warp *cw)
{
	for (unsigned k = 0; k < COUNTERS; k++)
		if (cw->depbar_wait >> k & 1 && cw->counter[k])
			return false;
	return cw->counter[cw->depbar_counter] <= cw->depbar_limit;
}

/* Executes a DEPBAR with control codes. A DEPBAR with a stall count of 1 cannot stop the next instruction in time. */
static void issue_depbar(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t)
{
	struct core_warp *cw = core_warp_of(s, w);
	const struct core_control *k = core_control_of(cw, in->pc);

	cw->depbar_counter = k->depbar_counter;
	cw->depbar_wait = k->depbar_list;
	cw->depbar_limit = k->depbar_limit;
	if (k->stall < 2 || is_depbar_satisfied(cw))
		return;
	cw->depbar_steps = (uint8_t)(k->stall / 2);
	hold_warp_between(cw, t + 1, NEVER, STALL_FENCE);
}

/* Ends the wait of w at a DEPBAR if the dependence counters allow it. */
void core_sync_counter_changed(struct sm *s, unsigned w)
{
	struct core_warp *cw = core_warp_of(s, w);

	if (cw->depbar_steps && is_depbar_satisfied(cw)) {
		release_held_warp(s, w, s->clock + 2u * cw->depbar_steps);
		cw->depbar_steps = 0;
	}
}

/* ---- mbarriers and bulk copies ------------------------------------------------------------------ */

void core_sync_op_accepted(struct sm *s, uint16_t h)
{
	const struct winst *in = &s->winst[h];
	struct core_warp *cw = core_warp_of(s, in->warp);
	uint64_t end = cw->mbarrier_wait_at + s->modern->params->mbarrier_wait;

	if (in->uop->sync != SYNC_WAIT && in->uop->sync != SYNC_TEST) {
		mbarrier_execute(s, in->cta, &in->record);
		return;
	}
	cw->resume_delay = end > s->clock ? (uint32_t)(end - s->clock) : 1;
	if (s->sync_wait >> in->warp & 1)
		mbarrier_start_wait(s, in->warp, &in->record);
}

void core_sync_phase_ended(struct sm *s, unsigned w)
{
	release_held_warp(s, w, s->clock + core_warp_of(s, w)->resume_delay);
}

void core_sync_store_done(struct sm *s, unsigned w)
{
	struct core_warp *cw = core_warp_of(s, w);

	if (--cw->shared_stores || !cw->shared_fence)
		return;
	cw->shared_fence = false;
	release_held_warp(s, w, s->clock + 1);
}

static void issue_mbarrier(struct sm *s, unsigned w, const struct rec *r, enum uop_sync sync, uint64_t t)
{
	struct core_warp *cw = core_warp_of(s, w);
	struct warp_sync *y = &s->warp[w].sync;

	switch (sync) {
	case SYNC_WAIT:
	case SYNC_TEST:
		if (s->warp[w].cursor == s->warp[w].last)
			return;
		y->wait = *r;
		s->sync_wait |= 1ull << w;
		cw->mbarrier_wait_at = t;
		hold_warp_between(cw, t + 1, NEVER, STALL_BARRIER);
		return;
	case SYNC_COPIES: mbarrier_arrive_after_copies(s, w, r, y->copies_issued); return;
	case SYNC_BULK_STORE: bulk_count_issued(s, w); return;
	case SYNC_FLUSH: bulk_close_group(s, w); return;
	case SYNC_FENCE:
		cw->shared_fence = cw->shared_stores != 0;
		if (cw->shared_fence)
			hold_warp_between(cw, t + 1, NEVER, STALL_BARRIER);
		return;
	case SYNC_MAXREG:
		if (!core_maxreg_change(s, w, s->uops[r->inst].groups))
			hold_warp_between(cw, t + 1, NEVER, STALL_BARRIER);
		return;
	case SYNC_PREEXIT: grid_execute_preexit(s, w); return;
	case SYNC_ACQBULK:
		if (s->warp[w].cursor != s->warp[w].last && grid_start_wait(s, w))
			hold_warp_between(cw, t + 1, NEVER, STALL_BARRIER);
		return;
	default: return;
	}
}

static void issue_mbarrier_op(struct sm *s, unsigned w, uint64_t t)
{
	const struct rec *r = &s->warp[w].rec[s->warp[w].cursor];
	struct core_warp *cw = core_warp_of(s, w);
	enum uop_sync sync = (enum uop_sync)s->uops[r->inst].sync;

	issue_mbarrier(s, w, r, sync, t);
	if (cw->control || sync > SYNC_COPIES)
		return;
	cw->next_issue = t + s->modern->params->mbarrier_issue;
	cw->next_stall = STALL_COUNT;
}

/* Executes a DEPBAR: waits for groups of bulk copies or of LDGSTS, whichever kind of group the warp closed last. */
static void issue_group_depbar(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t)
{
	struct core_warp *cw = core_warp_of(s, w);
	bool control = cw->control;

	if (s->warp[w].sync.last_group_is_bulk) {
		if (bulk_start_wait(s, w, control ? core_control_of(cw, in->pc)->depbar_limit : in->groups))
			hold_warp_between(cw, t + 1, NEVER, STALL_FENCE);
	} else if (control) {
		issue_depbar(s, w, in, t);
	} else {
		wait_for_copy_groups(s, w, in, t);
	}
}

/* ---- issue -------------------------------------------------------------------------------------- */

/* Delays the warp's next instruction after a load with a descriptor (HOPPER-tma-5). */
static void delay_after_tensor_copy(const struct sm *s, struct core_warp *cw, const struct uop *u, uint64_t t)
{
	if (!u->has_descriptor || u->bulk != BULK_LOAD)
		return;
	cw->next_issue = t + s->modern->params->tma_issue;
	cw->next_stall = STALL_COUNT;
}

void core_sync_issue_special(struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, uint16_t h)
{
	struct core_warp *cw = core_warp_of(s, w);

	if (in->flags & INST_BULK)
		delay_after_tensor_copy(s, cw, &s->uops[s->winst[h].code], t);
	if (in->flags & INST_GMMA) {
		gmma_count_issued(s, w, &s->uops[s->winst[h].code]);
		cw->next_issue = t + s->modern->params->gmma_issue;
		cw->next_stall = STALL_COUNT;
	} else if (in->flags & INST_GMMA_WAIT) {
		if (gmma_start_wait(s, w, in->groups))
			hold_warp_between(cw, t + 1, NEVER, STALL_FENCE);
	} else if (in->flags & INST_LDGSTS) {
		s->modern->op[h].group = cw->group;
		s->warp[w].sync.copies_issued++;
		cw->group_left[cw->group % LDGSTS_SLOTS]++;
	} else if (in->flags & INST_GANG_ARRIVE) {
		gang_arrive_at_barrier(s, w);
	} else if (in->flags & INST_GANG_WAIT) {
		if (s->warp[w].cursor != s->warp[w].last && gang_wait_at_barrier(s, w))
			hold_warp_between(cw, t + 1, NEVER, STALL_BARRIER);
	} else if (in->flags & INST_BARRIER) {
		arrive_at_barrier(s, w, t);
	} else if (in->flags & INST_MEMBAR) {
		issue_fence(s, w, in, t);
	} else if (in->flags & INST_LDGDEPBAR) {
		close_copy_group(s, w, in);
	} else if (in->flags & INST_DEPBAR) {
		issue_group_depbar(s, w, in, t);
	} else if (in->flags & INST_SYNC) {
		issue_mbarrier_op(s, w, t);
	}
}
