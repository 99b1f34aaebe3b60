/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network between clusters and memory sub partitions (trace-sim-net(7)).
 *
 * Devices 0..C-1 are clusters, C..C+S-1 sub partitions. Packets are request handles. Mode 2 is the local
 * crossbar (crossbar.c, arbiter.c), mode 1 the BookSim crossbar (booksim.c).
 * A cluster writes only its own input FIFO; net_advance alone moves packets across.
 */
#ifndef NET_H
#define NET_H

#include <stdio.h>
#include "params.h"
#include "mem/req.h"

struct net;
struct book_out;
struct events;

struct net *net_new(const struct params *p, struct req_pool *pool, struct fault *f); /* NULL and *f */
void net_delete(struct net *n);
/* Room for a packet of bytes from device dev? A refusal counts (NET-xbar-3). */
bool net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes);
void net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes);
bool net_has_packet(const struct net *n, uint32_t dev); /* net_pop would give one */
/* Bit sets over sub partitions and over clusters: who may have a packet. Exact after an advance; pops leave bits set. */
const uint64_t *net_waiting_subs(const struct net *n);
const uint64_t *net_waiting_clusters(const struct net *n);
/* Flits of mode 1 go to the log from now on; its `now` is set before each advance. NULL: they do not. */
void net_log_flits(struct net *n, struct events *e);
/* Clusters of mode 2 push and pop in up to so many threads (thread_index) in a window; for the whole run. */
void net_set_threads(struct net *n, unsigned threads);
uint32_t net_pop(struct net *n, uint32_t dev); /* REQ_NONE when there is none */
void net_advance(struct net *n);
/* k advances in which no packet is anywhere in the network. */
void net_idle_advances(struct net *n, uint64_t k);
bool net_busy(const struct net *n);
/* Nothing to move: net_advance equals net_idle_advances(1). Credits under way are moves, but not busy. */
bool net_empty(const struct net *n);

/*
 * The two halves of mode 2 may run ahead of each other: what is pushed says from which advance on it is there, and what
 * has left before a later advance is taken back from its figures.
 */
bool net_runs_ahead(const struct net *n);
uint32_t net_advances(const struct net *n); /* so far, 32 bits; of both halves, between windows */
void net_push_from(struct net *n, uint32_t dev, uint32_t advance); /* what dev pushes from now on */
/* As of that many advances: a reply for the cluster is there; take it (REQ_NONE: none). */
bool net_reply_there(const struct net *n, uint32_t cluster, uint32_t advance);
uint32_t net_pop_reply(struct net *n, uint32_t cluster, uint32_t advance);
bool net_reply_coming(const struct net *n, uint32_t cluster);
void net_advance_one(struct net *n, unsigned subnet); /* 0: requests, 1: replies */
/*
 * Packets that there is room for: in a cluster's input of the request network; in every input of the reply network; in
 * every output of it, before it counts as full.
 */
uint32_t net_request_room(const struct net *n, uint32_t cluster);
uint32_t net_reply_in_room(const struct net *n);
uint32_t net_reply_out_room(const struct net *n);

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

enum net_report { NET_REPORT_TEXT, NET_REPORT_JSON, NET_REPORT_SVG };

/* False: the network has no channels between routers (mode 2, one router), of which a report could tell. */
bool net_has_report(const struct net *n);
/* Use of channels and routers so far, of a network that has such a report. */
void net_write_report(const struct net *n, enum net_report form, FILE *out);
/* What waits for what, for the report of a deadlock; nothing where no packet is under way. */
void net_print_stuck(const struct net *n, FILE *out);

#endif
