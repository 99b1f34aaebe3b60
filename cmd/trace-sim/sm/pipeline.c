/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions in flight for the pipeline log, and the observation of the pipeline of sm/; see pipeline.h.
 *
 * Always true: the list of a warp has its instructions in the order of their records. An issued instruction is in
 * by_inst until its end or, if this is earlier, until its winst is freed.
 */
#include "sm/pipeline.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "lsu/ldst_int.h"
#include "pipereg.h"
#include "sm/kernel.h"

#define PIPE_MAX   (1u << 18) /* more than the maximum number of instructions in flight on an SM */
#define PIPE_WINST (UINT16_MAX + 1u)

struct sm_pipeline *pipeline_new(struct kanata *log, const struct filter *only, unsigned sm)
{
	struct sm_pipeline *p;

	if (only->active && (sm < only->sm[0] || sm > only->sm[1]))
		return NULL;
	p = xcalloc(1, sizeof(*p));
	p->log = log;
	for (unsigned w = 0; w < MAX_WARPS; w++)
		if (!only->active || (w >= only->warp[0] && w <= only->warp[1]))
			p->warps |= 1ull << w;
	p->pool = reserve(PIPE_MAX, sizeof(*p->pool));
	p->by_inst = reserve(PIPE_WINST, sizeof(struct pipe_inst *));
	return p;
}

void pipeline_free(struct sm_pipeline *p)
{
	if (!p)
		return;
	reserve_free(p->pool, PIPE_MAX, sizeof(*p->pool));
	reserve_free(p->by_inst, PIPE_WINST, sizeof(struct pipe_inst *));
	free(p);
}

/* ---- labels -------------------------------------------------------------------------------------- */

/* Returns `at`, limited to the last byte of a text of KANATA_TEXT bytes. */
static size_t limit_label_end(size_t at) { return at < KANATA_TEXT ? at : KANATA_TEXT - 1; }

static size_t add_register_names(char *text, size_t at, const struct inst *in)
{
	for (unsigned i = 0; i < (unsigned)in->n_dst + in->n_src; i++) {
		unsigned r = in->reg[i];
		bool uniform = r >= REG_UR0;
		unsigned number = r - (uniform ? REG_UR0 : REG_R0);
		const char *kind = uniform ? "UR" : "R";
		size_t left = KANATA_TEXT - at;

		at += (size_t)(number == 255
				       ? snprintf(text + at, left, "%s%sZ", i ? ", " : " ", kind)
				       : snprintf(text + at, left, "%s%s%u", i ? ", " : " ", kind, number));
		at = limit_label_end(at);
	}
	return at;
}

/* Writes the PC, the opcode and the registers of an instruction; for PTX, the PC and the text. */
static void write_inst_label(char text[KANATA_TEXT], const struct inst *in)
{
	size_t at = limit_label_end(
		(size_t)snprintf(text, KANATA_TEXT, "%04x %s", in->pc, in->ptx ? in->ptx->text : in->opcode));

	if (!in->ptx)
		add_register_names(text, at, in);
}

static void write_inst_detail(char text[KANATA_TEXT], const struct sm *s, unsigned w, uint32_t index)
{
	const struct warp *p = &s->warp[w];
	const struct cta *c = &s->cta[p->cta];

	snprintf(text, KANATA_TEXT,
		"SM %u, warp slot %u, thread block %" PRIu64
		" of kernel %u, instruction %u of its warp, %d lanes",
		s->id, w, c->id, c->kernel ? c->kernel->uid : 0, index, bit_count32(p->rec[index].mask));
}

/* ---- instructions -------------------------------------------------------------------------------- */

static struct pipe_inst *new_pipe_inst(struct sm_pipeline *p)
{
	struct pipe_inst *i = p->free;

	if (i) {
		p->free = i->next;
		return i;
	}
	assert(p->n_used < PIPE_MAX);
	return &p->pool[p->n_used++];
}

struct pipe_inst *pipeline_begin_inst(struct sm *s, unsigned w, uint32_t index)
{
	struct sm_pipeline *p = s->pipeline;
	struct pipe_inst *i = new_pipe_inst(p), **link = &p->oldest[w];
	char label[KANATA_TEXT], detail[KANATA_TEXT];

