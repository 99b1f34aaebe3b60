/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network between clusters and memory sub partitions (trace-sim-net(7)).
 *
 * Devices 0..C-1 are clusters, C..C+S-1 sub partitions. Packets are request handles. Mode 2 is the local
 * crossbar (crossbar.c, arbiter.c), mode 1 one router as BookSim has it (booksim.c), or any other of its
 * networks (noc.c). A cluster writes only its own input FIFO; advances alone move packets across. For windows
 * the two directions may be apart from each other (apart.c).
 */
#ifndef NET_H
#define NET_H

#include <stdio.h>
#include "params.h"
#include "request/req.h"

#define NET_APART_MAX 1024u /* advances of a window (net_split) */

struct net;
struct book_out;
struct events;

struct net *net_new(const struct params *p, struct req_pool *pool, struct fault *f); /* NULL and *f */
void net_delete(struct net *n);
/* Room for a packet of bytes from device dev? A refusal counts (NET-xbar-3). */
bool net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes);
void net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes);
bool net_has_packet(const struct net *n, uint32_t dev); /* net_pop would give one */
/*
 * Bit sets over sub partitions and over clusters: who may have a packet. Exact after an advance; pops may
 * leave bits set.
 */
const uint64_t *net_waiting_subs(const struct net *n);
const uint64_t *net_waiting_clusters(const struct net *n);
/* Flits of mode 1 go to the log from now on; its `now` is set before each advance. NULL: they do not. */
void net_log_flits(struct net *n, struct events *e);
/* Clusters push and pop in up to so many threads (thread_index) in a window; for the whole run. */
void net_set_threads(struct net *n, unsigned threads);
uint32_t net_pop(struct net *n, uint32_t dev); /* REQ_NONE when there is none */
void net_advance(struct net *n);
/* k advances in which no packet is anywhere in the network. */
void net_idle_advances(struct net *n, uint64_t k);
bool net_busy(const struct net *n);
/* Nothing to move: net_advance equals net_idle_advances(1). Credits under way are moves, but not busy. */
bool net_empty(const struct net *n);

/*
 * The two halves may run ahead of each other: what is pushed says from which advance on it is there, and what
 * has left before a later advance is taken back from its figures. Not in mode 1 where random numbers are
 * drawn, for both subnets draw from one sequence.
 */
bool net_runs_ahead(const struct net *n);
uint32_t net_advances(const struct net *n); /* so far, 32 bits; of both halves, between windows */
/* The halves are apart until net_join(); both have then made as many advances, no more than NET_APART_MAX. */
void net_split(struct net *n);
void net_join(struct net *n);
/*
 * In mode 1 sub partitions are not ahead of the network: an input may be so small that only step after step
 * is known whether it has room. So all replies of a step are pushed before the next one's.
 */
bool net_replies_in_steps(const struct net *n);
/*
 * Advances during which a request popped from the network may still be in the figures of its last flits: its
 * handle may not be pushed again before.
 */
uint32_t net_lag(const struct net *n);
/* What dev pushes from now on: network time, and cycle of the core, counted from net_split(). */
struct net_push_time {
	uint32_t advance, cycle;
};
/* Where dev, which is ahead of the network, says so; its own as long as the network is there. */
struct net_push_time *net_push_time(struct net *n, uint32_t dev);
/* The first reply for the cluster is there after so many advances; false: as far as is known none comes. */
bool net_reply_due(const struct net *n, uint32_t cluster, uint32_t *advance);
/* Take one that is there after so many (REQ_NONE: none is). */
uint32_t net_pop_reply(struct net *n, uint32_t cluster, uint32_t advance);
/* The same of requests for a sub partition, which the request network is ahead of (mode 2). */
bool net_request_due(const struct net *n, uint32_t sub, uint32_t *advance);
uint32_t net_pop_request(struct net *n, uint32_t sub, uint32_t advance);
void net_advance_one(struct net *n, unsigned subnet); /* 0: requests, 1: replies; side by side in mode 2 */
uint64_t net_requests(const struct net *n);           /* that have crossed the request network (mode 2) */
/* A cluster sends no more in a cycle than so many packets, and so many more without data. */
void net_set_sends(struct net *n, uint32_t packets, uint32_t bare);
/* Clusters whose input has no room for them (mode 1; not while the halves are apart). */
uint32_t net_crowded(const struct net *n);
/*
 * For how many cycles, if it is known (else 1), its input of the request network is sure to have room for them,
 * as of its net_push_time(); 0: not for one.
 */
uint32_t net_request_room(struct net *n, uint32_t cluster);
/*
 * What there is room for: packets in every input of the reply network (mode 2); packets (mode 2) or flits in
 * every output of it, before it counts as full. An advance brings no more than one to each.
 */
uint32_t net_reply_in_room(const struct net *n);
uint32_t net_reply_out_room(const struct net *n);
uint32_t net_request_out_room(const struct net *n); /* the same of requests (mode 2) */

/* Mode 2 counters per crossbar (0 requests, 1 replies), summed over ports. */
struct xbar_counts {
	uint64_t packets, cycles, conflicts, conflicts_util, cycles_util, reqs_util;
	uint64_t in_full, out_full, in_util, out_util;
};
struct xbar_counts net_xbar_counts(const struct net *n, unsigned subnet);
/* Mode 1: the lines between the Interconnect-DETAILS markers (book.h); counts a print (NET-bstat-4). */
void net_print_booksim(struct net *n, const struct book_out *out);

/* With enable_link_stats: each channel that routers send on; take is called by subnet, router, output. */
void net_links(const struct net *n,
	void (*take)(void *ctx, unsigned subnet, uint32_t router, uint32_t output, uint64_t flits),
	void *ctx);

enum net_report { NET_REPORT_TEXT, NET_REPORT_JSON };

/* False: the network has no channels between routers (mode 2, one router), of which a report could tell. */
bool net_has_report(const struct net *n);
/* Use of channels and routers so far, of a network that has such a report. */
void net_write_report(const struct net *n, enum net_report form, FILE *out);
/* What waits for what, for the report of a deadlock; nothing where no packet is under way. */
void net_print_stuck(const struct net *n, FILE *out);

#endif
