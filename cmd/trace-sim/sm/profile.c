/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribution of cycles for --profile; see profile.h. Always true: a stored attribution (sm_profile.idle) is valid
 * until the scheduler considers its warps again. It then remains valid while the state that it depends on is the same.
 * The exception is the reason that a stage after the scheduler is full: which stage is full is tested in each cycle.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "core/core.h"
#include "sm/pipereg.h"
#include "sm/profile.h"
#include "sm/scheduler.h"

const char *const profile_reason_names[N_PROFILE_REASONS] = {"issue", "no_instruction", "scoreboard_memory",
	"scoreboard_arithmetic", "barrier", "memory_barrier", "unit_busy", "collector_full", "ldst_queue",
	"drained"};

struct sm_profile *sm_profile_new(const struct core_params *c)
{
	struct sm_profile *p = xcalloc(1, sizeof(*p));

	for (unsigned w = 0; w < c->warps; w++)
		p->sched_slots[w % c->schedulers] |= 1ull << w;
	memset(p->last_incrementer, 0xff, sizeof(p->last_incrementer));
	p->n_rows = 1;
	grow(&p->row, &p->cap_rows, 64, sizeof(*p->row));
	return p;
}

void sm_profile_free(struct sm_profile *p)
{
	if (!p)
		return;
	for (unsigned w = 0; w < MAX_WARPS; w++)
		free(p->producer[w]);
	free(p->row);
	free(p->first_row);
	free(p);
}

static uint32_t new_profile_row(struct sm_profile *p, uint32_t uid, uint32_t code)
{
	uint32_t r = p->n_rows++;

	grow(&p->row, &p->cap_rows, p->n_rows, sizeof(*p->row));
	p->row[r] = (struct profile_row){.kernel = uid, .code = code, .next = p->first_row[code + 1]};
	p->first_row[code + 1] = r;
	return r;
}

static void grow_profile_codes(struct sm_profile *p, uint32_t code)
{
	uint32_t old = p->cap_first;

	grow(&p->first_row, &p->cap_first, code + 2, sizeof(*p->first_row));
	memset(p->first_row + old, 0, (p->cap_first - old) * sizeof(*p->first_row));
}

static inline uint32_t find_profile_row(struct sm_profile *p, uint32_t uid, uint32_t code)
{
	uint32_t r;

	if (code + 1 >= p->cap_first)
		grow_profile_codes(p, code);
	r = p->first_row[code + 1];
	while (r && p->row[r].kernel != uid)
		r = p->row[r].next;
	return r ? r : new_profile_row(p, uid, code);
}

static uint32_t code_of_uop(const struct sm *s, const struct uop *u) { return (uint32_t)(u - s->uops); }

void profile_count_issue(struct sm *s, unsigned k, unsigned w, bool second)
{
	struct sm_profile *p = s->profile;
	const struct uop *u = s->warp[w].head;
	uint32_t code = code_of_uop(s, u), row = find_profile_row(p, p->uid[s->warp[w].cta], code);
	struct profile_row *r = &p->row[row];

	r->n[PROFILE_issues]++;
	r->n[PROFILE_lanes] += bit_count32(s->warp[w].buffer[0].mask);
	r->cycles[PROFILE_ISSUE] += !second;
	p->cycles[PROFILE_ISSUE] += !second;
	p->idle[k].picked_from = 0; /* an issue changes the order of the policy */
	p->has_warps = false;
	p->last[w] = code;
	for (unsigned i = 0; i < u->n_dst; i++)
		p->producer[w][u->reg[i]] = code;
}

void profile_count_core_issue(struct sm *s, unsigned w, uint32_t code)
{
	struct sm_profile *p = s->profile;
	uint32_t row = find_profile_row(p, p->uid[s->warp[w].cta], code); /* the call may move the rows */
	struct profile_row *r = &p->row[row];
	const struct core_inst *in = &s->modern->inst[code];

	r->n[PROFILE_issues]++;
	r->n[PROFILE_lanes] += bit_count32(s->warp[w].rec[s->warp[w].cursor].mask);
	r->cycles[PROFILE_ISSUE]++;
	p->cycles[PROFILE_ISSUE]++;
	p->last[w] = code;
	for (unsigned i = 0; i < in->n_dst; i++)
		p->producer[w][core_destinations(in)[i].reg] = code;
	if (s->modern->warp[w].control && !(in->flags & INST_FIXED)) {
		const struct core_control *k = core_control_of(&s->modern->warp[w], in->pc);

		p->last_incrementer[w][k->write & 7] = p->last_incrementer[w][k->read & 7] = code;
	}
}

