/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network as its users see it: translates devices into ports and picks the mode. Mode 2 is handled here
 * with the crossbars of crossbar.c; mode 1 goes to booksim.c, and net.booksim is NULL in mode 2.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "booksim.h"
#include "team/threads.h"

/* A device that pushes or pops marks its port in its thread's row. */
static void mark(uint64_t *rows, uint32_t row, uint32_t i)
{
	bitset_set(rows + (size_t)thread_index * row, i);
}

static int booksim_init(struct net *n, const struct params *p, struct fault *f)
{
	struct icnt conf;

	if (icnt_read(&conf, p, f) < 0)
		return -1;
	n->booksim = booksim_new(&conf, n->clusters, n->subs, n->nodes);
	return 0;
}

static void crossbars_init(struct net *n)
{
	xbar_init(&n->xbar[0], n->params, n->clusters, n->subs, 0, (uint32_t)n->nodes);
	xbar_init(&n->xbar[1], n->params, n->subs, n->clusters, n->clusters, (uint32_t)n->nodes);
}

struct net *net_new(const struct params *p, struct req_pool *pool, struct fault *f)
{
	uint32_t clusters = p->clusters, subs = p->mem.channels * p->mem.subs;
	struct net *n;

	assert(clusters <= ICNT_PORTS_MAX && subs <= ICNT_PORTS_MAX);
	n = xcalloc(1, sizeof *n);
	n->mode = p->net.mode;
	n->params = &p->net;
	n->clusters = clusters;
	n->subs = subs;
	n->nodes = (size_t)pool->limit + 1;
	if (n->mode == 2) {
		crossbars_init(n);
	} else if (booksim_init(n, p, f) < 0) {
		free(n);
		return NULL;
	}
	return n;
}

void net_delete(struct net *n)
{
	if (!n)
		return;
	xbar_free(&n->xbar[0]);
	xbar_free(&n->xbar[1]);
	booksim_delete(n->booksim);
	free(n);
}

void net_set_threads(struct net *n, unsigned threads)
{
	n->threads = n->xbar[0].threads = n->xbar[1].threads = threads;
}

bool net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes)
{
	bool reply = dev >= n->clusters;
	uint32_t input = reply ? dev - n->clusters : dev;
	struct xbar *x = &n->xbar[reply];
	struct port *p;

	if (n->booksim)
		return booksim_has_buffer(n->booksim, reply, input, bytes);
	p = &x->in[input]; /* an entry of the local crossbar is a packet of any size */
	if (p->count < x->in_limit)
		return true;
	p->refused++;
	return false;
}

void net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes)
{
	bool reply = from >= n->clusters;
	struct xbar *x = &n->xbar[reply];
	uint32_t input = reply ? from - n->clusters : from, output = reply ? to : to - n->clusters;
	struct port *p;

	assert(reply == (to < n->clusters));
	if (n->booksim) {
		booksim_push(n->booksim, reply, input, output, req, bytes, n->threads > 1);
		return;
	}
	p = &x->in[input];
	assert(p->count < x->in_limit);
	port_push(p, req, output);
	mark(x->fresh, x->in_row, input);
}

bool net_has_packet(const struct net *n, uint32_t dev)
{
	bool reply = dev < n->clusters;
	uint32_t output = reply ? dev : dev - n->clusters;

	if (n->booksim)
		return booksim_has_packet(n->booksim, reply, output);
	return n->xbar[reply].out[output].count != 0;
}

uint32_t net_pop(struct net *n, uint32_t dev)
{
	struct xbar *x = &n->xbar[dev < n->clusters];
	uint32_t output = dev < n->clusters ? dev : dev - n->clusters;
	struct port *p;
	uint32_t req;

	if (n->booksim)
		return booksim_pop(n->booksim, dev < n->clusters, output);
	p = &x->out[output];
	if (!p->count)
		return REQ_NONE;
	req = port_pop(p).req;
	mark(x->drained, x->out_row, output);
	return req;
}

const uint64_t *net_waiting_subs(const struct net *n)
{
	return n->booksim ? n->booksim->net[0].waiting : n->xbar[0].waiting;
}

const uint64_t *net_waiting_clusters(const struct net *n)
{
	return n->booksim ? n->booksim->net[1].waiting : n->xbar[1].waiting;
}

void net_settle(struct net *n)
{
	if (n->booksim)
		booksim_settle(n->booksim);
}

void net_advance(struct net *n)
{
	if (n->booksim) {
		booksim_advance(n->booksim);
		return;
	}
	for (int s = 0; s < 2; s++) {
		struct xbar *x = &n->xbar[s];

		xbar_sync(x);
		if (!x->total_in)
			xbar_idle(x, n->params, 1);
		else if (n->params->arbiter)
			xbar_islip(x);
		else
			xbar_round_robin(x);
	}
}

void net_idle_advances(struct net *n, uint64_t k)
{
	if (n->booksim) {
		booksim_idle(n->booksim, k);
		return;
	}
	for (int s = 0; s < 2; s++) {
		xbar_sync(&n->xbar[s]);
		xbar_idle(&n->xbar[s], n->params, k);
	}
}

bool net_busy(const struct net *n) { return n->booksim ? booksim_busy(n->booksim) : !net_empty(n); }

/* Ports changed since the last advance are looked at themselves, so that a question changes nothing. */
static bool xbar_empty(const struct xbar *x)
{
	for (uint32_t t = 0; t < x->threads; t++)
		for (uint32_t w = 0; w < x->in_words; w++)
			if (x->fresh[(size_t)t * x->in_row + w])
				return false;
	if (x->total_in)
		return false;
	for (uint32_t w = 0; w < x->out_words; w++)
		FOR_BITS64 (b, x->waiting[w])
			if (x->out[w * 64 + b].count)
				return false;
	return true;
}

bool net_empty(const struct net *n)
{
	if (n->booksim)
		return booksim_empty(n->booksim);
	return xbar_empty(&n->xbar[0]) && xbar_empty(&n->xbar[1]);
}

struct xbar_counts net_xbar_counts(const struct net *n, unsigned subnet)
{
	const struct xbar *x = &n->xbar[subnet];
	struct xbar_counts sum = x->n;

	for (uint32_t i = 0; i < x->n_in; i++) {
		sum.in_full += x->in[i].refused;
		sum.packets += x->in[i].count - x->in[i].seen;
	}
	return sum;
}

void net_print_booksim(struct net *n, FILE *out) { booksim_print(n->booksim, out); }
