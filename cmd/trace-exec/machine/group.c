/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of lanes of a warp, each with a program counter, and their waits at convergence barriers, WARPSYNC and
 * barriers of the thread block.
 *
 * The stack of the warp holds the groups. The group on top runs until it ends, waits or yields. After a divergent
 * branch the side with fewer lanes runs first; if both have as many, the side that falls through. Always true after
 * group_settle(): the lanes of the groups are disjoint and live, and the group on top can run, or the warp is done,
 * waits or has failed.
 */
#include <string.h>
#include "exec/check.h"
#include "machine/code.h"

static struct stack_entry *push_group(struct warp *w, uint32_t pc, uint32_t mask, uint32_t state)
{
	if (w->depth == w->cap)
		grow(&w->stack, &w->cap, w->depth + 1, sizeof(*w->stack));
	w->stack[w->depth] = (struct stack_entry){pc, mask, state};
	return &w->stack[w->depth++];
}

static void remove_group_at(struct warp *w, uint32_t i)
{
	w->depth--;
	memmove(&w->stack[i], &w->stack[i + 1], (w->depth - i) * sizeof(*w->stack));
}

void group_start(struct warp *w, uint32_t pc)
{
	w->depth = 0;
	push_group(w, pc, w->lanes, GROUP_READY);
}

void group_split(struct warp *w, const struct stack_entry *part, unsigned n)
{
	unsigned order[LANES + 1], k = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = k;

		if (!part[i].mask)
			continue;
		/* the group pushed last runs first: the smallest, and of equal groups the first in part */
		while (at && bit_count32(part[order[at - 1]].mask) <= bit_count32(part[i].mask))
			at--;
		memmove(&order[at + 1], &order[at], (k - at) * sizeof(*order));
		order[at] = i;
		k++;
	}
	w->depth--;
	for (unsigned i = 0; i < k; i++)
		push_group(w, part[order[i]].pc, part[order[i]].mask, GROUP_READY);
}

/* ---- waits ---- */

/* Returns the lanes that must wait in the same way as group e before it continues. */
static uint32_t awaited_lanes(const struct warp *w, const struct stack_entry *e)
{
	const struct op *o = &w->grid->code->op[e->pc];
	uint32_t alive = w->lanes & ~w->ended, named;

	if (e->rpc == GROUP_BAR)
		return alive;
	named = REG(uint32_t, w, o->a)[bit_lowest32(e->mask)];
	return (e->rpc == GROUP_WARPSYNC && o->mode ? alive : named & alive) | e->mask;
}

static bool have_same_wait(const struct warp *w, const struct stack_entry *a, const struct stack_entry *b)
{
	const struct op *code = w->grid->code->op;

	return a->rpc == b->rpc && (a->rpc != GROUP_BSYNC || code[a->pc].a == code[b->pc].a);
}

/*
 * Releases the groups that wait as e does and whose lanes are all in `all`. Groups at the same instruction
 * become one.
 */
static void release_groups(struct warp *w, struct stack_entry e, uint32_t all)
{
	struct stack_entry kept[LANES];
	unsigned n = 0;

	w->released_at = w->insts;
	for (uint32_t i = w->depth; i-- > 0;) {
		struct stack_entry x = w->stack[i];
		unsigned k = 0;

		if (!have_same_wait(w, &x, &e) || x.mask & ~all)
			continue;
		remove_group_at(w, i);
		while (k < n && kept[k].pc != x.pc + 1)
			k++;
		if (k == n)
			kept[n++] = (struct stack_entry){x.pc + 1, 0, GROUP_READY};
		kept[k].mask |= x.mask;
	}
	while (n--)
		push_group(w, kept[n].pc, kept[n].mask, GROUP_READY);
}

/* Executes the barrier of the block at which all live lanes wait, with the instruction of group e. */
static void arrive_at_block_barrier(struct warp *w, const struct stack_entry *e, uint32_t all)
{
	const struct op *o = &w->grid->code->op[e->pc];

	w->changed = true;
	if (!cta_arrive_barrier(w, o, all) && w->state == WARP_READY)
		w->state = WARP_BARRIER;
	if (!(w->stop & WARP_STOP))
		release_groups(w, *e, all);
}

/*
 * Releases the groups at the wait of group i if all lanes that group i waits for have reached it. Returns true if
 * it released them.
 */
static bool release_if_all_wait(struct warp *w, uint32_t i)
{
	struct stack_entry e = w->stack[i];
	uint32_t want = awaited_lanes(w, &e), there = 0;

	for (uint32_t k = 0; k < w->depth; k++)
		if (have_same_wait(w, &w->stack[k], &e) && !(w->stack[k].mask & ~want))
			there |= w->stack[k].mask;
	if (want & ~there)
		return false;
	if (e.rpc == GROUP_BAR)
		arrive_at_block_barrier(w, &e, there);
	else
		release_groups(w, e, there);
	return !(w->stop & WARP_STOP); /* a barrier that fails releases no group */
}