/* ---- a cycle without an issue -------------------------------------------------------------- */

/* Returns the mask of running warps that scheduler k considered in this cycle. */
static uint64_t considered_warps(const struct sm *s, unsigned k)
{
	uint64_t running = sched_running_warps(s), own = s->profile->sched_slots[k] & running;

	return s->policy->considered ? s->policy->considered(s, k, own) & running : own;
}

static void set_idle_reason(struct sm *s, unsigned k, unsigned w, unsigned reason, uint32_t code)
{
	struct profile_idle *i = &s->profile->idle[k];

	i->row = find_profile_row(s->profile, s->profile->uid[s->warp[w].cta], code);
	i->reason = (uint8_t)reason;
	i->warp = (uint8_t)w;
}

/* Returns the reason why the pipeline register before a unit is full. */
static unsigned full_stage_reason(const struct sm *s, unsigned k, unsigned unit)
{
	if (unit_in_has_free_slot(s, &s->unit_in[unit], k))
		return PROFILE_COLLECTOR_FULL;
	return unit == UNIT_MEM ? PROFILE_LDST_QUEUE : PROFILE_UNIT_BUSY;
}

/* Attributes a cycle to a ready warp whose pipeline register is full. */
static void attribute_full_stage(struct sm *s, unsigned k, unsigned w)
{
	unsigned unit = s->warp[w].head->unit;

	s->profile->idle[k].unit = (uint8_t)unit;
	set_idle_reason(s, k, w, full_stage_reason(s, k, unit), code_of_uop(s, s->warp[w].head));
}

/* Attributes a cycle to the producer of an awaited register. Memory has priority, because it usually takes longer. */
static void attribute_hazard(struct sm *s, unsigned k, unsigned w)
{
	const struct sm_profile *p = s->profile;
	const struct uop *u = s->warp[w].head;
	uint32_t code = PROFILE_NO_CODE;
	bool memory = false;

	for (unsigned i = 0; i < (unsigned)u->n_dst + u->n_src && !memory; i++) {
		if (!bitset_test(s->warp[w].reserved, u->reg[i]))
			continue;
		memory = s->uops[p->producer[w][u->reg[i]]].unit == UNIT_MEM;
		if (memory || code == PROFILE_NO_CODE)
			code = p->producer[w][u->reg[i]];
	}
	set_idle_reason(s, k, w, memory ? PROFILE_SCOREBOARD_MEMORY : PROFILE_SCOREBOARD_ARITHMETIC, code);
}

static void attribute_fetch_wait(struct sm *s, unsigned k, unsigned w)
{
	const struct warp *p = &s->warp[w];

	set_idle_reason(s, k, w, PROFILE_NO_INSTRUCTION,
		p->cursor < p->n_recs ? p->rec[p->cursor].inst : PROFILE_NO_CODE);
}

/*
 * Returns the mask of the warps of scheduler k that wait, and sets *reason. Of several reasons to wait, the first in
 * the order of the code is used. DEPBAR counts as a memory barrier, the reply to an atomic as memory. Returns 0 if the
 * scheduler has no waiting warp.
 */
static uint64_t warps_that_wait(const struct sm *s, unsigned k, unsigned *reason)
{
	uint64_t waiting = s->profile->sched_slots[k] & s->live & ~s->done;

	*reason = PROFILE_SCOREBOARD_MEMORY;
	if (waiting & s->atomic_wait)
		return waiting & s->atomic_wait;
	*reason = PROFILE_MEMORY_BARRIER;
	if (waiting & (s->membar | s->dep_wait))
		return waiting & (s->membar | s->dep_wait);
	*reason = PROFILE_BARRIER;
	return waiting & s->at_barrier;
}

/* Attributes a cycle of a scheduler without warps to the kernel of the first thread block on the SM. */
static void attribute_without_warps(struct sm *s, unsigned k)
{
	struct sm_profile *p = s->profile;
	unsigned c;

	while (p->lowest < MAX_CTAS - 1 && !s->cta[p->lowest].kernel)
		p->lowest++;
	/* without a thread block, the SM of a modern core uses the newest one */
	c = s->cta[p->lowest].kernel ? p->lowest : p->newest_slot;
	p->idle[k].row = find_profile_row(p, p->uid[c], PROFILE_NO_CODE);
	s->profile->idle[k].reason = PROFILE_DRAINED;
}

