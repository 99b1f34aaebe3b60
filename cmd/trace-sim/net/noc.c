/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the devices' side of a network of routers (NET-noc-1 to NET-noc-4): injection queues, ejection
 * buffers, and one cycle of the network.
 *
 * Always true: a cycle has three parts, and each covers both subnets before the next begins. First, flits and
 * credits arrive at nodes and routers. Second, nodes send. Third, nodes return credits and retire flits, and
 * routers step. The order of subnets, nodes and routers within a part is fixed, because they draw random
 * numbers. A flit or credit that is sent in cycle t over a channel of latency l arrives in cycle t + l + 1.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "net/noc_step.h"
#include "instrument/events.h"

/* ---- channels -------------------------------------------------------------------------------- */

/* Sends the first flit that waits at a port. Returns true if more flits wait. */
static bool send_flit(struct noc *n, struct noc_subnet *s, uint32_t port)
{
	struct noc_flits *q = &s->output[port];
	struct noc_flit f = noc_flits_pop(q);

	noc_send_flit(s, &n->plan->out[port], &f);
	if (s->link_flits)
		s->link_flits[port]++;
	return q->count != 0;
}

/*
 * Sends the credits that an input has queued in one step to the sender at the other end of its channel.
 * Returns true if more credits wait.
 */
static bool send_credits(struct noc *n, struct noc_subnet *s, uint32_t port)
{
	struct noc_owed *q = &s->credits_to_send[port];
	const struct noc_end *e = &n->plan->in[port];
	struct noc_slot *slot = noc_slot_after(s, e->latency);
	uint32_t vc;

	do {
		vc = q->slot[q->head++ & (n->output_cap - 1)];
		q->count--;
		slot->credit[slot->credits++] = (struct noc_returning){e->sender, vc & ~NOC_MORE};
	} while (vc & NOC_MORE);
	return q->count != 0;
}

/*
 * Sends one flit and the credits of one step from each port of a router. Returns true if more flits or
 * credits wait.
 */
static bool send_from_router(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	bool left = false;

	for (uint32_t w = 0; w < r->port_words; w++) {
		FOR_BITS64 (b, r->queued[w])
			if (!send_flit(n, s, r->first_port + w * 64 + (uint32_t)b))
				r->queued[w] &= ~(1ull << b);
		FOR_BITS64 (b, r->crediting_inputs[w])
			if (!send_credits(n, s, r->first_port + w * 64 + (uint32_t)b))
				r->crediting_inputs[w] &= ~(1ull << b);
		left |= (r->queued[w] | r->crediting_inputs[w]) != 0;
	}
	return left;
}

static void deliver_credit(struct noc *n, struct noc_subnet *s, const struct noc_returning *c)
{
	if (c->sender >= n->plan->ports)
		noc_deliver_node_credit(n, s, c);
	else
		noc_queue_router_credit(n, s, &s->router[n->plan->router_of[c->sender]], c);
}

static void deliver_flit(struct noc *n, struct noc_subnet *s, const struct noc_moving *m)
{
	uint32_t router;

	if (m->target & NOC_NODE) {
		noc_deliver_node_flit(s, m);
		return;
	}
	router = n->plan->router_of[m->target];
	s->arrived_flits[m->target] = m->flit;
	bitset_set(s->router[router].new_arrivals, m->target - n->plan->first_port[router]);
	bitset_set(s->active, router);
}

/*
 * Delivers flits and credits to nodes and routers. One pass over the arrivals suffices, because only nodes
 * use their arrivals in this part of the cycle.
 */
static void deliver_arrivals(struct noc *n, struct noc_subnet *s)
{
	struct noc_slot *slot;

	if (n->has_quick_routers) {
		noc_quick_deliver(n, s);
		return;
	}
	slot = noc_begin_cycle(n, s);
	for (uint32_t i = 0; i < slot->flits; i++)
		deliver_flit(n, s, &slot->flit[i]);
	for (uint32_t i = 0; i < slot->credits; i++)
		deliver_credit(n, s, &slot->credit[i]);
	slot->flits = slot->credits = 0;
}