	*i = (struct pipe_inst){.index = index,
		.code = s->warp[w].rec[index].inst,
		.next_stage_at = s->now,
		.producer = KANATA_HIDDEN};
	while (*link)
		link = &(*link)->next;
	*link = i;
	write_inst_label(label, code_at(s->code, i->code));
	write_inst_detail(detail, s, w, index);
	i->handle = kanata_begin_inst(p->log, s->now, s->id * KANATA_THREAD + w, label, detail);
	pipeline_enter_stage(s, i, STAGE_FETCH, s->now);
	return i;
}

struct pipe_inst *pipeline_find_inst(const struct sm *s, unsigned w, uint32_t index)
{
	struct pipe_inst *i = s->pipeline->oldest[w];

	while (i && (i->index != index || i->issued || i->end))
		i = i->next;
	return i;
}

void pipeline_enter_stage(struct sm *s, struct pipe_inst *i, enum stage stage, uint64_t cycle)
{
	if (i->stage == stage)
		return;
	i->stage = (uint8_t)stage;
	kanata_begin_stage(s->pipeline->log, i->handle, max_u64(cycle, i->next_stage_at), stage);
}

/* Removes an instruction from by_inst, unless its entry already belongs to a younger instruction. */
static void forget_pipe_inst(struct sm_pipeline *p, struct pipe_inst *i)
{
	if (p->by_inst[i->inst] == i)
		p->by_inst[i->inst] = NULL;
	i->inst = WINST_NONE;
}

void pipeline_mark_issued(struct sm *s, struct pipe_inst *i, uint16_t inst, uint64_t cycle)
{
	struct sm_pipeline *p = s->pipeline;

	i->issued = true;
	i->inst = inst;
	if (inst != WINST_NONE)
		p->by_inst[inst] = i;
	pipeline_enter_stage(s, i, STAGE_ISSUE, cycle);
	if (i->producer != KANATA_HIDDEN)
		kanata_draw_arrow(p->log, i->handle, cycle, i->producer);
	i->next_stage_at = cycle + 1;
}

/* Ends an instruction without writeback. */
static void end_without_writeback(struct sm *s, struct pipe_inst *i, uint64_t cycle, bool flushed)
{
	i->end = max_u64(cycle, i->next_stage_at);
	kanata_retire(s->pipeline->log, i->handle, i->end, flushed);
	forget_pipe_inst(s->pipeline, i);
}

void pipeline_end_with_writeback(struct sm *s, struct pipe_inst *i, uint64_t cycle)
{
	cycle = max_u64(cycle, i->next_stage_at);
	pipeline_enter_stage(s, i, STAGE_WRITE, cycle);
	end_without_writeback(s, i, cycle + 1, false);
}

void pipeline_free_ended(struct sm *s, unsigned w, bool all)
{
	struct sm_pipeline *p = s->pipeline;
	struct pipe_inst **link = &p->oldest[w], *i;

	while ((i = *link)) {
		if (all && !i->end)
			end_without_writeback(s, i, s->now, !i->issued);
		if (!all && (!i->end || i->end > s->now)) {
			link = &i->next;
			continue;
		}
		*link = i->next;
		i->next = p->free;
		p->free = i;
	}
}

enum stage pipeline_set_producer(struct sm *s, struct pipe_inst *i, const struct pipe_inst *by, bool memory)
{
	if (by)
		i->producer = kanata_number(s->pipeline->log, by->handle);
	return memory ? STAGE_WAIT_MEMORY : STAGE_WAIT_RESULT;
}

/* ---- waiting for issue --------------------------------------------------------------------------- */

static bool is_memory_pipe_inst(const struct sm *s, const struct pipe_inst *i)
{
	return s->uops[i->code].unit == UNIT_MEM;
}

/* Returns true if `by` writes a register that `u` reads or writes. */
static bool writes_operand_of(const struct uop *by, const struct uop *u)
{
	for (unsigned d = 0; d < by->n_dst; d++)
		for (unsigned r = 0; r < (unsigned)u->n_dst + u->n_src; r++)
			if (by->reg[d] == u->reg[r])
				return true;
	return false;
}

/* Returns the reason of a hazard: memory if one of the awaited results comes from memory, else an arithmetic result. */
static enum stage hazard_reason(struct sm *s, unsigned w, struct pipe_inst *head)
{
	const struct pipe_inst *by = NULL;
	bool memory = false;

