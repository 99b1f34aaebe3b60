/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes a warp of machine code, op by op.
 *
 * Always true: flow.c executes ops that change the flow; all others continue at the next instruction. An instruction of
 * the uniform datapath is executed once for the running group, in all lanes of its registers.
 */
#include "machine/code.h"

/*
 * Records an instruction of straight code. Most instructions only extend the last run of a packed record; `next` of a
 * warp whose trace is text is never the number of an instruction.
 */
static inline void record_straight(
	struct warp *w, record_fn *record, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	struct recording *t = &w->packed;

	if (pc - o->func->first_pc == t->next && exec == t->mask && !o->memory && (!o->flow || exec == mask))
		t->next++;
	else
		record(w, o, pc, mask, exec);
}

void run_warp(struct warp *w, uint64_t quantum)
{
	const struct op *code = w->g->code->op;
	record_fn *record = w->g->record;
	uint64_t end = w->insts + quantum;

	while (w->state == WARP_READY && !w->stop && w->insts < end) {
		struct stack_entry *top = &w->stack[w->depth - 1];
		uint32_t pc = top->pc, mask = top->mask, full = bit_count32(mask), exec;
		uint64_t left = end - w->insts, n = 0, threads = 0;
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
		if (n == left || w->stop) {
			if (w->stop == WARP_YIELD &&
				w->depth > 1) /* other groups of the warp may have to run first */
				group_rotate(w);
			break;
		}
		w->insts++;
		w->thread_insts += bit_count32(exec);
		flow_execute(w, o, pc, mask, exec);
	}
	if (w->state == WARP_READY && quantum > 1 && w->insts == end && w->depth > 1)
		group_rotate(w);
}
