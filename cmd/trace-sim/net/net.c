/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the interface of the network for its three kinds: the local crossbars of mode 2 (crossbar.c),
 * the single router of mode 1 (booksim.c), and all other networks of mode 1 (noc.c). Each kind has a table of
 * functions (struct net_ops) and its own field in struct net.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "net/booksim.h"
#include "net/noc.h"
#include "net/noc_report.h"
#include "threads/threads.h"

struct net_ops {
	bool (*has_buffer)(struct net *n, uint32_t dev, uint32_t bytes);
	void (*push)(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes);
	bool (*has_packet)(const struct net *n, uint32_t dev);
	uint32_t (*pop)(struct net *n, uint32_t dev);
	const uint64_t *(*waiting)(const struct net *n, int subnet);
	void (*advance)(struct net *n);
	void (*idle)(struct net *n, uint64_t k);
	bool (*busy)(const struct net *n);
	bool (*empty)(const struct net *n);
	void (*print)(struct net *n, const struct book_out *out);
	void (*release)(struct net *n);
};

/* ---- mode 2 ---------------------------------------------------------------------------------- */

static bool xbar_net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes)
{
	struct port *p = &n->in[dev];

	(void)bytes; /* a slot of the local crossbar holds a packet of any size */
	if (p->count < n->params->in_limit)
		return true;
	p->refused++;
	return false;
}

/*
 * First advance that may move a packet pushed at the current time. If the device is ahead of the crossbar,
 * its own time determines the advance.
 */
static uint32_t first_moving_advance(const struct port *p)
{
	uint32_t advances = p->xbar->advances;

	return (int32_t)(p->push.advance - advances) > 0 ? p->push.advance : advances;
}

static void xbar_net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes)
{
	struct port *p = &n->in[from];
	struct xbar *x = p->xbar;

	(void)bytes;
	assert(p->count < x->in_limit && to - x->first_out < x->n_out);
	if (!p->count)
		bitset_set(x->new_heads + (size_t)thread_index * x->row_words, from - x->first_node);
	port_push(p, req, to - x->first_out, first_moving_advance(p));
}

static bool xbar_net_has_packet(const struct net *n, uint32_t dev) { return n->out[dev].count != 0; }

static uint32_t xbar_net_pop(struct net *n, uint32_t dev)
{
	struct port *p = &n->out[dev];
	struct xbar *x = p->xbar;

	if (!p->count)
		return REQ_NONE;
	x->n_full_outputs -= p->count == x->out_limit;
	if (p->count == 1)
		bitset_clear(x->waiting, dev - x->first_out);
	return port_pop_request(p, x->advances);
}

static const uint64_t *xbar_net_waiting(const struct net *n, int subnet) { return n->xbar[subnet].waiting; }

static void xbar_net_advance(struct net *n)
{
	xbar_advance(&n->xbar[0], n->params);
	xbar_advance(&n->xbar[1], n->params);
}

static void xbar_net_skip_idle(struct net *n, uint64_t k)
{
	for (int s = 0; s < 2; s++) {
		xbar_enter_new_heads(&n->xbar[s]);
		xbar_skip_advances(&n->xbar[s], n->params, k);
	}
}

/*
 * Returns true if the crossbar has no packet. Reads new_heads instead of calling xbar_enter_new_heads(),
 * because a query must not change the crossbar.
 */
static bool is_xbar_empty(const struct xbar *x)
{
	for (uint32_t t = 0; t < x->threads; t++)
		if (bitset_any(x->new_heads + (size_t)t * x->row_words, x->in_words))
			return false;
	return !bitset_any(x->ahead, x->in_words) && !bitset_any(x->filled, x->in_words) &&
	       !bitset_any(x->waiting, x->out_words);
}

static bool xbar_net_is_empty(const struct net *n)
{
	return is_xbar_empty(&n->xbar[0]) && is_xbar_empty(&n->xbar[1]);
}

static bool xbar_net_is_busy(const struct net *n) { return !xbar_net_is_empty(n); }

static void xbar_net_print_nothing(struct net *n, const struct book_out *out) { (void)n, (void)out; }

static const struct net_ops xbars_ops = {xbar_net_has_buffer, xbar_net_push, xbar_net_has_packet,
	xbar_net_pop, xbar_net_waiting, xbar_net_advance, xbar_net_skip_idle, xbar_net_is_busy,
	xbar_net_is_empty, xbar_net_print_nothing, net_xbars_free};

