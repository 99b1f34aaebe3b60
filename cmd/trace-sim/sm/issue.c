/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The issue stage: runs every scheduler once, and applies the effects of an issue (SM-sched, SM-issue). Always true: a
 * scheduler sees the effects of issues by earlier schedulers in the same cycle. The candidates of all schedulers are
 * computed together, as masks (struct candidates). They are computed again only after an issue that may have changed
 * the state of another scheduler's warps.
 */
#include <string.h>
#include "decode.h"
#include "lsu/ldst.h"
#include "sm/gang.h"
#include "sm/kernel.h"
#include "sm/mbarrier.h"
#include "sm/pipeline.h"
#include "sm/profile.h"
#include "depend.h"
#include "pipereg.h"
#include "scheduler.h"

#define ANY_SPEC N_UNIT_KINDS /* type of all specialized units in the comparison for dual issue */

void sched_init(struct sm *s)
{
	const struct core_params *c = s->core;

	s->policy = sched_policies[c->policy];
	s->decides_by_masks = !s->policy->cycle && !s->policy->considered;
	s->wants_long_ops = s->policy->needs_longop;
	s->idle[OCC_IDLE] = (uint8_t)c->schedulers;
	s->sched_mask = slot_mask(c->schedulers);
	for (unsigned w = 0; w < c->warps; w += c->schedulers)
		s->sched0_warps |= 1ull << w;
	for (unsigned k = 0; k < c->schedulers; k++) {
		s->last[k] = (int16_t)(s->policy->rotates_from_last ? (int)k - (int)c->schedulers : (int)k);
		if (s->policy->init)
			s->policy->init(s, k);
	}
}

/* ---- waiting (SM-warp-5, SM-membar) -------------------------------------------------------- */

/* Ends the memory barrier of a warp if no result is outstanding. quirk Q2-6: it does not wait for stores. */
static void end_membar_if_met(struct sm *s, unsigned w)
{
	uint64_t bit = 1ull << w;

	if ((s->done | s->at_barrier) & bit || s->warp[w].n_reserved)
		return;
	s->membar &= ~bit;
	s->changed = true;
	if (s->core->flush_l1 && ldst_l1d(s))
		ldst_invalidate_l1d(s);
}

bool warp_is_waiting(struct sm *s, unsigned w)
{
	if (s->membar >> w & 1)
		end_membar_if_met(s, w);
	return !(sched_running_warps(s) >> w & 1);
}

/* ---- one issue (SM-issue) ------------------------------------------------------------------ */

enum space warp_generic_space(const struct sm *s, const struct warp *p, const struct rec *rec)
{
	const struct cta *c = &s->cta[p->cta];
	const struct kernel_header *h = c->kernel->head;

	if (!rec->mask)
		return h->shmem_base && h->local_base ? SPACE_NONE : SPACE_SHARED;
	return kernel_generic_space(h, c->block.word[rec->addr >> 2]);
}

/* Ends the run: unit k of a kind serves only scheduler k, so this instruction would wait forever. */
_Noreturn static void die_no_unit_for_scheduler(const struct sm *s, const struct winst *in)
{
	char opcode[64];
	const char *text = code_at(s->code, in->code)->opcode;

	sm_fatal(s, in, "unit-missing",
		"opcode '%s' at pc 0x%x in a warp of scheduler %u, which has no unit for it (expected a scheduler below %u, -gpgpu_sub_core_model 1)",
		diag_quote(opcode, sizeof(opcode), text, strlen(text)), in->uop->pc, in->sched,
		s->core->unit[in->uop->unit].units);
}

/* Returns the address of lane 0, or 0 if it is inactive. An address list begins with the first active lane. */
static uint64_t lane0_address(const struct sm *s, const struct winst *in)
{
	return in->mask & 1 && in->addr ? s->cta[in->cta].block.word[in->addr >> 2] : 0;
}