/* Attributes a cycle in which scheduler k considered its warps and issued nothing. */
static void attribute_idle_cycle(struct sm *s, unsigned k)
{
	uint64_t set = considered_warps(s, k), valid = set & s->ibuf, waiting = 0;
	enum warp_occupancy as = s->idle_kind[k];
	unsigned reason, w;

	if (!set)
		waiting = warps_that_wait(s, k, &reason);
	if (waiting) {
		w = s->policy->pick(s, k, waiting);
		set_idle_reason(s, k, w, reason, s->profile->last[w]);
	} else if (!set) {
		attribute_without_warps(s, k);
	} else if (as == OCC_STALL && valid & ~s->hazard) {
		attribute_full_stage(s, k, s->policy->pick(s, k, valid & ~s->hazard));
	} else if (as != OCC_IDLE && valid & s->hazard) {
		attribute_hazard(s, k, s->policy->pick(s, k, valid & s->hazard));
	} else {
		attribute_fetch_wait(s, k, s->policy->pick(s, k, set));
	}
}

void profile_count_unchanged(struct sm *s, unsigned k, uint64_t cycles)
{
	struct profile_idle *i = &s->profile->idle[k];

	if (!i->row)
		attribute_idle_cycle(s, k);
	else if (i->reason >= PROFILE_UNIT_BUSY && i->reason <= PROFILE_LDST_QUEUE)
		i->reason = (uint8_t)full_stage_reason(s, k, i->unit);
	profile_count(s->profile, i, cycles);
}

/*
 * Returns true if a new attribution of a cycle of kind `why` would give the same row as the last one. Both pick from
 * the same warps in the same order, because the order changes only with an issue or a new thread block. So the warp is
 * the same. Its awaited registers are the same, too: only an issue of the warp reserves registers, and a release
 * changes n_reserved.
 */
static bool is_attribution_valid(
	const struct sm *s, unsigned k, enum warp_occupancy why, unsigned reason, uint64_t among)
{
	const struct profile_idle *i = &s->profile->idle[k];
	const struct warp *p = &s->warp[i->warp];

	return i->picked_from == among && s->idle_kind[k] == why &&
	       (why != OCC_IDLE || i->reason == reason) && i->n_reserved == p->n_reserved &&
	       i->position == p->cursor - p->buffered;
}

/* Attributes a cycle of scheduler k by the state of its warps, and stores the state that the attribution depends on. */
static NOINLINE void attribute_by_state(struct sm *s, unsigned k, enum warp_occupancy why, uint64_t among)
{
	struct profile_idle *i = &s->profile->idle[k];
	const struct warp *p;

	s->idle_kind[k] = (uint8_t)why;
	attribute_idle_cycle(s, k);
	p = &s->warp[i->warp];
	i->picked_from = among;
	i->n_reserved = p->n_reserved;
	i->position = p->cursor - p->buffered;
	profile_count(s->profile, i, 1);
}

void profile_attribute_cycle(struct sm *s, unsigned k, uint64_t valid, uint64_t ready)
{
	struct profile_idle *i = &s->profile->idle[k];
	uint64_t own = s->profile->sched_slots[k];
	uint64_t nearest = ready & own ? ready : valid & own ? valid : sched_running_warps(s);
	uint64_t among = own & nearest;
	enum warp_occupancy why = ready & own ? OCC_STALL : valid & own ? OCC_SCOREBOARD : OCC_IDLE;
	unsigned reason = PROFILE_NO_INSTRUCTION;

	if (!among)
		among = warps_that_wait(s, k, &reason);
	if (among && is_attribution_valid(s, k, why, reason, among)) {
		if (why == OCC_STALL)
			i->reason = (uint8_t)full_stage_reason(s, k, i->unit);
	} else if (!profile_is_still_empty(s, k)) {
		attribute_by_state(s, k, why, among);
		return;
	}
	profile_count(s->profile, i, 1);
}

/*
 * Attributes a cycle of each scheduler. If no warp has an instruction, and the first thread block is still there, the
 * attributions depend only on the masks in struct profile_warps. They are then valid while these masks are the same.
 */
