/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parked calls: calls whose lanes wait while lanes of their callers run.
 *
 * A warp has one stack of running calls. If no group of lanes of the running call can continue, the call is parked:
 * its entries and registers move to a record, and an entry of the caller's stack with the lanes of the call refers to
 * the record. The caller's other groups run, and may call the same function. A parked call that itself has parked
 * calls keeps their entries among its own, so that the records form a tree. Calls are parked when their lanes wait at a
 * barrier or spin, and when lanes of another call take their turn.
 *
 * Always true: the top entry of a warp that can run is no parked call; lanes of a parked call are in no other entry
 * above the one that waits for their return. Local memory belongs to lanes, so it stays in its place.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/park.h"
#include "exec/stack.h"
#include "exec/undefined.h"

struct parked_call {
	struct call_frame call;
	uint32_t func;             /* number of the called function */
	uint32_t live;             /* lanes that have not left the call */
	uint32_t local_base;       /* warp.local_base of the call */
	struct stack_entry *entry; /* entries of the call; NULL: the record is free */
	uint32_t n_entries;
	uint8_t *frame;
	struct undefined_registers undefined;
};

struct parked_calls {
	struct parked_call *call;
	uint32_t n, cap;
};

static uint32_t find_free_record(struct warp *w)
{
	uint32_t i = 0;

	if (!w->parked)
		w->parked = xcalloc(1, sizeof(*w->parked));
	struct parked_calls *all = w->parked;
	while (i < all->n && all->call[i].entry)
		i++;
	if (i == all->n) {
		grow(&all->call, &all->cap, all->n + 1, sizeof(*all->call));
		all->call[all->n++] = (struct parked_call){.entry = NULL};
	}
	return i;
}

static void clear_record(struct parked_call *p)
{
	free(p->entry);
	free(p->frame);
	undefined_free_registers(&p->undefined);
	p->entry = NULL;
	p->frame = NULL;
}

/* Lets lanes that have returned from the running call continue in the caller. */
static void return_ended_lanes(struct warp *w, struct call_frame *c)
{
	call_copy_results(w, c, c->exec & ~w->live);
	c->exec &= w->live;
}

void park_call(struct warp *w)
{
	uint32_t k = find_free_record(w);
	struct parked_call *p = &w->parked->call[k];
	size_t bytes = w->grid->code->frame[w->func].bytes;

	p->call = w->call[--w->n_calls];
	return_ended_lanes(w, &p->call);
	p->func = w->func;
	p->live = w->live;
	p->local_base = w->local_base;
	p->n_entries = w->depth - p->call.base;
	p->entry = xcalloc(p->n_entries, sizeof(*p->entry));
	memcpy(p->entry, &w->stack[p->call.base], p->n_entries * sizeof(*p->entry));
	p->frame = xmalloc(bytes);
	memcpy(p->frame, w->frame, bytes);
	if (w->n_undefined)
		undefined_take_registers(w, w->frame_at, bytes, &p->undefined);
	call_return_to_caller(w, &p->call);
	stack_push_entry(w, k, p->call.exec, RPC_PARKED);
}

void park_resume_top(struct warp *w)
{
	while (w->stack[w->depth - 1].rpc == RPC_PARKED) {
		struct parked_call *p = &w->parked->call[w->stack[--w->depth].pc];
		size_t bytes = w->grid->code->frame[p->func].bytes;

		p->call.base = w->depth;
		p->call.live = w->live;
		w->call[w->n_calls++] = p->call;
		w->frame_at += w->grid->code->frame[w->func].bytes;
		w->frame = w->frames + w->frame_at;
		w->func = p->func;
		w->live = p->live & ~w->ended;
		w->local_base = p->local_base;
		for (uint32_t i = 0; i < p->n_entries; i++)
			stack_push_entry(w, p->entry[i].pc, p->entry[i].mask, p->entry[i].rpc);
		memcpy(w->frame, p->frame, bytes);
		if (p->undefined.lanes)
			undefined_put_registers(w, w->frame_at, &p->undefined);
		clear_record(p);
	}
}

void park_release_barrier(struct warp *w)
{
	for (uint32_t i = 0; w->parked && i < w->parked->n; i++) {
		struct parked_call *p = &w->parked->call[i];

		if (p->entry)
			p->n_entries = stack_pass_barrier(p->entry, p->n_entries, p->live, 0);
	}
}

void park_reset(struct warp *w)
{
	for (uint32_t i = 0; w->parked && i < w->parked->n; i++)
		clear_record(&w->parked->call[i]);
}

void park_free(struct warp *w)
{
	park_reset(w);
	if (w->parked)
		free(w->parked->call);
	free(w->parked);
	w->parked = NULL;
}
