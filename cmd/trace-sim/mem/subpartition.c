/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory sub partition. It accepts requests from the network, splits them into sectors, delays them in the
 * ROP queue, drives the L2 and collects replies (MEM-sub).
 *
 * Always true: the request tracker is the set of requests with REQ_TRACKED. Every step checks for free
 * entries first, so no request is lost when queues are full.
 */
#include <assert.h>
#include "bits.h"
#include "threads/catch.h"
#include "instrument/events.h"
#include "partition.h"

static inline bool is_texture(const struct req *r)
{
	return r->type == TEXTURE_ACC_R && !(r->flags & REQ_BLANK);
}

/* ---- accepting (MEM-sub-2, MEM-split) ------------------------------------------------------- */

static void rop_push(struct memory *m, struct sub *s, uint32_t req, uint64_t now)
{
	struct req *n = &m->pool->req[req];

	mem_fifo_push(m->pool->req, &s->rop, req);
	n->key = (uint32_t)now + m->memory_params->rop_latency;
	if (n->flags & REQ_AWAITED)
		channel_note_awaited(s->channel, earliest_leave_time(now, m->memory_params->rop_latency));
	if (s->rop.count == 1)
		s->rop_ready_at = n->key;
	if (s->wake == UINT64_MAX)
		s->wake = earliest_leave_time(now, m->memory_params->rop_latency);
}

static void queue_accepted_request(struct memory *m, struct sub *s, uint32_t req, uint64_t now)
{
	struct req *r = &m->pool->req[req];

	r->flags |= REQ_TRACKED;
	s->tracked++;
	if (!is_texture(r)) {
		rop_push(m, s, req, now);
		return;
	}
	mem_fifo_push(m->pool->req, &s->icnt_l2, req);
	s->wake = 0;
}

/* Clears the bits of a byte mask except those of sectors lo to hi. */
static void keep_bytes_of_sectors(uint64_t bytes[2], unsigned lo, unsigned hi)
{
	for (unsigned w = 0; w < 2; w++) {
		uint64_t mask = 0;

		for (unsigned s = lo; s <= hi; s++)
			if (s / 2 == w)
				mask |= 0xffffffffull << (s % 2 * 32);
		bytes[w] &= mask;
	}
}

/* Creates a piece of request `from` for sector s at address addr, with the bytes of sectors lo to s. */
NOINLINE static void make_piece(struct memory *m, struct sub *sub, uint32_t from, uint64_t addr, unsigned s,
	unsigned lo, uint64_t now)
{
	uint32_t handle = req_new(m->pool);
	struct req *r = &m->pool->req[handle];
	const struct req *o = &m->pool->req[from];

	*r = (struct req){.addr = addr,
		.bytes = {o->bytes[0], o->bytes[1]},
		.parent = from,
		.lanes = o->lanes,
		.created = (uint32_t)now,
		.size = 32,
		.sm = o->sm,
		.cluster = o->cluster,
		.type = o->type,
		.sectors = (uint8_t)(1u << s),
		.warp = o->warp,
		.sched = o->sched,
		.stream = o->stream};
	r->flags = (uint16_t)((o->flags & (REQ_WRITE | REQ_AWAITED | REQ_PREFETCH)) | REQ_BLANK | REQ_PIECE);
	keep_bytes_of_sectors(r->bytes, lo, s);
	addrdec_decode_request(m->dec, r);
	r->channel = o->channel;
	r->sub = o->sub;
	queue_accepted_request(m, sub, handle, now);
}

/* Splits a request of more than one sector into pieces of one sector each. */
NOINLINE static void split_request(struct memory *m, struct sub *s, uint32_t req, uint64_t now)
{
	const struct req *r = &m->pool->req[req];
	uint32_t size = r->size, mask = r->sectors;
	uint64_t addr = r->addr;

	if (size == 128) {
		/*
		 * quirk Q4-11: each piece also has the bytes of the pieces before it (also in the next
		 * branch)
		 */
		for (unsigned i = 0; i < 4; i++)
			make_piece(m, s, req, addr + 32 * i, i, 0, now);
	} else if (size == 64 && (mask == 0xf || mask == 0)) {
		unsigned lo = addr % 128 ? 2 : 0;

		/* quirk Q4-11: both pieces get the address of the whole request */
		make_piece(m, s, req, addr, lo, lo, now);
		make_piece(m, s, req, addr, lo + 1, lo, now);
	} else {
		/* the original aborts if the mask is empty; here the address selects a sector */
		if (!mask)
			mask = 1u << addr % 128 / 32;
		FOR_BITS32 (i, mask)
			make_piece(m, s, req, addr + 32 * i, i, i, now);
	}
	/* a write-back receives no reply, so the original request is freed here */
	if (r->type == L1_WRBK_ACC)
		req_free(m->pool, req);
}