void profile_attribute_all(struct sm *s, uint64_t valid, uint64_t ready)
{
	struct sm_profile *p = s->profile;
	const struct profile_warps now = {s->live & ~s->done, s->atomic_wait, s->membar | s->dep_wait,
					   s->at_barrier},
				   *old = &p->warps;
	bool same = p->has_warps && !valid && s->cta[p->lowest].kernel && now.atomic == old->atomic &&
		    now.fence == old->fence && now.barrier == old->barrier &&
		    now.running_or_waiting == old->running_or_waiting;

	if (same) {
		for (unsigned k = 0; k < s->core->schedulers; k++)
			profile_count(p, &p->idle[k], 1);
		return;
	}
	for (unsigned k = 0; k < s->core->schedulers; k++)
		profile_attribute_cycle(s, k, valid, ready);
	p->warps = now;
	p->has_warps = !valid;
}

void profile_repeat_last_cycle(struct sm *s, uint64_t cycles)
{
	for (unsigned k = 0; k < s->core->schedulers; k++)
		profile_count_unchanged(s, k, cycles);
}

/* Enlarges the table of producers of warp w to `registers` entries. */
static void grow_producers(struct sm_profile *p, unsigned w, uint32_t registers)
{
	uint32_t had = p->n_producers[w];

	if (registers <= had)
		return;
	p->producer[w] = xrealloc(p->producer[w], registers, sizeof(*p->producer[w]));
	memset(p->producer[w] + had, 0xff, (registers - had) * sizeof(*p->producer[w])); /* PROFILE_NO_CODE */
	p->n_producers[w] = registers;
}

void profile_place_cta(struct sm *s, unsigned cta, uint32_t uid, unsigned first, unsigned warps)
{
	struct sm_profile *p = s->profile;

	for (unsigned w = first; w < first + warps; w++)
		grow_producers(p, w, s->reg_limit);
	p->uid[cta] = uid;
	p->newest_slot = cta;
	p->lowest = cta < p->lowest ? cta : p->lowest;
	for (unsigned k = 0; k < s->core->schedulers; k++)
		profile_drop_attribution(p, k);
}

/* ---- memory ---------------------------------------------------------------------------------------- */

/* Returns the row of an instruction of warp w. The pointer is valid until the next row is made. */
static struct profile_row *profile_row_of_warp(struct sm *s, unsigned w, uint32_t code)
{
	uint32_t row = find_profile_row(s->profile, s->profile->uid[s->warp[w].cta], code);

	return &s->profile->row[row];
}

void profile_count_request(struct sm *s, unsigned w, uint32_t code, uint32_t sectors, uint32_t conflicts)
{
	struct profile_row *r = profile_row_of_warp(s, w, code);

	r->n[PROFILE_requests]++;
	r->n[PROFILE_sectors] += sectors;
	r->n[PROFILE_bank_conflicts] += conflicts;
}

void profile_count_conflict(struct sm *s, unsigned w, uint32_t code)
{
	profile_row_of_warp(s, w, code)->n[PROFILE_bank_conflicts]++;
}

void profile_count_l1(struct sm *s, const struct req *r, bool hit)
{
	struct profile_row *row;

	if (r->flags & REQ_BLANK || r->warp == NO_WARP)
		return;
	row = profile_row_of_warp(s, r->warp, r->code);
	row->n[PROFILE_l1_accesses]++;
	row->n[PROFILE_l1_hits] += hit;
}

void profile_count_l2(struct sm *s, const struct req *r)
{
	const struct req *from = r->flags & REQ_PIECE ? &s->reqs->req[r->parent] : r;
	struct profile_row *row;

	if (from->flags & REQ_BLANK || from->warp == NO_WARP)
		return;
	row = profile_row_of_warp(s, from->warp, from->code);
	row->n[PROFILE_l2_accesses]++;
	row->n[PROFILE_l2_hits] += !(r->flags & REQ_L2_MISS);
}

/* ---- the modern core ------------------------------------------------------------------------------- */

/* Returns true if the result of an instruction comes from memory. (uop.unit is valid only for the core of sm/.) */
static bool is_core_memory_inst(const struct sm *s, uint32_t code)
{
	const struct core_inst *in = &s->modern->inst[code];

	return in->unit == CORE_MEMORY && in->path != PATH_EXCHANGE;
}

/*
 * Returns an instruction that incremented a dependence counter for which the head of warp w waits; PROFILE_NO_CODE:
 * none. Memory has priority over arithmetic.
 */
