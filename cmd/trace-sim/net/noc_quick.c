/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One step of the routers that most networks have: ways known on arrival, both allocators islip with one
 * round, nothing speculative or held, no priorities, no speedup, private buffers, one step through the
 * switch, at most 64 ports and virtual channels. The same as noc_router.c, to the order of its lists, with
 * sets for these.
 *
 * Always true between two cycles: a head stands at the outputs that it asks for, and a channel whose next
 * flit could cross at its own, so that nobody is asked in vain and a router in which nothing can move is not
 * visited. One that is the only one of its kind in the router stands nowhere: it is kept apart (lone, next),
 * and needs no matching. Where a list would have a channel follows from two numbers of it; only those who
 * cross in one step are put in order, for they draw random numbers, and look at routers, one after the other.
 */
#include "inlining.h"
#include "net/noc_step.h"

/*
 * noc_vc.order: so many numbers for each time, first those of arrivals, then those of heads behind a tail
 * that crosses.
 */
#define ORDERS 128
#define BEHIND 64

/* ---- who could cross ------------------------------------------------------------------------- */

static inline void set_ready(struct noc_router *r, const struct noc_vc *v)
{
	*v->ready |= 1ull << v->in_vc;
	v->output->wants |= 1ull << v->in;
	r->quick.wanted |= 1ull << v->port;
}

static inline void clear_ready(struct noc_router *r, const struct noc_vc *v)
{
	if (*v->ready &= ~(1ull << v->in_vc))
		return;
	if (v->output->wants &= ~(1ull << v->in))
		return;
	r->quick.wanted &= ~(1ull << v->port);
}

/* A channel's next flit could cross from now on. */
static inline void could_cross(struct noc_router *r, struct noc_vc *v)
{
	struct noc_quick *q = &r->quick;

	if (!q->wanted && !q->next) {
		q->next = v;
		return;
	}
	if (q->next)
		set_ready(r, q->next);
	q->next = NULL;
	set_ready(r, v);
}

/* ---- credits --------------------------------------------------------------------------------- */

/* The buffer of a channel behind an output was full, and is not. Returns whether that lets anything move. */
static inline bool not_full(const struct noc *n, struct noc_router *r, uint32_t port, uint32_t vc)
{
	struct noc_quick *q = &r->quick;
	struct noc_vc *v = &q->vc[q->turn[port * n->vcs + vc] - 1];

	if (v->state != NOC_ACTIVE || v->port != port || v->vc != vc || !v->count)
		return false;
	could_cross(r, v);
	return true;
}

/* A credit for channel vc of output `room` counts. Returns whether it lets anything move in the router. */
static ALWAYS_INLINE bool credit(const struct noc *n, struct noc_subnet *s, uint32_t room, uint32_t vc)
{
	uint32_t left = --s->room.vc_used[room * n->vcs + vc];
	struct noc_router *r;
	struct noc_quick_port *o;
	bool moves = false;

	s->room.used[room]--;
	if (left + 1 != n->conf.vc_buffer && !s->room.wait_for_tail)
		return false;
	r = &s->router[n->plan->router_of[room]];
	if (left + 1 == n->conf.vc_buffer)
		moves = not_full(n, r, room - r->base, vc);
	o = &r->quick.port[room - r->base];
	if (s->room.wait_for_tail && !left && o->tails >> vc & 1) {
		o->free |= 1ull << vc;
		r->quick.open |= 1ull << (room - r->base);
		moves |= r->quick.lone || r->quick.asked >> (room - r->base) & 1;
	}
	return moves;
}

/* Those that are delayed. */
static void credits(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	while (r->credit.count) {
		struct noc_credit *c = &r->credit.slot[r->credit.head & r->credit.mask];

		if (n->time < c->time)
			break;
		credit(n, s, c->port, c->vc);
		r->credit.head++;
		r->credit.count--;
		s->credits--;
	}
}

