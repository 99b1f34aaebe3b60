/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recomputes the derived state of the network and compares it; see instrument/invariants.h. Empty unless
 * CHECK_INVARIANTS is defined.
 */
#ifdef CHECK_INVARIANTS

#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "booksim.h"
#include "crossbar.h"
#include "instrument/invariants.h"
#include "net/noc.h"

/* Returns true if a thread's row of `marks` contains the port. */
static bool is_in_any_row(const uint64_t *marks, uint32_t threads, uint32_t row, uint32_t port)
{
	for (uint32_t t = 0; t < threads; t++)
		if (bitset_test(marks + (size_t)t * row, port))
			return true;
	return false;
}

/* Checks the set of inputs that request output o. */
static void check_xbar_requests(const struct xbar *x, uint32_t o)
{
	bool wanted = false;

	for (uint32_t i = 0; i < x->n_in; i++) {
		const struct port *p = &x->in[i];
		bool goes = bitset_test(x->filled, i) && port_first_packet(p)->output == o;

		invariant("xbar.requests", o, i, bitset_test(&x->requests[(size_t)o * x->in_words], i), goes);
		wanted |= goes;
	}
	invariant("xbar.requested_outputs", o, 0, bitset_test(x->requested_outputs, o), wanted);
}

/* Checks that the head of an input is in the arrival set of the advance in which it may move. */
static void check_arrival_set(const struct xbar *x, uint32_t i)
{
	uint32_t at = port_first_packet(&x->in[i])->advance;
	const uint64_t *then = x->inputs_by_advance + (size_t)(at % NET_WINDOW_MAX) * x->in_words;

	invariant("xbar.ahead", x->first_node, i, (int32_t)(at - x->advances) >= 0, 1);
	invariant("xbar.inputs_by_advance", x->first_node, i, bitset_test(then, i), 1);
}

static void check_crossbar(const struct xbar *x)
{
	uint32_t full = x->out_limit ? 0 : x->nodes;

	for (uint32_t i = 0; i < x->n_in; i++) {
		bool ahead = bitset_test(x->ahead, i), filled = bitset_test(x->filled, i);

		if (ahead)
			check_arrival_set(x, i);
		invariant("xbar.in, sets", x->first_node, i,
			(uint64_t)ahead + filled + is_in_any_row(x->new_heads, x->threads, x->row_words, i),
			x->in[i].count != 0);
	}
	for (uint32_t o = 0; o < x->n_out; o++) {
		uint32_t count = x->out[o].count;

		invariant("xbar.waiting", x->first_node, o, bitset_test(x->waiting, o), count != 0);
		full += count && count == x->out_limit;
		check_xbar_requests(x, o);
	}
	invariant("xbar.n_full_outputs", x->first_node, 0, x->n_full_outputs, full);
}

/* ---- networks of routers (noc.h) --------------------------------------------------------------------- */

/* Number of flits and credits in all buffers and channels. */
struct noc_census {
	/* by sender and channel: flits in the buffer after the sender, and credits on their way back to it */
	uint32_t *downstream;
	uint64_t flits, credits;
};

/* Returns the sender of the flits that arrive at `to`, which is an input port or a node. */
static uint32_t sender_of_arrivals(const struct noc *n, uint32_t to)
{
	return to & NOC_NODE ? n->plan->eject[to & ~NOC_NODE] : n->plan->in[to].sender;
}

static void count_flits_in_queue(
	const struct noc *n, struct noc_census *x, uint32_t sender, const struct noc_flits *q)
{
	for (uint32_t i = 0; i < q->count; i++)
		x->downstream[sender * n->vcs + noc_flits_at(q, i).vc]++;
	x->flits += q->count;
}

static void count_flits_on_channels(const struct noc *n, const struct noc_subnet *s, struct noc_census *x)
{
	for (uint32_t t = 0; t <= n->wheel_mask; t++) {
		const struct noc_slot *slot = &s->wheel[t];

		for (uint32_t i = 0; i < slot->flits; i++)
			x->downstream[sender_of_arrivals(n, slot->flit[i].target) * n->vcs +
				      slot->flit[i].flit.vc]++;
		for (uint32_t i = 0; i < slot->credits; i++)
			x->downstream[slot->credit[i].sender * n->vcs + slot->credit[i].vc]++;
		x->flits += slot->flits;
		x->credits += slot->credits;
	}
}

