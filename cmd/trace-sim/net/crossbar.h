/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internals of the network, shared by net.c, decoupled.c, crossbar.c, arbiter.c and, through booksim.h, the
 * networks of mode 1.
 *
 * Mode 2 (NET-xbar): two independent crossbars. In crossbar 0 the clusters are inputs and the sub partitions
 * outputs; in crossbar 1 it is the reverse. Inputs and outputs are each numbered from 0. The original gives
 * every device an input and an output in both crossbars. The unused ports affect no figure.
 *
 * Always true between two advances: a port is accessed only by its device. A push to an empty input sets a
 * bit in new_heads; xbar_enter_new_heads() moves these bits into the sets of all inputs. Devices may
 * therefore push at the same time: each thread has its own row of new_heads, and each port has its own cache
 * line. The sets of outputs are always exact, except `waiting` while the sides are decoupled, because several
 * threads pop then.
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
	uint32_t output; /* output port of the packet */
	/* in an input, the first advance that may move the packet; in an output, the advance that moved it */
	uint32_t advance;
};

/*
 * A FIFO of packets. Packets are copied here instead of being linked through the request records. Otherwise a
 * record's cache line would move between the threads of the sender, the network and the receiver.
 */
struct port {
	_Alignas(64) struct packet *slot; /* ring of mask + 1 packets */
	struct xbar *xbar;
	uint32_t mask, head, count;
	/* inputs only: device time of the next push, if the device is ahead of the crossbar */
	struct net_push_time push;
	uint64_t refused;            /* inputs only: number of refused pushes (in_buffer_full) */
	uint64_t departed_residence; /* outputs only: sum of the advances that packets have spent here */
};

struct xbar {
	uint32_t n_in, n_out;
	uint32_t in_words;     /* number of words in a set of inputs */
	uint32_t out_words;    /* number of words in a set of outputs */
	uint32_t threads;      /* number of threads, which is the number of rows of new_heads */
	uint32_t row_words;    /* number of words in a row of new_heads */
	uint32_t nodes;        /* number of devices: clusters plus sub partitions */
	uint32_t first_node;   /* number of the device at input 0 */
	uint32_t first_out;    /* number of the device at output 0 */
	uint32_t in_limit;     /* capacity of an input in packets */
	uint32_t out_limit;    /* capacity of an output in packets */
	uint32_t grant_cycles; /* number of advances between two moves of the pointers */
	struct port *in, *out;
	uint64_t *new_heads; /* for each thread, the empty inputs that it has filled since the last sync */
	uint64_t *filled;    /* set of inputs whose head the next advance may move */
	uint64_t *ahead;     /* inputs whose head must wait; also in inputs_by_advance */
	uint64_t *inputs_by_advance; /* by advance modulo NET_WINDOW_MAX: inputs that wait for it */
	uint64_t *waiting;           /* set of outputs that are not empty */
	uint64_t *requested_outputs; /* set of outputs that the head of a filled input requests */
	uint64_t *requests;          /* for each output, the set of inputs whose head requests it */
	uint32_t *pointer;           /* iSLIP: for each output, the input to consider first */
	uint32_t next_node;          /* round robin: device to consider first */
	uint32_t grant_count;        /* number of advances until the pointers move, counted down */
	uint32_t advances;           /* number of advances so far, modulo 2^32 */
	uint32_t n_full_outputs;     /* number of outputs that are full */
	struct xbar_counts n;        /* counters; net_xbar_counts() adds the counts of the ports */
};

struct booksim;
struct noc;
struct net_ops;

struct net {
	const struct net_ops *ops;
	bool decoupled;          /* true between net_decouple() and net_recouple() */
	uint32_t max_injections; /* maximum number of packets that a cluster sends per cycle */
	uint32_t clusters, subs;
	const struct network_params *params;
	const struct req_pool *pool;
	/* mode 2 */
	struct xbar xbar[2];
	struct port *in, *out;   /* by device */
	size_t nodes;            /* number of request handles */
	struct booksim *booksim; /* network of mode 1 with one router, or NULL */
	struct noc *noc;         /* any other network of mode 1, or NULL */
};

static inline struct packet *port_first_packet(const struct port *p) { return &p->slot[p->head]; }

static inline void port_push(struct port *p, uint32_t req, uint32_t output, uint32_t advance)
{
	p->slot[(p->head + p->count++) & p->mask] = (struct packet){req, output, advance};
}

/*
 * Pops the first packet. When the ring becomes empty, its head returns to slot 0. A short FIFO thus stays in
 * the host's cache.
 */
static inline struct packet port_pop(struct port *p)
{
	struct packet k = p->slot[p->head];

	p->head = --p->count ? (p->head + 1) & p->mask : 0;
	return k;
}

/*
 * Pops the first packet of an output and returns its request. `advances` is the number of advances at the
 * device's time.
 */
static inline uint32_t port_pop_request(struct port *p, uint32_t advances)
{
	struct packet k = port_pop(p);

	p->departed_residence += advances - k.advance;
	return k.req;
}

/* crossbar.c */
void net_xbars_init(struct net *n);
void net_xbars_free(struct net *n);
void xbar_enter_new_heads(struct xbar *x);
void xbar_advance(struct xbar *x, const struct network_params *p);
void xbar_skip_advances(struct xbar *x, const struct network_params *p, uint64_t k);
/* Moves the first packet of an input to an output. */
void xbar_move_head(struct xbar *x, uint32_t input, uint32_t output);

/*
 * arbiter.c: moves the packets of one advance, after xbar_enter_new_heads(). `filled` is the number of inputs
 * whose head may move.
 */
void xbar_arbitrate_islip(struct xbar *x, uint32_t filled);
void xbar_arbitrate_round_robin(struct xbar *x, uint32_t filled);

#endif
