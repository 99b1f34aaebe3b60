/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one step of a fast router, which covers the common configuration: routes are known on arrival; both
 * allocators are islip with one round; there is no speculation, hold, priority or speedup; buffers are
 * private; the switch takes one step; there are at most 64 ports and virtual channels. The results are the
 * same as in noc_router.c. The lists of noc_router.c are sets here.
 *
 * Always true between two cycles: a head is in the set of each output that it requests. A channel whose next
 * flit could cross is in the set of its output. Therefore only requesters are visited, and a router in which
 * nothing can move is not visited. If a router has exactly one head that requests a channel, the head is in
 * `only_waiting_head` instead of a set. If exactly one channel could cross, it is in `next`. Neither needs an
 * allocator. Two numbers, `batch` and `order`, give the position of a channel in the lists of noc_router.c.
 * Only channels that cross in the same step are sorted. Their order matters, because routing draws random
 * numbers and reads the state of routers.
 */
#include "inlining.h"
#include "net/noc_step.h"

/*
 * Number of values of noc_vc.order per cycle. Arrivals use the values below AFTER_TAIL. Heads that follow a
 * crossing tail use the other values.
 */
#define ORDERS     128
#define AFTER_TAIL 64

/* ---- channels that could cross --------------------------------------------------------------- */

static inline void mark_vc_ready(struct noc_router *r, const struct noc_vc *v)
{
	*v->ready |= 1ull << v->in_vc;
	v->output->crossing_inputs |= 1ull << v->in;
	r->quick.crossing_outputs |= 1ull << v->port;
}

static inline void clear_vc_ready(struct noc_router *r, const struct noc_vc *v)
{
	if (*v->ready &= ~(1ull << v->in_vc))
		return;
	if (v->output->crossing_inputs &= ~(1ull << v->in))
		return;
	r->quick.crossing_outputs &= ~(1ull << v->port);
}

/* Adds a channel whose next flit can cross to the ready sets, or stores it in `next` if it is the only one. */
static inline void add_crossing_candidate(struct noc_router *r, struct noc_vc *v)
{
	struct noc_quick *q = &r->quick;

	if (!q->crossing_outputs && !q->next) {
		q->next = v;
		return;
	}
	if (q->next)
		mark_vc_ready(r, q->next);
	q->next = NULL;
	mark_vc_ready(r, v);
}

/* ---- credits --------------------------------------------------------------------------------- */

/*
 * Updates the sets when the downstream buffer of an output channel is no longer full. Returns true if a flit
 * can now move.
 */
static inline bool wake_vc_owner(const struct noc *n, struct noc_router *r, uint32_t port, uint32_t vc)
{
	struct noc_quick *q = &r->quick;
	struct noc_vc *v = &q->vc[q->turn[port * n->vcs + vc] - 1];

	if (v->state != NOC_ACTIVE || v->port != port || v->vc != vc || !v->count)
		return false;
	add_crossing_candidate(r, v);
	return true;
}

/* Counts a credit for channel vc of a sender. Returns true if a flit or head can now move in its router. */
static ALWAYS_INLINE bool count_credit(
	const struct noc *n, struct noc_subnet *s, uint32_t sender, uint32_t vc)
{
	uint32_t left = --s->senders.vc_used[sender * n->vcs + vc];
	struct noc_router *r;
	struct noc_quick_port *o;
	bool moves = false;

	s->senders.used[sender]--;
	if (left + 1 != n->conf.vc_buffer && !s->senders.wait_for_tail)
		return false;
	r = &s->router[n->plan->router_of[sender]];
	if (left + 1 == n->conf.vc_buffer)
		moves = wake_vc_owner(n, r, sender - r->first_port, vc);
	o = &r->quick.port[sender - r->first_port];
	if (s->senders.wait_for_tail && !left && o->tails >> vc & 1) {
		o->free |= 1ull << vc;
		r->quick.free_outputs |= 1ull << (sender - r->first_port);
		moves |= r->quick.only_waiting_head ||
			 r->quick.awaited_outputs >> (sender - r->first_port) & 1;
	}
	return moves;
}

/* Counts the credits whose delay has ended. */
static void count_delayed_credits(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	while (r->credit.count) {
		struct noc_credit *c = &r->credit.slot[r->credit.head & r->credit.mask];

		if (n->time < c->time)
			break;
		count_credit(n, s, c->port, c->vc);
		r->credit.head++;
		r->credit.count--;
		s->credits--;
	}
}