/* Issues an mbarrier or bulk instruction. Waits begin at issue; other operations act after the load/store unit. */
static void apply_sync_effects(struct sm *s, const struct winst *in)
{
	unsigned w = in->warp;
	uint64_t bit = 1ull << w;

	switch ((enum uop_sync)in->uop->sync) {
	case SYNC_WAIT:
	case SYNC_TEST:
		if (s->done & bit)
			return;
		s->warp[w].sync.wait = in->record;
		s->sync_wait |= bit;
		s->dep_wait |= bit;
		return;
	case SYNC_COPIES: mbarrier_arrive_after_copies(s, w, &in->record, s->warp[w].n_entries); return;
	case SYNC_BULK_STORE: bulk_count_issued(s, w); return;
	case SYNC_FLUSH: bulk_close_group(s, w); return;
	case SYNC_PREEXIT: grid_execute_preexit(s, w); return;
	case SYNC_ACQBULK:
		if (!(s->done & bit) && grid_start_wait(s, w))
			s->dep_wait |= bit;
		return;
	default: return;
	}
}

/* Executes a DEPBAR: waits for groups of bulk copies or of LDGSTS, whichever kind of group the warp closed last. */
static void issue_group_wait(struct sm *s, unsigned w, const struct uop *u)
{
	if (!s->warp[w].sync.last_group_is_bulk)
		ldgsts_start_wait(s, w, u->groups);
	else if (bulk_start_wait(s, w, u->groups))
		s->dep_wait |= 1ull << w;
}

/* Makes a warp arrive at the barrier of its cluster, or wait there. A warp that ends does not wait. */
static void issue_cluster_barrier(struct sm *s, unsigned w, unsigned flags)
{
	if (flags & UOP_ARRIVE) {
		gang_arrive_at_barrier(s, w);
	} else if (!(s->done >> w & 1) && gang_wait_at_barrier(s, w)) {
		s->gang_wait |= 1ull << w;
		s->dep_wait |= 1ull << w;
	}
}

/* Applies the effects of an instruction with one of SPECIAL_FLAGS. A warp that ends with a barrier does not wait. */
static void apply_special_effects(struct sm *s, struct winst *in)
{
	unsigned w = in->warp, flags = in->uop->flags;
	struct warp *p = &s->warp[w];

	if (flags & UOP_SOME_SCHEDULERS && in->sched >= s->core->unit[in->uop->unit].units)
		die_no_unit_for_scheduler(s, in);
	if (flags & UOP_ATOMIC && in->lanes) {
		p->atomics += in->lanes;
		s->atomic_wait |= 1ull << w;
	}
	if (flags & UOP_LDGSTS)
		ldgsts_add_entry(s, w, in, lane0_address(s, in));
	if (flags & UOP_BARRIER && !(s->done >> w & 1)) {
		barrier_arrive(s, w, in->uop, &in->record);
	} else if (flags & UOP_MEMBAR) {
		s->membar |= 1ull << w;
		end_membar_if_met(s, w); /* without outstanding loads, the fence ends at once */
	} else if (flags & UOP_LDGDEPBAR) {
		ldgsts_close_group(s, w);
	} else if (flags & UOP_DEPBAR) {
		issue_group_wait(s, w, in->uop);
	} else if (flags & UOP_SYNC) {
		apply_sync_effects(s, in);
	} else if (flags & UOP_GANG) {
		issue_cluster_barrier(s, w, flags);
	}
	if (in->uop->gmma == GMMA_WAIT && gmma_start_wait(s, w, in->uop->groups))
		s->dep_wait |= 1ull << w;
	else if (in->uop->gmma != GMMA_WAIT && flags & UOP_GMMA)
		gmma_count_issued(s, w, in->uop);
}

static NOINLINE void end_issued_warp(struct sm *s, unsigned w)
{
	s->done |= 1ull << w;
	ibuffer_flush(s, w);
	barrier_warp_exit(s, w);
	gang_warp_exit(s, w);
}

