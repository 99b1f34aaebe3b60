/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Issue: choice of a warp, effects of an issue, and reasons of cycles without an issue.
 *
 * Always true: the warp that issued last has the highest priority, then the others from the youngest to the oldest
 * (-core_issue_order changes this). The first warp that meets every condition issues. An instruction that waits s
 * cycles for register reads is issued s cycles after it was chosen, and the sub-core issues no other instruction
 * before. Cycles in which a sub-core was not run have the stall reason of the last cycle in which it was.
 */
#include "core/core.h"
#include "power/counts.h"
#include "sm/gang.h"
#include "sm/kernel.h"
#include "sm/pipeline.h"
#include "sm/profile.h"

const char *const core_stall_names[N_CORE_STALLS] = {
	[STALL_UNIT] = "unit",
	[STALL_RESULT] = "result_queue",
	[STALL_DEPEND] = "dependence",
	[STALL_WAR] = "war",
	[STALL_FENCE] = "depbar",
	[STALL_BARRIER] = "barrier",
	[STALL_COUNT] = "stall_count",
	[STALL_JUMP] = "jump",
	[STALL_FETCH] = "fetch",
	[STALL_PORT] = "port",
	[STALL_EMPTY] = "empty",
};

/* ---- cycles without an issue -------------------------------------------------------------------- */

static const uint8_t idle_kind[N_CORE_STALLS] = {
	[STALL_UNIT] = OCC_STALL,
	[STALL_RESULT] = OCC_STALL,
	[STALL_DEPEND] = OCC_SCOREBOARD,
	[STALL_WAR] = OCC_SCOREBOARD,
	[STALL_FENCE] = OCC_IDLE,
	[STALL_BARRIER] = OCC_IDLE,
	[STALL_COUNT] = OCC_IDLE,
	[STALL_JUMP] = OCC_IDLE,
	[STALL_FETCH] = OCC_IDLE,
	[STALL_PORT] = OCC_STALL,
	[STALL_EMPTY] = OCC_IDLE,
};

/* Counts the cycles from b->counted_until up to, not including, `until` with the stall reason b->idle. */
void core_add_stall_cycles(struct sm *s, unsigned sub, uint64_t until)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[sub];
	uint64_t cycles = until - b->counted_until;

	c->n.stall[b->idle] += cycles;
	s->n.occupancy[idle_kind[b->idle]] += cycles;
	c->n.queue_cycles += cycles * b->mem_queue_count;
	b->counted_until = until;
	if (s->profile)
		profile_count_core_cycles(s, sub, cycles);
}

/* Returns the stall reason of the warp that is nearest to issuing. */
static unsigned main_stall_reason(const struct subcore *b)
{
	if (b->ready_warps)
		return STALL_UNIT;
	for (unsigned i = 0; i < STALL_PORT; i++)
		if (b->by_stall[i])
			return i;
	return b->by_stall[STALL_PORT] ? STALL_PORT : STALL_EMPTY;
}

/*
 * Sets the stall reason of this cycle, unless the sub-core issued in it, and of the following cycles in which the
 * sub-core is not run. Called only if there are such cycles.
 */
void core_set_idle_reason(struct sm *s, unsigned sub)
{
	struct subcore *b = &s->modern->sub[sub];
	uint64_t set;

	b->idle = (uint8_t)(b->port_free > s->clock + b->issued ? STALL_PORT : main_stall_reason(b));
	if (!s->profile)
		return;
	set = b->idle == STALL_UNIT ? b->ready_warps : b->by_stall[b->idle] & ~b->ready_warps;
	set = set ? set : b->ranked;
	profile_set_core_reason(s, sub, set ? b->warp_of[63 - (unsigned)__builtin_clzll(set)] : 0,
		set ? b->idle : STALL_EMPTY);
}

/* ---- choice of a warp --------------------------------------------------------------------------- */

/* Returns the time from which the unit, or an INT unit in place of FP32, accepts an instruction. */
static uint64_t unit_accept_time(const struct core *c, const struct subcore *b, unsigned unit)
{
	uint64_t at = b->unit_free_at[unit];

	if (unit == CORE_FP32 && c->params->fp32_on_int && b->unit_free_at[CORE_INT] < at)
		return b->unit_free_at[CORE_INT];
	return at;
}

static unsigned pick_rank_to_issue(const struct core *c, const struct subcore *b, uint64_t set)
{
	uint64_t above;

	if (c->params->order == ORDER_RR) {
		above = b->greedy >= 0 && b->greedy < 63 ? set >> (b->greedy + 1) << (b->greedy + 1) : 0;
		return bit_lowest64(above ? above : set);
	}
	if (b->greedy >= 0 && set >> b->greedy & 1)
		return (unsigned)b->greedy;
	return c->params->order == ORDER_GTO ? bit_lowest64(set) : 63 - (unsigned)__builtin_clzll(set);
}

/* ---- one issue ---------------------------------------------------------------------------------- */

