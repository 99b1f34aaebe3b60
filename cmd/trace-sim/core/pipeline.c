/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Observes the modern core for the pipeline log; see sm/pipeline.h. Always true: all times of an instruction of fixed
 * latency are known at its issue, so its stages are logged then.
 */
#include "core/core.h"
#include "sm/pipeline.h"

#define DECODE_BEFORE 1u /* cycles from decoding to the first cycle of issue */
#define READ_CYCLES   1u /* cycles between issue and execution */

/* Returns the cycle, a value of s->now, of a clock value; the current cycle if it is in the past. */
static uint64_t cycle_of_clock(const struct sm *s, uint64_t clock)
{
	return clock > s->clock ? s->now + (clock - s->clock) : s->now;
}

/* ---- waiting for issue --------------------------------------------------------------------------- */

static bool is_memory_inst(const struct sm *s, uint32_t code)
{
	const struct core_inst *in = &s->modern->inst[code];

	return in->unit == CORE_MEMORY && in->path != PATH_EXCHANGE;
}

/* Returns true if `by` has yet to decrement a dependence counter that `head`, of the same warp, waits for. */
static bool blocks_head_by_counter(const struct core *c, const struct core_warp *cw,
	const struct pipe_inst *by, const struct core_inst *head)
{
	unsigned wait = core_control_of(cw, head->pc)->wait;
	const struct core_op *op = &c->op[by->inst];

	if (by->inst == WINST_NONE)
		return false;
	return (op->write_counter && wait >> (op->write_counter - 1) & 1) ||
	       (op->read_counter && op->counts_readers && wait >> (op->read_counter - 1) & 1);
}

/* Returns true if `by` writes a register that `in` reads or writes. */
static bool writes_register_of(const struct core_inst *by, const struct core_inst *in)
{
	for (unsigned d = 0; d < by->n_dst; d++)
		for (unsigned r = 0; r < (unsigned)in->n_src + in->n_dst; r++)
			if (core_destinations(by)[d].reg == in->src[r].reg)
				return true;
	return false;
}

static enum stage dependence_reason(struct sm *s, unsigned w, struct pipe_inst *head)
{
	const struct core *c = s->modern;
	const struct core_warp *cw = &c->warp[w];
	const struct core_inst *in = &c->inst[head->code];
	const struct pipe_inst *by = NULL;
	bool memory = false;

	for (const struct pipe_inst *i = s->pipeline->oldest[w]; i; i = i->next) {
		bool holds = i->issued && (cw->control && i->inst != WINST_NONE
							  ? blocks_head_by_counter(c, cw, i, in)
							  : writes_register_of(&c->inst[i->code], in));

		if (holds && (!memory || is_memory_inst(s, i->code))) {
			by = i;
			memory = is_memory_inst(s, i->code);
		}
	}
	return pipeline_set_producer(s, head, by, memory);
}

/* Returns the reason why a ready warp did not issue. */
static enum stage ready_warp_wait_reason(const struct sm *s, const struct core_warp *cw)
{
	const struct core *c = s->modern;
	const struct subcore *b = &c->sub[cw->sub];

	if (b->port_free > s->clock + 1)
		return STAGE_WAIT_COUNT;
	if (b->issued)
		return STAGE_WAIT_TURN;
	return b->unit_free_at[cw->unit] > s->clock || c->params->result_queue ? STAGE_WAIT_UNIT
									       : STAGE_WAIT_TURN;
}

/* Returns the reason why the head of a warp did not issue; STAGE_NONE: it is not decoded yet. */
static enum stage core_head_wait_reason(struct sm *s, unsigned w, struct pipe_inst *head)
{
	const struct core_warp *cw = &s->modern->warp[w];

	if (s->modern->sub[cw->sub].ready_warps >> cw->rank & 1)
		return ready_warp_wait_reason(s, cw);
	switch ((enum core_stall)cw->stall) {
	case STALL_UNIT:
	case STALL_RESULT: return STAGE_WAIT_UNIT;
	case STALL_DEPEND: return dependence_reason(s, w, head);
	case STALL_WAR: return STAGE_WAIT_READ;
	case STALL_FENCE: return STAGE_WAIT_FENCE;
	case STALL_BARRIER: return STAGE_WAIT_BARRIER;
	case STALL_COUNT:
	case STALL_PORT: return STAGE_WAIT_COUNT;
	case STALL_JUMP: return STAGE_WAIT_JUMP;
	default: return STAGE_NONE;
	}
}

/* ---- fetch and decode ---------------------------------------------------------------------------- */

static void log_decode(struct sm *s, struct pipe_inst *i, uint64_t valid_at)
{
	uint64_t valid = cycle_of_clock(s, valid_at);

	if (valid > s->now + DECODE_BEFORE)
		pipeline_enter_stage(s, i, STAGE_DECODE, valid - DECODE_BEFORE);
	i->decoded = true;
	i->next_stage_at = valid;
}