/* Accepts a request. Runs once per request, so all calls are inlined. */
NOINLINE FLATTEN bool sub_accept_request(struct memory *m, struct sub *s, uint32_t req, uint64_t now)
{
	const struct req *r = &m->pool->req[req];

	if (!req)
		return false;
	memstat_count_accepted(m->memstat, r, now);
	if ((r->size == 32 && is_pow2(r->sectors)) || !s->l2 || m->memory_params->l2.kind != CACHE_SECTOR)
		queue_accepted_request(m, s, req, now);
	else
		split_request(m, s, req, now);
	return true;
}

/* ---- the cycle of an L2 (MEM-l2) ------------------------------------------------------------ */

static void free_tracked_request(struct memory *m, uint32_t req)
{
	untrack_request(m, req);
	req_free(m->pool, req);
}

static void queue_reply(struct memory *m, struct sub *s, uint32_t req)
{
	m->pool->req[req].flags |= REQ_REPLY;
	mem_fifo_push(m->pool->req, &s->l2_icnt, req);
}

/*
 * Completes a write to which DRAM sends no reply: drops it if it is a write-back of an L1, else acknowledges
 * it.
 */
static void acknowledge_write(struct memory *m, struct sub *s, uint32_t req)
{
	if (m->pool->req[req].type == L1_WRBK_ACC)
		free_tracked_request(m, req);
	else
		queue_reply(m, s, req);
}

static void answer_request(struct memory *m, struct sub *s, uint32_t req, uint64_t now)
{
	if (!s->partner || !sides_delay_reply(m, s, req, now))
		acknowledge_write(m, s, req);
}

/* Answers one completed miss (MEM-l2-1). */
static void answer_completed_miss(struct memory *m, struct sub *s, uint64_t now)
{
	uint32_t req = cache_pop_ready(s->l2);
	const struct req *r = &m->pool->req[req];

	if (r->type != L2_WR_ALLOC_R) {
		answer_request(m, s, req, now);
		return;
	}
	if (r->flags & REQ_PARENT_WRITE)
		answer_request(m, s, r->parent, now);
	req_free(m->pool, req);
}

/* Moves the head of DRAM->L2 into the L2 or, if no miss waits for it, to the replies (MEM-l2-2). */
static void take_dram_reply(struct memory *m, struct sub *s, uint64_t now)
{
	uint32_t req = s->dram_l2.head;
	bool fill = s->l2 && cache_waits_for_fill(s->l2, req);

	if (fill ? !cache_fill_port_free(s->l2) : s->l2_icnt.count >= m->memory_params->queue_l2_icnt)
		return;
	if (s->dram_l2.count >= m->memory_params->queue_dram_l2)
		channel_wake(s->channel);
	mem_fifo_pop(m->pool->req, &s->dram_l2);
	if (fill)
		cache_fill(s->l2, req, now + s->copies);
	else
		queue_reply(m, s, req);
}

static void send_to_dram(struct memory *m, struct sub *s, uint32_t req)
{
	mem_fifo_push(m->pool->req, &s->l2_dram, req);
	channel_note_request(m, s);
}

/*
 * Decodes the address of a request that the L2 created. Its channel and sub partition are those of s, like
 * those of the access that caused it. Its bank and row follow from its own address. RANDOM indexing draws no
 * number here, because lines in the L2 have been decoded before.
 */
NOINLINE static void decode_own_request(struct memory *m, const struct sub *s, struct req *r)
{
	addrdec_decode_request(m->dec, r);
	r->sub = (uint16_t)s->id;
	r->channel = (uint16_t)(s->id >> m->sub_log2);
}

