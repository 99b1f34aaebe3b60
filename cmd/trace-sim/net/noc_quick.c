/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One internal step of the routers that most networks have: ways known on arrival, both allocators islip with one
 * round, nothing speculative or held, no priorities, no speedup of ports, private buffers, one step through the switch,
 * at most 64 ports and virtual channels. The same as noc_router.c, to the order of its lists, with sets in one word each.
 *
 * Always true: a router in which nothing moved stays as it is until a flit or a credit comes, and is not visited; what
 * came back from a list without a grant stays where it is; channels that have just got an output go before the rest of
 * the switch list, as if that had been appended behind them.
 */
#include "net/noc_step.h"

bool noc_quick_fits(const struct noc *n)
{
	const struct icnt *c = &n->conf;

	return n->lookahead && !n->noq && n->vc_delay == 1 && n->sw_delay == 1 && !n->speculative &&
	       !n->hold && !n->shuffle && !n->busy_when_full && !n->empty_first && n->input_speedup == 1 &&
	       n->output_speedup == 1 && n->output_max < 0 && c->crossbar_delay == 1 &&
	       c->policy == POLICY_PRIVATE && c->vc_alloc.kind == ALLOCATOR_ISLIP &&
	       c->vc_alloc.rounds == 1 && c->sw_alloc.kind == ALLOCATOR_ISLIP && c->sw_alloc.rounds == 1 &&
	       !n->priorities && n->vcs <= 64 && n->plan->most_ports <= 64;
}

/* ---- arrivals ------------------------------------------------------------------------------------------------- */

static void arrivals(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	uint32_t base = r->base * n->vcs;

	FOR_BITS64 (port, r->latched[0]) {
		const struct noc_flit *f = &s->latch[r->base + port];
		uint32_t vc = (uint32_t)port * n->vcs + f->vc;
		struct noc_vc *v = &s->vc[base + vc];

		assert(v->count < n->buffer_cap);
		*slot_of(n, s, base + vc, v->count++) = *f;
		if (v->state == NOC_IDLE) {
			v->state = NOC_WANTS;
			append(&r->vc, vc);
		} else if (v->state == NOC_ACTIVE && v->count == 1) {
			append(&r->sw, vc);
		}
	}
	r->latched[0] = 0;
	if (r->credit.count)
		noc_router_credits(n, s, r);
}

/* ---- virtual channels ---------------------------------------------------------------------------------------- */

static uint64_t range(const struct noc_way *w) { return ~0ull >> (63 - (w->hi - w->lo)) << w->lo; }

static uint32_t collect(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	uint32_t bids = 0;

	for (uint32_t i = 0; i < r->vc.count; i++) {
		struct noc_entry *e = entry(&r->vc, i);
		const struct noc_packet *p = packet_of(n, s, r->base * n->vcs + e->vc);

		e->result = FAILED;
		for (uint32_t w = 0; w < p->n_ways; w++) {
			uint64_t got = range(&p->way[w]) & ~s->room.taken[r->base + p->way[w].port];

			if (got)
				n->bids[bids++] = (struct noc_bid){i, p->way[w].port, got};
		}
	}
	return bids;
}

/* Channels that two heads ask for go to the one that is next in turn. */
static void settle(struct noc *n, struct noc_router *r, struct noc_bid *a, struct noc_bid *b)
{
	uint32_t size = r->ports * n->vcs, in_a = entry(&r->vc, a->entry)->vc,
		 in_b = entry(&r->vc, b->entry)->vc;

	FOR_BITS64 (vc, a->got & b->got) {
		uint32_t turn = r->vc_alloc.out_pointer[a->port * n->vcs + vc];
		uint32_t way_a = in_a >= turn ? in_a - turn : in_a + size - turn;
		uint32_t way_b = in_b >= turn ? in_b - turn : in_b + size - turn;

		*(way_a < way_b ? &b->got : &a->got) &= ~(1ull << vc);
	}
}

