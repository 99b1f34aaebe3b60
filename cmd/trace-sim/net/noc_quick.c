/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One internal step of the routers that most networks have: ways known on arrival, both allocators islip with one
 * round, nothing speculative or held, no priorities, no speedup of ports, private buffers, one step through the switch,
 * at most 64 ports and virtual channels. The same as noc_router.c, to the order of its lists, with sets in one word each.
 *
 * Always true: what came back from a list without a grant stays where it is; channels that have just got an output go
 * before the rest of the switch list, as if that had been appended behind them.
 */
#include "net/noc_step.h"

bool noc_quick_fits(const struct noc *n)
{
	const struct icnt *c = &n->conf;

	return n->lookahead && n->vc_delay == 1 && n->sw_delay == 1 && !n->speculative && !n->hold &&
	       !n->shuffle && !n->busy_when_full && !n->empty_first && n->input_speedup == 1 &&
	       n->output_speedup == 1 && n->output_max < 0 && c->crossbar_delay == 1 &&
	       c->policy == POLICY_PRIVATE && c->vc_alloc.kind == ALLOCATOR_ISLIP &&
	       c->vc_alloc.rounds == 1 && c->sw_alloc.kind == ALLOCATOR_ISLIP && c->sw_alloc.rounds == 1 &&
	       !n->priorities && n->vcs <= 64 && n->plan->most_ports <= 64;
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
static int32_t accept(struct noc *n, const struct noc_bid *bid, uint32_t bids, uint32_t turn)
{
	int32_t first = -1, next = -1;

	for (uint32_t i = 0; i < bids; i++) {
		uint32_t low = bid[i].port * n->vcs;
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

static void match_channels(struct noc *n, struct noc_subnet *s, struct noc_router *r)
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
		out = accept(n, &bid[i], end - i, r->vc_alloc.in_pointer[e->vc]);
		if (out < 0)
			continue;
		e->result = out;
		r->vc_alloc.out_pointer[out] = e->vc + 1 < outputs ? e->vc + 1 : 0;
		r->vc_alloc.in_pointer[e->vc] = (uint32_t)out + 1 < outputs ? (uint32_t)out + 1 : 0;
	}
}

/* Keeps those without a channel; the others come to the front of the switch list, in order. */
static void hand_out(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t count)
{
	uint32_t kept = 0, got = 0, total = r->vc.count;

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

/* Entries from `skip` on were evaluated; those before are new. */
static void pass(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t skip)
{
	uint32_t kept = skip, total = r->sw.count, head = r->sw.head, mask = r->sw.mask;
	struct noc_entry *slot = r->sw.slot;

	for (uint32_t i = skip; i < total; i++) {
		struct noc_entry *e = &slot[(head + i) & mask];

		if (e->result >= 0) {
			struct noc_vc *v = &s->vc[r->base * n->vcs + e->vc];
			bool tail = noc_router_cross(n, s, r, e->vc);

			if (tail && v->count)
				noc_router_head(n, s, r, e->vc);
			else if (tail)
				v->state = NOC_IDLE;
			if (tail || !v->count)
				continue;
		}
		if (kept != i)
			slot[(head + kept) & mask].vc = e->vc;
		kept++;
	}
	r->sw.count = kept;
}

/* ---- a step ------------------------------------------------------------------------------------------------------- */

bool noc_quick_step(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	uint32_t crossing_now = r->cross.count, heads, waiting;
	struct requests q;

	noc_router_arrivals(n, s, r);
	q.outs = q.ins = 0;
	heads = r->vc.count;
	waiting = r->sw.count;
	if (heads)
		match_channels(n, s, r);
	if (waiting) {
		ask_outputs(n, s, r, &q);
		match_switch(r, &q);
		grants(n, r, &q);
	}
	if (heads)
		hand_out(n, s, r, heads);
	if (q.ins)
		pass(n, s, r, r->sw.count - waiting);
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