static void count_flits_at_port(
	const struct noc *n, const struct noc_subnet *s, uint32_t port, struct noc_census *x)
{
	const struct noc_owed *q = &s->credits_to_send[port];

	for (uint32_t v = 0; v < n->vcs; v++) {
		x->downstream[sender_of_arrivals(n, port) * n->vcs + v] += s->vc[port * n->vcs + v].count;
		x->flits += s->vc[port * n->vcs + v].count;
	}
	for (uint32_t i = 0; i < q->count; i++)
		x->downstream[sender_of_arrivals(n, port) * n->vcs +
			      (q->slot[(q->head + i) & (n->output_cap - 1)] & ~NOC_MORE)]++;
	x->credits += q->count;
	count_flits_in_queue(n, x, port, &s->output[port]);
}

static void count_flits_in_router(const struct noc *n, const struct noc_router *r, struct noc_census *x)
{
	for (uint32_t i = 0; i < r->cross.count; i++) {
		const struct noc_crossing *c = &r->cross.slot[(r->cross.head + i) & r->cross.mask];

		x->downstream[(r->first_port + c->output) * n->vcs + c->flit.vc]++;
	}
	for (uint32_t i = 0; i < r->credit.count; i++) {
		const struct noc_credit *c = &r->credit.slot[(r->credit.head + i) & r->credit.mask];

		x->downstream[c->port * n->vcs + c->vc]++;
	}
	x->flits += r->cross.count;
	x->credits += r->credit.count;
}

static void count_flits_at_node(
	const struct noc *n, const struct noc_subnet *s, uint32_t node, struct noc_census *x)
{
	const struct book_queue *q = &s->queue[node];
	const struct noc_sink *k = &s->sink[node];

	for (uint32_t v = 0; v < n->vcs; v++) {
		count_flits_in_queue(n, x, n->plan->eject[node], &k->ejection[v]);
		invariant("noc.sink.filled", node, v, bitset_test(k->filled, v), k->ejection[v].count != 0);
		invariant("noc.sink.ready", node, v, bitset_test(k->ready, v), !ring_empty(&k->packets[v]));
	}
	count_flits_in_queue(n, x, n->plan->eject[node], &k->unretired);
	x->flits += q->flits;
}

static bool is_output_vc_free(
	const struct noc *n, const struct noc_subnet *s, const struct noc_router *r, uint32_t o, uint32_t v)
{
	return n->has_quick_routers ? r->quick.port[o].free >> v & 1
				    : noc_sender_is_vc_free(&s->senders, r->first_port + o, v);
}

/*
 * Checks that each channel of an output is taken if and only if one input channel uses it. With
 * wait_for_tail_credit, the channel may remain taken after its last use.
 */
static void check_vc_owners(const struct noc *n, const struct noc_subnet *s, const struct noc_router *r)
{
	for (uint32_t o = 0; o < r->ports; o++)
		for (uint32_t v = 0; v < n->vcs; v++) {
			uint32_t owners = 0;

			for (uint32_t i = 0; i < r->ports * n->vcs; i++) {
				const struct noc_vc *c = &s->vc[r->first_port * n->vcs + i];

				owners += c->state == NOC_ACTIVE && c->port == o && c->vc == v;
			}
			if (!s->senders.wait_for_tail || owners)
				invariant("noc.owners", r->first_port + o, v,
					!is_output_vc_free(n, s, r, o, v), owners);
		}
}

/*
 * Checks that the sets of output o are right for input channel v. The channel is in `waiting` if its head
 * requests the output, and in `ready` if its next flit could cross to the output.
 */
static void check_noc_channel(const struct noc *n, const struct noc_router *r, const struct noc_vc *v,
	uint32_t o, uint32_t *heads, uint64_t *crossing_inputs)
{
	const struct noc_quick *q = &r->quick;
	bool waits = false, could = v->state == NOC_ACTIVE && v->port == o && v->count;

	for (uint32_t i = 0; v->state == NOC_WANTS && i < v->ways; i++)
		waits |= v->way_port[i] == o && v != q->only_waiting_head;
	could = could && *v->vc_used < n->conf.vc_buffer && v != q->next;
	invariant("noc.quick.waiting", r->first_port + o, v->input_index,
		bitset_test(q->port[o].waiting, v->input_index), waits);
	invariant("noc.quick.ready", r->first_port + o, v->input_index,
		q->port[o].ready[v->in] >> v->in_vc & 1, could);
	*heads += waits;
	*crossing_inputs |= (uint64_t)could << v->in;
}

