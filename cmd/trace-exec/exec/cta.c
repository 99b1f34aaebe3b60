/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thread block: its warps, round robin, and its barriers.
 *
 * Each warp runs until it waits or ends, or for a turn of instructions, so that warps can wait for each other's
 * stores. Always true: a barrier is complete when the number of warps that it names, or all live warps, have
 * arrived; the order of execution depends only on the program.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/park.h"
#include "exec/spin.h"
#include "exec/stack.h"
#include "exec/undefined.h"
#include "exec/warpgroup.h"

#define STEP 256u /* instructions that a group of independent lanes executes in a row */

struct cta *cta_new(struct grid *g)
{
	struct cta *c = xcalloc(1, sizeof(*c));

	c->grid = g;
	c->n_warps = g->warps;
	c->warp = xcalloc(g->warps, sizeof(*c->warp));
	c->shared_bytes = g->shared_window;
	c->shared = xcalloc(c->shared_bytes + 64u, 1);
	c->local_stride = (g->code->local_bytes + 15) / 16 * 16;
	if (c->local_stride)
		c->local = reserve((size_t)g->warps * LANES, c->local_stride);
	for (uint32_t i = 0; i < g->warps; i++) {
		struct warp *w = &c->warp[i];
		uint32_t left = g->threads - i * LANES;

		w->cta = c;
		w->grid = g;
		w->mem = g->mem;
		w->index = i;
		w->lanes = left >= LANES ? ALL_LANES : (1u << left) - 1;
		w->local_stride = c->local_stride;
		w->local = c->local ? c->local + (size_t)i * LANES * c->local_stride : NULL;
	}
	return c;
}

void cta_free(struct cta *c)
{
	for (uint32_t i = 0; i < c->n_warps; i++) {
		free(c->warp[i].stack);
		free(c->warp[i].call);
		free(c->warp[i].frames);
		free(c->warp[i].out.p);
		free(c->warp[i].packed.run);
		free(c->warp[i].packed.payload);
		free(c->warp[i].packed.word);
		undefined_free(&c->warp[i]);
		park_free(&c->warp[i]);
	}
	if (c->local)
		reserve_free(c->local, (size_t)c->n_warps * LANES, c->local_stride);
	checker_free_cta(c);
	free(c->product);
	free(c->shared);
	free(c->warp);
	free(c);
}

void cta_start(struct cta *c, uint64_t number)
{
	c->number = number;
	grid_block_id(c->grid, number, c->id);
	c->n_done = 0;
	c->clock = 0;
	c->has_outside_effect = false;
	c->reads_timer = false;
	memset(c->barrier, 0, sizeof(c->barrier));
	c->shared_bytes = c->grid->shared_window;
	memset(c->shared, 0, c->shared_bytes);
	c->clash.op = NULL;
	c->n_findings = 0;
	checker_start_cta(c);
	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct warp *w = &c->warp[i];

		w->state = WARP_READY;
		w->stop = 0;
		w->live = w->lanes;
		w->ended = 0;
		w->n_calls = 0;
		w->frame_at = 0;
		w->local_base = func_frame_start(c->grid->launch->kernel, c->grid->code->prog->local_end);
		memset(w->dynamic_end, 0, sizeof(w->dynamic_end));
		w->insts = w->thread_insts = w->lines = 0;
		w->out.n = 0;
		w->packed.n_runs = w->packed.n_payloads = w->packed.n_words = w->packed.n_lists = 0;
		w->packed.next = NO_RUN;
		w->mbarrier_wait.failed = false;
		w->products = 0;
		w->leaves_warpgroup = false;
		w->waiting = NULL;
		w->barrier_waiting_lanes = w->cluster_waiting_lanes = w->awaited_sync_lanes =
			w->early_sync_lanes = 0;
		w->cluster_arrived = w->cluster_phase_over = 0;
		w->changed = w->changed_local = false;
		w->switched_at = w->released_at = 0;
		undefined_reset(w);
		park_reset(w);
		if (c->grid->machine) {
			c->grid->machine->start(w);
			continue;
		}
		exec_open_frame(w, c->grid->kernel);
		stack_start(w, c->grid->launch->kernel->first_pc);
	}
}

