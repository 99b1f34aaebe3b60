/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Returning data: the write-back register with its five clients, and the response FIFO (LSU-wb, LSU-resp).
 *
 * Always true: at most one instruction per step enters the write-back register. Each returned access of a load passes
 * through it separately, and needs the register banks of all destinations of the load.
 */
#include "ldst_int.h"
#include "lsu/tma.h"
#include "power/counts.h"
#include "sm/depend.h"
#include "sm/mbarrier.h"
#include "sm/pipeline.h"
#include "sm/profile.h"

/* ---- the write-back register ------------------------------------------------------------------------ */

static bool request_result_banks(struct sm *s, struct write_back *wb, const struct uop *u)
{
	unsigned before = wb->granted;

	for (; wb->granted < u->n_bank_dst; wb->granted++)
		if (!collector_reserve_bank(s, u, wb->granted, wb->warp, wb->sched))
			return false;
	if (s->power)
		power_count_writes(s->power, wb->mask, u->n_bank_dst - before);
	return true;
}

static __attribute__((cold)) NOINLINE void log_memdone(struct sm *s, const struct write_back *wb, uint32_t pc)
{
	events_log_memdone(s->events, s->now, s->id, wb->warp, pc);
	if (s->pipeline)
		pipeline_note_memdone(s, wb->warp, pc, wb->lane0);
}

/*
 * Ends the write-back of an access if the register banks are free. quirk Q3-10: an LDGSTS whose last access returns
 * here is completed a second time. quirk Q3-11: a load of shared memory without destination register is never
 * completed, except SYNCS.
 */
static void finish_write_back(struct sm *s, struct write_back *wb)
{
	const struct uop *u = &s->uops[wb->code];
	bool completed = false;

	if (!request_result_banks(s, wb, u))
		return;
	if (wb->is_shared) {
		for (unsigned d = 0; d < u->n_dst; d++)
			depend_release(s, wb->warp, u->reg[d]);
		completed = u->n_dst > 0 || u->flags & UOP_SYNC;
	} else {
		completed = pend_count_returned(s, u, wb->warp) != 0;
		if (u->flags & UOP_LDGSTS && pend_count_ldgsts_returned(s, wb->warp, u->pc, wb->lane0))
			completed = true;
	}
	if (completed) {
		sm_count_completed_inst(s, wb->code, wb->mask);
		if (s->events)
			log_memdone(s, wb, u->pc);
		if (u->flags & UOP_LDGSTS)
			ldgsts_end_one(s, wb->warp, u->pc, wb->lane0);
		s->changed = true;
	}
	wb->is_full = false;
}

/* ---- clients of the write-back register --------------------------------------------------------------- */

/* Counts `lanes` lanes of an atomic as returned; the last one ends the wait of the warp (SM-atomic-2). */
static void count_returned_atomics(struct sm *s, unsigned warp, uint32_t lanes)
{
	struct warp *w = &s->warp[warp];

	assert(w->atomics >= lanes);
	w->atomics -= lanes;
	if (!w->atomics)
		s->atomic_wait &= ~(1ull << warp);
}

/* Executes a SYNCS on its mbarrier. The SYNCS leaves the pipeline of shared memory at this time (HOPPER-mbar). */
static void execute_syncs(struct sm *s, const struct winst *w)
{
	if (w->uop->sync != SYNC_WAIT && w->uop->sync != SYNC_TEST)
		mbarrier_execute(s, w->cta, &w->record);
	else if (s->sync_wait >> w->warp & 1)
		mbarrier_start_wait(s, w->warp, &w->record);
}

static void write_back_shared(struct sm *s, struct ldst *l)
{
	uint16_t handle = (uint16_t)timed_fifo_front(&l->shared_pipe).handle;
	const struct winst *w = &s->winst[handle];

	timed_fifo_pop(&l->shared_pipe);
	l->write_back.lane0 = 0;
	l->write_back.code = w->code;
	l->write_back.mask = w->mask;
	l->write_back.warp = w->warp;
	l->write_back.sched = w->sched;
	l->write_back.granted = 0;
	l->write_back.is_full = l->write_back.is_shared = true;
	if (w->uop->flags & UOP_ATOMIC)
		count_returned_atomics(s, w->warp, bit_count32(w->mask));
	if (w->uop->flags & UOP_SYNC)
		execute_syncs(s, w);
	warp_leaves_pipe(s, &s->warp[w->warp], w->warp);
	sm_winst_free(s, handle);
	s->changed = true;
}

/* Acknowledges and frees the write that waited for the fetch-on-write read r. */
void ldst_free_parent_write(struct sm *s, const struct req *r)
{
	struct ldst *l = s->ldst;
	const struct req *p = ldst_req(s, r->parent);

	if (p->flags & REQ_STORE)
		pend_acknowledge_store(s, p->warp, ldst_store_acks_of(l, p->size));
	req_free(s->reqs, r->parent);
}

/*
 * Moves a returned request into the write-back register. quirk Q3-26: an allocate-read, which has no instruction,
 * takes the turn of its client, but does not occupy the register.
 */
static void take_returned_request(struct sm *s, struct ldst *l, uint32_t handle)
{
	const struct req *r = ldst_req(s, handle);

	if (!(r->flags & REQ_BLANK))
		l->write_back = (struct write_back){.lane0 = r->lane0,
			.code = r->code,
			.mask = r->inst_mask,
			.warp = r->warp,
			.sched = r->sched,
			.is_full = true};
	else if (r->flags & REQ_PARENT_WRITE)
		ldst_free_parent_write(s, r);
	req_free(s->reqs, handle);
}

