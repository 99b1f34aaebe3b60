/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SIMT stack of a warp: entries (pc, lanes, meeting point), the running group on top.
 *
 * When a branch divides the lanes, the entry under it waits at the meeting point. The group that falls through
 * is pushed first, so that the group that takes the branch runs first. Always true: the top entry has a live
 * lane; no entry is at its own meeting point; entries of a call are above its base. The lanes of an entry may be
 * those of a parked call (park.c), which continues when the entry becomes the top.
 */
#include <string.h>
#include "bits.h"
#include "exec/check.h"
#include "exec/park.h"
#include "exec/stack.h"

void stack_push_entry(struct warp *w, uint32_t pc, uint32_t mask, uint32_t rpc)
{
	if (w->depth == w->cap)
		grow(&w->stack, &w->cap, w->depth + 1, sizeof(*w->stack));
	w->stack[w->depth++] = (struct stack_entry){pc, mask, rpc};
}

void stack_start(struct warp *w, uint32_t pc)
{
	w->depth = 0;
	stack_push_entry(w, pc, w->lanes, UINT32_MAX);
}

/* Removes entries without a live lane. Ends a call or the warp if it has no live lane left. */
void stack_remove_ended(struct warp *w)
{
	for (;;) {
		uint32_t base = w->n_calls ? w->call[w->n_calls - 1].base : 0;

		while (w->depth > base && !(w->stack[w->depth - 1].mask & w->live))
			w->depth--;
		if (w->depth > base) {
			if (w->stack[w->depth - 1].rpc == RPC_PARKED)
				park_resume_top(w);
			return;
		}
		if (!w->n_calls) {
			w->state = WARP_DONE;
			return;
		}
		call_leave(w);
	}
}

void stack_continue_at(struct warp *w, uint32_t pc)
{
	struct stack_entry *top = &w->stack[w->depth - 1];

	top->pc = pc;
	if (pc == top->rpc)
		w->depth--;
	stack_remove_ended(w);
}

/* Replaces the top entry by n groups of lanes with different PCs, which are pushed in this order. */
static void split_group(struct warp *w, const struct stack_entry *group, unsigned n, uint32_t rpc)
{
	struct stack_entry top = w->stack[w->depth - 1], kept[LANES];
	unsigned k = 0;

	for (unsigned i = 0; i < n; i++)
		if (group[i].mask && (group[i].pc != top.rpc || top.rpc == UINT32_MAX))
			kept[k++] = group[i];
	if (k < 2) {
		if (k == 1) {
			w->stack[w->depth - 1].pc = kept[0].pc;
			w->stack[w->depth - 1].mask = kept[0].mask;
		} else {
			w->depth--;
		}
		stack_remove_ended(w);
		return;
	}
	if (rpc == top.rpc)
		w->depth--;
	else
		w->stack[w->depth - 1].pc = rpc;
	for (unsigned i = 0; i < k; i++)
		if (kept[i].pc != rpc || rpc == UINT32_MAX)
			stack_push_entry(w, kept[i].pc, kept[i].mask, rpc);
}

void stack_branch(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	struct stack_entry group[2] = {{pc + 1, mask & ~exec, 0}, {o->target, exec, 0}};

	if (exec == mask || !exec) {
		stack_continue_at(w, exec ? o->target : pc + 1);
		return;
	}
	if (o->target == pc + 1) {
		stack_continue_at(w, pc + 1);
		return;
	}
	split_group(w, group, 2, o->rpc);
}