/* ---- ejection -------------------------------------------------------------------------------- */

/* Counts a flit that has moved to the boundary buffer, from which the device reads. */
static void move_to_boundary(struct noc_subnet *s, uint32_t node, const struct noc_flit *f)
{
	struct noc_sink *k = &s->sink[node];
	struct book_packet *p = &s->packet[f->req].book;

	k->flits[f->vc]++;
	if (f->index + 1u < p->flits)
		return;
	ring_push(&k->packets[f->vc], f->req);
	bitset_set(k->ready, f->vc);
	bitset_set(s->ready, s->device_of[node]);
}

/*
 * Moves one flit of each virtual channel to the boundary buffer, and selects the first flit there to be
 * retired.
 */
static void eject_flits_at_node(struct noc *n, struct noc_subnet *s, uint32_t node)
{
	struct noc_sink *k = &s->sink[node];
	struct noc_moving *m = &s->retiring[s->n_retiring];
	bool left = false, retires = k->unretired.count != 0;

	if (retires)
		m->flit = noc_flits_pop(&k->unretired);
	for (uint32_t w = 0; w < n->vc_words; w++)
		FOR_BITS64 (b, k->filled[w]) {
			uint32_t vc = w * 64 + (uint32_t)b;
			struct noc_flit f;

			left = true;
			if (k->flits[vc] >= n->conf.boundary_max)
				continue;
			f = noc_flits_pop(&k->ejection[vc]);
			if (!k->ejection[vc].count)
				k->filled[w] &= ~(1ull << b);
			move_to_boundary(s, node, &f);
			if (retires)
				noc_flits_push(&k->unretired, f);
			else
				m->flit = f;
			retires = true;
		}
	if (retires) {
		m->target = node;
		s->n_retiring++;
	} else if (!left) {
		bitset_clear(s->ejecting, node);
	}
}

static void eject_flits_at_all_nodes(struct noc *n, struct noc_subnet *s)
{
	s->n_retiring = 0;
	for (uint32_t w = 0; w < BITSET_WORDS(n->plan->nodes); w++)
		FOR_BITS64 (b, s->ejecting[w])
			eject_flits_at_node(n, s, w * 64 + (uint32_t)b);
}

static void retire_flit(struct noc *n, struct noc_subnet *s, const struct noc_moving *m)
{
	struct noc_packet *p = &s->packet[m->flit.req];
	struct noc_sink *k = &s->sink[m->target];
	struct book_flit f = {.req = m->flit.req, .index = m->flit.index, .injected = m->flit.injected};
	struct noc_slot *slot;
	uint32_t out = n->plan->eject[m->target];

	slot = noc_slot_after(s, n->plan->out[out].latency);
	slot->credit[slot->credits++] = (struct noc_returning){out, m->flit.vc};
	s->credits++;
	k->received_flits++;
	k->received_packets += f.index + 1u == p->book.flits;
	if (!f.index)
		p->book.arrived = (uint32_t)n->time;
	if (f.index + 1u == p->book.flits)
		n->latencies[log2_floor((uint32_t)n->time - p->book.injected)]++;
	if (n->events)
		events_log_flit(n->events, false, s != n->net, m->target, p->book.id, f.index);
	book_stats_add_flit(&n->stats, &p->book, &f, p->hops, (uint32_t)n->time);
	s->flits--;
	s->cycles_since_arrival = 0;
}

/* ---- injection ------------- ----------------------------------------------------------------- */

static bool is_vc_available(const struct noc *n, const struct noc_subnet *s, uint32_t sender, uint32_t vc)
{
	return noc_sender_is_vc_free(&s->senders, sender, vc) &&
	       !noc_sender_is_full(&n->conf, &s->senders, sender, vc, (uint32_t)n->time);
}

/*
 * Returns a free channel with a free slot among the channels of way w, in round robin after the last channel
 * used. Returns -1 if there is none. quirk Q4-32: if the last channel is not in the range of w, only the
 * first channel of the range is tried.
 */