/* Returns true if the warp waits for a line of code. */
static bool waits_for_code(const struct subcore *b, const struct core_warp *cw)
{
	FOR_BITS64 (slot, b->missing_slots)
		if (b->missing_warps[slot] >> cw->rank & 1)
			return true;
	return false;
}

static void observe_core_buffer(struct sm *s, unsigned w)
{
	const struct warp *p = &s->warp[w];
	const struct core_warp *cw = &s->modern->warp[w];

	for (uint32_t index = p->cursor; index < cw->fetched; index++) {
		struct pipe_inst *i = pipeline_find_inst(s, w, index);
		enum stage reason = STAGE_ORDER;

		if (!i)
			i = pipeline_begin_inst(s, w, index);
		if (!i->decoded)
			log_decode(s, i, cw->buffer[index % BUFFER_SLOTS].valid_at);
		if (index == p->cursor)
			reason = core_head_wait_reason(s, w, i);
		if (reason != STAGE_NONE)
			pipeline_enter_stage(s, i, reason, s->now);
	}
	if (cw->fetched < p->n_recs && waits_for_code(&s->modern->sub[cw->sub], cw) &&
		!pipeline_find_inst(s, w, cw->fetched))
		pipeline_begin_inst(s, w, cw->fetched);
}

/* ---- after issue --------------------------------------------------------------------------------- */

/* Enters a stage, and marks the instruction so that observe_memory_operations() does not enter STAGE_MEMORY. */
static void enter_stage_once(struct sm *s, uint16_t inst, enum stage stage)
{
	struct pipe_inst *i = s->pipeline->by_inst[inst];

	if (!i)
		return;
	i->last_observation = s->pipeline->observations;
	pipeline_enter_stage(s, i, stage, s->now);
}

static void observe_memory_pipeline(struct sm *s)
{
	const struct core *c = s->modern;

	for (unsigned k = 0; k < c->subs; k++)
		for (uint32_t i = 0; i < c->sub[k].mem_queue_count; i++)
			enter_stage_once(s,
				c->sub[k].mem_queue[(c->sub[k].mem_queue_head + i) % MEM_PLACES].op,
				STAGE_QUEUE);
	for (uint32_t i = 0; i < c->pipe_count; i++)
		enter_stage_once(s, c->pipe[(c->pipe_head + i) % L1_PIPE].op, STAGE_ACCESS);
}

/* Enters STAGE_MEMORY for the operations of warp w that are in no queue of the core. */
static void observe_memory_operations(struct sm *s, unsigned w)
{
	for (struct pipe_inst *i = s->pipeline->oldest[w]; i; i = i->next)
		if (i->inst != WINST_NONE && i->last_observation != s->pipeline->observations &&
			s->modern->inst[i->code].unit == CORE_MEMORY)
			pipeline_enter_stage(s, i, STAGE_MEMORY, s->now);
}

void core_pipeline_observe(struct sm *s)
{
	struct sm_pipeline *p = s->pipeline;

	observe_memory_pipeline(s);
	FOR_BITS64 (w, p->warps) {
		bool live = s->live >> w & 1;

		if (live) {
			observe_memory_operations(s, (unsigned)w);
			if (s->modern->warp[w].started && !(s->done >> w & 1))
				observe_core_buffer(s, (unsigned)w);
		}
		if (p->oldest[w])
			pipeline_free_ended(s, (unsigned)w, !live);
	}
}

/* ---- functions that the core calls --------------------------------------------------------------- */

void core_pipeline_issue(struct sm *s, unsigned w, uint64_t t, uint16_t inst)
{
	uint32_t index = s->warp[w].cursor;
	uint64_t issue = cycle_of_clock(s, t), end;
	const struct core_inst *in;
	struct pipe_inst *i;

	if (inst != WINST_NONE)
		s->pipeline->by_inst[inst] = NULL;
	if (!(s->pipeline->warps >> w & 1))
		return;
	i = pipeline_find_inst(s, w, index);
	if (!i)
		i = pipeline_begin_inst(s, w, index);
	in = &s->modern->inst[i->code];
	if (issue > s->now)
		pipeline_enter_stage(s, i, STAGE_WAIT_REGISTER, s->now);
	pipeline_mark_issued(s, i, inst, issue);
	if (in->unit == CORE_MEMORY)
		return;
	end = inst == WINST_NONE ? issue + in->pipeline_cycles : NEVER;
	if (in->unit != CORE_NO_UNIT && issue + 1 + READ_CYCLES < end) {
		pipeline_enter_stage(s, i, STAGE_READ, issue + 1);
		i->next_stage_at = issue + 1 + READ_CYCLES;
	}
	pipeline_enter_stage(s, i, STAGE_EXECUTE, i->next_stage_at);
	if (end != NEVER)
		pipeline_end_with_writeback(s, i, end);
}

void core_pipeline_complete(struct sm *s, uint16_t inst)
{
	struct pipe_inst *i = s->pipeline->by_inst[inst];

	if (i)
		pipeline_end_with_writeback(s, i, s->now);
}