void stack_branch_table(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	const uint32_t *index = REG(uint32_t, w, o->a);
	struct stack_entry group[LANES + 1];
	unsigned n = 0;

	group[n++] = (struct stack_entry){pc + 1, mask & ~exec, 0};
	FOR_BITS32 (i, exec) {
		unsigned k = 0;

		if (index[i] >= o->x->n_targets) {
			exec_fail(w, o, 1u << i, "branch-index",
				"branch index %u (expected less than %u, the number of targets)", index[i],
				o->x->n_targets);
			return;
		}
		uint32_t to = o->x->target[index[i]];
		while (k < n && group[k].pc != to)
			k++;
		if (k == n)
			group[n++] = (struct stack_entry){to, 0, 0};
		group[k].mask |= 1u << i;
	}
	for (unsigned i = 2; i < n; i++) /* sorts the targets; the group that falls through stays first */
		for (unsigned k = i; k > 1 && group[k].pc < group[k - 1].pc; k--) {
			struct stack_entry t = group[k];

			group[k] = group[k - 1];
			group[k - 1] = t;
		}
	unsigned used = 0;
	for (unsigned i = 0; i < n; i++)
		if (group[i].mask)
			group[used++] = group[i];
	if (used == 1)
		stack_continue_at(w, group[0].pc);
	else
		split_group(w, group, used, o->rpc);
}

static void move_entry_to_top(struct warp *w, uint32_t i)
{
	struct stack_entry e = w->stack[i];

	memmove(&w->stack[i], &w->stack[i + 1], (w->depth - i - 1) * sizeof(e));
	w->stack[w->depth - 1] = e;
}

/* Returns the index of the running call's first entry. */
static uint32_t base_of_call(const struct warp *w) { return w->n_calls ? w->call[w->n_calls - 1].base : 0; }

/*
 * Counts the entries of the running call that have a lane other than those of `except` and do not wait. Sets *lowest to
 * the lowest one. An entry waits while entries above it contain some of its lanes.
 */
static uint32_t count_groups(const struct warp *w, uint32_t except, uint32_t *lowest)
{
	uint32_t above = 0, n = 0;

	for (uint32_t i = w->depth; i-- > base_of_call(w);) {
		uint32_t mask = w->stack[i].mask & w->live;

		if (mask & ~except && !(mask & above)) {
			*lowest = i;
			n++;
		}
		above |= mask;
	}
	return n;
}

/* Moves the running call's lowest group that can run to the top, which may be a parked call. Returns their number. */
static uint32_t rotate_groups(struct warp *w)
{
	uint32_t lowest = 0, n = count_groups(w, w->barrier_waiting_lanes, &lowest);

	if (n > 1 || (n && w->barrier_waiting_lanes))
		move_entry_to_top(w, lowest);
	return n;
}

uint32_t stack_switch_group(struct warp *w)
{
	if (w->grid->machine)
		return w->grid->machine->rotate(w);
	uint32_t n = rotate_groups(w);
	park_resume_top(w);
	return n;
}

void stack_switch_call(struct warp *w)
{
	if (w->grid->machine || !(w->lanes & ~w->ended & ~w->live & ~w->barrier_waiting_lanes))
		return;
	while (w->n_calls) {
		park_call(w);
		rotate_groups(w);
	}
	park_resume_top(w);
}

/* Selects a group of machine code with a lane that is not in `tried`. */
static bool select_machine_group(struct warp *w, uint32_t tried)
{
	for (uint32_t n = w->grid->machine->rotate(w); n; n--) {
		if (w->stack[w->depth - 1].mask & ~tried)
			return true;
		w->grid->machine->rotate(w);
	}
	return false;
}

bool stack_select_other(struct warp *w, uint32_t tried)
{
	uint32_t i = 0, seen = tried | w->barrier_waiting_lanes;

	if (w->grid->machine)
		return select_machine_group(w, tried);
	for (;;) {
		if (count_groups(w, seen, &i)) {
			move_entry_to_top(w, i);
			park_resume_top(w);
			if (w->stack[w->depth - 1].mask & w->live & ~seen)
				return true;
		} else if (w->n_calls) {
			seen |= w->live;
			park_call(w);
		} else {
			park_resume_top(w);
			if (tried)
				stack_select_other(w, 0);
			return false;
		}
	}
}

/*
 * Returns the lanes that a .sync form names with a constant. Returns 0 for other instructions, and if the mask is in a
 * register.
 */