static int32_t pick_first_vc(const struct noc *n, const struct noc_subnet *s, uint32_t sender,
	const struct noc_source *q, const struct noc_way *w)
{
	int32_t vc = q->last_vc;

	if (vc < w->lo || vc > w->hi)
		return is_vc_available(n, s, sender, w->lo) ? w->lo : -1;
	do {
		vc = vc == w->hi ? w->lo : vc + 1;
		if (is_vc_available(n, s, sender, (uint32_t)vc))
			return vc;
	} while (vc != q->last_vc);
	return -1;
}

static int32_t flit_priority(const struct noc *n, const struct noc_packet *p)
{
	switch (n->conf.priority) {
	case PRIORITY_CLASS: return n->conf.class_priority;
	case PRIORITY_AGE: return INT_MAX - (int32_t)p->book.created;
	case PRIORITY_NETWORK_AGE: return INT_MAX - (int32_t)n->time;
	case PRIORITY_SEQUENCE: return INT_MAX;
	default: return 0;
	}
}

static void route_in_first_router(struct noc *n, struct noc_subnet *s, uint32_t node, struct noc_packet *p)
{
	uint32_t to = n->plan->inject[node].other_end, router = n->plan->router_of[to];

	noc_routings[n->conf.routing].route(&s->view, p, router, to - n->plan->first_port[router]);
}

/*
 * Returns the channels to the first router that a head may use. With noq, the way through that router is
 * computed again in each cycle.
 */
static struct noc_way injection_way(struct noc *n, struct noc_subnet *s, uint32_t node, struct noc_packet *p)
{
	struct noc_way w = noc_routings[n->conf.routing].inject(&s->view, p);

	if (!n->noq)
		return w;
	p->vc = w.lo;
	route_in_first_router(n, s, node, p);
	return noc_next_output_vcs(
		n, &w, n->plan->router_of[n->plan->inject[node].other_end], p->way[0].port);
}

/* Starts to inject packet p on channel vc. */
static void start_injection(
	struct noc *n, struct noc_subnet *s, uint32_t node, struct noc_packet *p, uint32_t vc)
{
	struct noc_source *q = &s->source[node];

	q->vc = vc;
	q->last_vc = (int32_t)vc;
	p->vc = (uint16_t)vc;
	p->book.injected = (uint32_t)n->time;
	if (n->lookahead && !n->noq)
		route_in_first_router(n, s, node, p);
	noc_sender_assign_vc(&n->conf, &s->senders, n->plan->ports + node, vc);
	q->sent_packets++;
}

/*
 * Makes a node that found no free slot or channel sleep until a credit arrives. The node does not sleep if a
 * slot or channel may become free without a credit.
 */
static void sleep_until_credit_arrives(const struct noc *n, struct noc_subnet *s, uint32_t node)
{
	if (n->sleep_until_credit)
		bitset_clear(s->sending_nodes, node);
}

static void inject_flit_at_node(struct noc *n, struct noc_subnet *s, uint32_t node)
{
	struct noc_source *q = &s->source[node];
	struct book_queue *queue = &s->queue[node];
	uint32_t req = ring_front(&queue->packets), sender = n->plan->ports + node;
	struct noc_packet *p = &s->packet[req];
	struct noc_flit f = {.req = req, .index = (uint16_t)q->sent, .injected = (uint32_t)n->time};

	if (!q->sent) {
		struct noc_way w = injection_way(n, s, node, p);
		int32_t vc = pick_first_vc(n, s, sender, q, &w);

		if (vc < 0) {
			sleep_until_credit_arrives(n, s, node);
			return;
		}
		start_injection(n, s, node, p, (uint32_t)vc);
	} else if (noc_sender_is_full(&n->conf, &s->senders, sender, q->vc, (uint32_t)n->time)) {
		sleep_until_credit_arrives(n, s, node);
		return;
	}
	f.vc = (uint16_t)q->vc;
	f.priority = n->has_priorities ? flit_priority(n, p) : 0;
	queue->flits--;
	q->sent_flits++;
	if (n->events)
		events_log_flit(n->events, true, s != n->net, node, p->book.id, f.index);
	if (++q->sent == p->book.flits) {
		q->sent = 0;
		ring_pop(&queue->packets);
		if (ring_empty(&queue->packets))
			bitset_clear(s->sending_nodes, node);
	}
	noc_sender_count_flit(
		&n->conf, &s->senders, sender, f.vc, f.index + 1u == p->book.flits, (uint32_t)n->time);
	noc_send_flit(s, &n->plan->inject[node], &f);
	if (s->link_flits)
		s->link_flits[sender]++;
}

