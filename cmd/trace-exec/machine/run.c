/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes a warp of machine code, op by op.
 *
 * Always true: flow.c executes ops that change the flow; all others continue at the next instruction. An instruction of
 * the uniform datapath is executed once for the running group, in all lanes of its registers.
 */
#include "machine/code.h"

/*
 * Records an instruction of straight code. Most instructions of lines of version 5 only extend the last run of a packed
 * record.
 */
static inline void record_straight(
	struct warp *w, record_fn *record, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	struct recording *t = &w->packed;

	if (record == machine_record_packed && pc - o->func->first_pc == t->next && exec == t->mask &&
		!o->memory && (!o->flow || exec == mask))
		t->next++;
	else
		record(w, o, pc, mask, exec);
}

/*
 * Returns true if the running group may hand the warp to another group after an op that changed the flow: it has
 * branched back. The compiler keeps constants of divergent code in uniform registers, which all groups share, and
 * relies on a group to run from their write to their use.
 */
static inline bool has_branched_back(const struct warp *w, uint32_t pc)
{
	return w->stack[w->depth - 1].pc <= pc;
}

void run_warp(struct warp *w, uint64_t quantum)
{
	const struct op *code = w->g->code->op;
	record_fn *record = w->g->record;
	uint64_t end = w->insts + quantum;
	bool overdue = false; /* the quantum is over, but the group has yet to branch back */

	while (w->state == WARP_READY && !w->stop && (w->insts < end || overdue)) {
		struct stack_entry *top = &w->stack[w->depth - 1];
		uint32_t pc = top->pc, mask = top->mask, full = bit_count32(mask), exec;
		uint64_t left = overdue ? UINT64_MAX : end - w->insts, n = 0, threads = 0;
		const struct op *o;

		/* until an op changes the flow, the group and its lanes stay the same */
		for (;; pc++) {
			o = &code[pc];
			exec = mask & (PRED(w, o->guard) ^ o->guard_not);
			if (o->flow > MF_UNIFORM || n == left || w->stop)
				break;
			n++;
			threads += exec == mask ? full : bit_count32(exec);
			if (exec)
				o->fn(w, o, o->flow ? ALL_LANES : exec);
			if (record)
				record_straight(w, record, o, pc, mask, exec);
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
		if (n < left) {
			w->insts++;
			w->thread_insts += bit_count32(exec);
			flow_execute(w, o, pc, mask, exec);
			if (w->state == WARP_READY && w->insts >= end && quantum > 1 && w->depth > 1 &&
				has_branched_back(w, pc)) {
				group_rotate(w);
				break;
			}
		}
		overdue = w->insts >= end && quantum > 1 && w->depth > 1;
	}
}