/* The next output channel in turn of those granted to the bids of one head; -1. */
static int32_t accept(const struct noc_bid *bid, uint32_t bids, uint32_t vcs, uint32_t turn)
{
	int32_t first = -1, next = -1;

	for (uint32_t i = 0; i < bids; i++) {
		uint32_t low = bid[i].port * vcs;
		uint64_t got = bid[i].got, later;

		if (!got)
			continue;
		later = turn <= low ? got : turn - low < 64 ? got >> (turn - low) << (turn - low) : 0;
		if (later && (next < 0 || low + bit_lowest64(later) < (uint32_t)next))
			next = (int32_t)(low + bit_lowest64(later));
		if (first < 0 || low + bit_lowest64(got) < (uint32_t)first)
			first = (int32_t)(low + bit_lowest64(got));
	}
	return next >= 0 ? next : first;
}

/* Returns whether anybody gets a channel. */
static bool match_channels(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	uint32_t bids = collect(n, s, r), outputs = r->ports * n->vcs;
	struct noc_bid *bid = n->bids;

	for (uint32_t i = 0; i + 1 < bids; i++)
		for (uint32_t k = i + 1; k < bids; k++)
			if (bid[i].port == bid[k].port && bid[i].got & bid[k].got)
				settle(n, r, &bid[i], &bid[k]);
	for (uint32_t i = 0, end; i < bids; i = end) {
		struct noc_entry *e = entry(&r->vc, bid[i].entry);
		int32_t out;

		for (end = i + 1; end < bids && bid[end].entry == bid[i].entry; end++)
			;
		out = accept(&bid[i], end - i, n->vcs, r->vc_alloc.in_pointer[e->vc]);
		if (out < 0)
			continue;
		e->result = out;
		r->vc_alloc.out_pointer[out] = e->vc + 1 < outputs ? e->vc + 1 : 0;
		r->vc_alloc.in_pointer[e->vc] = (uint32_t)out + 1 < outputs ? (uint32_t)out + 1 : 0;
	}
	return bids != 0;
}

/* The next in turn of the channels `got` of one output, whose number 0 is low. */
static uint32_t next_of(uint64_t got, uint32_t low, uint32_t turn)
{
	uint64_t later = turn <= low ? got : turn - low < 64 ? got >> (turn - low) << (turn - low) : 0;

	return low + (uint32_t)bit_lowest64(later ? later : got);
}

/* One head alone gets the next in turn of what it asks for. */
static bool match_one(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_entry *e = entry(&r->vc, 0);
	uint32_t outputs = r->ports * n->vcs, vc = e->vc, turn = r->vc_alloc.in_pointer[vc], out;
	const struct noc_packet *p = packet_of(n, s, r->base * n->vcs + vc);

	if (p->n_ways == 1) {
		uint64_t got = range(&p->way[0]) & ~s->room.taken[r->base + p->way[0].port];

		e->result = FAILED;
		if (!got)
			return false;
		out = next_of(got, p->way[0].port * n->vcs, turn);
	} else {
		uint32_t bids = collect(n, s, r);

		if (!bids)
			return false;
		out = (uint32_t)accept(n->bids, bids, n->vcs, turn);
	}
	e->result = (int32_t)out;
	r->vc_alloc.out_pointer[out] = vc + 1 < outputs ? vc + 1 : 0;
	r->vc_alloc.in_pointer[vc] = out + 1 < outputs ? out + 1 : 0;
	return true;
}

