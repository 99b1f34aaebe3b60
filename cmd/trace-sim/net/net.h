/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network between clusters and memory sub partitions (trace-sim-net(7)).
 *
 * Devices 0..C-1 are clusters, C..C+S-1 sub partitions. Packets are request handles. There are three kinds
 * of networks: the local crossbars of mode 2 (crossbar.c, arbiter.c), BookSim's single router (booksim.c),
 * and BookSim's other networks (noc.c). A device writes only its own input FIFO; only advances move packets
 * across.
 */
#ifndef NET_H
#define NET_H

#include <stdio.h>
#include "params.h"
#include "request/req.h"

#define NET_WINDOW_MAX 1024u /* advances between net_decouple() and net_recouple() */

struct net;
struct book_out;
struct events;

/* Returns NULL and sets *f if the network's file has an error. */
struct net *net_new(const struct params *p, struct req_pool *pool, struct fault *f);
void net_delete(struct net *n);
/* Returns true if device dev can push a packet of that size. A refusal is counted (NET-xbar-3). */
bool net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes);
void net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes);
/* Returns true if net_pop() would return a packet. */
bool net_has_packet(const struct net *n, uint32_t dev);
/* Sub partitions and clusters that may have a packet, as bit sets. Exact after an advance; pops leave bits set. */
const uint64_t *net_waiting_subs(const struct net *n);
const uint64_t *net_waiting_clusters(const struct net *n);
/* Logs the flits of mode 1 from now on; NULL: stops. The caller sets e->now before each advance. */
void net_log_flits(struct net *n, struct events *e);
/* Sets the number of threads (thread_index) in which clusters push and pop during a window, for the whole run. */
void net_set_threads(struct net *n, unsigned threads);
/* Returns REQ_NONE if there is no packet. */
uint32_t net_pop(struct net *n, uint32_t dev);
void net_advance(struct net *n);
/* Makes k advances of a network without packets. */
void net_skip_idle_advances(struct net *n, uint64_t k);
bool net_busy(const struct net *n);
/* Returns true if net_advance() equals net_skip_idle_advances(1). Credits on channels are not busy, but not empty. */
bool net_empty(const struct net *n);

/* ---- windows: requests and replies decoupled (mode 2 only) ----------------------------------------- */

/* Returns true if the request side and the reply side can be at different times: the network is of mode 2. */
bool net_can_decouple(const struct net *n);
/* Number of advances so far, 32 bits; between windows it is the same for both sides. */
uint32_t net_advances(const struct net *n);
/*
 * Decouples the two sides. Both must have made the same number of advances, at most NET_WINDOW_MAX, before
 * net_recouple().
 */
void net_decouple(struct net *n);
void net_recouple(struct net *n);
/* Device time of the packets that dev pushes from now on. */
struct net_push_time {
	uint32_t advance; /* first advance that may move them */
	uint32_t cycle;   /* core cycles since net_decouple() */
};
/* A device that is ahead of the network writes its time here. */
struct net_push_time *net_push_time(struct net *n, uint32_t dev);
/* Returns false if no reply for the cluster is known, else true and the advance after which the first is there. */
bool net_reply_due(const struct net *n, uint32_t cluster, uint32_t *advance);
/* Pops a reply that is there after that number of advances; REQ_NONE if none is. */
uint32_t net_pop_reply(struct net *n, uint32_t cluster, uint32_t advance);
/* Advances one side, 0: requests, 1: replies. */
void net_advance_one(struct net *n, unsigned subnet);
/* Sets the maximum number of packets that a cluster sends in a cycle. */
void net_set_max_injections(struct net *n, uint32_t packets);
/* Number of cycles for which the cluster's input certainly has a free slot for all that it can send. */
uint32_t net_cycles_until_full(const struct net *n, uint32_t cluster);
/*
 * Free slots in the fullest input of the reply network, and in its fullest output before that counts as full. An
 * advance adds at most one packet to each.
 */
uint32_t net_reply_input_free(const struct net *n);
uint32_t net_reply_output_free(const struct net *n);

/* ---- figures ------------------------------------------------------------------------------------- */

/* Mode 2 counters per crossbar (0 requests, 1 replies), summed over ports. */
struct xbar_counts {
	uint64_t packets, cycles, conflicts, conflicts_util, cycles_util, reqs_util;
	uint64_t in_full, out_full, in_util, out_util;
};
struct xbar_counts net_xbar_counts(const struct net *n, unsigned subnet);
/* Mode 1: prints the lines between the Interconnect-DETAILS markers (book.h) and counts a print (NET-bstat-4). */
void net_print_booksim(struct net *n, const struct book_out *out);

/* With enable_link_stats: calls take for each router output, in the order of subnet, router, output. */
void net_links(const struct net *n,
	void (*take)(void *ctx, unsigned subnet, uint32_t router, uint32_t output, uint64_t flits),
	void *ctx);

enum net_report { NET_REPORT_TEXT, NET_REPORT_JSON };

/* Returns false for networks without channels between routers: mode 2, and a single router. */
bool net_has_report(const struct net *n);
/* Writes the use of channels and routers so far. Requires net_has_report(). */
void net_write_report(const struct net *n, enum net_report form, FILE *out);
/* Prints the waits of packets for each other, for the report of a deadlock; nothing if no packet is in the network. */
void net_print_stuck(const struct net *n, FILE *out);

#endif