/* ---- barriers ---- */

static void set_barrier_result(struct warp *w, const struct barrier *b)
{
	const struct op *o = w->waiting;
	uint32_t m = w->wait_mask;

	if (o->n == BAR_POPC) {
		FOR_BITS32 (i, m)
			REG(uint32_t, w, o->d)[i] = b->n_true;
	} else if (o->n == BAR_AND || o->n == BAR_OR) {
		uint32_t *d = &PRED(w, o->d);

		*d = (*d & ~m) | ((o->n == BAR_AND ? b->and_result : b->or_result) ? m : 0);
	}
}

static void complete_barrier(struct cta *c, uint32_t id)
{
	struct barrier *b = &c->barrier[id];

	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct warp *w = &c->warp[i];

		if (w->waiting && w->state == WARP_BARRIER && w->barrier == id) {
			set_barrier_result(w, b);
			w->waiting = NULL;
			w->state = WARP_READY;
		}
	}
	memset(b, 0, sizeof(*b));
	checker_note_barrier(c);
}

static bool is_barrier_complete(const struct cta *c, const struct barrier *b)
{
	return b->arrived && b->arrived >= (b->counted ? b->expected : c->n_warps - c->n_done);
}

/* Adds the predicates of the lanes of exec to the results of a barrier that reduces. */
static void add_to_reductions(struct barrier *b, uint32_t predicates, uint32_t exec)
{
	b->and_result &= predicates == exec;
	b->or_result |= predicates != 0;
	b->n_true += bit_count32(predicates);
}

bool cta_arrive_barrier(struct warp *w, const struct op *o, uint32_t exec)
{
	struct cta *c = w->cta;
	unsigned lane = bit_lowest32(exec);
	uint32_t id = REG(uint32_t, w, o->a)[lane], count = o->b ? REG(uint32_t, w, o->b)[lane] : 0;
	struct barrier *b = &c->barrier[id & 15];

	if (id > 15 || (o->b && (!count || count % LANES || count > 1024))) {
		exec_fail(w, o, exec, "barrier",
			"barrier %u of %u threads (expected 0 to 15 and a multiple of 32)", id, count);
		return true;
	}
	if (w->grid->options->check && !stack_must_gather(w, o) && !check_divergence(w, o, exec))
		return true;
	uint32_t warps = count ? count / LANES : c->n_warps; /* without a count: the whole block */
	if (b->arrived && b->expected != warps) {
		exec_fail(w, o, exec, "barrier-count",
			"barrier %u of %u threads (expected %u, as in other warps)", id,
			count ? count : c->grid->threads,
			b->counted ? b->expected * LANES : c->grid->threads);
		return true;
	}
	if (!b->arrived)
		*b = (struct barrier){.and_result = 1, .counted = true};
	b->counted = b->counted && count;
	b->expected = warps;
	b->arrived++;
	if (o->n >= BAR_AND)
		add_to_reductions(b, (PRED(w, o->c) ^ (uint32_t)o->imm) & exec, exec);
	if (o->n != BAR_ARRIVE) {
		w->waiting = o;
		w->wait_mask = exec;
		w->barrier = (uint8_t)id;
		w->state = WARP_BARRIER; /* complete_barrier() also releases the warp that arrives last */
	}
	if (is_barrier_complete(c, b)) {
		complete_barrier(c, id);
		if (c->n_warps > 1) /* the warp does not run ahead of warps that arrived before it */
			w->stop |= WARP_YIELD;
		return true;
	}
	return o->n == BAR_ARRIVE;
}

void cta_count_ended_warp(struct cta *c)
{
	c->n_done++;
	for (uint32_t i = 0; i < 16; i++)
		if (c->barrier[i].arrived && !c->barrier[i].counted && is_barrier_complete(c, &c->barrier[i]))
			complete_barrier(c, i);
}