static inline void quick_credit_arrives(struct noc *n, struct noc_subnet *s, const struct noc_returning *c)
{
	if (c->sender >= n->plan->ports) {
		noc_deliver_node_credit(n, s, c);
		return;
	}
	if (!n->immediate_credits) {
		noc_queue_router_credit(n, s, &s->router[n->plan->router_of[c->sender]], c);
		return;
	}
	s->credits--;
	if (s->credited)
		s->credited[c->sender] = (uint32_t)n->time + 1;
	if (count_credit(n, s, c->sender, c->vc))
		bitset_set(s->active, n->plan->router_of[c->sender]);
}

/* ---- arrivals -------------------------------------------------------------------------------- */

static inline uint64_t channels_of_way(const struct noc_way *w)
{
	return (2ull << (w->hi & 63)) - (1ull << (w->lo & 63));
}

/* Adds a head to the waiting heads of output `port`. */
static inline void wait_at_output(struct noc_quick *q, const struct noc_vc *v, uint32_t port)
{
	struct noc_quick_port *o = &q->port[port];

	o->waiting[v->input_index / 64] |= 1ull << v->input_index % 64;
	o->heads++;
	q->awaited_outputs |= 1ull << port;
}

static inline void wait_at_outputs(struct noc_quick *q, const struct noc_vc *v)
{
	wait_at_output(q, v, v->way_port[0]);
	if (v->ways > 1)
		wait_at_output(q, v, v->way_port[1]);
}

/* Requests output channels for the head of packet p, which is at the front of channel v. */
static inline void quick_head_arrives(struct noc_router *r, struct noc_vc *v, const struct noc_packet *p)
{
	struct noc_quick *q = &r->quick;

	v->state = NOC_WANTS;
	v->ways = 1;
	v->way_port[0] = (uint8_t)p->way[0].port;
	v->requests[0] = channels_of_way(&p->way[0]);
	if (p->n_ways > 1 && p->way[1].port == p->way[0].port) {
		v->requests[0] |= channels_of_way(&p->way[1]);
	} else if (p->n_ways > 1) {
		v->ways = 2;
		v->way_port[1] = (uint8_t)p->way[1].port;
		v->requests[1] = channels_of_way(&p->way[1]);
	}
	if (!q->awaited_outputs && !q->only_waiting_head) {
		q->only_waiting_head = v;
		return;
	}
	if (q->only_waiting_head)
		wait_at_outputs(q, q->only_waiting_head);
	q->only_waiting_head = NULL;
	wait_at_outputs(q, v);
}

/* Stores a flit that arrives at input port m->target of its router. */
static inline void quick_flit_arrives(struct noc *n, struct noc_subnet *s, const struct noc_moving *m)
{
	uint32_t router = n->plan->router_of[m->target];
	struct noc_router *r = &s->router[router];
	struct noc_vc *v = &s->vc[m->target * n->vcs + m->flit.vc];

	v->slot[(v->head + v->count) & (n->buffer_cap - 1)] = m->flit;
	if (v->count++)
		return;
	v->order = (int64_t)n->time * ORDERS + v->in;
	if (v->state == NOC_IDLE) {
		quick_head_arrives(r, v, &s->packet[m->flit.req]);
		if (r->quick.only_waiting_head || r->quick.awaited_outputs & r->quick.free_outputs)
			bitset_set(s->active, router);
		return;
	}
	v->batch = (int64_t)n->time;
	if (*v->vc_used == n->conf.vc_buffer)
		return;
	add_crossing_candidate(r, v);
	bitset_set(s->active, router);
}

void noc_quick_deliver(struct noc *n, struct noc_subnet *s)
{
	struct noc_slot *slot = noc_begin_cycle(n, s);

	for (const struct noc_moving *m = slot->flit, *end = m + slot->flits; m < end; m++)
		if (m->target & NOC_NODE)
			noc_deliver_node_flit(s, m);
		else
			quick_flit_arrives(n, s, m);
	for (const struct noc_returning *c = slot->credit, *end = c + slot->credits; c < end; c++)
		quick_credit_arrives(n, s, c);
	slot->flits = slot->credits = 0;
	s->view.now = (uint32_t)n->time;
}

/* ---- virtual channels ------------------------------------------------------------------------ */

/*
 * Returns the first channel of set `got` in round robin from `turn` on. `low` is the number of the output's
 * first channel.
 */