static void inject_flits_at_all_nodes(struct noc *n, struct noc_subnet *s)
{
	for (uint32_t w = 0; w < BITSET_WORDS(n->plan->nodes); w++)
		FOR_BITS64 (b, s->sending_nodes[w])
			inject_flit_at_node(n, s, w * 64 + (uint32_t)b);
}

/* ---- devices --------------------------------------------------------------------------------- */

static uint32_t noc_flit_count(const struct noc *n, uint32_t bytes)
{
	return (bytes + n->conf.flit_bytes - 1) / n->conf.flit_bytes;
}

bool noc_has_buffer(const struct noc *n, uint32_t device, uint32_t bytes)
{
	const struct noc_subnet *s = &n->net[device >= n->clusters];

	return s->queue[n->node[device]].flits + noc_flit_count(n, bytes) <= n->conf.source_max;
}

void noc_push(struct noc *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes, bool write)
{
	bool reply = from >= n->clusters;
	struct noc_subnet *s = &n->net[reply];
	uint32_t node = n->node[from];
	struct noc_packet *p = &s->packet[req];

	*p = (struct noc_packet){
		.book = {.output = to, .flits = noc_flit_count(n, bytes), .created = (uint32_t)n->time},
		.source = node,
		.dest = n->node[to],
		.kind = (uint8_t)(2 * reply + write),
		.phase = -1};
	book_push(&n->numbers, &s->queue[node], req, &p->book);
	s->flits += p->book.flits;
	bitset_set(s->sending_nodes, node);
}

static struct noc_sink *sink_of_device(const struct noc *n, uint32_t device)
{
	return &n->net[device < n->clusters].sink[n->node[device]];
}

bool noc_has_packet(const struct noc *n, uint32_t device)
{
	const struct noc_sink *k = sink_of_device(n, device);

	for (uint32_t w = 0; w < n->vc_words; w++)
		if (k->ready[w])
			return true;
	return false;
}

static uint32_t noc_sink_pop(struct noc *n, struct noc_subnet *s, struct noc_sink *k, uint32_t vc)
{
	uint32_t req = ring_pop(&k->packets[vc]);

	k->flits[vc] -= s->packet[req].book.flits;
	k->turn = vc + 1 < n->vcs ? vc + 1 : 0;
	if (ring_empty(&k->packets[vc]))
		bitset_clear(k->ready, vc);
	return req;
}

uint32_t noc_pop(struct noc *n, uint32_t device)
{
	struct noc_subnet *s = &n->net[device < n->clusters];
	struct noc_sink *k = &s->sink[n->node[device]];

	if (!noc_has_packet(n, device))
		return 0;
	return noc_sink_pop(n, s, k, bitset_next_cyclic(k->ready, n->vc_words, k->turn));
}

/* ---- time ------------------------------------------------------------------------------------ */

/* Clears the bits of devices that have popped their last packet. */
static void noc_update_ready(struct noc *n, int k)
{
	struct noc_subnet *s = &n->net[k];
	uint32_t first = k ? 0 : n->clusters, count = k ? n->clusters : n->subs;

	for (uint32_t w = 0; w < BITSET_WORDS(count); w++)
		FOR_BITS64 (b, s->ready[w])
			if (!noc_has_packet(n, first + w * 64 + (uint32_t)b))
				s->ready[w] &= ~(1ull << b);
}

static uint32_t noc_internal_steps(struct noc *n)
{
	uint32_t steps;

	n->steps += n->conf.speedup;
	for (steps = 0; n->steps >= 1; steps++)
		n->steps -= 1;
	return steps;
}