/* Returns true if lanes at a WARPSYNC wait for lanes of mask. */
static bool is_awaited_by_warpsync(const struct warp *w, uint32_t mask)
{
	for (uint32_t k = 0; k < w->depth; k++)
		if (w->stack[k].rpc == GROUP_WARPSYNC && awaited_lanes(w, &w->stack[k]) & mask)
			return true;
	return false;
}

/*
 * Releases groups at a convergence barrier while every group waits: the compiler lets lanes leave the region of a
 * barrier by a branch to a WARPSYNC that names the whole warp, and the other lanes must reach it. Returns false if no
 * group was released.
 */
static bool release_to_warpsync(struct warp *w)
{
	for (uint32_t i = w->depth; i-- > 0;) {
		struct stack_entry e = w->stack[i];

		if (e.rpc == GROUP_BSYNC && is_awaited_by_warpsync(w, e.mask)) {
			release_groups(w, e, awaited_lanes(w, &e));
			return true;
		}
	}
	return false;
}

/* Lets the lanes of group i, which waits at a convergence barrier, continue. Other lanes no longer wait for them. */
static void release_group_alone(struct warp *w, uint32_t i)
{
	struct stack_entry e = w->stack[i];
	uint32_t *barrier = REG(uint32_t, w, w->grid->code->op[e.pc].a);

	for (unsigned l = 0; l < LANES; l++)
		if (!(e.mask >> l & 1))
			barrier[l] &= ~e.mask;
	release_groups(w, e, e.mask);
}

bool group_release_from_yield(struct warp *w, uint32_t mask)
{
	for (uint32_t i = w->depth; i-- > 0;) {
		const struct stack_entry *e = &w->stack[i];

		if (e->rpc == GROUP_BSYNC && w->grid->code->op[e->pc].mode && awaited_lanes(w, e) & mask) {
			release_group_alone(w, i);
			return true;
		}
	}
	return false;
}

bool group_release_waiting(struct warp *w)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < w->depth; i++)
		running |= w->stack[i].rpc == GROUP_READY ? w->stack[i].mask : 0;
	for (uint32_t i = w->depth; i-- > 0;)
		if (w->stack[i].rpc == GROUP_BSYNC && awaited_lanes(w, &w->stack[i]) & running) {
			release_group_alone(w, i);
			return true;
		}
	return false;
}

void group_end_cluster_wait(struct warp *w)
{
	bool waited = false;

	for (uint32_t i = w->depth; i-- > 0;) {
		struct stack_entry *e = &w->stack[i];

		if (e->rpc != GROUP_CLUSTER)
			continue;
		w->cluster_phase_over &= ~e->mask;
		e->pc++;
		e->rpc = GROUP_READY;
		waited = true;
	}
	if (waited)
		group_settle(w);
}

/*
 * Parts a group at a convergence barrier whose lanes wait for different lanes: they entered the region in several
 * groups and have met at a WARPSYNC since. Returns false if there is none.
 */
static bool part_by_awaited_lanes(struct warp *w)
{
	for (uint32_t i = w->depth; i-- > 0;) {
		struct stack_entry e = w->stack[i];
		uint32_t want = awaited_lanes(w, &e), same = 0;

		if (e.rpc != GROUP_BSYNC)
			continue;
		FOR_BITS32 (l, e.mask)
			if ((awaited_lanes(w, &(struct stack_entry){e.pc, 1u << l, e.rpc}) | e.mask) == want)
				same |= 1u << l;
		if (same != e.mask) {
			w->stack[i].mask = same;
			push_group(w, e.pc, e.mask & ~same, e.rpc);
			return true;
		}
	}
	return false;
}

/*
 * Lets a group at a convergence barrier no longer wait for lanes that have left its region by BREAK while every group
 * waits: a function that the group called had the barrier in a register then, where BREAK did not see it. Such lanes do
 * not have the barrier themselves. Tests the groups that wait last first, as lanes in a function do not have the
 * barriers of its callers either. Returns false if there is no such group.
 */
static bool forget_lanes_that_left(struct warp *w)
{
	for (uint32_t i = w->depth; i-- > 0;) {
		const struct stack_entry *e = &w->stack[i];

		if (e->rpc != GROUP_BSYNC)
			continue;
		uint32_t *barrier = REG(uint32_t, w, w->grid->code->op[e->pc].a), left = 0;
		FOR_BITS32 (l, awaited_lanes(w, e) & ~e->mask)
			left |= (uint32_t)!barrier[l] << l;
		FOR_BITS32 (l, left ? e->mask : 0)
			barrier[l] &= ~left;
		if (left)
			return true;
	}
	return false;
}