static void check_quick_router(const struct noc *n, const struct noc_subnet *s, const struct noc_router *r)
{
	const struct noc_quick *q = &r->quick;

	invariant("noc.quick.only_waiting_head", r->id, 0,
		q->only_waiting_head && (q->awaited_outputs || q->only_waiting_head->state != NOC_WANTS),
		false);
	invariant("noc.quick.next", r->id, 0,
		q->next && (q->crossing_outputs || q->next->state != NOC_ACTIVE), false);
	for (uint32_t o = 0; o < r->ports; o++) {
		uint32_t heads = 0;
		uint64_t crossing_inputs = 0;

		for (uint32_t i = 0; i < r->ports * n->vcs; i++)
			check_noc_channel(
				n, r, &s->vc[r->first_port * n->vcs + i], o, &heads, &crossing_inputs);
		invariant("noc.quick.heads", r->first_port + o, 0, q->port[o].heads, heads);
		invariant(
			"noc.quick.wants", r->first_port + o, 0, q->port[o].crossing_inputs, crossing_inputs);
		invariant("noc.quick.awaited_outputs", r->first_port + o, 0, q->awaited_outputs >> o & 1,
			heads != 0);
		invariant("noc.quick.crossing_outputs", r->first_port + o, 0, q->crossing_outputs >> o & 1,
			crossing_inputs != 0);
		invariant("noc.quick.free_outputs", r->first_port + o, 0, q->free_outputs >> o & 1,
			q->port[o].free != 0);
	}
}

static void check_sender_credits(const struct noc *n, const struct noc_subnet *s, const struct noc_census *x)
{
	for (uint32_t sender = 0; sender < s->senders.senders; sender++) {
		uint32_t sum = 0;

		for (uint32_t v = 0; v < n->vcs; v++) {
			uint32_t used = s->senders.vc_used[sender * n->vcs + v];

			invariant("noc.sender.vc_used", sender, v, used, x->downstream[sender * n->vcs + v]);
			invariant("noc.sender overflows", sender, v, used > n->conf.vc_buffer, false);
			sum += used;
		}
		invariant("noc.sender.used", sender, 0, s->senders.used[sender], sum);
	}
}

static void check_noc_subnet(const struct noc *n, const struct noc_subnet *s)
{
	struct noc_census x = {
		.downstream = xcalloc((size_t)s->senders.senders * n->vcs, sizeof(*x.downstream))};

	count_flits_on_channels(n, s, &x);
	for (uint32_t i = 0; i < n->plan->nodes; i++)
		count_flits_at_node(n, s, i, &x);
	for (uint32_t r = 0; r < n->plan->routers; r++) {
		const struct noc_router *router = &s->router[r];

		count_flits_in_router(n, router, &x);
		check_vc_owners(n, s, router);
		if (n->has_quick_routers)
			check_quick_router(n, s, router);
		for (uint32_t i = 0; i < router->ports; i++) {
			uint32_t port = router->first_port + i;

			count_flits_at_port(n, s, port, &x);
			invariant(
				"noc.router.new_arrivals", r, i, bitset_test(router->new_arrivals, i), false);
			invariant("noc.router.queued", r, i, bitset_test(router->queued, i),
				s->output[port].count != 0);
			invariant("noc.router.crediting_inputs", r, i,
				bitset_test(router->crediting_inputs, i),
				s->credits_to_send[port].count != 0);
		}
	}
	check_sender_credits(n, s, &x);
	invariant("noc.flits", 0, 0, s->flits, x.flits);
	invariant("noc.credits", 0, 0, s->credits, x.credits);
	free(x.downstream);
}

/* ---- network of one router (booksim.h) ---------------------------------------------------------------- */

/* Number of the link's sets that contain the port. */
static uint32_t count_link_sets_with(const struct book_link *l, uint32_t port)
{
	return (uint32_t)bitset_test(l->set[0], port) + bitset_test(l->set[1], port);
}