static inline void credit_comes(struct noc *n, struct noc_subnet *s, const struct noc_returning *c)
{
	if (c->to >= n->plan->ports) {
		noc_node_credit(n, s, c);
		return;
	}
	if (!n->at_once) {
		noc_later_credit(n, s, &s->router[n->plan->router_of[c->to]], c);
		return;
	}
	s->credits--;
	if (s->credited)
		s->credited[c->to] = (uint32_t)n->time + 1;
	if (credit(n, s, c->to, c->vc))
		bitset_set(s->active, n->plan->router_of[c->to]);
}

/* ---- arrivals -------------------------------------------------------------------------------- */

static inline uint64_t range(const struct noc_way *w)
{
	return (2ull << (w->hi & 63)) - (1ull << (w->lo & 63));
}

/* A head stands at output `port`. */
static inline void wait_at(struct noc_quick *q, const struct noc_vc *v, uint32_t port)
{
	struct noc_quick_port *o = &q->port[port];

	o->waiting[v->at / 64] |= 1ull << v->at % 64;
	o->heads++;
	q->asked |= 1ull << port;
}

static inline void wait_at_all(struct noc_quick *q, const struct noc_vc *v)
{
	wait_at(q, v, v->way_port[0]);
	if (v->ways > 1)
		wait_at(q, v, v->way_port[1]);
}

/* The head of p has come to the front of a channel, and asks for channels of outputs. */
static inline void head_comes(struct noc_router *r, struct noc_vc *v, const struct noc_packet *p)
{
	struct noc_quick *q = &r->quick;

	v->state = NOC_WANTS;
	v->ways = 1;
	v->way_port[0] = (uint8_t)p->way[0].port;
	v->asks[0] = range(&p->way[0]);
	if (p->n_ways > 1 && p->way[1].port == p->way[0].port) {
		v->asks[0] |= range(&p->way[1]);
	} else if (p->n_ways > 1) {
		v->ways = 2;
		v->way_port[1] = (uint8_t)p->way[1].port;
		v->asks[1] = range(&p->way[1]);
	}
	if (!q->asked && !q->lone) {
		q->lone = v;
		return;
	}
	if (q->lone)
		wait_at_all(q, q->lone);
	q->lone = NULL;
	wait_at_all(q, v);
}

/* A flit comes to an input port, numbered over all routers. */
static inline void flit_comes(struct noc *n, struct noc_subnet *s, const struct noc_moving *m)
{
	uint32_t router = n->plan->router_of[m->to];
	struct noc_router *r = &s->router[router];
	struct noc_vc *v = &s->vc[m->to * n->vcs + m->flit.vc];

	v->slot[(v->head + v->count) & (n->buffer_cap - 1)] = m->flit;
	if (v->count++)
		return;
	v->order = (int64_t)n->time * ORDERS + v->in;
	if (v->state == NOC_IDLE) {
		head_comes(r, v, &s->packet[m->flit.req]);
		if (r->quick.lone || r->quick.asked & r->quick.open)
			bitset_set(s->active, router);
		return;
	}
	v->batch = (int64_t)n->time;
	if (*v->room == n->conf.vc_buffer)
		return;
	could_cross(r, v);
	bitset_set(s->active, router);
}

void noc_quick_deliver(struct noc *n, struct noc_subnet *s)
{
	struct noc_slot *slot = noc_slot_now(n, s);

	for (const struct noc_moving *m = slot->flit, *end = m + slot->flits; m < end; m++)
		if (m->to & NOC_NODE)
			noc_node_flit(s, m);
		else
			flit_comes(n, s, m);
	for (const struct noc_returning *c = slot->credit, *end = c + slot->credits; c < end; c++)
		credit_comes(n, s, c);
	slot->flits = slot->credits = 0;
	s->view.now = (uint32_t)n->time;
}

/* ---- virtual channels ------------------------------------------------------------------------ */

/*
 * The next in turn of channels of an output whose channel 0 has the number low: from `turn` on, else of all.
 */