/* Returns the buffer that the lowest lane accessed last, or NULL if the last access was to other memory. */
static const struct buffer *last_accessed_buffer(const struct warp *w, uint32_t lanes)
{
	uint64_t addr = lanes ? w->addr[bit_lowest32(lanes)] : 0;
	const struct buffer *b = addr >= HEAP_BASE ? memory_nearest_buffer(w->mem, addr) : NULL;

	return b && b->live && addr - b->addr < b->size ? b : NULL;
}

bool cta_waits_for_write(const struct cta *c)
{
	for (uint32_t i = 0; i < c->n_warps; i++) {
		const struct warp *w = &c->warp[i];

		if (w->state == WARP_READY && last_accessed_buffer(w, w->stack[w->depth - 1].mask & w->live))
			return true;
	}
	return false;
}

#define WAIT_LOOP 4096u /* largest number of instructions of a loop around a wait for an mbarrier */

/* Fails the launch at the loop in which a warp waits for an mbarrier. Returns false if it does not wait for one. */
static bool fail_mbarrier_wait(struct warp *w, const struct stack_entry *top)
{
	const struct mbarrier_wait *b = &w->mbarrier_wait;
	unsigned long long bytes = (unsigned long long)(b->bytes < 0 ? -b->bytes : b->bytes);
	unsigned n = bit_count32(top->mask & w->live);

	if (!b->failed || w->insts - b->insts > WAIT_LOOP)
		return false;
	exec_fail(w, &w->grid->code->op[top->pc], top->mask & w->live, "deadlock",
		"deadlock: %u lane%s of warp %u wait%s for the mbarrier at byte %llu of .shared, whose phase lacks %llu arrival%s and %s%llu byte%s%s (check the count of its init, and the bytes that it expects)",
		n, n == 1 ? "" : "s", w->index, n == 1 ? "s" : "", (unsigned long long)b->offset,
		(unsigned long long)b->arrivals, b->arrivals == 1 ? "" : "s", b->bytes < 0 ? "has " : "",
		bytes, bytes == 1 ? "" : "s", b->bytes < 0 ? " more than expected" : "");
	return true;
}

/* Fails the launch at the instruction at which a warp spins. */
static void fail_spinning_warp(struct warp *w)
{
	const struct stack_entry *top = &w->stack[w->depth - 1];
	uint32_t others = w->lanes & ~w->ended & ~top->mask;
	const struct buffer *b = last_accessed_buffer(w, top->mask & w->live);
	unsigned n = bit_count32(top->mask & w->live);
	char value[80] = "a value";

	if (fail_mbarrier_wait(w, top))
		return;

	if (b && b->host) {
		exec_fail(w, &w->grid->code->op[top->pc], top->mask & w->live, "deadlock",
			"%u lane%s of warp %u wait%s in a loop for the host to write to '%s', but the host waits for the kernel",
			n, n == 1 ? "" : "s", w->index, n == 1 ? "s" : "", b->name);
		return;
	}
	if (b)
		snprintf(value, sizeof(value), "a value in '%.60s'", b->name);
	exec_fail(w, &w->grid->code->op[top->pc], top->mask & w->live, "deadlock",
		"deadlock: %u lane%s of warp %u spin%s on %s that no running thread writes%s (%s)", n,
		n == 1 ? "" : "s", w->index, n == 1 ? "s" : "", value,
		others ? ", while other lanes of the warp wait for them" : "",
		others && !w->grid->independent ? "use --stack volta"
						: "check its first value, and which threads write it");
}

