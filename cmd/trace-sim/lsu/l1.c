/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to the L1 data cache. The accesses of the instruction in DISP become requests, which pass the latency queue
 * of their bank and then access the cache (LSU-l1q, LSU-disp).
 *
 * Always true: in every step the head of each bank's queue accesses the cache, until the cache accepts it. Banks are
 * served in ascending order. The state of the ports has no effect (quirk Q3-2: the L1D's data port never stalls; Q3-4).
 * A rejected head is counted at each attempt.
 */
#include <string.h>
#include "ldst_int.h"
#include "request/addrdec.h"
#include "request/hash.h"
#include "sm/profile.h"

/* Returns the number of acknowledgements that the L1D needs for a store of `bytes` bytes (LSU-store-2). */
uint32_t ldst_store_acks_of(const struct ldst *l, uint32_t bytes) { return l->sector_mshr ? bytes / 32 : 1; }

/* ---- requests ------------------------------------------------------------------------------------------ */

void ldst_prepare_requests(struct sm *s, uint16_t inst, uint64_t lane0)
{
	const struct winst *w = &s->winst[inst];
	unsigned f = w->uop->flags, flags = 0;

	if (f & UOP_STORE && (w->space == SPACE_GLOBAL || w->space == SPACE_LOCAL))
		flags |= REQ_WRITE;
	flags |= f & UOP_ATOMIC ? REQ_ATOMIC : 0u;
	flags |= f & UOP_LOAD ? REQ_LOAD : 0u;
	flags |= f & UOP_STORE ? REQ_STORE : 0u;
	flags |= f & UOP_BYPASS ? REQ_BYPASS : 0u;
	flags |= f & UOP_LDGSTS ? REQ_LDGSTS : 0u;
	/*
	 * quirk Q2-19: no instruction waits for a load without destination register, or for an LDGSTS. In the modern
	 * core, warps end without waiting for stores.
	 */
	if ((f & UOP_STORE && !s->modern) || (f & UOP_LOAD && w->uop->n_dst && !(f & UOP_LDGSTS)))
		flags |= REQ_AWAITED;
	s->ldst->request_template = (struct req){.lane0 = lane0,
		.inst_mask = w->mask,
		.code = w->code,
		.flags = (uint16_t)flags,
		.sm = (uint16_t)s->id,
		.cluster = (uint16_t)s->cluster,
		.warp = w->warp,
		.sched = w->sched,
		.stream = s->warp[w->warp].stream};
}

uint32_t ldst_make_request(struct sm *s, const struct access *a)
{
	return ldst_make_request_like(s, &s->ldst->request_template, a);
}

uint32_t ldst_make_request_like(struct sm *s, const struct req *model, const struct access *a)
{
	struct ldst *l = s->ldst;
	uint32_t handle = req_copy(s->reqs, model);
	struct req *r = ldst_req(s, handle);

	r->addr = r->orig_addr = a->addr;
	r->bytes[0] = a->bytes[0];
	r->bytes[1] = a->bytes[1];
	r->lanes = a->lanes;
	r->created = (uint32_t)s->now;
	r->size = a->size;
	r->type = a->type;
	r->sectors = a->sectors;
	if (l->l2_reply_is_split && a->size > 32) /* MEM-split */
		r->pieces = a->size == 128 ? 4 : (uint8_t)bit_count32(a->sectors);
	if (l->decode_early)
		addrdec_decode_request(s->dec, r);
	return handle;
}

/* Draws a random partition index for an access. quirk Q4-25: this also happens if the bank rejects the access. */
static NOINLINE void draw_random_partition(struct sm *s, uint64_t addr)
{
	struct req r;

	memset(&r, 0, sizeof(r));
	r.addr = addr;
	addrdec_decode_request(s->dec, &r);
}

static uint32_t l1_bank_of(const struct sm *s, uint64_t addr)
{
	const struct core_params *c = s->core;

	if (c->l1_bank_hash == INDEX_LINEAR)
		return (uint32_t)(addr >> s->ldst->bank_shift) & (c->l1_banks - 1);
	return hash_index(c->l1_bank_hash, addr, c->l1_banks, s->ldst->bank_shift);
}

/* ---- DISP to the latency queues: one access per bank, from the end of the list ------------------------ */

enum stall_reason l1_issue_accesses(struct sm *s)
{
	struct ldst *l = s->ldst;
	const struct winst *w = &s->winst[l->disp_inst];

	for (uint32_t i = 0; i < s->core->l1_banks && l->accesses.n; i++) {
		const struct access *a = &l->accesses.access[l->accesses.n - 1];
		uint32_t b = l1_bank_of(s, a->addr);
		struct timed_fifo *q = &l->queue[b];

		if (q->count == s->core->l1_latency || l->last_insert_step[b] == l->step) {
			if (l->decode_early && addrdec_is_random(s->dec))
				draw_random_partition(s, a->addr);
			s->n.l1cache_bkconflict++;
			if (s->profile)
				profile_count_conflict(s, w->warp, w->code);
			return STALL_BK_CONF;
		}
		if (!q->count && l->step + s->core->l1_latency < l->queue_due)
			l->queue_due = l->step + s->core->l1_latency;
		timed_fifo_push(q, (struct timed){l->step + s->core->l1_latency, ldst_make_request(s, a)});
		l->last_insert_step[b] = l->step;
		l->filled |= 1ull << b;
		if (w->uop->flags & UOP_STORE)
			s->warp[w->warp].stores += ldst_store_acks_of(l, a->size);
		l->accesses.n--;
	}
	return l->accesses.n ? STALL_COAL : STALL_NONE;
}

/* ---- accesses of the queue heads to the cache ---------------------------------------------------------- */

/*
 * Completes a hit of a load. quirk Q3-1: it returns at once, without use of the write-back register and the register
 * banks.
 */
static void complete_load_hit(struct sm *s, const struct req *r)
{
	const struct uop *u = &s->uops[r->code];
	unsigned done = pend_count_returned(s, u, r->warp);

	/*
	 * PTX-load: the original completes a vector load of PTX once per register, but a vector load of machine code
	 * once.
	 */
	for (unsigned i = uop_is_ptx(u) ? done : done != 0; i; i--)
		sm_count_completed_inst(s, r->code, r->inst_mask);
	if (r->flags & REQ_LDGSTS && pend_count_ldgsts_returned(s, r->warp, u->pc, r->lane0)) {
		ldgsts_end_one(s, r->warp, u->pc, r->lane0);
		s->changed = true;
	}
}

/*
 * Accesses the cache with the head of a queue. Returns true if the head leaves the queue. If the cache sends nothing
 * below for a store, the store is acknowledged here, hit or miss (LSU-store-3), and its request is freed. Other stores
 * are acknowledged by replies.
 */
static bool access_l1(struct sm *s, uint32_t handle)
{
	struct ldst *l = s->ldst;
	struct cache_events ev = {0};
	const struct req *r;
	enum cache_status probe, st = cache_access(l->l1d, handle, s->now, &ev, &probe);

	if (st == STATUS_RESERVATION_FAIL && !ev.never_reason)
		return false;
	r = ldst_req(s, handle);
	if (st == STATUS_RESERVATION_FAIL)
		fit_die_rejected_access(s, r, ev.never_reason);
	if (s->profile)
		profile_count_l1(s, r, probe == STATUS_HIT || probe == STATUS_HIT_RESERVED);
	if (r->flags & REQ_WRITE) {
		if (ev.write_sent || (st == STATUS_MISS && ev.alloc_sent))
			return true;
		pend_acknowledge_store(s, r->warp, ldst_store_acks_of(l, r->size));
		req_free(s->reqs, handle);
	} else if (st == STATUS_HIT) {
		if (r->flags & REQ_LOAD)
			complete_load_hit(s, r);
		req_free(s->reqs, handle);
	}
	return true;
}

void l1_queue_step(struct sm *s, struct ldst *l)
{
	uint64_t next = NEVER;

	FOR_BITS64 (b, l->filled) {
		struct timed_fifo *q = &l->queue[b];
		struct timed head = timed_fifo_front(q);

		if (head.due_at <= l->step && access_l1(s, head.handle)) {
			timed_fifo_pop(q);
			if (!q->count) {
				l->filled &= ~(1ull << b);
				continue;
			}
			head = timed_fifo_front(q);
		}
		if (head.due_at < next)
			next = head.due_at;
	}
	l->queue_due = next;
}

/*
 * Runs a cycle of the cache: sends requests of its miss queue, at most one for each port of the cluster, and counts the
 * cycle.
 */
void l1_cache_step(struct sm *s, struct cache *c)
{
	uint32_t n = 0;

	while (!cache_miss_queue_empty(c)) {
		if (inject_can_push(s, ldst_req(s, cache_miss_queue_front(c)), false))
			inject(s, cache_miss_queue_pop(c));
		if (++n >= s->params->net.cluster_ports)
			break;
	}
	cache_end_cycle(c);
}