static uint32_t instruction_raising_counter(const struct sm *s, unsigned w, uint32_t head)
{
	const struct core_warp *cw = &s->modern->warp[w];
	unsigned wait = core_control_of(cw, s->modern->inst[head].pc)->wait;
	uint32_t code = PROFILE_NO_CODE;

	for (unsigned k = 0; k < COUNTERS; k++) {
		uint32_t by = s->profile->last_incrementer[w][k];

		if (!(wait >> k & 1) || !cw->counter[k] || by == PROFILE_NO_CODE)
			continue;
		if (code == PROFILE_NO_CODE || is_core_memory_inst(s, by))
			code = by;
	}
	return code;
}

/* Returns the instruction whose result the head of warp w waits for. Memory has priority over arithmetic. */
static uint32_t producer_awaited_by_head(const struct sm *s, unsigned w, const struct uop *u)
{
	const struct sm_profile *p = s->profile;
	const struct core_warp *cw = &s->modern->warp[w];
	uint32_t code = cw->control ? instruction_raising_counter(s, w, code_of_uop(s, u)) : PROFILE_NO_CODE;
	uint64_t latest = 0;

	if (code != PROFILE_NO_CODE)
		return code;
	for (unsigned i = 0; i < (unsigned)u->n_dst + u->n_src; i++) {
		uint32_t by = cw->pending[u->reg[i]] ? p->producer[w][u->reg[i]] : PROFILE_NO_CODE;

		if (by != PROFILE_NO_CODE && (code == PROFILE_NO_CODE || is_core_memory_inst(s, by)))
			code = by;
	}
	if (code != PROFILE_NO_CODE)
		return code;
	code = p->last[w];
	for (unsigned i = 0; i < (unsigned)u->n_dst + u->n_src; i++) {
		unsigned reg = u->reg[i];

		/* no producer: no warp in this slot has written the register */
		if (p->producer[w][reg] == PROFILE_NO_CODE)
			continue;
		if (cw->written[reg] > latest) {
			latest = cw->written[reg];
			code = p->producer[w][reg];
		}
	}
	return code;
}

static unsigned reason_of_stall(const struct sm *s, unsigned w, unsigned stall, const struct uop *head)
{
	switch (stall) {
	case STALL_UNIT:
		return head && s->modern->inst[code_of_uop(s, head)].unit == CORE_MEMORY ? PROFILE_LDST_QUEUE
											 : PROFILE_UNIT_BUSY;
	case STALL_RESULT:
	case STALL_PORT: return PROFILE_UNIT_BUSY;
	case STALL_WAR: return PROFILE_SCOREBOARD_MEMORY;
	case STALL_COUNT: return PROFILE_SCOREBOARD_ARITHMETIC;
	case STALL_FENCE: return PROFILE_MEMORY_BARRIER;
	case STALL_BARRIER: return s->membar >> w & 1 ? PROFILE_MEMORY_BARRIER : PROFILE_BARRIER;
	case STALL_EMPTY: return PROFILE_DRAINED;
	default: return PROFILE_NO_INSTRUCTION;
	}
}

void profile_set_core_reason(struct sm *s, unsigned k, unsigned w, unsigned stall)
{
	const struct warp *p = &s->warp[w];
	uint32_t code = p->cursor < p->n_recs ? p->rec[p->cursor].inst : PROFILE_NO_CODE;
	const struct uop *head = code != PROFILE_NO_CODE ? &s->uops[code] : NULL;

	if (stall == STALL_EMPTY) {
		attribute_without_warps(s, k);
		return;
	}
	if (stall == STALL_DEPEND && head) {
		code = producer_awaited_by_head(s, w, head);
		set_idle_reason(s, k, w,
			is_core_memory_inst(s, code) ? PROFILE_SCOREBOARD_MEMORY
						     : PROFILE_SCOREBOARD_ARITHMETIC,
			code);
		return;
	}
	if (stall == STALL_BARRIER || stall == STALL_FENCE || stall == STALL_COUNT || stall == STALL_PORT)
		code = s->profile->last[w];
	set_idle_reason(s, k, w, reason_of_stall(s, w, stall, head), code);
}

void profile_count_core_cycles(struct sm *s, unsigned k, uint64_t cycles)
{
	struct profile_idle *i = &s->profile->idle[k];

	if (!i->row)
		attribute_without_warps(s, k);
	profile_count(s->profile, i, cycles);
}