static void step_routers(struct noc *n, struct noc_subnet *s, uint32_t steps)
{
	if (n->has_quick_routers) {
		noc_quick_step_routers(n, s);
		return;
	}
	for (uint32_t w = 0; w < BITSET_WORDS(n->plan->routers); w++)
		FOR_BITS64 (b, s->active[w] | s->sending[w]) {
			struct noc_router *r = &s->router[w * 64 + b];
			uint64_t bit = 1ull << b;

			for (uint32_t i = 0; i < steps && s->active[w] & bit; i++)
				if (!noc_router_step(n, s, r))
					s->active[w] &= ~bit;
			if (send_from_router(n, s, r))
				s->sending[w] |= bit;
			else
				s->sending[w] &= ~bit;
		}
}

static void retire_and_step(struct noc *n, struct noc_subnet *s, uint32_t steps)
{
	s->cycles_since_arrival += s->flits != 0;
	for (uint32_t i = 0; i < s->n_retiring; i++)
		retire_flit(n, s, &s->retiring[i]);
	step_routers(n, s, steps);
}

void noc_advance(struct noc *n)
{
	uint32_t steps = noc_internal_steps(n);

	for (int k = 0; k < 2; k++) {
		noc_update_ready(n, k);
		deliver_arrivals(n, &n->net[k]);
		eject_flits_at_all_nodes(n, &n->net[k]);
	}
	for (int k = 0; k < 2; k++)
		inject_flits_at_all_nodes(n, &n->net[k]);
	for (int k = 0; k < 2; k++)
		retire_and_step(n, &n->net[k], steps);
	n->time++;
}

/* the fraction of a step is a sum of doubles, whose rounding requires one addition per step */
void noc_skip_cycles(struct noc *n, uint64_t k)
{
	noc_update_ready(n, 0);
	noc_update_ready(n, 1);
	n->time += k;
	if (n->conf.speedup != (double)(uint32_t)n->conf.speedup)
		while (k--)
			noc_internal_steps(n);
}

/* ---- queries --------------------------------------------------------------------------------- */

/*
 * Returns true if subnet k has a packet. With `counted`, ignores nodes whose number is not below the number of
 * devices, as BookSim does.
 */
static bool noc_holds_packet(const struct noc *n, int k, bool counted)
{
	const struct noc_subnet *s = &n->net[k];
	uint32_t first = k ? 0 : n->clusters, count = k ? n->clusters : n->subs;

	if (s->flits)
		return true;
	for (uint32_t w = 0; w < BITSET_WORDS(count); w++)
		FOR_BITS64 (b, s->ready[w]) {
			uint32_t device = first + w * 64 + (uint32_t)b;

			if (noc_has_packet(n, device) &&
				!(counted && n->node[device] >= n->clusters + n->subs))
				return true;
		}
	return false;
}

bool noc_is_busy(const struct noc *n) { return noc_holds_packet(n, 0, true) || noc_holds_packet(n, 1, true); }

bool noc_is_empty(const struct noc *n)
{
	return !n->net[0].credits && !n->net[1].credits && !noc_holds_packet(n, 0, false) &&
	       !noc_holds_packet(n, 1, false);
}

/* ---- figures ------------------------------------------------------------------------------------------- */

static uint64_t noc_node_count(const void *network, enum book_count what, uint32_t node)
{
	const struct noc *n = network;
	uint64_t sum = 0;

	for (int k = 0; k < 2; k++) {
		const struct noc_source *q = &n->net[k].source[node];
		const struct noc_sink *s = &n->net[k].sink[node];

		switch (what) {
		case SENT_PACKETS: sum += q->sent_packets; break;
		case SENT_FLITS: sum += q->sent_flits; break;
		case TAKEN_PACKETS: sum += s->received_packets; break;
		default: sum += s->received_flits;
		}
	}
	return sum;
}

void noc_print(struct noc *n, const struct book_out *out)
{
	struct book_view v = {.network = n,
		.count = noc_node_count,
		.nodes = n->plan->nodes,
		.classes = (uint32_t)icnt_int(&n->conf, ICNT_classes),
		.measured = n->conf.measured};

	v.time = n->time;
	v.flits = n->net[0].flits + n->net[1].flits;
	book_print(&n->stats, &v, out);
}
