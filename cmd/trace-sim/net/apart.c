/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two halves of a network apart, for windows (LAUNCH-window): one row of functions for each kind of
 * network.
 *
 * Always true: what a device is told is as of its own time, wherever the halves are.
 */
#include "bits.h"
#include "net/booksim.h"
#include "net/noc.h"

struct net_apart {
	uint32_t (*advances)(const struct net *n);
	void (*split)(struct net *n);
	void (*join)(struct net *n);
	struct net_push_time *(*push_time)(struct net *n, uint32_t dev);
	bool (*due)(const struct net *n, uint32_t cluster, uint32_t *advance);
	uint32_t (*pop)(struct net *n, uint32_t cluster, uint32_t advance);
	void (*advance_one)(struct net *n, unsigned subnet);
	uint32_t (*request_room)(struct net *n, uint32_t cluster);
	uint32_t (*needs)(const struct net *n, uint32_t packets, uint32_t bare);
	uint32_t (*out_room)(const struct net *n);
};

/*
 * ---- mode 2
 * ------------------------------------------------------------------------------------------------
 */

static uint32_t rest(uint32_t max, uint32_t used) { return used < max ? max - used : 0; }

static uint32_t xbars_advances(const struct net *n) { return n->xbar[0].advances; }
static void xbars_split(struct net *n) { (void)n; }

/* Who has popped meanwhile has left the bit set. */
static void xbars_join(struct net *n)
{
	for (struct xbar *x = n->xbar; x < n->xbar + 2; x++)
		for (uint32_t w = 0; w < x->out_words; w++)
			FOR_BITS64 (b, x->waiting[w])
				if (!x->out[w * 64 + b].count)
					x->waiting[w] &= ~(1ull << b);
}

/* The cycle plays no part: an input is one device's, whose packets are in order. */
static struct net_push_time *xbars_push_time(struct net *n, uint32_t dev) { return &n->in[dev].push; }

static bool xbars_due(const struct net *n, uint32_t dev, uint32_t *advance)
{
	const struct port *p = &n->out[dev];

	*advance = p->count ? port_front(p)->at + 1 : 0;
	return p->count != 0;
}

static uint32_t xbars_pop(struct net *n, uint32_t cluster, uint32_t advance)
{
	struct port *p = &n->out[cluster];

	if (!p->count || (int32_t)(port_front(p)->at + 1 - advance) > 0)
		return REQ_NONE;
	return port_leave(p, advance);
}

static void xbars_advance_one(struct net *n, unsigned subnet) { xbar_advance(&n->xbar[subnet], n->params); }

/* Meanwhile nothing but the cluster itself fills its input. */
static uint32_t xbars_request_room(struct net *n, uint32_t cluster)
{
	uint32_t left = rest(n->params->in_limit, n->in[cluster].count);

	return n->needs ? left / n->needs : 1;
}

static uint32_t xbars_needs(const struct net *n, uint32_t packets, uint32_t bare)
{
	(void)n; /* an entry is a packet of any size */
	return packets + bare;
}

static uint32_t fullest(const struct port *p, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		most = p[i].count > most ? p[i].count : most;
	return most;
}

static uint32_t xbars_out_room(const struct net *n)
{
	const struct xbar *x = &n->xbar[1];
	uint32_t most = fullest(x->out, x->n_out);

	return most + 1 < x->out_limit ? x->out_limit - most - 1 : 0;
}

static const struct net_apart xbars = {xbars_advances, xbars_split, xbars_join, xbars_push_time, xbars_due,
	xbars_pop, xbars_advance_one, xbars_request_room, xbars_needs, xbars_out_room};

/*
 * ---- mode 1
 * ------------------------------------------------------------------------------------------------
 */

static uint32_t flits_of(const struct net *n, uint32_t bytes)
{
	uint32_t each = n->noc ? n->noc->conf.flit_bytes : n->booksim->conf.flit_bytes;

	return (bytes + each - 1) / each;
}

static uint32_t queue_needs(const struct net *n, uint32_t packets, uint32_t bare)
{
	return packets * flits_of(n, n->most_bytes) + bare * flits_of(n, 8);
}

static uint32_t single_advances(const struct net *n) { return (uint32_t)n->booksim->time; }
static void single_split(struct net *n) { booksim_split(n->booksim); }
static void single_join(struct net *n) { booksim_join(n->booksim); }

static struct net_push_time *single_push_time(struct net *n, uint32_t dev)
{
	return &n->booksim->net[0].queue[dev].push;
}

static bool single_due(const struct net *n, uint32_t cluster, uint32_t *advance)
{
	return booksim_reply_due(n->booksim, cluster, advance);
}

static uint32_t single_pop(struct net *n, uint32_t cluster, uint32_t advance)
{
	uint32_t due;

	if (!single_due(n, cluster, &due) || (int32_t)(due - advance) > 0)
		return REQ_NONE;
	return booksim_pop(n->booksim, 1, cluster);
}

static void single_advance_one(struct net *n, unsigned subnet) { booksim_advance_one(n->booksim, subnet); }