/*
 * Returns the number of active lanes. A full mask, the most frequent one, needs no bit count, which is a function call
 * on some hosts.
 */
static unsigned count_active_lanes(uint32_t mask) { return mask == UINT32_MAX ? 32 : bit_count32(mask); }

/*
 * Returns the space of an access. An access to the shared memory of another thread block is one to shared memory, and
 * so is an atomic whose address is in the shared window.
 */
static enum space access_space(
	const struct sm *s, const struct warp *p, const struct rec *r, const struct uop *u)
{
	const struct cta *k = &s->cta[p->cta];
	bool atomic = u->flags & UOP_ATOMIC && u->space == SPACE_GLOBAL;
	enum space space;

	if ((u->space != SPACE_GENERIC && !atomic) || (atomic && !(r->mask && r->addr)))
		return (enum space)u->space;
	if (r->mask && gang_is_remote(k, k->block.word[r->addr >> 2]))
		return SPACE_SHARED;
	space = warp_generic_space(s, p, r);
	return atomic && space != SPACE_SHARED ? SPACE_GLOBAL : space;
}

/* Allocates and fills the struct winst and struct core_op of an instruction of variable latency. */
static uint16_t new_variable_latency_op(struct sm *s, unsigned w, const struct rec *rec, const struct uop *u)
{
	struct core *c = s->modern;
	struct warp *p = &s->warp[w];
	uint16_t h = sm_winst_new(s);
	struct winst *in = &s->winst[h];

	in->uid = s->next_uid;
	in->uop = u;
	in->code = rec->inst;
	in->mask = rec->mask;
	in->addr = rec->addr;
	in->rec_index = p->cursor;
	in->warp = (uint8_t)w;
	in->sched = c->warp[w].sub;
	in->cta = p->cta;
	in->space = (uint8_t)access_space(s, p, rec, u);
	in->lanes = (uint8_t)count_active_lanes(rec->mask);
	c->op[h] = (struct core_op){.sub = c->warp[w].sub};
	c->warp[w].shared_stores += in->space == SPACE_SHARED && u->flags & UOP_STORE;
	p->insts_in_pipe++;
	return h;
}

/* Counts the power events of an instruction, all of them at its issue (POWER-modern). */
static NOINLINE void count_issue_power(struct sm *s, const struct rec *rec, unsigned lanes)
{
	power_count_decode(s->power, &s->power->tables->op[rec->inst], NULL);
	power_count_unit(s->power, rec->inst, rec->mask, lanes);
	power_count_writes(s->power, rec->mask, s->uops[rec->inst].n_dst);
}

static void count_issue(
	struct sm *s, unsigned sub, unsigned w, const struct rec *rec, const struct core_inst *in)
{
	unsigned lanes = count_active_lanes(rec->mask);

	s->next_uid++;
	s->n.occupancy[OCC_LANES + lanes]++;
	s->n.single_issue[sub]++;
	s->n.issue_hist[w]++;
	if (s->power)
		count_issue_power(s, rec, lanes);
	if (!(in->flags & INST_FIXED))
		return;
	sm_count_completed_inst(s, rec->inst, rec->mask);
}

/*
 * Advances the warp to its next instruction, or ends the warp. If the next instruction does not follow in memory, a
 * jump was taken, and fetch has waited for its issue.
 */
static void advance_warp(struct sm *s, unsigned w, struct core_warp *cw, uint64_t t)
{
	struct warp *p = &s->warp[w];

	if (p->cursor++ == p->last) {
		core_warp_end(s, w, t);
		return;
	}
	if (cw->fetched == p->cursor && !cw->next_is_sequential &&
		t + s->modern->params->branch_taken > cw->next_issue) {
		cw->next_issue = t + s->modern->params->branch_taken;
		cw->next_stall = STALL_JUMP;
	}
	core_fetch_request_next(s, w);
	core_schedule_head(s, w);
}

/*
 * Returns the mask of operand slots of the head that the register file cache keeps: from the control code, or by the
 * guess that a slot is kept if the next instruction reads the same register in it.
 */
static unsigned reused_slots_of(const struct sm *s, unsigned w, const struct core_inst *in)
{
	const struct core_warp *cw = &s->modern->warp[w];
	const struct warp *p = &s->warp[w];
	const struct core_inst *next;
	unsigned reuse = 0;

	if (cw->control)
		return core_control_of(cw, in->pc)->reuse;
	if (s->modern->params->rfc_guess == RFC_NONE || p->cursor == p->last)
		return 0;
	next = core_inst_at(s, p, p->cursor + 1);
	for (unsigned i = 0; i < in->n_src; i++)
		for (unsigned k = 0; k < next->n_src; k++)
			if (in->src[i].reg == next->src[k].reg && in->src[i].slot == next->src[k].slot)
				reuse |= 1u << in->src[i].slot;
	return reuse;
}