/* Keeps those without a channel; the others come to the front of the switch list, in order. */
static void hand_out(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t count)
{
	uint32_t kept = 0, got = 0, total = r->vc.count;

	if (total == 1) {
		struct noc_entry e = *entry(&r->vc, 0);
		uint32_t port;

		if (e.result < 0)
			return;
		port = n->port_of[e.result];
		noc_router_own(n, s, r, e.vc, port, (uint32_t)e.result - port * n->vcs);
		r->vc.count = 0;
		r->sw.head--;
		r->sw.count++;
		entry(&r->sw, 0)->vc = e.vc;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		got += entry(&r->vc, i)->result >= 0;
	if (!got)
		return;
	r->sw.head -= got;
	r->sw.count += got;
	got = 0;
	for (uint32_t i = 0; i < total; i++) {
		struct noc_entry e = *entry(&r->vc, i);
		uint32_t port;

		if (i >= count || e.result < 0) {
			*entry(&r->vc, kept++) = e;
			continue;
		}
		port = n->port_of[e.result];
		noc_router_own(n, s, r, e.vc, port, (uint32_t)e.result - port * n->vcs);
		*entry(&r->sw, got++) = (struct noc_entry){.vc = e.vc};
	}
	r->vc.count = kept;
}

/* ---- the switch -------------------------------------------------------------------------------------------------- */

struct requests {
	uint64_t outs, ins; /* outputs asked for; inputs granted */
	uint64_t want[64];  /* by output */
	uint64_t grant[64]; /* by input: outputs, then the one taken */
};

/* Of two channels of an input that want one output the next in turn asks. */
static bool before(uint32_t vc, uint32_t old, uint32_t turn, uint32_t vcs)
{
	return (vc >= turn ? vc - turn : vc + vcs - turn) < (old >= turn ? old - turn : old + vcs - turn);
}

/* ask.label: the channel that asks; ask.in_priority: its entry. */
static void ask_outputs(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct requests *q)
{
	struct noc_entry *slot = r->sw.slot;
	const struct noc_vc *channel = &s->vc[r->base * n->vcs];
	const uint32_t *used = &s->room.vc_used[r->base * n->vcs];
	uint32_t head = r->sw.head, mask = r->sw.mask, count = r->sw.count, vcs = n->vcs, ports = r->ports;

	for (uint32_t i = 0; i < count; i++) {
		struct noc_entry *e = &slot[(head + i) & mask];
		const struct noc_vc *v = &channel[e->vc];
		uint32_t in, vc, port = v->port;
		struct noc_ask *ask;

		e->result = FAILED;
		if (used[port * vcs + v->vc] >= n->conf.vc_buffer)
			continue;
		in = n->port_of[e->vc];
		vc = e->vc - in * vcs;
		ask = &r->sw_alloc.ask[in * ports + port];
		if (!(q->outs >> port & 1)) {
			q->outs |= 1ull << port;
			q->want[port] = 0;
		}
		if (q->want[port] >> in & 1 && !before(vc, (uint32_t)ask->label, r->sw_turn[in], vcs))
			continue;
		q->want[port] |= 1ull << in;
		ask->label = (int32_t)vc;
		ask->in_priority = (int32_t)i;
	}
}

static void match_switch(struct noc_router *r, struct requests *q)
{
	FOR_BITS64 (out, q->outs) {
		uint32_t in = bit_next_cyclic64(q->want[out], r->sw_alloc.out_pointer[out]);

		if (!(q->ins >> in & 1))
			q->grant[in] = 0;
		q->ins |= 1ull << in;
		q->grant[in] |= 1ull << out;
	}
	FOR_BITS64 (in, q->ins) {
		uint32_t out = bit_next_cyclic64(q->grant[in], r->sw_alloc.in_pointer[in]);

		q->grant[in] = out;
		r->sw_alloc.out_pointer[out] = (uint32_t)in + 1 < r->ports ? (uint32_t)in + 1 : 0;
		r->sw_alloc.in_pointer[in] = out + 1 < r->ports ? out + 1 : 0;
	}
}

static void grants(struct noc *n, struct noc_router *r, const struct requests *q)
{
	FOR_BITS64 (in, q->ins) {
		const struct noc_ask *ask = &r->sw_alloc.ask[in * r->ports + q->grant[in]];
		uint32_t vc = (uint32_t)ask->label;

		entry(&r->sw, (uint32_t)ask->in_priority)->result = (int32_t)q->grant[in];
		r->sw_turn[in] = vc + 1 < n->vcs ? vc + 1 : 0;
	}
}

/*
 * noc_router_cross where a router makes one step in a cycle: in the next the flit would reach an output that has sent
 * all, so that its time on the channel is known, and the credit would leave in this one.
 */
static bool cross_and_send(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc)
{
	struct noc_vc *v = &s->vc[r->base * n->vcs + vc];
	struct noc_flit f = *slot_of(n, s, r->base * n->vcs + vc, 0);
	uint32_t out = r->base + v->port, in = n->port_of[vc];
	const struct noc_end *from = &n->plan->in[r->base + in];
	struct noc_packet *p = &s->packet[f.req];
	bool tail = f.index + 1u == p->book.flits;
	struct noc_slot *slot;

	v->head++;
	v->count--;
	f.vc = v->vc;
	if (!f.index) {
		p->hops++;
		p->vc = v->vc;
		look_ahead(n, s, p, out);
	}
	noc_room_send(&n->conf, &s->room, out, v->vc, tail, (uint32_t)n->time);
	noc_launch(n, s, &n->plan->out[out], 1, &f);
	if (s->link_flits)
		s->link_flits[out]++;
	slot = noc_slot_in(n, s, from->latency);
	slot->credit[slot->credits++] = (struct noc_returning){noc_room_before(n, from), vc - in * n->vcs};
	s->credits++;
	return tail;
}

/* The flit at the front of a channel crosses. Returns whether the channel has more of its packet. */
static bool cross(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc)
{
	struct noc_vc *v = &s->vc[r->base * n->vcs + vc];

	if (!(n->direct ? cross_and_send(n, s, r, vc) : noc_router_cross(n, s, r, vc)))
		return v->count;
	v->state = v->count ? NOC_WANTS : NOC_IDLE;
	if (v->count)
		append(&r->vc, vc);
	return false;
}

/* Entries from `skip` on were evaluated; those before are new. */
static void pass(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t skip)
{
	uint32_t kept = skip, total = r->sw.count, head = r->sw.head, mask = r->sw.mask;
	struct noc_entry *slot = r->sw.slot;

	for (uint32_t i = skip; i < total; i++) {
		struct noc_entry *e = &slot[(head + i) & mask];

		if (e->result >= 0 && !cross(n, s, r, e->vc))
			continue;
		if (kept != i)
			slot[(head + kept) & mask].vc = e->vc;
		kept++;
	}
	r->sw.count = kept;
}

/* One channel alone in the list: nobody is in its way but the room behind. */
static bool pass_one(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	uint32_t vc = entry(&r->sw, 0)->vc, in = n->port_of[vc], v_in = vc - in * n->vcs;
	struct noc_vc *v = &s->vc[r->base * n->vcs + vc];
	uint32_t port = v->port;

	if (s->room.vc_used[(r->base + port) * n->vcs + v->vc] >= n->conf.vc_buffer)
		return false;
	r->sw_alloc.out_pointer[port] = in + 1 < r->ports ? in + 1 : 0;
	r->sw_alloc.in_pointer[in] = port + 1 < r->ports ? port + 1 : 0;
	r->sw_turn[in] = v_in + 1 < n->vcs ? v_in + 1 : 0;
	if (!cross(n, s, r, vc))
		r->sw.count = 0;
	return true;
}

/* ---- a step ------------------------------------------------------------------------------------------------------- */

/* Returns whether a flit got through. */
static bool switch_flits(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t heads)
{
	uint32_t waiting = r->sw.count;
	struct requests q;

	q.outs = q.ins = 0;
	if (waiting) {
		ask_outputs(n, s, r, &q);
		match_switch(r, &q);
		grants(n, r, &q);
	}
	if (heads)
		hand_out(n, s, r, heads);
	if (q.ins)
		pass(n, s, r, r->sw.count - waiting);
	return q.ins;
}

bool noc_quick_step(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	uint32_t crossing_now = r->cross.count, heads;
	bool moved = false;

	arrivals(n, s, r);
	heads = r->vc.count;
	if (heads)
		moved = heads == 1 ? match_one(n, s, r) : match_channels(n, s, r);
	if (!heads && r->sw.count == 1)
		moved |= pass_one(n, s, r);
	else if (heads || r->sw.count)
		moved |= switch_flits(n, s, r, heads);
	if (n->direct)
		return r->credit.count || (moved && (r->vc.count || r->sw.count));
	for (; crossing_now; crossing_now--) {
		struct noc_crossing *c = crossing(r, 0);

		noc_flits_push(&s->output[r->base + c->output], c->flit);
		bitset_set(r->queued, c->output);
		r->cross.head++;
		r->cross.count--;
	}
	r->credited[0] = 0;
	return r->credit.count || r->vc.count || r->sw.count || r->cross.count;
}