static inline uint32_t next_in_turn(uint64_t got, uint32_t low, uint32_t turn)
{
	uint64_t later = turn <= low ? got : turn - low < 64 ? got >> (turn - low) << (turn - low) : 0;

	return low + bit_lowest64(later ? later : got);
}

static inline void leave(struct noc_quick *q, const struct noc_vc *v, uint32_t port)
{
	struct noc_quick_port *o = &q->port[port];

	o->waiting[v->at / 64] &= ~(1ull << v->at % 64);
	if (!--o->heads)
		q->asked &= ~(1ull << port);
}

static inline void leave_all(struct noc_quick *q, const struct noc_vc *v)
{
	leave(q, v, v->way_port[0]);
	if (v->ways > 1)
		leave(q, v, v->way_port[1]);
}

/*
 * A head gets output channel `out` of a port, and comes to
 * the front of the switch list with all others of this step.
 */
static ALWAYS_INLINE void own(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v,
	uint32_t port, uint32_t out)
{
	struct noc_quick *q = &r->quick;
	struct noc_quick_port *o = &q->port[port];
	uint32_t out_vc = out - port * n->vcs;

	q->turn[out] = v->at + 1u;
	v->output = o;
	v->ready = &o->ready[v->in];
	v->turn = (uint16_t)(out + 1);
	v->port = (uint16_t)port;
	v->vc = (uint16_t)out_vc;
	v->state = NOC_ACTIVE;
	v->batch = -(int64_t)n->time;
	v->room = &s->room.vc_used[r->base * n->vcs + out];
	o->tails &= ~(1ull << out_vc);
	if (!(o->free &= ~(1ull << out_vc)))
		q->open &= ~(1ull << port);
	if (*v->room != n->conf.vc_buffer)
		could_cross(r, v);
}

/* Of the ways of a channel's head the one to an output. */
static inline uint32_t way_to(const struct noc_vc *v, uint32_t port) { return v->way_port[0] != port; }

/* Channels that the heads at an output ask for there. */
static uint64_t asked_of(const struct noc_quick *q, uint32_t port)
{
	uint64_t asks = 0;

	for (uint32_t w = 0; w < q->words; w++)
		FOR_BITS64 (b, q->port[port].waiting[w]) {
			const struct noc_vc *v = &q->vc[w * 64 + b];

			asks |= v->asks[way_to(v, port)];
		}
	return asks;
}

/*
 * The channels left of an output are granted to heads in turn; those who are granted any come into n->chosen.
 */
static void grant_channels(struct noc *n, const struct noc_quick *q, uint32_t port)
{
	const uint64_t *heads = q->port[port].waiting;

	FOR_BITS64 (out, q->port[port].free & asked_of(q, port)) {
		uint32_t at = bitset_next_cyclic(heads, q->words, q->turn[port * n->vcs + out]);

		while (!(q->vc[at].asks[way_to(&q->vc[at], port)] >> out & 1))
			at = bitset_next_cyclic(heads, q->words, at + 1 < 64 * q->words ? at + 1 : 0);
		n->granted[at * NOC_WAYS + way_to(&q->vc[at], port)] |= 1ull << out;
		bitset_set(n->chosen, at);
	}
}

/*
 * A head takes the next in turn of the channels that it was granted, by way. Returns whether there are any.
 */
static ALWAYS_INLINE bool take(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v,
	uint64_t granted0, uint64_t granted1)
{
	uint32_t port = v->way_port[0], best = 0, out;

	if (!(granted0 | granted1))
		return false;
	if (granted0)
		best = next_in_turn(granted0, port * n->vcs, v->turn);
	if (granted1) {
		out = next_in_turn(granted1, v->way_port[1] * n->vcs, v->turn);
		if (!granted0 || out - v->turn < best - v->turn) {
			best = out;
			port = v->way_port[1];
		}
	}
	own(n, s, r, v, port, best);
	return true;
}