/* Fails the launch at a barrier. Names another warp that waits elsewhere, if there is one. */
static void fail_barrier_wait(struct warp *w)
{
	const struct cta *c = w->cta;
	const struct barrier *b = &c->barrier[w->barrier];
	char other[80 + POSITION_MAX] =
		" (the others have ended; check the number of threads of the barrier)";

	for (uint32_t i = 0; i < c->n_warps; i++) {
		const struct warp *v = &c->warp[i];
		char at[POSITION_MAX];

		if (!v->waiting || (v->state == WARP_BARRIER && v->barrier == w->barrier))
			continue;
		position_text(v->waiting, at, sizeof(at));
		snprintf(other, sizeof(other), ", and warp %u waits at %s (expected both at one barrier)", i,
			at);
		break;
	}
	exec_fail(w, w->waiting, w->wait_mask, "deadlock",
		"deadlock: warp %u waits at barrier %u, where %u of %u warps have arrived%s", w->index,
		w->barrier, b->arrived, b->counted ? b->expected : c->n_warps - c->n_done, other);
}

void cta_fail_deadlock(struct cta *c)
{
	for (uint32_t i = 0; i < c->n_warps; i++)
		if (c->warp[i].state == WARP_READY) {
			fail_spinning_warp(&c->warp[i]);
			return;
		}
	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct warp *w = &c->warp[i];

		if (w->state == WARP_CLUSTER)
			exec_fail(w, w->waiting, w->wait_mask, "deadlock",
				"deadlock: warp %u waits for its cluster, of which %u threads have arrived (expected all)",
				i, c->cluster->arrived);
		else if (w->waiting)
			fail_barrier_wait(w);
		else
			continue;
		return;
	}
}

void cta_fail_over_limit(struct cta *c)
{
	struct warp *w = &c->warp[0];

	for (uint32_t i = 0; i < c->n_warps && w->state == WARP_DONE; i++)
		w = &c->warp[i];
	exec_fail(w,
		&c->grid->code->op[w->depth ? w->stack[w->depth - 1].pc : c->grid->launch->kernel->first_pc],
		w->live, "limit", "more than %llu warp instructions in a launch (--limit)",
		(unsigned long long)c->grid->options->limit);
}

/* Executes a turn of a warp with independent lanes: each group that can run executes STEP instructions. */
static void execute_independent_groups(struct warp *w)
{
	uint64_t end = w->insts + w->grid->warp_turn;

	while (w->state == WARP_READY && !(w->stop & WARP_STOP) && w->insts < end) {
		w->stop = 0;
		exec_warp(w, min_u64(STEP, w->grid->warp_turn));
		if (w->state == WARP_READY && !(w->stop & WARP_STOP) && stack_switch_group(w) < 2 && w->stop)
			return;
	}
}

#define CALL_TURN 8192u /* instructions of a warp after which lanes of other calls continue */
#define PATIENCE \
	(1u << 16) /* instructions of a warp after which lanes that wait for others may continue without them */
#define POLL_STEPS 512u /* instructions among which to look for a loop that waits for a write */

/*
 * Lets lanes of other calls continue. If the running lanes wait for a write in a loop that also changes registers,
 * which exec_does_spin() does not recognise, also lets lanes continue that wait for them.
 */
static void let_other_lanes_continue(struct warp *w)
{
	if (w->depth < 2) {
		w->released_at = w->insts;
		return;
	}
	if (w->state != WARP_READY)
		return;
	if (w->insts - w->switched_at >= CALL_TURN) {
		w->switched_at = w->insts;
		stack_switch_call(w);
	}
	if (w->insts - w->released_at < PATIENCE)
		return;
	w->released_at = w->insts;
	if (exec_does_poll(w, POLL_STEPS))
		stack_release_waiting(w);
}

bool cta_execute_turn(struct cta *c)
{
	bool moved = false;

	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct warp *w = &c->warp[i];
		uint64_t before = w->insts;

		if (w->state != WARP_READY && !warpgroup_is_ready(w))
			continue;
		moved = true;
		w->clock_reads = 0;
		if (c->grid->independent && !c->grid->machine)
			execute_independent_groups(w);
		else
			exec_warp(w, c->grid->warp_turn);
		c->clock += w->insts - before;
		if (w->stop & WARP_STOP)
			return true;
		w->stop = 0;
		if (c->grid->independent)
			let_other_lanes_continue(w);
		if (w->state == WARP_DONE)
			cta_count_ended_warp(c);
	}
	return moved;
}