/* Fails the launch: every group of the warp waits for lanes that wait elsewhere. */
static void fail_deadlocked_groups(struct warp *w)
{
	const struct stack_entry *e = &w->stack[w->depth - 1];
	unsigned n = bit_count32(e->mask);

	exec_fail(w, &w->grid->code->op[e->pc], e->mask, "deadlock",
		"deadlock: %u lane%s of warp %u wait%s for lanes 0x%08x of the warp, which wait elsewhere (check the masks and barriers of both)",
		n, n == 1 ? "" : "s", w->index, n == 1 ? "s" : "", awaited_lanes(w, e) & ~e->mask);
}

/*
 * Releases the groups at each wait that all its lanes have reached. Groups of one wait that follow each other, such as
 * lanes that leave a loop one after another, are tested once.
 */
static void release_complete_waits(struct warp *w)
{
	struct stack_entry tested = {
		0, 0, GROUP_READY}; /* group whose wait was tested last and is not complete */
	uint32_t want = 0;

	for (uint32_t i = w->depth; i-- > 0;) {
		struct stack_entry e = w->stack[i];

		if (e.rpc == GROUP_READY || e.rpc == GROUP_CLUSTER ||
			(have_same_wait(w, &e, &tested) && awaited_lanes(w, &e) == want))
			continue;
		tested = e;
		want = awaited_lanes(w, &e);
		if (release_if_all_wait(w, i)) {
			i = w->depth;
			tested.rpc = GROUP_READY;
		}
	}
}

void group_release_beneath(struct warp *w)
{
	const struct stack_entry running = w->stack[--w->depth];

	release_complete_waits(w);
	push_group(w, running.pc, running.mask, running.rpc);
}

void group_settle(struct warp *w)
{
	for (uint32_t i = w->depth; i-- > 0;)
		if (!(w->stack[i].mask &= ~w->ended))
			remove_group_at(w, i);
	if (!w->depth) {
		w->state = WARP_DONE;
		return;
	}
	release_complete_waits(w);
	if (w->stop & WARP_STOP || w->state != WARP_READY)
		return;
	for (uint32_t i = w->depth; i-- > 0;)
		if (w->stack[i].rpc == GROUP_READY) {
			struct stack_entry e = w->stack[i];

			if (i + 1 < w->depth) {
				remove_group_at(w, i);
				push_group(w, e.pc, e.mask, e.rpc);
			}
			return;
		}
	if (part_by_awaited_lanes(w)) {
		group_settle(w);
		return;
	}
	if (release_to_warpsync(w))
		return;
	for (uint32_t i = w->depth; i-- > 0;)
		if (w->stack[i].rpc == GROUP_CLUSTER) {
			cluster_wait_in_groups(w, &w->grid->code->op[w->stack[i].pc]);
			return;
		}
	if (forget_lanes_that_left(w)) {
		group_settle(w);
		return;
	}
	fail_deadlocked_groups(w);
}

uint32_t group_rotate(struct warp *w)
{
	uint32_t n = 0, lowest = 0;

	for (uint32_t i = w->depth; i-- > 0;)
		if (w->stack[i].rpc == GROUP_READY) {
			n++;
			lowest = i;
		}
	if (n > 1) {
		struct stack_entry e = w->stack[lowest];

		remove_group_at(w, lowest);
		push_group(w, e.pc, e.mask, e.rpc);
	}
	return n;
}

/* ---- WARPSYNC ---- */

void group_check_own_masks(struct warp *w, const struct op *o, uint32_t slot, uint32_t exec)
{
	const uint32_t *named = REG(uint32_t, w, slot);
	uint32_t lacking = 0;

	for (unsigned i = 0; i < LANES; i++)
		lacking |= ~named[i] & 1u << i;
	lacking &= exec;
	if (lacking)
		exec_note_finding(w, o, lacking, "sync-mask",
			"%s: mask 0x%08x lacks lane %u, which executes it",
			o->flow == MF_WARPSYNC ? "WARPSYNC" : "BRA.DIV", named[bit_lowest32(lacking)],
			bit_lowest32(lacking));
}

bool group_meet_at_warpsync(struct warp *w, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	const uint32_t *named = REG(uint32_t, w, o->a);
	uint32_t alive = w->lanes & ~w->ended, all = 0, left = exec;
	struct stack_entry part[LANES];
	unsigned n = 0;

	if (w->grid->options->check && !o->mode)
		group_check_own_masks(w, o, o->a, exec);
	if (exec != mask || o->mode)
		return false;
	FOR_BITS32 (i, exec)
		all |= named[i] & alive;
	if (!o->n && !(all & ~exec))
		return false;
	while (left) {
		uint32_t first = named[bit_lowest32(left)] & alive, same = 0;

		FOR_BITS32 (i, left)
			same |= (uint32_t)((named[i] & alive) == first) << i;
		part[n++] = (struct stack_entry){pc, same, 0};
		left &= ~same;
	}
	if (n > 1)
		group_split(w, part, n);
	return n > 1;
}
