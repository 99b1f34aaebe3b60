/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops in which lanes wait for a write: found by executing instructions one by one.
 *
 * Always true: a loop that is reported to spin returns to an earlier state of registers, calls and local memory without
 * changing other memory.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/spin.h"

struct snapshot {
	uint8_t *frames; /* registers of the running function and of its callers */
	uint8_t *local;  /* local memory of the lanes; NULL: none, or too much to copy */
	struct stack_entry *stack;
	size_t bytes, local_bytes;
	uint32_t depth, calls;
};
#define LOCAL_COPY_MOST (1u << 20) /* largest local memory of a warp that is copied */

static void take_snapshot(const struct warp *w, struct snapshot *s)
{
	s->bytes = w->frame_at + w->grid->code->frame[w->func].bytes;
	s->depth = w->depth;
	s->calls = w->n_calls;
	s->frames = xmalloc(s->bytes);
	s->stack = xcalloc(s->depth, sizeof(*s->stack));
	memcpy(s->frames, w->frames, s->bytes);
	memcpy(s->stack, w->stack, s->depth * sizeof(*s->stack));
	s->local_bytes = (size_t)w->local_stride * LANES;
	s->local = s->local_bytes && s->local_bytes <= LOCAL_COPY_MOST ? xmalloc(s->local_bytes) : NULL;
	if (s->local)
		memcpy(s->local, w->local, s->local_bytes);
}

static bool equals_snapshot(const struct warp *w, const struct snapshot *s)
{
	return w->depth == s->depth && w->n_calls == s->calls &&
	       w->stack[w->depth - 1].pc == s->stack[s->depth - 1].pc &&
	       !memcmp(w->stack, s->stack, s->depth * sizeof(*s->stack)) &&
	       w->frame_at + w->grid->code->frame[w->func].bytes == s->bytes &&
	       !memcmp(w->frames, s->frames, s->bytes) &&
	       (!w->changed_local || (s->local && !memcmp(w->local, s->local, s->local_bytes)));
}

#define FROZEN_STEPS 1024u /* largest number of steps while the clocks of the warp are stopped */

/*
 * Returns true if the state after n steps must be copied, so that later states are compared with it. A copy takes as
 * long as tens of steps, so the first one is made after 8 steps: a loop that reads a clock usually does so earlier,
 * which ends the search. While the clocks are stopped, registers may contain an earlier time for longer, so newer
 * copies replace the first one.
 */
static bool is_state_to_keep(const struct warp *w, uint32_t n)
{
	return n == 8 || (w->frozen && (n == 64 || n == 512));
}

static void free_snapshot(struct snapshot *s)
{
	free(s->frames);
	free(s->local);
	free(s->stack);
}

/*
 * Executes at most `steps` instructions until the warp is in an earlier state again. Returns false if it does not get
 * there, or if a warp that is not frozen reads a clock.
 */
static bool returns_to_state(struct warp *w, uint32_t steps)
{
	struct snapshot s = {0};
	bool returned = false;

	for (uint32_t n = 0; n < steps && !returned; n++) {
		if (is_state_to_keep(w, n)) {
			free_snapshot(&s);
			take_snapshot(w, &s);
			w->changed_local = false;
		}
		exec_warp(w, 1);
		w->cta->clock++;
		if (w->state != WARP_READY || w->changed || w->stop & WARP_STOP)
			break;
		w->stop = 0;
		if (w->timed && !w->frozen)
			break;
		returned = s.frames && equals_snapshot(w, &s);
	}
	free_snapshot(&s);
	return returned;
}

/* Returns true if a warp spins. A loop that reads a clock spins if it repeats while the clock is stopped. */
bool exec_does_spin(struct warp *w, uint32_t steps)
{
	bool timed_before = w->timed;

	w->changed = w->timed = false;
	bool spins = returns_to_state(w, steps);
	if (!spins && w->timed && w->state == WARP_READY && !w->changed && !(w->stop & WARP_STOP)) {
		w->frozen_clock = exec_clock(w, 0);
		w->frozen = true;
		spins = returns_to_state(w, FROZEN_STEPS);
		w->frozen = false;
	}
	w->timed |= timed_before;
	return spins;
}

/* Returns true if an op reads memory that other lanes may write at any time. */
static bool is_polling_read(const struct op *o)
{
	return o->stmt->opcode == I_atom || stmt_has(o->stmt, M_VOLATILE) || stmt_has(o->stmt, M_RELAXED) ||
	       stmt_has(o->stmt, M_ACQUIRE);
}

bool exec_does_poll(struct warp *w, uint32_t steps)
{
	const struct op *polled = NULL;
	bool changed_before = w->changed, polls = false;

	w->changed = false;
	for (uint32_t n = 0; n < steps && !polls; n++) {
		const struct op *o = &w->grid->code->op[w->stack[w->depth - 1].pc];

		polls = polled && o == polled;
		if (!polled && is_polling_read(o))
			polled = o;
		exec_warp(w, 1);
		w->cta->clock++;
		if (w->state != WARP_READY || w->changed || w->stop & WARP_STOP)
			break;
		w->stop = 0;
	}
	polls = polls && !w->changed;
	w->changed |= changed_before;
	return polls;
}