static uint32_t lanes_named_by_sync(const struct stmt *in)
{
	const struct operand *mask = &in->operand[in->opcode == I_bar ? 0 : in->n_operands - 1];

	switch (in->opcode) {
	case I_bar:
		if (!stmt_has(in, M_WARP))
			return 0;
		break;
	case I_shfl:
	case I_vote:
	case I_match:
	case I_redux:
		if (!stmt_has(in, M_SYNC))
			return 0;
		break;
	default: return 0;
	}
	return mask->kind == O_INT ? (uint32_t)mask->value : 0;
}

#define SYNC_NEAR 16u /* instructions among which to look for a .sync form */

/*
 * Returns true if lanes that continue at pc soon wait for a lane of `others`, in a .sync form. Only instructions before
 * the next branch, call or end are examined.
 */
static bool do_lanes_soon_wait(const struct warp *w, uint32_t pc, uint32_t others)
{
	const struct func *f = w->grid->code->prog->func[w->func];
	uint32_t end = min_u32(pc + SYNC_NEAR, f->first_pc + f->n_insts);

	for (; pc < end; pc++) {
		const struct op *o = &w->grid->code->op[pc];

		if (lanes_named_by_sync(o->stmt) & others)
			return true;
		if (o->flow != FLOW_NEXT)
			return false;
	}
	return false;
}

/*
 * Lets lanes of the running call that wait at a meeting point continue, unless they would soon wait for the other lanes
 * again. Returns false if there are none.
 */
static bool release_lanes_of_call(struct warp *w)
{
	uint32_t above = 0;

	for (uint32_t i = w->depth; i-- > base_of_call(w);) {
		uint32_t mask = w->stack[i].mask & w->live, waits = mask & ~above;

		if (waits && mask & above && !do_lanes_soon_wait(w, w->stack[i].pc, mask & above)) {
			w->stack[i].mask &= ~waits;
			stack_push_entry(w, w->stack[i].pc, waits, w->stack[i].rpc);
			return true;
		}
		above |= mask;
	}
	return false;
}

bool stack_release_waiting(struct warp *w)
{
	uint32_t i = 0, seen = 0;

	if (w->grid->machine)
		return w->grid->machine->release(w);
	while (!release_lanes_of_call(w)) {
		while (count_groups(w, seen, &i) && w->stack[i].rpc != RPC_PARKED)
			seen |= w->stack[i].mask;
		if (count_groups(w, seen, &i)) {
			move_entry_to_top(w, i);
			park_resume_top(w);
		} else if (w->n_calls) {
			seen |= w->live;
			park_call(w);
		} else {
			stack_select_other(w, 0);
			return false;
		}
	}
	return true;
}

bool stack_must_gather(const struct warp *w, const struct op *o)
{
	return o->n < BAR_AND &&
	       (w->grid->independent || (o->stmt->opcode == I_barrier && !stmt_has(o->stmt, M_ALIGNED)));
}

static void remove_entry(struct warp *w, uint32_t i)
{
	memmove(&w->stack[i], &w->stack[i + 1], (w->depth - i - 1) * sizeof(*w->stack));
	w->depth--;
}

/*
 * Lets groups at the instruction of the running group, with the same meeting point, join the running group: they
 * were separate only because one of them waited for another warp.
 */
static void join_running_group(struct warp *w)
{
	uint32_t base = base_of_call(w), joined = 0;
	struct stack_entry top = w->stack[w->depth - 1];
	uint32_t above = top.mask & w->live;

	for (uint32_t i = w->depth - 1; i-- > base;) {
		const struct stack_entry e = w->stack[i];
		uint32_t mask = e.mask & w->live;

		if (mask && !(mask & above) && e.pc == top.pc && e.rpc == top.rpc) {
			joined |= mask;
			remove_entry(w, i);
		}
		above |= mask;
	}
	w->stack[w->depth - 1].mask |= joined;
}

uint32_t stack_pass_barrier(struct stack_entry *e, uint32_t n, uint32_t live, uint32_t above)
{
	for (uint32_t i = n; i-- > 0;) {
		uint32_t mask = e[i].mask & live;
		bool waits = e[i].rpc != RPC_PARKED && mask && !(mask & above);

		above |= mask;
		if (waits && ++e[i].pc == e[i].rpc)
			memmove(&e[i], &e[i + 1], (--n - i) * sizeof(*e));
	}
	return n;
}