	for (const struct pipe_inst *i = s->pipeline->oldest[w]; i; i = i->next)
		if (i->issued && !i->end && writes_operand_of(&s->uops[i->code], &s->uops[head->code]) &&
			(is_memory_pipe_inst(s, i) || !memory)) {
			by = i;
			memory = is_memory_pipe_inst(s, i);
		}
	return pipeline_set_producer(s, head, by, memory);
}

/* Returns the reason why the head of a warp did not issue. */
static enum stage head_wait_reason(struct sm *s, unsigned w, struct pipe_inst *head)
{
	uint64_t bit = 1ull << w;
	unsigned unit = s->uops[head->code].unit, k = w % s->core->schedulers;

	if (s->wrong_path & bit)
		return STAGE_WAIT_JUMP;
	if (s->at_barrier & bit)
		return STAGE_WAIT_BARRIER;
	if ((s->membar | s->dep_wait) & bit)
		return STAGE_WAIT_FENCE;
	if (s->atomic_wait & bit)
		return STAGE_WAIT_MEMORY;
	if (s->hazard & bit)
		return hazard_reason(s, w, head);
	if (collector_in_has_free_slot(s, s->collector_of[unit], k))
		return STAGE_WAIT_TURN;
	return unit_in_has_free_slot(s, &s->unit_in[unit], k) ? STAGE_WAIT_REGISTER : STAGE_WAIT_UNIT;
}

/* ---- fetch and decode ---------------------------------------------------------------------------- */

/* Ends instructions that were removed from the buffer without issuing. */
static void end_flushed_insts(struct sm *s, unsigned w)
{
	const struct warp *p = &s->warp[w];

	for (struct pipe_inst *i = s->pipeline->oldest[w]; i; i = i->next)
		if (!i->issued && !i->end && (s->done >> w & 1 || (i->decoded && i->index >= p->cursor)))
			end_without_writeback(s, i, s->now, true);
}

static bool is_fetched_now(const struct sm *s, unsigned w)
{
	if (s->warp[w].buffered || s->done >> w & 1)
		return false;
	return s->fetch_buffer == (int32_t)w || (s->imiss & ~s->wrong_path) >> w & 1;
}

static void observe_inst_buffer(struct sm *s, unsigned w)
{
	const struct warp *p = &s->warp[w];
	uint32_t head = p->cursor - p->buffered, end = p->cursor;

	end_flushed_insts(s, w);
	if (is_fetched_now(s, w)) /* a fetch delivers two instructions */
		end = p->cursor + 2;
	for (uint32_t index = head; index < end && index < p->n_recs; index++) {
		struct pipe_inst *i = pipeline_find_inst(s, w, index);

		if (!i)
			i = pipeline_begin_inst(s, w, index);
		if (!p->buffered)
			continue;
		if (i->decoded)
			pipeline_enter_stage(
				s, i, index == head ? head_wait_reason(s, w, i) : STAGE_ORDER, s->now);
		else
			pipeline_enter_stage(s, i, STAGE_DECODE, s->now);
		i->decoded = true;
	}
}

/* ---- after issue --------------------------------------------------------------------------------- */

/* Moves the instruction of a winst to a stage in which it was found, and notes that it was found. */
static void note_observed_stage(struct sm *s, uint16_t inst, enum stage stage)
{
	struct pipe_inst *i = s->pipeline->by_inst[inst];

	if (!i)
		return;
	i->last_observation = s->pipeline->observations;
	pipeline_enter_stage(s, i, stage, s->now);
}

static void observe_collectors(struct sm *s)
{
	const struct opcoll *c = &s->collector;
	uint64_t used = slot_mask(c->n_units) & ~c->free;

	FOR_BITS64 (u, used) {
		bool blocked = c->unit[u].target->collectors_blocked >> u & 1;

		note_observed_stage(s, c->unit[u].inst, blocked ? STAGE_DISPATCH : STAGE_READ);
	}
	FOR_BITS32 (kind, s->unit_in_used)
		FOR_BITS64 (slot, unit_in_occupied_slots(&s->unit_in[kind]))
			note_observed_stage(s, s->unit_in[kind].slot[slot], STAGE_DISPATCH);
}

