/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes a warp of machine code, op by op.
 *
 * Always true: flow.c executes ops that change the flow; all others continue at the next instruction. An instruction
 * of the uniform datapath is executed in the lanes of the running group. Compiled code is right for each lane alone,
 * so a lane reads a uniform register only after it has written it; lanes that have parted may write it in any order.
 * Plain code is a sequence of ops that the whole group executes and that access no memory. o->n_straight is the
 * number of such ops from op o on. In packed records, plain code extends a run once. A stretch (same_base.c) also has
 * accesses whose records follow from earlier records.
 */
#include "inlining.h"
#include "machine/code.h"
#include "machine/record.h"

/*
 * Executes at most n ops of plain code from o on, n > 0, for the lanes of mask, which is not 0. Returns the number of
 * executed ops, which is less than n if the warp stops.
 */
static inline uint32_t run_plain(struct warp *w, const struct op *o, uint32_t n, uint32_t mask)
{
	const struct op *first = o, *end = o + n;

	do
		o->execute(w, o, mask);
	while (++o < end && !w->stop);
	return (uint32_t)(o - first);
}

/*
 * Returns true if the running group has branched back, after an op that changed the flow. It may then hand the warp to
 * another group. A group that is extended to whole quads shares lanes with other groups, so it hands over only after
 * the extension.
 */
static inline bool has_branched_back(const struct warp *w, uint32_t pc)
{
	return w->stack[w->depth - 1].pc <= pc;
}

/*
 * Executes and records at most n ops of the stretch from instruction number `id` on, n > 0, for all lanes. Returns
 * the number of executed ops; 0 if the last run lacks an access on which the stretch is based.
 */
static NOINLINE uint32_t run_stretch(struct warp *w, const struct op *o, uint32_t id, uint64_t n)
{
	struct recording *t = &w->packed;
	const struct stretch *s = &o->func->machine_code->stretch[id];
	const uint32_t first = id == t->next && t->last_run_mask == ALL_LANES ? t->last_run_start : id;

	if (first > s->lowest_inst)
		return 0;
	n = run_plain(w, o, n < s->n ? (uint32_t)n : s->n, ALL_LANES);
	recording_extend_run_by(t, id, (uint32_t)n, ALL_LANES);
	record_moved_accesses(t, s, id + (uint32_t)n);
	return (uint32_t)n;
}

/*
 * Executes op o, which changes the flow, for the lanes of exec of the running group. Returns true if another group runs
 * next because the warp has executed `turn` instructions.
 */
static inline bool execute_flow_in_turn(
	struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec, uint64_t turn)
{
	w->insts++;
	w->thread_insts += bit_count32(exec);
	flow_execute(w, o, pc, mask, exec);
	if (w->state != WARP_READY || w->insts < turn || w->depth < 2 || !has_branched_back(w, pc))
		return false;
	group_rotate(w);
	return true;
}

void run_warp(struct warp *w, uint64_t quantum)
{
	const struct op *code = w->grid->code->op;
	record_fn *record = w->grid->record;
	const uint64_t end = w->insts + quantum, turn = quantum > 1 ? end : UINT64_MAX;
	bool overdue = false; /* the quantum is over, but the group has yet to branch back */

	while (w->state == WARP_READY && !w->stop && (w->insts < end || overdue)) {
		struct stack_entry *top = &w->stack[w->depth - 1];
		uint32_t pc = top->pc, mask = top->mask, full = bit_count32(mask), exec;
		uint64_t left = overdue ? UINT64_MAX : end - w->insts, n = 0, threads = 0;
		const struct op *o;
		const bool plain = mask && (!record || record == machine_record_packed);

		/* until an op changes the flow, the group and its lanes stay the same */
		for (;; pc++) {
			o = &code[pc];
			if (o->n_straight && plain && n < left && !w->stop) {
				uint32_t k = run_plain(w, o,
					left - n < o->n_straight ? (uint32_t)(left - n) : o->n_straight,
					mask);

				if (record)
					recording_extend_run_by(&w->packed, pc - o->func->first_pc, k, mask);
				n += k;
				threads += (uint64_t)k * full;
				pc += k;
				o += k;
			}
			if (o->stretch && record && plain && mask == ALL_LANES && n < left && !w->stop) {
				const uint32_t k = run_stretch(w, o, pc - o->func->first_pc, left - n);

				n += k;
				threads += k * LANES;
				pc += k;
				o += k;
			}
			exec = mask & (PRED(w, o->guard) ^ o->guard_not);
			if (o->flow > MF_UNIFORM || n == left || w->stop)
				break;
			n++;
			threads += exec == mask ? full : bit_count32(exec);
			if (exec)
				o->execute(w, o, exec);
			record_op(w, record, o, pc, mask, exec);
		}
		top->pc = pc;
		w->insts += n;
		w->thread_insts += threads;
		if (w->stop) {
			if (w->stop == WARP_YIELD &&
				w->depth > 1) /* other groups of the warp may have to run first */
				group_rotate(w);
			break;
		}
		if (n < left && execute_flow_in_turn(w, o, pc, mask, exec, turn))
			break;
		overdue = w->insts >= turn && w->depth > 1;
	}
}