/* ---- mode 1 with one router ------------------------------------------------------------------------ */

static bool booksim_net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes)
{
	bool reply = dev >= n->clusters;

	return booksim_has_buffer(n->booksim, reply, reply ? dev - n->clusters : dev, bytes);
}

static void booksim_net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes)
{
	bool reply = from >= n->clusters;

	booksim_push(n->booksim, reply, reply ? from - n->clusters : from, reply ? to : to - n->clusters, req,
		bytes);
}

static bool booksim_net_has_packet(const struct net *n, uint32_t dev)
{
	bool reply = dev < n->clusters;

	return booksim_has_packet(n->booksim, reply, reply ? dev : dev - n->clusters);
}

static uint32_t booksim_net_pop(struct net *n, uint32_t dev)
{
	bool reply = dev < n->clusters;

	return booksim_pop(n->booksim, reply, reply ? dev : dev - n->clusters);
}

static const uint64_t *booksim_net_waiting(const struct net *n, int subnet)
{
	return n->booksim->net[subnet].waiting;
}
static void booksim_net_advance(struct net *n) { booksim_advance(n->booksim); }
static void booksim_net_skip_idle(struct net *n, uint64_t k) { booksim_skip_cycles(n->booksim, k); }
static bool booksim_net_is_busy(const struct net *n) { return booksim_is_busy(n->booksim); }
static bool booksim_net_is_empty(const struct net *n) { return booksim_is_empty(n->booksim); }
static void booksim_net_print(struct net *n, const struct book_out *out) { booksim_print(n->booksim, out); }
static void booksim_net_release(struct net *n) { booksim_delete(n->booksim); }

static const struct net_ops single_ops = {booksim_net_has_buffer, booksim_net_push, booksim_net_has_packet,
	booksim_net_pop, booksim_net_waiting, booksim_net_advance, booksim_net_skip_idle, booksim_net_is_busy,
	booksim_net_is_empty, booksim_net_print, booksim_net_release};

/* ---- mode 1 with many routers ---------------------------------------------------------------------- */

static bool noc_net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes)
{
	return noc_has_buffer(n->noc, dev, bytes);
}

static void noc_net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes)
{
	noc_push(n->noc, from, to, req, bytes, n->pool->req && n->pool->req[req].flags & REQ_WRITE);
}

static bool noc_net_has_packet(const struct net *n, uint32_t dev) { return noc_has_packet(n->noc, dev); }
static uint32_t noc_net_pop(struct net *n, uint32_t dev) { return noc_pop(n->noc, dev); }
static const uint64_t *noc_net_waiting(const struct net *n, int subnet) { return n->noc->net[subnet].ready; }
static void noc_net_advance(struct net *n) { noc_advance(n->noc); }
static void noc_net_skip_idle(struct net *n, uint64_t k) { noc_skip_cycles(n->noc, k); }
static bool noc_net_is_busy(const struct net *n) { return noc_is_busy(n->noc); }
static bool noc_net_is_empty(const struct net *n) { return noc_is_empty(n->noc); }
static void noc_net_print(struct net *n, const struct book_out *out) { noc_print(n->noc, out); }
static void noc_net_release(struct net *n) { noc_delete(n->noc); }

static const struct net_ops many_ops = {noc_net_has_buffer, noc_net_push, noc_net_has_packet, noc_net_pop,
	noc_net_waiting, noc_net_advance, noc_net_skip_idle, noc_net_is_busy, noc_net_is_empty, noc_net_print,
	noc_net_release};

/* ---- building -------------------------------------------------------------------------------- */

static int init_described_network(struct net *n, struct fault *f)
{
	uint32_t devices = n->clusters + n->subs, *node;
	struct booksim_conf single;
	struct icnt conf;
	int status;

	if (icnt_load(&conf, n->params->file, n->params->file_at, f) < 0) {
		icnt_free(&conf);
		return -1;
	}
	node = xcalloc(devices, sizeof(*node));
	status = icnt_assign_nodes(&conf, n->clusters, n->subs, node, f);
	if (status == 0 && booksim_conf_of(&single, &conf)) {
		n->ops = &single_ops;
		n->booksim = booksim_new(&single, n->clusters, n->subs, n->nodes);
	} else if (status == 0) {
		n->ops = &many_ops;
		n->noc = noc_new(&conf, n->clusters, n->subs, node, n->nodes, true);
	}
	icnt_free(&conf);
	free(node);
	return status;
}