/* Flags of instructions that have additional effects at issue (SM-issue-1). */
#define SPECIAL_FLAGS \
	(UOP_ATOMIC | UOP_LDGSTS | UOP_BARRIER | UOP_MEMBAR | UOP_LDGDEPBAR | UOP_DEPBAR | \
		UOP_SOME_SCHEDULERS | UOP_GMMA | UOP_SYNC | UOP_GANG)
#define RARE_FLAGS (SPECIAL_FLAGS | UOP_ISSUE | UOP_ENDS)

/*
 * Applies the effects of PTX at issue. The histogram counts the lanes for which the instruction issued (PTX-mask). If
 * lanes end, the buffer is emptied (PTX-flow-3).
 */
static void apply_ptx_effects(struct sm *s, const struct winst *in)
{
	const struct uop *u = in->uop;

	if (u->flags & UOP_ISSUE) {
		s->n.occupancy[OCC_LANES + in->lanes]--;
		s->n.occupancy[OCC_LANES + bit_count32(rec_issue_mask(&s->cta[in->cta].block, &in->record))]++;
	}
	if (u->flags & UOP_ENDS && in->mask && !(s->done >> in->warp & 1))
		ibuffer_flush(s, in->warp);
}

static NOINLINE void apply_rare_effects(struct sm *s, struct winst *in)
{
	if (in->uop->flags & (UOP_ISSUE | UOP_ENDS))
		apply_ptx_effects(s, in);
	if (in->uop->flags & SPECIAL_FLAGS)
		apply_special_effects(s, in);
}

static bool is_long_operation(const struct winst *in)
{
	const unsigned spaces = 1u << SPACE_GLOBAL | 1u << SPACE_LOCAL | 1u << SPACE_TEX;
	unsigned flags = in->uop->flags;

	return flags & UOP_LOAD && (spaces >> in->space & 1 || flags & UOP_PARAM);
}

static __attribute__((cold)) NOINLINE void log_issue(struct sm *s, uint16_t h, unsigned k)
{
	const struct winst *in = &s->winst[h];

	events_log_issue(s->events, s->now, s->id, in->warp, in->uop->pc, k);
	if (s->pipeline)
		pipeline_note_issue(s, h);
}

/*
 * Issues the head of warp w; `nth` is 2 for the second instruction of a dual issue. quirk Q2-5: issue_hist counts this
 * one twice. Inlined into the loop over schedulers, because a call would save registers, which takes a tenth of the
 * time.
 */
static ALWAYS_INLINE void issue_warp_head(struct sm *s, unsigned k, unsigned w, unsigned nth)
{
	struct warp *p = &s->warp[w];
	const struct uop *u = p->head;
	const struct rec *rec = p->buffer;
	uint16_t h = sm_winst_new(s);
	struct winst *in = &s->winst[h];

	if (s->profile)
		profile_count_issue(s, k, w, nth > 1);
	in->uid = ++s->next_uid;
	in->uop = u;
	in->record = *rec;
	in->rec_index = p->cursor - p->buffered;
	in->warp = (uint8_t)w;
	in->sched = (uint8_t)k;
	in->cta = p->cta;
	in->space = (uint8_t)(u->space == SPACE_GENERIC ? warp_generic_space(s, p, rec) : u->space);
	in->lanes = (uint8_t)(rec->mask == UINT32_MAX ? 32 : bit_count32(rec->mask));
	if (rec->addr) /* the load/store unit reads the addresses some cycles later */
		__builtin_prefetch(&s->cta[p->cta].block.word[rec->addr >> 2]);
	collector_in_put(s, s->collector_of[u->unit], in, h);
	s->changed = true;
	depend_reserve(s, p, w, u, s->wants_long_ops && is_long_operation(in));
	p->fetch_pc = u->next;
	ibuffer_advance(s, p, w);
	if (s->events)
		log_issue(s, h, k);
	s->n.occupancy[OCC_LANES +
		       in->lanes]++; /* quirk Q2-4: an issue without active lanes counts as a stall */
	s->n.issue_hist[w] += nth;
	if (in->rec_index == p->last)
		end_issued_warp(s, w);
	if (u->flags & RARE_FLAGS)
		apply_rare_effects(s, in); /* ibuffer_advance() has removed the record from the buffer */
}