static inline uint32_t next_channel_round_robin(uint64_t got, uint32_t low, uint32_t turn)
{
	uint64_t later = turn <= low ? got : turn - low < 64 ? got >> (turn - low) << (turn - low) : 0;

	return low + bit_lowest64(later ? later : got);
}

static inline void stop_waiting_at_output(struct noc_quick *q, const struct noc_vc *v, uint32_t port)
{
	struct noc_quick_port *o = &q->port[port];

	o->waiting[v->input_index / 64] &= ~(1ull << v->input_index % 64);
	if (!--o->heads)
		q->awaited_outputs &= ~(1ull << port);
}

static inline void stop_waiting_at_outputs(struct noc_quick *q, const struct noc_vc *v)
{
	stop_waiting_at_output(q, v, v->way_port[0]);
	if (v->ways > 1)
		stop_waiting_at_output(q, v, v->way_port[1]);
}

/*
 * Assigns channel `out` of an output port to the head of v. v moves to the front of the switch list, with all
 * channels whose heads are assigned in this step.
 */
static ALWAYS_INLINE void assign_channel_to_head(struct noc *n, struct noc_subnet *s, struct noc_router *r,
	struct noc_vc *v, uint32_t port, uint32_t out)
{
	struct noc_quick *q = &r->quick;
	struct noc_quick_port *o = &q->port[port];
	uint32_t out_vc = out - port * n->vcs;

	q->turn[out] = v->input_index + 1u;
	v->output = o;
	v->ready = &o->ready[v->in];
	v->turn = (uint16_t)(out + 1);
	v->port = (uint16_t)port;
	v->vc = (uint16_t)out_vc;
	v->state = NOC_ACTIVE;
	v->batch = -(int64_t)n->time;
	v->vc_used = &s->senders.vc_used[r->first_port * n->vcs + out];
	o->tails &= ~(1ull << out_vc);
	if (!(o->free &= ~(1ull << out_vc)))
		q->free_outputs &= ~(1ull << port);
	if (*v->vc_used != n->conf.vc_buffer)
		add_crossing_candidate(r, v);
}

/* Index, in the ways of v's head, of the way to output `port`. */
static inline uint32_t way_index(const struct noc_vc *v, uint32_t port) { return v->way_port[0] != port; }

/* Returns the channels of output `port` that waiting heads request. */
static uint64_t vcs_requested_at(const struct noc_quick *q, uint32_t port)
{
	uint64_t asks = 0;

	for (uint32_t w = 0; w < q->set_words; w++)
		FOR_BITS64 (b, q->port[port].waiting[w]) {
			const struct noc_vc *v = &q->vc[w * 64 + b];

			asks |= v->requests[way_index(v, port)];
		}
	return asks;
}

/*
 * Grants the free channels of an output to heads in round robin. Adds the channels of these heads to
 * n->inputs_granted.
 */
static void grant_channels(struct noc *n, const struct noc_quick *q, uint32_t port)
{
	const uint64_t *heads = q->port[port].waiting;

	FOR_BITS64 (out, q->port[port].free & vcs_requested_at(q, port)) {
		uint32_t at = bitset_next_cyclic(heads, q->set_words, q->turn[port * n->vcs + out]);

		while (!(q->vc[at].requests[way_index(&q->vc[at], port)] >> out & 1))
			at = bitset_next_cyclic(heads, q->set_words, at + 1 < 64 * q->set_words ? at + 1 : 0);
		n->granted[at * NOC_WAYS + way_index(&q->vc[at], port)] |= 1ull << out;
		bitset_set(n->inputs_granted, at);
	}
}

/*
 * Assigns the next granted channel in round robin to the head of v. `granted0` and `granted1` are the
 * channels granted to its two ways. Returns false if both are empty.
 */
static ALWAYS_INLINE bool assign_granted_channel(struct noc *n, struct noc_subnet *s, struct noc_router *r,
	struct noc_vc *v, uint64_t granted0, uint64_t granted1)
{
	uint32_t port = v->way_port[0], best = 0, out;

	if (!(granted0 | granted1))
		return false;
	if (granted0)
		best = next_channel_round_robin(granted0, port * n->vcs, v->turn);
	if (granted1) {
		out = next_channel_round_robin(granted1, v->way_port[1] * n->vcs, v->turn);
		if (!granted0 || out - v->turn < best - v->turn) {
			best = out;
			port = v->way_port[1];
		}
	}
	assign_channel_to_head(n, s, r, v, port, best);
	return true;
}

/*
 * Returns the channel whose head waits for a port, if that head has no competitor there or at its other
 * output. Otherwise returns NULL.
 */
