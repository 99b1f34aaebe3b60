/* SPDX-License-Identifier: BSD-2-Clause */
/* The derived state of the network, made anew; see gpu/invariants.h. Empty in builds without the check. */
#ifdef CHECK_INVARIANTS

#include "bits.h"
#include "booksim.h"
#include "crossbar.h"
#include "gpu/invariants.h"
#include "net/noc.h"

/* Is the port marked by any thread as not yet accounted for? */
static bool marked(const uint64_t *marks, uint32_t threads, uint32_t row, uint32_t port)
{
	for (uint32_t t = 0; t < threads; t++)
		if (bitset_test(marks + (size_t)t * row, port))
			return true;
	return false;
}

/* Of an output, the inputs whose head goes there. */
static void check_wants(const struct xbar *x, uint32_t o)
{
	bool wanted = false;

	for (uint32_t i = 0; i < x->n_in; i++) {
		const struct port *p = &x->in[i];
		bool goes = p->seen && port_front(p)->output == o;

		invariant("xbar.want", o, i, bitset_test(&x->want[(size_t)o * x->in_words], i), goes);
		wanted |= goes;
	}
	invariant("xbar.wanted", o, 0, bitset_test(x->wanted, o), wanted);
}

static void check_crossbar(const struct xbar *x)
{
	uint32_t total_in = 0, total_out = 0, filled = 0, wanted = 0;

	for (uint32_t i = 0; i < x->n_in; i++) {
		const struct port *p = &x->in[i];

		if (!marked(x->fresh, x->threads, x->in_row, i))
			invariant("xbar.in.seen", x->first_node, i, p->seen, p->count);
		invariant("xbar.filled", x->first_node, i, bitset_test(x->filled, i), p->seen != 0);
		filled += p->seen != 0;
		total_in += p->seen;
	}
	for (uint32_t o = 0; o < x->n_out; o++) {
		const struct port *p = &x->out[o];

		if (!marked(x->drained, x->threads, x->out_row, o))
			invariant("xbar.out.seen", x->first_node, o, p->seen, p->count);
		invariant("xbar.waiting", x->first_node, o, bitset_test(x->waiting, o), p->seen != 0);
		total_out += p->seen;
		check_wants(x, o);
		wanted += bitset_test(x->wanted, o);
	}
	invariant("xbar.n_filled", x->first_node, 0, x->n_filled, filled);
	invariant("xbar.n_wanted", x->first_node, 0, x->n_wanted, wanted);
	invariant("xbar.total_in", x->first_node, 0, x->total_in, total_in);
	invariant("xbar.total_out", x->first_node, 0, x->total_out, total_out);
}

static void check_sink(const struct noc *n, const struct noc_sink *k, uint32_t node)
{
	for (uint32_t v = 0; v < n->vcs; v++) {
		invariant("noc.sink.filled", node, v, bitset_test(k->filled, v), k->ejection[v].count != 0);
		invariant("noc.sink.ready", node, v, bitset_test(k->ready, v), !ring_empty(&k->packets[v]));
	}
}

static void check_subnet(const struct noc *n, const struct noc_subnet *s)
{
	const struct noc_plan *p = n->plan;

	for (uint32_t i = 0; i < p->nodes; i++)
		check_sink(n, &s->sink[i], i);
	for (uint32_t r = 0; r < p->routers; r++) {
		const struct noc_router *x = &s->router[r];

		for (uint32_t i = 0; i < x->ports; i++) {
			invariant("noc.router.queued", r, i, bitset_test(x->queued, i),
				s->output[x->base + i].count != 0);
			invariant("noc.router.owing", r, i, bitset_test(x->owing, i),
				s->owed[x->base + i].count != 0);
		}
	}
}

/* ---- the network of one router (booksim.h) ------------------------------------------------------ */

/* Of the link, how many sets have the port. */
static uint32_t on_link(const struct book_link *l, uint32_t port)
{
	return (uint32_t)bitset_test(l->set[0], port) + bitset_test(l->set[1], port);
}

/* Flits of the port's packets that were pushed since the last settling. */
static uint32_t fresh_flits(const struct book_net *x, const struct book_input *in)
{
	uint32_t n = 0;

	for (uint32_t i = in->source.count - in->fresh; i < in->source.count; i++)
		n += x->packet[ring_at(&in->source, i)].flits;
	return n;
}

/* Flits of the input that are not in the switch yet. */
static uint32_t check_book_input(const struct book_net *x, uint32_t i)
{
	const struct book_input *in = &x->in[i];
	bool active = in->state == INPUT_ACTIVE;
	uint32_t sent = on_link(&x->inject, i) + in->fifo.count;

	invariant("book.fresh", i, 0, bitset_test(x->fresh, i), in->fresh != 0);
	invariant("book.sending", i, 0, bitset_test(x->sending, i), in->source.count > in->fresh);
	invariant("book.crediting", i, 0, bitset_test(x->crediting, i), in->credits != 0);
	invariant("book.granted", i, 0, bitset_test(x->granted, i), false);
	invariant("book.ready", i, 0, bitset_test(x->ready, i), active && in->fifo.count);
	invariant("book.state", i, 0, in->state == INPUT_IDLE && in->fifo.count, false);
	invariant("book.in.occupied", i, 0, in->occupied, sent + in->credits + on_link(&x->inject_credit, i));
	if (active)
		invariant("book.owned by an input", i, in->output, bitset_test(x->owned, in->output), true);
	return in->source_flits - fresh_flits(x, in) + sent;
}

/* Flits of the output that are not at the boundary yet. */
static uint32_t check_book_output(const struct book_net *x, uint32_t o)
{
	const struct book_output *out = &x->out[o];
	uint32_t flits = out->queue.count + on_link(&x->eject, o) + out->ejection.count, owners = 0;
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
	invariant("book.out.occupied", o, 0, out->occupied, flits + on_link(&x->eject_credit, o));
	return flits;
}

static void check_book(const struct book_net *x, uint32_t subnet)
{
	uint32_t wanting = 0, ready = 0;
	uint64_t flits = 0, credits = 0;

	for (uint32_t i = 0; i < x->n_in; i++) {
		flits += check_book_input(x, i);
		credits += x->in[i].credits + on_link(&x->inject_credit, i);
		wanting += x->in[i].state == INPUT_WANTS;
		ready += bitset_test(x->ready, i);
	}
	for (uint32_t o = 0; o < x->n_out; o++) {
		flits += check_book_output(x, o);
		credits += on_link(&x->eject_credit, o);
	}
	invariant("book.n_wanting", subnet, 0, x->n_wanting, wanting);
	invariant("book.n_ready", subnet, 0, x->n_ready, ready);
	invariant("book.flits", subnet, 0, x->flits, flits);
	invariant("book.credits", subnet, 0, x->credits, credits);
}

void net_invariants(const struct net *n)
{
	if (n->noc) {
		check_subnet(n->noc, &n->noc->net[0]);
		check_subnet(n->noc, &n->noc->net[1]);
	} else if (n->booksim) {
		check_book(&n->booksim->net[0], 0);
		check_book(&n->booksim->net[1], 1);
	} else {
		check_crossbar(&n->xbar[0]);
		check_crossbar(&n->xbar[1]);
	}
}

#endif
