/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the network, shared by net.c, decoupled.c, crossbar.c, arbiter.c and, through booksim.h, mode 1.
 *
 * Mode 2 (NET-xbar): two crossbars that share nothing. Crossbar 0 has the clusters as inputs and the
 * sub partitions as outputs, crossbar 1 the reverse; ports are numbered from 0 on either side. The
 * original gives every device an input and an output in both; the unused ones cannot change a figure.
 *
 * Always true between two advances: only its device touches a port. A push to an empty input sets a bit in
 * new_heads; xbar_sync() moves these bits into the sets over all inputs, so devices may push at the same
 * time: each thread has its own row of new_heads, and each port a cache line of its own. The sets over all
 * outputs are exact at any time, except `waiting` while the sides are decoupled: several threads pop then.
 *
 * A packet records the advance in which it entered its port, so the use of ports is summed when it leaves.
 */
#ifndef CROSSBAR_H
#define CROSSBAR_H

#include "icnt.h"
#include "net.h"

struct packet {
	uint32_t req;
	uint32_t output;  /* port of the destination */
	uint32_t advance; /* input: first advance that may move it; output: the advance that did; 32 bits */
};

/*
 * A FIFO of packets. Packets are stored here and not linked through the requests: a request's record would
 * otherwise move to the network's thread on its way from one device's thread to the other's.
 */
struct port {
	_Alignas(64) struct packet *slot; /* ring of mask + 1 */
	struct xbar *xbar;
	uint32_t mask, head, count;
	struct net_push_time push; /* inputs: time of packets pushed now, if it is ahead of the crossbar */
	uint64_t refused;          /* inputs: in_buffer_full */
	uint64_t stayed;           /* outputs: sum over packets that left of the advances they spent here */
};

struct xbar {
	uint32_t n_in, n_out;
	uint32_t in_words, out_words; /* words of a set of inputs, of outputs */
	uint32_t threads;             /* rows of new_heads */
	uint32_t row;                 /* words of a row */
	uint32_t nodes;               /* C + S, the devices that the original scans */
	uint32_t first_node;          /* device of input 0 */
	uint32_t first_out;           /* device of output 0 */
	uint32_t in_limit, out_limit;
	uint32_t grant_cycles;
	struct port *in, *out;
	uint64_t *new_heads;     /* by thread: inputs that were empty when pushed to since the last sync */
	uint64_t *filled;        /* inputs whose head the next advance may move */
	uint64_t *ahead;         /* inputs whose head it may not move yet; also in arrival_wheel */
	uint64_t *arrival_wheel; /* by advance modulo NET_WINDOW_MAX: inputs whose head it may move first */
	uint64_t *waiting;       /* outputs that are not empty */
	uint64_t *requested_outputs; /* outputs that the head of some filled input goes to */
	uint64_t *requests;          /* by output: inputs whose head goes there */
	uint32_t *pointer;           /* iSLIP, by output: the input to look at first */
	uint32_t next_node;          /* round robin: device to look at first */
	uint32_t grant_count;
	uint32_t advances;    /* number of advances so far, 32 bits */
	uint32_t n_full;      /* outputs at their limit */
	struct xbar_counts n; /* counts of packets that have left; packets and in_full are in the ports */
};

struct booksim;
struct noc;
struct net_ops;

struct net {
	const struct net_ops *ops;
	bool decoupled;
	uint32_t max_injections; /* packets that a cluster sends in a cycle, at most */
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

/* Pops the first packet. An empty ring restarts at slot 0, so that a short FIFO stays in the host's cache. */
static inline struct packet port_pop(struct port *p)
{
	struct packet k = p->slot[p->head];

	p->head = --p->count ? (p->head + 1) & p->mask : 0;
	return k;
}

/* Pops the first packet of an output after that number of advances; returns its request. */
static inline uint32_t port_leave(struct port *p, uint32_t advances)
{
	struct packet k = port_pop(p);

	p->stayed += advances - k.advance;
	return k.req;
}

/* crossbar.c */
void net_xbars_init(struct net *n);
void net_xbars_free(struct net *n);
void xbar_sync(struct xbar *x);
void xbar_advance(struct xbar *x, const struct network_params *p);
void xbar_idle(struct xbar *x, const struct network_params *p, uint64_t k);
/* Moves the head of an input to an output. */
void xbar_move(struct xbar *x, uint32_t input, uint32_t output);

/* arbiter.c: one advance of a synced crossbar with that number of filled inputs. */
void xbar_islip(struct xbar *x, uint32_t filled);
void xbar_round_robin(struct xbar *x, uint32_t filled);

#endif