static void write_back_global(struct sm *s, struct ldst *l)
{
	const struct req *r = ldst_req(s, l->bypass_reply);

	if (r->flags & REQ_ATOMIC) {
		count_returned_atomics(s, r->warp, bit_count32(r->lanes));
		s->changed = true;
	}
	take_returned_request(s, l, l->bypass_reply);
	l->bypass_reply = REQ_NONE;
}

/* Returns the mask of the clients that have an instruction for the register. */
static unsigned mask_of_waiting_clients(const struct ldst *l)
{
	unsigned waiting;

	if (!l->draining && l->bypass_reply == REQ_NONE && !l->shared_pipe.count && !l->readonly)
		return 0;
	waiting = (unsigned)l->draining << CLIENT_L1D | (unsigned)(l->bypass_reply != REQ_NONE)
								<< CLIENT_GLOBAL;
	if (l->shared_pipe.count && timed_fifo_front(&l->shared_pipe).due_at <= l->step)
		waiting |= 1u << CLIENT_SHARED;
	return l->readonly ? waiting | readonly_ready_clients(l) : waiting;
}

static void serve_client(struct sm *s, struct ldst *l, enum client c)
{
	switch (c) {
	case CLIENT_SHARED: write_back_shared(s, l); break;
	case CLIENT_GLOBAL: write_back_global(s, l); break;
	case CLIENT_L1D:
		take_returned_request(s, l, cache_pop_ready(l->l1d));
		l->draining = cache_has_ready(l->l1d);
		break;
	default: take_returned_request(s, l, readonly_pop_ready(l, c)); break;
	}
}

/*
 * Serves the clients in round robin until the register is full. After a request that leaves it empty, the next client
 * is served in the same step.
 */
void ldst_write_back(struct sm *s, struct ldst *l)
{
	if (l->write_back.is_full)
		finish_write_back(s, &l->write_back);
	if (l->write_back.is_full)
		return;
	for (unsigned waiting = mask_of_waiting_clients(l); waiting;) {
		unsigned up = waiting >> l->next_client << l->next_client,
			 c = bit_lowest32(up ? up : waiting);

		waiting ^= 1u << c;
		l->next_client = (uint8_t)(c + 1 < N_CLIENTS ? c + 1 : 0);
		serve_client(s, l, (enum client)c);
		if (l->write_back.is_full)
			return;
	}
}

/* ---- the response FIFO -------------------------------------------------------------------------------- */

static void acknowledge_store(struct sm *s, uint32_t handle)
{
	struct req *r = ldst_req(s, handle);
	const struct req *whole = r->flags & REQ_PIECE ? ldst_req(s, r->parent) : r;

	if (whole->flags & REQ_BULK)
		tma_handle_acknowledge(s, whole);
	else if (r->warp != NO_WARP)
		pend_acknowledge_store(s, r->warp, 1);
	if (r->flags & REQ_PIECE) {
		struct req *p = ldst_req(s, r->parent);

		if (p->pieces && !--p->pieces)
			req_free(s->reqs, r->parent);
	}
	req_free(s->reqs, handle);
}

static bool response_bypasses_l1(const struct sm *s, const struct ldst *l, const struct req *r)
{
	return !l->l1d || r->flags & REQ_BYPASS ||
	       (s->core->gmem_skip_l1d && (r->type == GLOBAL_ACC_R || r->type == GLOBAL_ACC_W));
}

/*
 * Returns the handle of the whole request if its last piece has arrived, else REQ_NONE. The original instead waits
 * forever for a bypassing load of several sectors (LSU-resp-2).
 */
static uint32_t join_response_pieces(struct sm *s, uint32_t handle)
{
	struct req *r = ldst_req(s, handle);
	uint32_t parent = r->parent;

	if (!(r->flags & REQ_PIECE))
		return handle;
	req_free(s->reqs, handle);
	return --ldst_req(s, parent)->pieces ? REQ_NONE : parent;
}

void ldst_handle_response(struct sm *s)
{
	struct ldst *l = s->ldst;
	uint32_t handle = ring_front(&l->responses);
	const struct req *r = ldst_req(s, handle);
	const struct req *asked = r->flags & REQ_PIECE ? ldst_req(s, r->parent) : r;

	if (r->flags & REQ_WRITE) {
		assert(r->flags & REQ_REPLY || s->core->perfect_mem);
		acknowledge_store(s, handle);
	} else if (l->readonly && (asked->type == CONST_ACC_R || asked->type == TEXTURE_ACC_R)) {
		if (!readonly_handle_response(s, handle))
			return;
	} else if (asked->flags & REQ_BULK) {
		handle = join_response_pieces(s, handle);
		if (handle != REQ_NONE)
			tma_handle_reply(s, handle);
	} else if (response_bypasses_l1(s, l, asked)) {
		if (l->bypass_reply != REQ_NONE)
			return;
		l->bypass_reply = join_response_pieces(s, handle);
	} else {
		if (!cache_fill_port_free(l->l1d))
			return;
		cache_fill(l->l1d, handle, s->now);
		l->draining = cache_has_ready(l->l1d);
	}
	ring_pop(&l->responses);
}

bool ldst_is_response_fifo_full(const struct sm *s)
{
	return s->ldst->responses.count >= s->core->response_max;
}

void ldst_push_response(struct sm *s, uint32_t handle)
{
	if (s->profile)
		profile_count_l2(s, ldst_req(s, handle));
	/* an SM without thread blocks sleeps; a full FIFO would block the cluster */
	if (s->modern && !s->live_ctas && ldst_req(s, handle)->flags & REQ_WRITE) {
		acknowledge_store(s, handle);
		return;
	}
	ring_push(&s->ldst->responses, handle);
	s->ldst->due_at = 0;
	sm_wake(s);
}