static inline struct noc_vc *only_head_at(const struct noc_quick *q, uint32_t port)
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

/* Assigns a free channel to the head of v, which has no competitors. Returns false if no requested channel is free. */
static ALWAYS_INLINE bool assign_free_channel(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v)
{
	const struct noc_quick_port *port = r->quick.port;
	uint64_t second = v->ways > 1 ? v->requests[1] & port[v->way_port[1]].free : 0;

	return assign_granted_channel(n, s, r, v, v->requests[0] & port[v->way_port[0]].free, second);
}

/* Assigns one of the granted channels to each head with grants. Returns true if any head received a channel. */
static bool accept_grants(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	bool got = false;

	for (uint32_t w = 0; w < r->quick.set_words; w++) {
		FOR_BITS64 (b, n->inputs_granted[w]) {
			uint64_t *granted = &n->granted[(w * 64 + b) * NOC_WAYS];

			got |= assign_granted_channel(
				n, s, r, &r->quick.vc[w * 64 + b], granted[0], granted[1]);
			stop_waiting_at_outputs(&r->quick, &r->quick.vc[w * 64 + b]);
			granted[0] = granted[1] = 0;
		}
		n->inputs_granted[w] = 0;
	}
	return got;
}

/*
 * Assigns channels to the heads that wait at outputs. Heads without competitors need no allocator. Returns
 * true if any head received a channel.
 */
static bool match_competing_heads(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	bool got = false, granted = false;

	FOR_BITS64 (port, q->awaited_outputs & q->free_outputs) {
		struct noc_vc *v;

		if (!q->port[port].heads)
			continue;
		v = only_head_at(q, (uint32_t)port);
		if (!v) {
			grant_channels(n, q, (uint32_t)port);
			granted = true;
		} else if (assign_free_channel(n, s, r, v)) {
			stop_waiting_at_outputs(q, v);
			got = true;
		}
	}
	return (granted && accept_grants(n, s, r)) || got;
}

/* Assigns channels to heads. Returns true if any head received one. */
static inline bool match_channels(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;

	if (!q->only_waiting_head)
		return q->awaited_outputs & q->free_outputs && match_competing_heads(n, s, r);
	if (!assign_free_channel(n, s, r, q->only_waiting_head))
		return false;
	q->only_waiting_head = NULL;
	return true;
}

/* ---- the switch ------------------------------------------------------------------------------ */

/* Returns the first member of a set in a cyclic search from `turn` on. */
static inline uint32_t first_member_from(uint64_t set, uint32_t turn)
{
	return set & (set - 1) ? bit_next_cyclic64(set, turn) : bit_lowest64(set);
}

/* Moves the round-robin pointers past channel v, which crosses. Returns v. */
static inline struct noc_vc *advance_turns(struct noc_vc *v)
{
	v->output->next_input = v->in + 1u;
	v->input->in_turn = v->port + 1u;
	v->input->vc_turn = v->in_vc + 1u;
	return v;
}

/* Returns the channel of input `in` that crosses to output `out`. */
static inline struct noc_vc *choose_crossing_vc(
	const struct noc *n, struct noc_router *r, uint32_t in, uint32_t out)
{
	struct noc_quick *q = &r->quick;
	uint32_t vc = first_member_from(q->port[out].ready[in], q->port[in].vc_turn);

	return advance_turns(&q->vc[in * n->vcs + vc]);
}

static bool must_cross_before(const struct noc_vc *a, const struct noc_vc *b)
{
	return a->batch < b->batch || (a->batch == b->batch && a->order < b->order);
}

/*
 * Matches inputs with outputs if flits can cross to several outputs. Stores in n->crossing the channels that
 * cross, in sorted order. Returns their number.
 */
static uint32_t match_competing_inputs(struct noc *n, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	uint64_t inputs = 0, outputs[64];
	uint32_t count = 0;

	FOR_BITS64 (out, q->crossing_outputs) {
		uint32_t in = first_member_from(q->port[out].crossing_inputs, q->port[out].next_input);

		outputs[in] = inputs >> in & 1 ? outputs[in] | 1ull << out : 1ull << out;
		inputs |= 1ull << in;
	}
	FOR_BITS64 (in, inputs) {
		uint32_t k = count++;
		struct noc_vc *v = choose_crossing_vc(
			n, r, (uint32_t)in, first_member_from(outputs[in], q->port[in].in_turn));

		for (; k && must_cross_before(v, n->crossing[k - 1]); k--)
			n->crossing[k] = n->crossing[k - 1];
		n->crossing[k] = v;
	}
	return count;
}