/* Checks input i. Returns the number of its flits that have not entered the switch. */
static uint32_t check_book_input(const struct book_net *x, uint32_t i)
{
	const struct book_input *in = &x->in[i];
	bool active = in->state == INPUT_ACTIVE;
	uint32_t sent = count_link_sets_with(&x->inject, i) + in->fifo.count;

	invariant("book.sending", i, 0, bitset_test(x->sending, i), !ring_empty(&x->queue[i].packets));
	invariant("book.inputs_with_credits", i, 0, bitset_test(x->inputs_with_credits, i), in->credits != 0);
	invariant("book.granted", i, 0, bitset_test(x->granted, i), false);
	invariant("book.ready", i, 0, bitset_test(x->ready, i), active && in->fifo.count);
	invariant("book.state", i, 0, in->state == INPUT_IDLE && in->fifo.count, false);
	invariant("book.in.occupied", i, 0, in->occupied,
		sent + in->credits + count_link_sets_with(&x->inject_credit, i));
	if (active)
		invariant("book.owned by an input", i, in->output, bitset_test(x->owned, in->output), true);
	return x->queue[i].flits + sent;
}

/* Checks output o. Returns the number of its flits that have not reached the boundary buffer. */
static uint32_t check_book_output(const struct book_net *x, uint32_t o)
{
	const struct book_output *out = &x->out[o];
	uint32_t flits = out->queue.count + count_link_sets_with(&x->eject, o) + out->ejection.count,
		 owners = 0;
	bool wanted = false;

	for (uint32_t c = 0; c < x->n_cross; c++)
		flits += x->cross[c].output == o;
	for (uint32_t i = 0; i < x->n_in; i++) {
		bool mine = x->in[i].output == o;

		invariant("book.want", o, i, bitset_test(&x->want[(size_t)o * x->in_words], i),
			mine && x->in[i].state == INPUT_WANTS);
		wanted |= mine && x->in[i].state == INPUT_WANTS;
		owners += mine && x->in[i].state == INPUT_ACTIVE;
	}
	invariant("book.wanted", o, 0, bitset_test(x->wanted, o), wanted);
	invariant("book.owned", o, 0, bitset_test(x->owned, o), owners);
	invariant("book.queued", o, 0, bitset_test(x->queued, o), out->queue.count != 0);
	invariant("book.ejecting", o, 0, bitset_test(x->ejecting, o), out->ejection.count != 0);
	invariant("book.waiting", o, 0, !ring_empty(&out->boundary) && !bitset_test(x->waiting, o), false);
	invariant(
		"book.out.occupied", o, 0, out->occupied, flits + count_link_sets_with(&x->eject_credit, o));
	return flits;
}

static void check_book_subnet(const struct book_net *x, uint32_t subnet)
{
	uint32_t wanting = 0, ready = 0;
	uint64_t flits = 0, credits = 0;

	for (uint32_t i = 0; i < x->n_in; i++) {
		flits += check_book_input(x, i);
		credits += x->in[i].credits + count_link_sets_with(&x->inject_credit, i);
		wanting += x->in[i].state == INPUT_WANTS;
		ready += bitset_test(x->ready, i);
	}
	for (uint32_t o = 0; o < x->n_out; o++) {
		flits += check_book_output(x, o);
		credits += count_link_sets_with(&x->eject_credit, o);
	}
	invariant("book.n_requests", subnet, 0, x->n_requests, wanting);
	invariant("book.n_ready", subnet, 0, x->n_ready, ready);
	invariant("book.flits", subnet, 0, x->flits, flits);
	invariant("book.credits", subnet, 0, x->credits, credits);
}

void net_check_invariants(const struct net *n)
{
	if (n->noc) {
		check_noc_subnet(n->noc, &n->noc->net[0]);
		check_noc_subnet(n->noc, &n->noc->net[1]);
	} else if (n->booksim) {
		check_book_subnet(&n->booksim->net[0], 0);
		check_book_subnet(&n->booksim->net[1], 1);
	} else {
		check_crossbar(&n->xbar[0]);
		check_crossbar(&n->xbar[1]);
	}
}

#endif