/* The head that is alone at a port, if it is alone wherever it waits; NULL. */
static inline struct noc_vc *alone(const struct noc_quick *q, uint32_t port)
{
	const uint64_t *heads = q->port[port].waiting;
	uint32_t w = 0;
	struct noc_vc *v;

	if (q->port[port].heads != 1)
		return NULL;
	while (!heads[w])
		w++;
	v = &q->vc[w * 64 + bit_lowest64(heads[w])];
	return v->ways == 1 || q->port[v->way_port[v->way_port[0] == port]].heads == 1 ? v : NULL;
}

/* All channels left that a head asks for are granted to it. Returns whether there are any. */
static ALWAYS_INLINE bool serve(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v)
{
	const struct noc_quick_port *port = r->quick.port;
	uint64_t second = v->ways > 1 ? v->asks[1] & port[v->way_port[1]].free : 0;

	return take(n, s, r, v, v->asks[0] & port[v->way_port[0]].free, second);
}

/* Heads that were granted channels take one each. */
static bool accept(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	bool got = false;

	for (uint32_t w = 0; w < r->quick.words; w++) {
		FOR_BITS64 (b, n->chosen[w]) {
			uint64_t *granted = &n->granted[(w * 64 + b) * NOC_WAYS];

			got |= take(n, s, r, &r->quick.vc[w * 64 + b], granted[0], granted[1]);
			leave_all(&r->quick, &r->quick.vc[w * 64 + b]);
			granted[0] = granted[1] = 0;
		}
		n->chosen[w] = 0;
	}
	return got;
}

/*
 * Heads that stand at outputs get channels; those who meet
 * no other get theirs at once. Returns whether any got one.
 */
static bool match_many_channels(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	bool got = false, chosen = false;

	FOR_BITS64 (port, q->asked & q->open) {
		struct noc_vc *v;

		if (!q->port[port].heads)
			continue;
		v = alone(q, (uint32_t)port);
		if (!v) {
			grant_channels(n, q, (uint32_t)port);
			chosen = true;
		} else if (serve(n, s, r, v)) {
			leave_all(q, v);
			got = true;
		}
	}
	return (chosen && accept(n, s, r)) || got;
}

/* Heads get channels. Returns whether any got one. */
static inline bool match_channels(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;

	if (!q->lone)
		return q->asked & q->open && match_many_channels(n, s, r);
	if (!serve(n, s, r, q->lone))
		return false;
	q->lone = NULL;
	return true;
}

/* ---- the switch ------------------------------------------------------------------------------ */

/* First member of a set at or cyclically after a turn. */
static inline uint32_t pick(uint64_t set, uint32_t turn)
{
	return set & (set - 1) ? bit_next_cyclic64(set, turn) : bit_lowest64(set);
}

/* A channel crosses: turns go on behind it. */
static inline struct noc_vc *matched(struct noc_vc *v)
{
	v->output->out_turn = v->in + 1u;
	v->input->in_turn = v->port + 1u;
	v->input->vc_turn = v->in_vc + 1u;
	return v;
}

/* The channel of input `in` that crosses to output `out`. */
static inline struct noc_vc *match(const struct noc *n, struct noc_router *r, uint32_t in, uint32_t out)
{
	struct noc_quick *q = &r->quick;
	uint32_t vc = pick(q->port[out].ready[in], q->port[in].vc_turn);

	return matched(&q->vc[in * n->vcs + vc]);
}

static bool before(const struct noc_vc *a, const struct noc_vc *b)
{
	return a->batch < b->batch || (a->batch == b->batch && a->order < b->order);
}

/* Inputs and outputs are matched, of which several are wanted. Those who cross come into n->go. */
static uint32_t match_many(struct noc *n, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	uint64_t inputs = 0, outputs[64];
	uint32_t count = 0;

	FOR_BITS64 (out, q->wanted) {
		uint32_t in = pick(q->port[out].wants, q->port[out].out_turn);

		outputs[in] = inputs >> in & 1 ? outputs[in] | 1ull << out : 1ull << out;
		inputs |= 1ull << in;
	}
	FOR_BITS64 (in, inputs) {
		uint32_t k = count++;
		struct noc_vc *v = match(n, r, (uint32_t)in, pick(outputs[in], q->port[in].in_turn));

		for (; k && before(v, n->go[k - 1]); k--)
			n->go[k] = n->go[k - 1];
		n->go[k] = v;
	}
	return count;
}

