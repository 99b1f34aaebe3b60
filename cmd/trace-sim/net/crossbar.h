/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Insides of the network, shared by net.c, crossbar.c, arbiter.c and, through booksim.h, mode 1.
 *
 * Mode 2 (NET-xbar): two crossbars that share nothing. Crossbar 0 has the clusters as inputs and the
 * sub partitions as outputs, crossbar 1 the other way round; ports are numbered from 0 on either side. The
 * original gives every device an input and an output in both; those never used cannot change a figure.
 *
 * Always true between two advances: a port is touched by its device alone, which leaves a mark in `fresh`
 * when it pushes to an empty input. What is kept over all inputs is brought up to date from the marks by
 * xbar_sync, so that devices may work at the same time; each thread has its own row of marks, and each port
 * a cache line of its own. What is kept over all outputs is right at any time, but for `waiting` while the
 * halves are apart: who pops behind the crossbar does so in several threads.
 *
 * A packet tells when it came to its port, so how full ports are is added up when it leaves.
 */
#ifndef CROSSBAR_H
#define CROSSBAR_H

#include "icnt.h"
#include "net.h"

struct packet {
	uint32_t req, output; /* output: port of the destination */
	uint32_t at; /* input: first advance that may move it; output: the advance that did; 32 bits */
};

/*
 * A FIFO of packets. They are kept here and not linked through the requests, whose records would otherwise
 * visit the network's thread on the way from one device's to the other's.
 */
struct port {
	_Alignas(64) struct packet *slot; /* a ring of mask + 1 */
	struct xbar *xbar;
	uint32_t mask, head, count;
	struct net_push_time push; /* inputs: what packets pushed now get, if it is ahead of the crossbar */
	uint64_t refused;          /* inputs: in_buffer_full */
	uint64_t stayed;           /* outputs: advances that packets which have left were there for */
};

struct xbar {
	uint32_t n_in, n_out, in_words, out_words;
	uint32_t threads, row;          /* rows of marks; words of a row */
	uint32_t nodes;                 /* C + S, what the original scans */
	uint32_t first_node, first_out; /* device numbers of input 0, of output 0 */
	uint32_t in_limit, out_limit, grant_cycles;
	struct port *in, *out;
	uint64_t *fresh;    /* inputs that were empty when pushed to since the last sync, a row per thread */
	uint64_t *filled;   /* inputs whose head the next advance may move */
	uint64_t *ahead;    /* inputs whose head it may not; they are in when, too */
	uint64_t *when;     /* per advance, modulo NET_WINDOW_MAX: inputs whose head it is the first to move */
	uint64_t *waiting;  /* outputs that are not empty */
	uint64_t *wanted;   /* outputs that the head of some filled input goes to */
	uint64_t *want;     /* per output the inputs whose head goes there */
	uint32_t *pointer;  /* iSLIP: per output the input to look at first */
	uint32_t next_node; /* round robin: device to look at first */
	uint32_t grant_count;
	uint32_t advances;    /* so far, 32 bits */
	uint32_t n_full;      /* outputs */
	struct xbar_counts n; /* of what has left; packets and in_full are in the ports */
};

struct booksim;
struct noc;
struct net_ops;
struct net_apart;

struct net {
	const struct net_ops *ops;
	const struct net_apart *apart; /* apart.c */
	bool split;
	uint32_t most_bytes; /* of a request */
	uint32_t needs;      /* packets, or in mode 1 flits, that a cluster can send in a cycle, at most */
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

static inline void port_push(struct port *p, uint32_t req, uint32_t output, uint32_t at)
{
	p->slot[(p->head + p->count++) & p->mask] = (struct packet){req, output, at};
}

/* An empty ring starts over, so that a FIFO that stays short stays in the host's cache. */
static inline struct packet port_pop(struct port *p)
{
	struct packet k = p->slot[p->head];

	p->head = --p->count ? (p->head + 1) & p->mask : 0;
	return k;
}

/* From an output, after so many advances: the request. */
static inline uint32_t port_leave(struct port *p, uint32_t advances)
{
	struct packet k = port_pop(p);

	p->stayed += advances - k.at;
	return k.req;
}

/* apart.c: when the kind of the network is known. */
void net_apart_init(struct net *n);

/* crossbar.c */
void net_xbars_init(struct net *n);
void net_xbars_free(struct net *n);
void xbar_sync(struct xbar *x);
void xbar_advance(struct xbar *x, const struct network_params *p);
void xbar_idle(struct xbar *x, const struct network_params *p, uint64_t k);
void xbar_move(struct xbar *x, uint32_t input, uint32_t output); /* head of input to output */

/* arbiter.c: one advance of a synced crossbar, so many inputs of which are filled. */
void xbar_islip(struct xbar *x, uint32_t filled);
void xbar_round_robin(struct xbar *x, uint32_t filled);

#endif