static void observe_memory_unit(struct sm *s)
{
	const struct ldst *l = s->ldst;

	if (l->disp != DISP_EMPTY) {
		note_observed_stage(s, l->disp_inst, STAGE_ACCESS);
		if (s->pipeline->by_inst[l->disp_inst])
			s->pipeline->by_inst[l->disp_inst]->lane0 = l->accesses.lane0;
	}
	for (uint32_t i = 0; i < l->shared_pipe.count; i++)
		note_observed_stage(s, (uint16_t)timed_fifo_at(&l->shared_pipe, i).handle, STAGE_MEMORY);
}

/* Returns true if an instruction that has left the load/store unit waits for data. */
static bool waits_for_memory_data(const struct sm *s, unsigned w, const struct pipe_inst *i)
{
	const struct uop *u = &s->uops[i->code];

	if (!(u->flags & UOP_LOAD))
		return false;
	return pend_has_accesses(s, u, w) ||
	       (u->flags & UOP_LDGSTS && pend_ldgsts_accesses(s, w, u->pc, i->lane0));
}

/* Moves an issued instruction that was found in no register and no queue to the stage after the last known one. */
static void move_unseen_instruction(struct sm *s, unsigned w, struct pipe_inst *i)
{
	const struct uop *u = &s->uops[i->code];

	if (i->stage == STAGE_DISPATCH) {
		pipeline_enter_stage(s, i, STAGE_EXECUTE, s->now);
	} else if (i->stage == STAGE_ACCESS) {
		forget_pipe_inst(s->pipeline, i);
		if (waits_for_memory_data(s, w, i))
			pipeline_enter_stage(s, i, STAGE_MEMORY, s->now);
		else
			end_without_writeback(s, i, s->now, false);
	} else if (i->stage == STAGE_MEMORY &&
		   i->inst != WINST_NONE) { /* the access to shared memory is done */
		forget_pipe_inst(s->pipeline, i);
		if (!u->n_dst)
			end_without_writeback(s, i, s->now, false);
	}
}

static void observe_issued_insts(struct sm *s, unsigned w)
{
	for (struct pipe_inst *i = s->pipeline->oldest[w]; i; i = i->next)
		if (i->issued && !i->end && i->last_observation != s->pipeline->observations)
			move_unseen_instruction(s, w, i);
}

/* ---- functions that the SM calls ----------------------------------------------------------------- */

void pipeline_observe(struct sm *s)
{
	struct sm_pipeline *p = s->pipeline;

	kanata_advance(p->log, s->now);
	p->observations++;
	if (s->modern) {
		core_pipeline_observe(s);
		return;
	}
	observe_collectors(s);
	observe_memory_unit(s);
	FOR_BITS64 (w, p->warps) {
		if (s->live >> w & 1) {
			observe_issued_insts(s, (unsigned)w);
			observe_inst_buffer(s, (unsigned)w);
		}
		if (p->oldest[w])
			pipeline_free_ended(s, (unsigned)w, !(s->live >> w & 1));
	}
}

void pipeline_note_issue(struct sm *s, uint16_t inst)
{
	const struct winst *in = &s->winst[inst];
	struct pipe_inst *i;

	s->pipeline->by_inst[inst] = NULL;
	if (!(s->pipeline->warps >> in->warp & 1))
		return;
	i = pipeline_find_inst(s, in->warp, in->rec_index);
	if (!i)
		i = pipeline_begin_inst(s, in->warp, in->rec_index);
	pipeline_mark_issued(s, i, inst, s->now);
}

void pipeline_note_writeback(struct sm *s, uint16_t inst)
{
	if (s->pipeline->by_inst[inst])
		pipeline_end_with_writeback(s, s->pipeline->by_inst[inst], s->now);
}

void pipeline_note_memdone(struct sm *s, unsigned w, uint32_t pc, uint64_t lane0)
{
	for (struct pipe_inst *i = s->pipeline->oldest[w]; i; i = i->next) {
		const struct uop *u = &s->uops[i->code];

		if (u->pc != pc || i->end || (i->stage != STAGE_ACCESS && i->stage != STAGE_MEMORY))
			continue;
		if (u->flags & UOP_LDGSTS && i->lane0 != lane0)
			continue;
		pipeline_end_with_writeback(s, i, s->now);
		return;
	}
}
