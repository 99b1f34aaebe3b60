/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network between clusters and memory sub partitions (trace-sim-net(7)).
 *
 * Devices 0..C-1 are clusters, C..C+S-1 sub partitions. Packets are request handles. There are three kinds of
 * networks: the local crossbars of mode 2 (crossbar.c, arbiter.c), BookSim's single router (booksim.c), and
 * BookSim's other networks (noc.c). A device writes only to its own input FIFO. Packets move from inputs to
 * outputs only in net_advance().
 */
#ifndef NET_H
#define NET_H

#include <stdio.h>
#include "params.h"
#include "request/req.h"

#define NET_WINDOW_MAX 1024u /* maximum number of advances between net_decouple() and net_recouple() */

struct net;
struct book_out;
struct events;

/* Creates the network. Returns NULL and sets *f if the network's file has an error. */
struct net *net_new(const struct params *p, struct req_pool *pool, struct fault *f);
void net_delete(struct net *n);
/* Returns true if device dev can push a packet of `bytes` bytes. Counts a false result (NET-xbar-3). */
bool net_has_buffer(struct net *n, uint32_t dev, uint32_t bytes);
void net_push(struct net *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes);
/* Returns true if net_pop() would return a packet. */
bool net_has_packet(const struct net *n, uint32_t dev);
/*
 * Bit sets of the sub partitions and clusters that may have a packet to pop. The sets are exact after an
 * advance. A pop of the last packet may leave the bit set.
 */
const uint64_t *net_waiting_subs(const struct net *n);
const uint64_t *net_waiting_clusters(const struct net *n);
/*
 * Logs the flits of mode 1 to e from now on. NULL ends the log. The caller sets e->now before each advance.
 */
void net_log_flits(struct net *n, struct events *e);
/*
 * Sets, for the whole run, the number of threads (thread_index) in which clusters push and pop during a
 * window.
 */
void net_set_threads(struct net *n, unsigned threads);
/* Pops the next packet for device dev. Returns REQ_NONE if there is none. */
uint32_t net_pop(struct net *n, uint32_t dev);
void net_advance(struct net *n);
/* Updates the counters for k advances of a network without packets. */
void net_skip_idle_advances(struct net *n, uint64_t k);
bool net_is_busy(const struct net *n);
/*
 * Returns true if net_advance() would have the same effect as net_skip_idle_advances(1). A network with only
 * credits on its channels is neither busy nor empty.
 */
bool net_is_empty(const struct net *n);

/* ---- windows: requests and replies decoupled (mode 2 only) ------------------------------------------- */

/*
 * Returns true if the request side and the reply side can be at different times, which is the case in mode 2.
 */
bool net_can_decouple(const struct net *n);
/* Number of advances so far, modulo 2^32. Between windows both sides have the same number. */
uint32_t net_advances(const struct net *n);
/*
 * Decouples the two sides. At net_recouple() both sides must have made the same number of advances, which is
 * at most NET_WINDOW_MAX.
 */
void net_decouple(struct net *n);
void net_recouple(struct net *n);
/* Device time of the packets that a device pushes. */
struct net_push_time {
	uint32_t advance; /* first advance that may move the packets */
	uint32_t cycle;   /* number of core cycles since net_decouple() */
};
/* Returns a pointer to the push time of dev. A device that is ahead of the network stores its time there. */
struct net_push_time *net_push_time(struct net *n, uint32_t dev);
/*
 * Returns true if a reply for the cluster has left the crossbar, and sets *advance to the advance after which
 * the first such reply is available.
 */
bool net_has_reply_due(const struct net *n, uint32_t cluster, uint32_t *advance);
/* Pops a reply that is available after `advance` advances. Returns REQ_NONE if there is none. */
uint32_t net_pop_reply(struct net *n, uint32_t cluster, uint32_t advance);
/* Advances one side: requests if `subnet` is 0, replies if it is 1. */
void net_advance_side(struct net *n, unsigned subnet);
/* Sets the maximum number of packets that a cluster sends per cycle. */
void net_set_max_injections(struct net *n, uint32_t packets);
/*
 * Number of cycles for which the cluster's input is certain to have free slots for all packets that the
 * cluster can send.
 */
uint32_t net_cycles_until_full(const struct net *n, uint32_t cluster);
/*
 * Number of free slots in the fullest input of the reply network, and number of packets that its fullest
 * output can take before it is full. An advance adds at most one packet to each output.
 */
uint32_t net_reply_input_free_slots(const struct net *n);
uint32_t net_reply_output_free_slots(const struct net *n);

/* ---- figures ------------------------------------------------------------------------------------- */

/* Mode 2: counters of a crossbar (0 for requests, 1 for replies), summed over its ports. */
struct xbar_counts {
	uint64_t packets, cycles, conflicts, conflicts_util, cycles_util, reqs_util;
	uint64_t in_full, out_full, in_util, out_util;
};
struct xbar_counts net_xbar_counts(const struct net *n, unsigned subnet);
/*
 * Mode 1: prints the lines between the Interconnect-DETAILS markers (book.h) and counts the printout
 * (NET-bstat-4).
 */
void net_print_booksim(struct net *n, const struct book_out *out);

/* Calls take() for each router output, ordered by subnet, router and output. Only with enable_link_stats. */
void net_visit_links(const struct net *n,
	void (*take)(void *ctx, unsigned subnet, uint32_t router, uint32_t output, uint64_t flits),
	void *ctx);

enum net_report { NET_REPORT_TEXT, NET_REPORT_JSON };

/* Returns true if the network has channels between routers, unlike mode 2 and a single router. */
bool net_has_report(const struct net *n);
/* Writes the load of channels and routers since the start. Requires net_has_report(). */
void net_write_report(const struct net *n, enum net_report form, FILE *out);
/*
 * Prints which packets wait for which channels, for the report of a deadlock. Prints nothing if the network
 * has no packet.
 */
void net_print_stuck(const struct net *n, FILE *out);

#endif