static NOINLINE void issue_second_of_dual(struct sm *s, unsigned k, unsigned w)
{
	issue_warp_head(s, k, w, 2);
}

static bool has_instruction_to_issue(struct sm *s, unsigned w)
{
	return !warp_is_waiting(s, w) && s->ibuf >> w & 1;
}

static bool can_issue(const struct sm *s, unsigned k, unsigned w)
{
	return !(s->hazard >> w & 1) &&
	       collector_in_has_free_slot(s, s->collector_of[s->warp[w].head->unit], k);
}

static unsigned dual_issue_type_of(const struct uop *u) { return u->unit < UNIT_SPEC ? u->unit : ANY_SPEC; }

/* Returns true if warp w, which has just issued `issued`, can issue a second instruction. */
static bool can_dual_issue(struct sm *s, unsigned k, unsigned w, const struct uop *issued)
{
	return has_instruction_to_issue(s, w) && can_issue(s, k, w) &&
	       !(s->core->dual_issue_diff &&
		       dual_issue_type_of(s->warp[w].head) == dual_issue_type_of(issued));
}

/*
 * Issues the head of warp w and, if dual issue allows it, a second instruction. `own` is true if the warp belongs to
 * scheduler k. Returns the number of issued instructions.
 */
static ALWAYS_INLINE unsigned issue_from_warp(struct sm *s, unsigned k, unsigned w, bool own)
{
	const struct uop *u = s->warp[w].head;
	unsigned n = 1;

	issue_warp_head(s, k, w, 1);
	if (s->core->max_issue > 1) {
		if (s->wrong_path >> w & 1 && !warp_is_waiting(s, w))
			ibuffer_leave_wrong_path(s, w);
		if (can_dual_issue(s, k, w, u)) {
			issue_second_of_dual(s, k, w);
			n++;
		}
	}
	if (own)
		s->last[k] = (int16_t)w;
	if (n == 1)
		s->n.single_issue[k]++;
	else
		s->n.dual_issue[k]++;
	return n;
}

static NOINLINE unsigned issue_visited_warp(struct sm *s, unsigned k, unsigned w)
{
	return issue_from_warp(s, k, w, s->sched0_warps << k >> w & 1);
}

unsigned sched_visit(struct sm *s, unsigned k, unsigned w, unsigned *seen)
{
	if (s->wrong_path >> w & 1 && !warp_is_waiting(s, w))
		ibuffer_leave_wrong_path(s, w);
	if (!has_instruction_to_issue(s, w))
		return 0;
	*seen |= s->hazard >> w & 1 ? SEEN_VALID : SEEN_VALID | SEEN_READY;
	if (!can_issue(s, k, w))
		return 0;
	*seen |= SEEN_ISSUED;
	return issue_visited_warp(s, k, w);
}

/* ---- the stage ----------------------------------------------------------------------------- */

/* Masks of the warps of all schedulers. */
struct candidates {
	uint64_t valid;      /* warps that are not waiting and have an instruction */
	uint64_t ready;      /* valid warps without a hazard */
	uint64_t issuable;   /* ready warps that can issue */
	uint64_t at_barrier; /* value of sm.at_barrier when the masks were computed */
};

static inline struct candidates find_issue_candidates(const struct sm *s)
{
	struct candidates o = {.valid = sched_running_warps(s) & s->ibuf, .at_barrier = s->at_barrier};

	o.ready = o.valid & ~s->hazard;
	o.issuable = o.ready ? o.ready & ~sched_blocked_warps(s) : 0;
	return o;
}

static enum warp_occupancy occupancy_of_idle_cycle(bool valid, bool ready)
{
	return ready ? OCC_STALL : valid ? OCC_SCOREBOARD : OCC_IDLE;
}