/* Sends one request from the miss queue, then advances the ports (MEM-l2-3). */
static void send_miss_to_dram(struct memory *m, struct sub *s)
{
	if (!cache_miss_queue_empty(s->l2) && s->l2_dram.count < m->memory_params->queue_l2_dram) {
		uint32_t req = cache_miss_queue_pop(s->l2);
		struct req *r = &m->pool->req[req];

		if (r->type == L2_WRBK_ACC || r->type == L2_WR_ALLOC_R)
			decode_own_request(m, s, r);
		send_to_dram(m, s, req);
	}
	cache_end_cycle(s->l2);
}

/* Returns true if accepted miss r is a write that must be answered immediately. */
static bool must_answer_write_now(const struct memory *m, const struct req *r, const struct cache_events *ev)
{
	const struct cache_params *l2 = &m->memory_params->l2;

	if (!(r->flags & REQ_WRITE) || (l2->walloc != WALLOC_FETCH && l2->walloc != WALLOC_LAZY) ||
		ev->alloc_sent)
		return false;
	/*
	 * a write that was not sent to DRAM is complete; the original never answers it if the L2 is not
	 * write-back
	 */
	return !ev->write_sent;
}

void sub_move_request(struct sub *from, struct sub *to, struct req *r)
{
	from->tracked--;
	to->tracked++;
	r->sub = (uint16_t)to->id;
	to->wake = 0;
}

/* Ends the program. The message does not name the instruction, because an L2 does not know it. */
NOINLINE _Noreturn static void die_unacceptable_access(const struct req *r, enum cache_never why)
{
	struct fault f;

	fault_set(&f, NOWHERE, "access",
		"the L2 can never accept a %s of address 0x%llx (expected %s: -gpgpu_cache:dl2)",
		r->flags & REQ_WRITE ? "write" : "read", (unsigned long long)r->addr,
		cache_never_wanted[why]);
	catch_raise_fault(&f);
}

/* Passes the head of icnt->L2 to the L2 (MEM-l2-4). */
static void access_l2(struct memory *m, struct sub *s, uint64_t now)
{
	uint32_t req = s->icnt_l2.head;
	struct req *r = &m->pool->req[req];
	struct cache_events ev = {0};
	enum cache_status status, probe;
	struct sub *at = s->partner ? sides_serving_slice(m, s, r) : s;

	if (at->l2_icnt.count >= m->memory_params->queue_l2_icnt || !cache_data_port_free(s->l2))
		return;
	if (at != s) {
		if (at->l2_dram.count >= m->memory_params->queue_l2_dram)
			return;
		sub_move_request(s, at, r);
	}
	/* popped before the access, because the MSHR links a request that joins an earlier miss */
	mem_fifo_pop(m->pool->req, &s->icnt_l2);
	status = cache_access(at->l2, req, now + at->copies, &ev, &probe);
	if (m->events)
		events_log_l2(m->events, now, at->id, r->addr, r->type, status);
	if (status == STATUS_RESERVATION_FAIL) {
		/* with two sides, the other side may request the sectors */
		if (ev.never_reason && !(s->partner && ev.never_reason == NEVER_PLACED))
			die_unacceptable_access(r, ev.never_reason);
		mem_fifo_put_back(&s->icnt_l2, req);
		if (at != s)
			sub_move_request(at, s, r);
		return;
	}
	if (probe == STATUS_MISS || probe == STATUS_SECTOR_MISS)
		r->flags |= REQ_L2_MISS;
	if (s->partner)
		sides_drop_stale_copy(s, at, r);
	if (status == STATUS_HIT ? !ev.write_sent : must_answer_write_now(m, r, &ev))
		answer_request(m, at, req, now);
}

static void take_from_icnt_l2(struct memory *m, struct sub *s, uint64_t now)
{
	if (s->l2 && (!m->memory_params->l2_texture_only || is_texture(&m->pool->req[s->icnt_l2.head])))
		access_l2(m, s, now);
	else
		send_to_dram(m, s, mem_fifo_pop(m->pool->req, &s->icnt_l2));
}