static uint64_t register_read_wait(struct sm *s, struct subcore *b, unsigned w, const struct core_inst *in)
{
	return in->flags & INST_FIXED ? core_register_wait(s, b, w, in, reused_slots_of(s, w, in)) : 0;
}

/*
 * Logs the issue of an instruction at t. If h is WINST_NONE, the end is already fixed, and its log entry is scheduled.
 */
static __attribute__((cold)) NOINLINE void log_core_issue(
	struct sm *s, unsigned w, const struct core_inst *in, uint64_t t, uint16_t h)
{
	events_log_issue(s->events, s->now + (t - s->clock), s->id, w, in->pc, s->modern->warp[w].sub);
	if (h == WINST_NONE)
		core_add_event(s, t + in->pipeline_cycles, EVENT_LOG, w, in->pc);
	if (s->pipeline)
		core_pipeline_issue(s, w, t, h);
}

/*
 * Issues the head of the warp with the given rank. Returns its issue time, which is after the wait for register reads.
 */
static uint64_t issue_head_of_rank(struct sm *s, unsigned sub, unsigned rank, struct core_warp *cw)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[sub];
	unsigned w = b->warp_of[rank];
	struct warp *p = &s->warp[w];
	const struct rec *rec = &p->rec[p->cursor];
	const struct core_inst *in = cw->head;
	uint64_t t = s->clock;
	uint16_t h = 0;

	if (cw->may_wait_for_reads)
		t += register_read_wait(s, b, w, in);

	count_issue(s, sub, w, rec, in);
	if (s->profile)
		profile_count_core_issue(s, w, rec->inst);
	if (!(in->flags & INST_FIXED))
		h = new_variable_latency_op(s, w, rec, &s->uops[rec->inst]);
	if (s->events)
		log_core_issue(s, w, in, t, h);
	core_depend_note_issue(s, w, in, t, h ? &c->op[h] : NULL);
	core_unit_accept(s, b, in, h, t);
	if (in->flags & INST_SPECIAL)
		core_sync_issue_special(s, w, in, t, h);
	cw->last_mask = in->unit == CORE_BRANCH ? 0 : rec->mask;
	b->greedy = (int8_t)rank;
	b->port_free = t + 1 + in->extra_port_cycles;
	advance_warp(s, w, cw, t);
	return t;
}

/* ---- the stage ---------------------------------------------------------------------------------- */

/* Returns true if the result queue, if there is one, has a free entry for the result of `in`. */
static bool result_queue_has_slot(struct sm *s, struct subcore *b, const struct core_inst *in)
{
	uint32_t places = s->modern->params->result_queue;

	return !places || !(in->flags & INST_FIXED) || !in->n_dst ||
	       b->result_at < s->clock + in->pipeline_cycles + places;
}

static void occupy_result_queue(struct subcore *b, const struct core_inst *in, uint64_t t)
{
	if (in->flags & INST_FIXED && in->n_dst)
		b->result_at = b->result_at + 1 > t + in->pipeline_cycles ? b->result_at + 1
									  : t + in->pipeline_cycles;
}

/*
 * Tries the ready warps in order of priority. Returns true if one has issued; else sets *open to the earliest time at
 * which a unit that one of them needs accepts an instruction.
 */
static bool try_ready_warps(struct sm *s, unsigned sub, uint64_t *open)
{
	struct core *c = s->modern;
	struct subcore *b = &c->sub[sub];
	uint64_t set = b->ready_warps;

	while (set) {
		unsigned rank = pick_rank_to_issue(c, b, set), w = b->warp_of[rank];
		struct core_warp *cw = &c->warp[w];
		const struct core_inst *in = cw->head;
		uint64_t at = unit_accept_time(c, b, cw->unit);

		if (at > s->clock) {
			*open = at < *open ? at : *open;
			set &= ~b->by_unit[cw->unit];
			continue;
		}
		set &= ~(1ull << rank);
		if (cw->retest_at_issue && !core_may_issue_now(s, w))
			continue;
		if (!result_queue_has_slot(s, b, in))
			continue;
		core_count_cycles_before(s, sub, s->clock);
		occupy_result_queue(b, in, issue_head_of_rank(s, sub, rank, cw));
		b->counted_until = s->clock + 1;
		return true;
	}
	return false;
}

/* Runs the issue stage. Returns the time of the next attempt with a ready warp; NEVER: none before the next event. */
uint64_t core_issue_stage(struct sm *s, unsigned sub)
{
	struct subcore *b = &s->modern->sub[sub];
	uint64_t open = NEVER;
	bool issued = false;

	core_wheel_advance(s, b);
	if (b->ready_warps && s->clock >= b->port_free)
		issued = try_ready_warps(s, sub, &open);
	if (!issued)
		core_count_cycles_before(s, sub, s->clock);
	b->issued = issued;
	if (!b->ready_warps)
		return NEVER;
	if (b->port_free > s->clock)
		return b->port_free;
	return issued || s->modern->params->result_queue ? s->clock + 1 : open;
}