struct net *net_new(const struct params *p, struct req_pool *pool, struct fault *f)
{
	uint32_t clusters = p->clusters, subs = p->mem.channels * p->mem.subs;
	struct net *n;

	assert(clusters <= ICNT_PORTS_MAX && subs <= ICNT_PORTS_MAX);
	n = xcalloc(1, sizeof(*n));
	n->params = &p->net;
	n->pool = pool;
	n->clusters = clusters;
	n->subs = subs;
	n->nodes = (size_t)pool->limit + 1;
	if (p->net.mode == 2) {
		n->ops = &xbars_ops;
		net_xbars_init(n);
	} else if (init_described_network(n, f) < 0) {
		free(n);
		return NULL;
	}
	return n;
}

void net_delete(struct net *n)
{
	if (!n)
		return;
	n->ops->release(n);
	free(n);
}

void net_set_threads(struct net *n, unsigned threads) { n->xbar[0].threads = n->xbar[1].threads = threads; }

void net_log_flits(struct net *n, struct events *e)
{
	if (n->noc)
		n->noc->events = e;
	if (n->booksim)
		n->booksim->events = e;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/*
 * The functions that run for each packet call the functions of mode 2 directly, so that the compiler can
 * inline them.
 */
bool net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes)
{
	return n->ops == &xbars_ops ? xbar_net_has_buffer(n, dev, bytes) : n->ops->has_buffer(n, dev, bytes);
}

void net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes)
{
	if (n->ops == &xbars_ops) {
		xbar_net_push(n, from, to, req, bytes);
		return;
	}
	assert((from >= n->clusters) == (to < n->clusters));
	n->ops->push(n, from, to, req, bytes);
}

bool net_has_packet(const struct net *n, uint32_t dev) { return n->ops->has_packet(n, dev); }
uint32_t net_pop(struct net *n, uint32_t dev)
{
	return n->ops == &xbars_ops ? xbar_net_pop(n, dev) : n->ops->pop(n, dev);
}
const uint64_t *net_waiting_subs(const struct net *n) { return n->ops->waiting(n, 0); }
const uint64_t *net_waiting_clusters(const struct net *n) { return n->ops->waiting(n, 1); }
void net_advance(struct net *n) { n->ops->advance(n); }
void net_skip_idle_advances(struct net *n, uint64_t k) { n->ops->idle(n, k); }
bool net_is_busy(const struct net *n) { return n->ops->busy(n); }
bool net_is_empty(const struct net *n) { return n->ops->empty(n); }
void net_print_booksim(struct net *n, const struct book_out *out) { n->ops->print(n, out); }

/* Sum of the advances that the packets in a port have spent there so far. */
static uint64_t port_residence(const struct port *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->count; i++)
		sum += p->xbar->advances - p->slot[(p->head + i) & p->mask].advance;
	return sum;
}

struct xbar_counts net_xbar_counts(const struct net *n, unsigned subnet)
{
	const struct xbar *x = &n->xbar[subnet];
	struct xbar_counts sum = x->n;

	sum.packets = sum.reqs_util;
	for (const struct port *p = x->in; p < x->in + x->n_in; p++) {
		sum.in_full += p->refused;
		sum.packets += p->count;
		sum.in_util += port_residence(p);
	}
	for (const struct port *p = x->out; p < x->out + x->n_out; p++)
		sum.out_util += p->departed_residence + port_residence(p);
	return sum;
}

void net_visit_links(const struct net *n,
	void (*take)(void *ctx, unsigned subnet, uint32_t router, uint32_t output, uint64_t flits), void *ctx)
{
	const struct noc_plan *p = n->noc ? n->noc->plan : NULL;

	if (!p || icnt_int(&n->noc->conf, ICNT_enable_link_stats) <= 0)
		return;
	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < p->ports; i++)
			take(ctx, k, p->router_of[i], i - p->first_port[p->router_of[i]],
				noc_output_flits(n->noc, k, i));
}

bool net_has_report(const struct net *n) { return n->noc != NULL; }

void net_write_report(const struct net *n, enum net_report form, FILE *out)
{
	noc_report_write(n->noc, form, out);
}

void net_print_stuck(const struct net *n, FILE *out)
{
	if (n->noc)
		noc_stuck_print(n->noc, out);
}