static enum warp_occupancy idle_kind_of_warps(uint64_t mine, const struct candidates *o)
{
	return occupancy_of_idle_cycle(o->valid & mine, o->ready & mine);
}

/* Counts a cycle in which no scheduler can issue. */
static void count_idle_schedulers(struct sm *s, const struct candidates *o)
{
	if (o->valid != s->idle_valid || o->ready != s->idle_ready) {
		s->idle_valid = o->valid;
		s->idle_ready = o->ready;
		memset(s->idle, 0, sizeof(s->idle));
		for (unsigned k = 0; k < s->core->schedulers; k++)
			s->idle[idle_kind_of_warps(s->sched0_warps << k, o)]++;
	}
	for (unsigned i = 0; i < N_OCC_IDLE; i++)
		s->n.occupancy[i] += s->idle[i];
	if (s->profile)
		profile_attribute_all(s, o->valid, o->ready);
}

static inline unsigned pick_warp(const struct sm *s, unsigned k, uint64_t warps)
{
	return s->policy->rotates_from_last ? sched_pick_after_last(s, k, warps)
					    : s->policy->pick(s, k, warps);
}

/*
 * Runs the schedulers in order. The candidates are computed again if an issue may have changed them for the other
 * schedulers: if it opened a barrier, or took a slot that schedulers share.
 */
static NOINLINE void run_schedulers(struct sm *s, unsigned first, struct candidates o)
{
	unsigned n = s->core->schedulers, k = first;
	uint64_t mine = s->sched0_warps << k;

	do {
		uint64_t pickable = o.issuable & mine;

		if (pickable) {
			issue_from_warp(s, k, pick_warp(s, k, pickable), true);
			if (s->any_slot || s->at_barrier != o.at_barrier)
				o = find_issue_candidates(s);
		} else {
			s->n.occupancy[idle_kind_of_warps(mine, &o)]++;
			if (s->profile)
				profile_attribute_cycle(s, k, o.valid, o.ready);
		}
		mine <<= 1;
		if (++k == n) {
			k = 0;
			mine = s->sched0_warps;
		}
	} while (k != first);
}

static NOINLINE void profile_visited_scheduler(struct sm *s, unsigned k, enum warp_occupancy why)
{
	s->idle_kind[k] = (uint8_t)why;
	if (profile_is_still_empty(s, k)) {
		profile_count(s->profile, &s->profile->idle[k], 1);
		return;
	}
	profile_drop_attribution(s->profile, k);
	profile_count_unchanged(s, k, 1);
}

/* Runs the schedulers by visits of warps, for policies and states in which a visit depends on more than masks. */
static NOINLINE void schedule_by_visits(struct sm *s, unsigned first)
{
	unsigned n = s->core->schedulers, k = first;

	s->idle_valid = 0;
	s->idle_ready = 1; /* never equal to a mask while idle_valid is 0, so idle[] is computed again */
	memset(s->idle, 0, sizeof(s->idle));
	do {
		unsigned seen = s->policy->cycle ? s->policy->cycle(s, k) : sched_default_cycle(s, k);

		if (!(seen & SEEN_ISSUED)) {
			enum warp_occupancy why =
				occupancy_of_idle_cycle(seen & SEEN_VALID, seen & SEEN_READY);

			s->n.occupancy[why]++;
			if (s->profile)
				profile_visited_scheduler(s, k, why);
			s->idle[why]++;
		}
		k = k + 1 == n ? 0 : k + 1;
	} while (k != first);
}

void issue_stage(struct sm *s)
{
	unsigned first = s->sched_first;
	struct candidates o;

	s->sched_first = first + 1 == s->core->schedulers ? 0 : first + 1;
	/* a visit may end a memory barrier, or empty a buffer with a wrong path */
	if (!s->decides_by_masks || s->wrong_path | (s->membar & s->live)) {
		schedule_by_visits(s, first);
		return;
	}
	o = find_issue_candidates(s);
	if (o.issuable)
		run_schedulers(s, first, o);
	else
		count_idle_schedulers(s, &o);
}