/* Stores in n->crossing the channels that cross, in the order of the switch list. Returns their number. */
static inline uint32_t match_switch(struct noc *n, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	uint32_t out;

	if (q->next) {
		n->crossing[0] = advance_turns(q->next);
		return 1;
	}
	if (!q->crossing_outputs)
		return 0;
	if (q->crossing_outputs & (q->crossing_outputs - 1))
		return match_competing_inputs(n, r);
	out = bit_lowest64(q->crossing_outputs);
	n->crossing[0] = choose_crossing_vc(
		n, r, first_member_from(q->port[out].crossing_inputs, q->port[out].next_input), out);
	return 1;
}

/*
 * Sends the first flit of v through the switch, and its credit. Returns true for a tail. In noc_router.c, the
 * flit reaches the output in the next step, when all earlier flits have been sent. The arrival time of the
 * flit is therefore already known. The credit leaves in this step, as in noc_router.c.
 */
static inline bool send_flit_and_credit(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v)
{
	const struct noc_flit *f = &v->slot[v->head++ & (n->buffer_cap - 1)];
	const struct noc_quick_port *input = v->input, *output = v->output;
	uint32_t out = r->first_port + v->port;
	struct noc_packet *p = &s->packet[f->req];
	struct noc_slot *slot = noc_slot_after(s, input->credit_latency);
	struct noc_moving *m;

	v->count--;
	slot->credit[slot->credits++] = (struct noc_returning){input->credit_sender, v->in_vc};
	s->credits++;
	if (!f->index) {
		p->hops++;
		p->vc = v->vc;
		noc_route_in_next_router(n, s, p, output->output_end);
	}
	s->senders.used[out]++;
	++*v->vc_used;
	s->link_flits[out]++;
	slot = noc_slot_after(s, output->flit_latency);
	m = &slot->flit[slot->flits++];
	m->target = output->output_end;
	m->flit = *f;
	m->flit.vc = v->vc;
	return f->index + 1u == p->book.flits;
}

/*
 * Moves the first flit of v, which crosses. `rank` is the position of v among the channels that cross in this
 * step. `in_sets` is true if v is in the ready sets.
 */
static inline void quick_cross(struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_vc *v,
	uint32_t rank, bool in_sets)
{
	bool tail = send_flit_and_credit(n, s, r, v),
	     can_continue = !tail && v->count && *v->vc_used != n->conf.vc_buffer;

	if (in_sets && !can_continue)
		clear_vc_ready(r, v);
	else if (!in_sets && can_continue)
		add_crossing_candidate(r, v);
	if (!tail)
		return;
	if (s->senders.wait_for_tail) {
		v->output->tails |= 1ull << v->vc;
	} else {
		v->output->free |= 1ull << v->vc;
		r->quick.free_outputs |= 1ull << v->port;
	}
	v->state = NOC_IDLE;
	if (!v->count)
		return;
	v->order = (int64_t)n->time * ORDERS + AFTER_TAIL + rank;
	quick_head_arrives(r, v, &s->packet[v->slot[v->head & (n->buffer_cap - 1)].req]);
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Runs one step of a router. Returns false if nothing in the router can move until a flit or credit arrives. */
static inline bool quick_router_step(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	struct noc_quick *q = &r->quick;
	uint32_t count;
	bool moved, in_sets;

	if (r->credit.count)
		count_delayed_credits(n, s, r);
	count = match_switch(n, r);
	in_sets = !q->next;
	q->next = NULL;
	moved = match_channels(n, s, r);
	for (uint32_t i = 0; i < count; i++)
		quick_cross(n, s, r, n->crossing[i], i, in_sets);
	return q->crossing_outputs || q->next ||
	       ((moved || count) && (q->only_waiting_head || q->awaited_outputs & q->free_outputs)) ||
	       r->credit.count;
}

void noc_quick_step_routers(struct noc *n, struct noc_subnet *s)
{
	for (uint32_t w = 0; w < BITSET_WORDS(n->plan->routers); w++)
		FOR_BITS64 (b, s->active[w]) {
			s->view.n_routers_stepped = w * 64 + (uint32_t)b + 1;
			if (!quick_router_step(n, s, &s->router[w * 64 + b]))
				s->active[w] &= ~(1ull << b);
		}
	s->view.n_routers_stepped = 0;
}