static uint32_t single_request_room(struct net *n, uint32_t cluster)
{
	const struct booksim *b = n->booksim;
	const struct book_net *x = &b->net[0];
	struct book_queue *q = &x->queue[cluster];

	if (q->flits + n->needs <= b->conf.source_max)
		return true;
	if (q->found == (uint32_t)x->time)
		book_drain(q);
	else
		book_look(q, (uint32_t)x->time, rest(b->conf.buffer, x->in[cluster].occupied));
	return q->most + n->needs <= b->conf.source_max;
}

static uint32_t single_out_room(const struct net *n)
{
	return rest(n->booksim->conf.boundary_max, n->booksim->net[1].fullest);
}

static const struct net_apart single = {single_advances, single_split, single_join, single_push_time,
	single_due, single_pop, single_advance_one, single_request_room, queue_needs, single_out_room};

static uint32_t many_advances(const struct net *n) { return (uint32_t)n->noc->time; }
static void many_split(struct net *n) { noc_split(n->noc); }
static void many_join(struct net *n) { noc_join(n->noc); }

static struct net_push_time *many_push_time(struct net *n, uint32_t dev)
{
	return &n->noc->net[0].queue[n->noc->node[dev]].push;
}

static bool many_due(const struct net *n, uint32_t cluster, uint32_t *advance)
{
	return noc_reply_due(n->noc, cluster, advance);
}

static uint32_t many_pop(struct net *n, uint32_t cluster, uint32_t advance)
{
	return noc_pop_reply(n->noc, cluster, advance);
}

static void many_advance_one(struct net *n, unsigned subnet) { noc_advance_one(n->noc, subnet); }

static uint32_t many_request_room(struct net *n, uint32_t cluster)
{
	const struct noc_subnet *s = &n->noc->net[0];
	struct book_queue *q = &s->queue[n->noc->node[cluster]];

	if (q->flits + n->needs <= n->noc->conf.source_max)
		return true;
	if (q->found == (uint32_t)s->time)
		book_drain(q);
	else
		book_look(q, (uint32_t)s->time, noc_sure(n->noc, n->noc->node[cluster]));
	return q->most + n->needs <= n->noc->conf.source_max;
}

static uint32_t many_out_room(const struct net *n)
{
	return rest(n->noc->conf.boundary_max, n->noc->net[1].fullest);
}

static const struct net_apart many = {many_advances, many_split, many_join, many_push_time, many_due,
	many_pop, many_advance_one, many_request_room, queue_needs, many_out_room};

/*
 * ---- calls
 * ---------------------------------------------------------------------------------------------------
 */

void net_apart_init(struct net *n) { n->apart = n->noc ? &many : n->booksim ? &single : &xbars; }

bool net_can_decouple(const struct net *n) { return !n->noc || !n->noc->draws; }
bool net_replies_in_steps(const struct net *n) { return n->noc || n->booksim; }

/* Flits of a packet that is complete may be retired, one an advance, after as many as a node can hold. */
uint32_t net_lag(const struct net *n) { return n->noc ? n->noc->conf.buffer : 0; }

uint32_t net_advances(const struct net *n) { return n->apart->advances(n); }

void net_decouple(struct net *n)
{
	n->split = true;
	n->apart->split(n);
}

void net_recouple(struct net *n)
{
	n->split = false;
	n->apart->join(n);
}

struct net_push_time *net_push_time(struct net *n, uint32_t dev)
{
	return n->apart == &xbars ? xbars_push_time(n, dev) : n->apart->push_time(n, dev);
}

bool net_reply_due(const struct net *n, uint32_t cluster, uint32_t *advance)
{
	return n->apart->due(n, cluster, advance);
}

uint32_t net_pop_reply(struct net *n, uint32_t cluster, uint32_t advance)
{
	if (!n->split)
		return net_pop(n, cluster);
	return n->apart == &xbars ? xbars_pop(n, cluster, advance) : n->apart->pop(n, cluster, advance);
}

void net_advance_one(struct net *n, unsigned subnet) { n->apart->advance_one(n, subnet); }

void net_set_max_injections(struct net *n, uint32_t packets, uint32_t bare)
{
	n->needs = n->apart->needs(n, packets, bare);
}

uint32_t net_crowded(const struct net *n)
{
	uint32_t crowded = 0;

	for (uint32_t c = 0; n->noc && c < n->clusters; c++)
		crowded += n->noc->net[0].queue[n->noc->node[c]].flits + n->needs > n->noc->conf.source_max;
	for (uint32_t c = 0; n->booksim && c < n->clusters; c++)
		crowded += n->booksim->net[0].queue[c].flits + n->needs > n->booksim->conf.source_max;
	return crowded;
}

uint32_t net_cycles_until_full(struct net *n, uint32_t cluster) { return n->apart->request_room(n, cluster); }

uint32_t net_reply_input_free(const struct net *n)
{
	const struct xbar *x = &n->xbar[1];

	return rest(x->in_limit, fullest(x->in, x->n_in));
}

uint32_t net_reply_output_free(const struct net *n) { return n->apart->out_room(n); }