/* Moves the groups of all calls except the running group past the barrier at which they waited. */
static void release_barrier_groups(struct warp *w)
{
	uint32_t end, live = w->live, above;

	join_running_group(w);
	end = w->depth - 1;
	above = w->stack[end].mask;
	for (uint32_t k = w->n_calls + 1; k-- > 0;) { /* the running function, then its callers */
		uint32_t base = k ? w->call[k - 1].base : 0;
		uint32_t n = stack_pass_barrier(&w->stack[base], end - base, live & ~w->ended, above);
		uint32_t removed = end - base - n;

		memmove(&w->stack[base + n], &w->stack[end], (w->depth - end) * sizeof(*w->stack));
		w->depth -= removed;
		for (uint32_t i = k; i < w->n_calls; i++)
			w->call[i].base -= removed;
		if (!k)
			break;
		end = base;
		live = w->call[k - 1].live;
		above = w->call[k - 1].exec;
	}
	park_release_barrier(w);
	w->barrier_waiting_lanes = 0;
}

/*
 * Selects a group of lanes that does not wait at a barrier, in any call. Returns false if there is none.
 */
static bool run_lanes_not_at_barrier(struct warp *w)
{
	return stack_select_other(w, 0) || stack_release_waiting(w);
}

/* Makes the lanes of exec wait at the barrier at pc. Lanes of mask whose guard is false pass it. */
static void wait_at_barrier(struct warp *w, uint32_t pc, uint32_t mask, uint32_t exec)
{
	struct stack_entry *top = &w->stack[w->depth - 1];
	uint32_t rpc = top->rpc;

	w->barrier_waiting_lanes |= exec;
	if (!(mask & ~exec))
		return;
	top->mask = exec;
	if (pc + 1 != rpc)
		stack_push_entry(w, pc + 1, mask & ~exec, rpc);
}

bool stack_gather(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	uint32_t alive = w->lanes & ~w->ended, id = REG(uint32_t, w, o->a)[bit_lowest32(exec)],
		 waiting = w->barrier_waiting_lanes & ~w->cluster_waiting_lanes;

	if (exec == alive || !stack_must_gather(w, o))
		return true;
	if (waiting && w->waiting_barrier_id != id) {
		exec_fail(w, o, exec, "barrier-divergent",
			"lanes of warp %u at barrier %u, others at barrier %u (expected all at the same barrier)",
			w->index, id, w->waiting_barrier_id);
		return false;
	}
	if ((waiting | exec) == alive) {
		release_barrier_groups(w);
		return true;
	}
	w->waiting_barrier_id = id;
	wait_at_barrier(w, pc, mask, exec);
	if (run_lanes_not_at_barrier(w))
		return false;
	if (w->cluster_waiting_lanes)
		cluster_wait_in_groups(w, o);
	else
		check_divergence(w, o, w->barrier_waiting_lanes);
	return false;
}

bool stack_wait_for_cluster(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	if (!w->grid->independent || stmt_has(o->stmt, M_ALIGNED) || exec == (w->lanes & ~w->ended) ||
		!cluster_must_wait(w, exec))
		return true;
	w->cluster_waiting_lanes |= exec;
	wait_at_barrier(w, pc, mask, exec);
	if (!run_lanes_not_at_barrier(w))
		cluster_wait_in_groups(w, o);
	return false;
}

void stack_execute_again(struct warp *w, uint32_t pc, uint32_t mask)
{
	stack_push_entry(w, pc, mask, pc + 1);
}

void stack_return_to(struct warp *w, uint32_t pc)
{
	struct stack_entry *top = &w->stack[w->depth - 1];

	top->pc = pc;
	if (pc == top->rpc)
		w->depth--;
}

void stack_call(struct warp *w, uint32_t pc, uint32_t exec) { stack_push_entry(w, pc, exec, UINT32_MAX); }