/*
 * Moves one ready entry of the ROP queue to icnt->L2 (MEM-l2-5). quirk Q4-7: the ROP latency is in core
 * cycles.
 */
static void move_from_rop(struct memory *m, struct sub *s, uint64_t now)
{
	if (!s->rop.count || !reached(now, s->rop_ready_at) ||
		s->icnt_l2.count >= m->memory_params->queue_icnt_l2)
		return;
	mem_fifo_push(m->pool->req, &s->icnt_l2, mem_fifo_pop(m->pool->req, &s->rop));
	if (s->rop.count)
		s->rop_ready_at = m->pool->req[s->rop.head].key;
}

/*
 * Earliest time at which a tick may move a request if no other request arrives. Busy ports become free
 * without an event.
 */
static uint64_t sub_next_busy_time(const struct sub *s, uint64_t now)
{
	if (s->icnt_l2.count || s->dram_l2.count || sub_has_delayed_reply(s))
		return 0;
	if (s->l2 && (cache_has_ready(s->l2) || !cache_miss_queue_empty(s->l2)))
		return 0;
	if (!s->rop.count)
		return UINT64_MAX;
	return reached(now, s->rop_ready_at) ? 0 : now + (s->rop_ready_at - (uint32_t)now);
}

/* Runs an L2 tick of sub partition s. done: number of earlier ticks. */
static void tick_sub_partition(struct memory *m, struct sub *s, uint64_t now, uint64_t done)
{
	if (s->l2)
		cache_set_cycles(s->l2, done);
	if (s->l2 && cache_has_ready(s->l2) && s->l2_icnt.count < m->memory_params->queue_l2_icnt)
		answer_completed_miss(m, s, now);
	if (s->dram_l2.count)
		take_dram_reply(m, s, now);
	if (s->l2)
		send_miss_to_dram(m, s);
	if (sub_has_delayed_reply(s) && s->l2_icnt.count < m->memory_params->queue_l2_icnt) {
		uint32_t req = sides_pop_delayed(m, s, now);

		if (req)
			acknowledge_write(m, s, req);
	}
	/* quirk Q4-6: a full L2->DRAM queue blocks even hits */
	if (s->icnt_l2.count && s->l2_dram.count < m->memory_params->queue_l2_dram)
		take_from_icnt_l2(m, s, now);
	move_from_rop(m, s, now);
	s->wake = sub_next_busy_time(s, now);
}

static bool packet_may_wait_for(const uint64_t *waiting, const struct sub *s)
{
	return waiting && bitset_test(waiting, s->id);
}

/*
 * Accepts a packet before a tick, if one is available (come) and icnt->L2 has free entries. Counts a refusal if
 * icnt->L2 has none.
 */
static void accept_or_refuse_packet(struct memory *m, struct sub *s, const struct memory_work *k, bool come)
{
	if (s->icnt_l2.count + 3 >= m->memory_params->queue_icnt_l2) {
		s->channel->stall_dramfull++;
		s->refuses[k->tick / 64] |= 1ull << k->tick % 64;
	} else if (come) {
		m->accepted += sub_accept_request(m, s, net_pop(m->net, m->params->clusters + s->id), k->now);
	}
}

/*
 * Runs an L2 tick. It takes most of the time of an L2, so all calls are inlined. With two sides it determines which
 * slices are due before the first slice runs, because changes to a partner take effect in the next tick. Either all
 * slices have a partner or none. A slice with a partner does not run merely because a packet arrives, because in a
 * window arrivals are not known.
 */
FLATTEN void channel_l2_tick(
	struct memory *m, struct channel *c, const struct memory_work *k, const uint64_t *waiting)
{
	bool sides = c->sub->partner;

	if (sides)
		for (struct sub *s = c->sub; s < c->end; s++)
			s->tick_due = s->wake <= k->now;
	for (struct sub *s = c->sub; s < c->end; s++) {
		bool come = packet_may_wait_for(waiting, s),
		     due = sides ? s->tick_due : come || s->wake <= k->now;

		if (!due && !come)
			continue;
		accept_or_refuse_packet(m, s, k, come);
		if (due)
			tick_sub_partition(m, s, k->now, k->l2_ticks_before);
	}
}
