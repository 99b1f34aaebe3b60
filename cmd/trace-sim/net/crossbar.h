/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the network, shared by net.c, decoupled.c, crossbar.c, arbiter.c and, through booksim.h, the
 * networks of mode 1.
 *
 * Mode 2 (NET-xbar): two crossbars that share nothing. Crossbar 0 has the clusters as inputs and the sub
 * partitions as outputs, crossbar 1 the reverse; ports are numbered from 0 on either side. The original gives
 * every device an input and an output in both crossbars. The unused ports cannot change a figure.
 *
 * Always true between two advances: only its device touches a port. A push to an empty input sets a bit in
 * new_heads; xbar_enter_new_heads() moves these bits into the sets over all inputs, so devices may push at
 * the same time: each thread has its own row of new_heads, and each port a cache line of its own. The sets
 * over all outputs are exact at any time, except `waiting` while the sides are decoupled: several threads pop
 * then.
 *
 * A packet records the advance in which it entered its port. The utilization of the port is summed when the
 * packet leaves.
 */
#ifndef CROSSBAR_H
#define CROSSBAR_H

#include "icnt.h"
#include "net.h"

struct packet {
	uint32_t req;
	uint32_t output;  /* port of the destination */
	uint32_t advance; /* input: first advance that may move the packet; output: advance that moved it */
};

/*
 * A FIFO of packets. Packets are copied here instead of being linked through the request records. Otherwise a
 * record's cache line would move from the sending device's thread to the network's thread and from there to
 * the receiver's.
 */
struct port {
	_Alignas(64) struct packet *slot; /* ring of mask + 1 */
	struct xbar *xbar;
	uint32_t mask, head, count;
	struct net_push_time push; /* inputs: device time of the next push, if it is ahead of the crossbar */
	uint64_t refused;          /* inputs: number of refused pushes (in_buffer_full) */
	uint64_t stayed;           /* outputs: sum of the advances that departed packets spent here */
};

struct xbar {
	uint32_t n_in, n_out;
	uint32_t in_words, out_words; /* words of a set of inputs, of outputs */
	uint32_t threads;             /* number of threads, and of rows of new_heads */
	uint32_t row;                 /* words of a row of new_heads */
	uint32_t nodes;               /* number of devices that the original scans, C + S */
	uint32_t first_node;          /* device of input 0 */
	uint32_t first_out;           /* device of output 0 */
	uint32_t in_limit, out_limit;
	uint32_t grant_cycles;
	struct port *in, *out;
	uint64_t *new_heads; /* by thread: inputs that received a packet while empty since the last sync */
	uint64_t *filled;    /* inputs whose head the next advance may move */
	uint64_t *ahead;     /* inputs whose head the next advance may not move yet; also in arrival_wheel */
	/* by advance modulo NET_WINDOW_MAX: inputs whose head may move from then on */
	uint64_t *arrival_wheel;
	uint64_t *waiting;           /* outputs that are not empty */
	uint64_t *requested_outputs; /* outputs requested by the head of a filled input */
	uint64_t *requests;          /* by output: inputs whose head requests it */
	uint32_t *pointer;           /* iSLIP, by output: input to consider first */
	uint32_t next_node;          /* round robin: device to consider first */
	uint32_t grant_count;
	uint32_t advances;    /* number of advances so far, modulo 2^32 */
	uint32_t n_full;      /* outputs at their limit */
	struct xbar_counts n; /* counts of departed packets; the ports count `packets` and `in_full` */
};

struct booksim;
struct noc;
struct net_ops;

struct net {
	const struct net_ops *ops;
	bool decoupled;
	uint32_t max_injections; /* maximum number of packets that a cluster sends in a cycle */
	uint32_t clusters, subs;
	const struct network_params *params;
	const struct req_pool *pool;
	/* mode 2 */
	struct xbar xbar[2];
	struct port *in, *out; /* by device */
	size_t nodes;
	struct booksim *booksim; /* mode 1, one router */
	struct noc *noc;         /* mode 1, any other network */
};

static inline struct packet *port_front(const struct port *p) { return &p->slot[p->head]; }

static inline void port_push(struct port *p, uint32_t req, uint32_t output, uint32_t advance)
{
	p->slot[(p->head + p->count++) & p->mask] = (struct packet){req, output, advance};
}

/* Pops the first packet. An empty ring restarts at slot 0, which keeps a short FIFO in the host's cache. */
static inline struct packet port_pop(struct port *p)
{
	struct packet k = p->slot[p->head];

	p->head = --p->count ? (p->head + 1) & p->mask : 0;
	return k;
}

/* Pops the first packet of an output when the device is at advance `advances`; returns its request. */
static inline uint32_t port_leave(struct port *p, uint32_t advances)
{
	struct packet k = port_pop(p);

	p->stayed += advances - k.advance;
	return k.req;
}

/* crossbar.c */
void net_xbars_init(struct net *n);
void net_xbars_free(struct net *n);
void xbar_enter_new_heads(struct xbar *x);
void xbar_advance(struct xbar *x, const struct network_params *p);
void xbar_skip_advances(struct xbar *x, const struct network_params *p, uint64_t k);
/* Moves the head of an input to an output. */
void xbar_move_head(struct xbar *x, uint32_t input, uint32_t output);

/*
 * arbiter.c: moves the packets of one advance, after xbar_enter_new_heads(). filled: number of inputs whose
 * head may move.
 */
void xbar_islip(struct xbar *x, uint32_t filled);
void xbar_round_robin(struct xbar *x, uint32_t filled);

#endif