/* Those who cross come into n->go, in the order of their list. */
static inline uint32_t match_switch(struct noc *n, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	uint32_t out;

	if (q->next) {
		n->go[0] = matched(q->next);
		return 1;
	}
	if (!q->wanted)
		return 0;
	if (q->wanted & (q->wanted - 1))
		return match_many(n, r);
	out = bit_lowest64(q->wanted);
	n->go[0] = match(n, r, pick(q->port[out].wants, q->port[out].out_turn), out);
	return 1;
}

/*
 * The flit at the front of a channel crosses. In the next step it would reach an output that has sent all, so
 * that its time on the channel is known, and the credit would leave in this one. Returns whether it was a
 * tail.
 */
static inline bool send(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v)
{
	const struct noc_flit *f = &v->slot[v->head++ & (n->buffer_cap - 1)];
	const struct noc_quick_port *input = v->input, *output = v->output;
	uint32_t out = r->base + v->port;
	struct noc_packet *p = &s->packet[f->req];
	struct noc_slot *slot = noc_slot_in(s, input->from_in);
	struct noc_moving *m;

	v->count--;
	slot->credit[slot->credits++] = (struct noc_returning){input->from, v->in_vc};
	s->credits++;
	if (!f->index) {
		p->hops++;
		p->vc = v->vc;
		look_ahead(n, s, p, output->to);
	}
	s->room.used[out]++;
	++*v->room;
	s->link_flits[out]++;
	slot = noc_slot_in(s, output->to_in);
	m = &slot->flit[slot->flits++];
	m->to = output->to;
	m->flit = *f;
	m->flit.vc = v->vc;
	return f->index + 1u == p->book.flits;
}

/* rank: among those who cross in this step. in_sets: of what could cross. */
static inline void cross(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v,
	uint32_t rank, bool in_sets)
{
	bool tail = send(n, s, r, v), goes_on = !tail && v->count && *v->room != n->conf.vc_buffer;

	if (in_sets && !goes_on)
		clear_ready(r, v);
	else if (!in_sets && goes_on)
		could_cross(r, v);
	if (!tail)
		return;
	if (s->room.wait_for_tail) {
		v->output->tails |= 1ull << v->vc;
	} else {
		v->output->free |= 1ull << v->vc;
		r->quick.open |= 1ull << v->port;
	}
	v->state = NOC_IDLE;
	if (!v->count)
		return;
	v->order = (int64_t)n->time * ORDERS + BEHIND + rank;
	head_comes(r, v, &s->packet[v->slot[v->head & (n->buffer_cap - 1)].req]);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* False: nothing can move in the router until something comes. */
static inline bool step(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	uint32_t count;
	bool moved, in_sets;

	if (r->credit.count)
		credits(n, s, r);
	count = match_switch(n, r);
	in_sets = !q->next;
	q->next = NULL;
	moved = match_channels(n, s, r);
	for (uint32_t i = 0; i < count; i++)
		cross(n, s, r, n->go[i], i, in_sets);
	return q->wanted || q->next || ((moved || count) && (q->lone || q->asked & q->open)) ||
	       r->credit.count;
}

void noc_quick_routers(struct noc *n, struct noc_subnet *s)
{
	for (uint32_t w = 0; w < BITSET_WORDS(n->plan->routers); w++)
		FOR_BITS64 (b, s->active[w]) {
			s->view.stepped = w * 64 + (uint32_t)b + 1;
			if (!step(n, s, &s->router[w * 64 + b]))
				s->active[w] &= ~(1ull << b);
		}
	s->view.stepped = 0;
}
