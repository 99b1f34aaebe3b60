/* SPDX-License-Identifier: BSD-2-Clause */
/* The derived state of the network, made anew; see gpu/invariants.h. Empty in builds without the check. */
#ifdef CHECK_INVARIANTS

#include "bits.h"
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

void net_invariants(const struct net *n)
{
	if (n->noc) {
		check_subnet(n->noc, &n->noc->net[0]);
		check_subnet(n->noc, &n->noc->net[1]);
	} else if (!n->booksim) {
		check_crossbar(&n->xbar[0]);
		check_crossbar(&n->xbar[1]);
	}
}

#endif
