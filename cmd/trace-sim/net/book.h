/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Common parts of the networks of mode 1: injection queues, packet numbers and figures. The figures are those
 * that BookSim prints after each kernel: latencies of packets and flits, rates of each node, and means over
 * all printouts (book.c).
 *
 * Always true: a latency is recorded when a flit is retired, in the order of subnets and nodes. No figure is
 * ever reset. Packets are numbered in the order of the pushes.
 */
#ifndef BOOK_H
#define BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fifo.h"
#include "net/net.h"

struct book_sample {
	double sum, min, max;
	uint64_t count;
};

/* Sums of the printed figures over all printouts so far (NET-bstat-4). */
struct book_overall {
	/* for each latency, the sums of its average, minimum and maximum */
	double packet_latency[3], network_latency[3], flat[3], fragmentation[3];
	double sent_packets[3], received_packets[3], sent_flits[3], received_flits[3];
	double hops;
	int prints;
};

struct book_stats {
	struct book_sample packet_latency, network_latency, flat, fragmentation, hops;
	/*
	 * numbers of the slowest packet and flit, truncated to 32 bits as in Accel-Sim; -1 before the first
	 */
	int32_t slowest_packet, slowest_flit;
	struct book_overall overall;
};

/* A packet in the network. */
struct book_packet {
	uint64_t id;      /* consecutive number of the packet */
	uint64_t flit_id; /* consecutive number of its first flit */
	uint32_t output;
	uint32_t flits;
	uint32_t created;  /* network time at which the device pushed the packet */
	uint32_t injected; /* network time at which the head was injected */
	uint32_t arrived;  /* network time at which the head arrived */
};

struct book_flit {
	uint32_t req, index, injected;
};

enum book_count { SENT_PACKETS, TAKEN_PACKETS, SENT_FLITS, TAKEN_FLITS };

/* Data that book_print() needs in addition to the latencies. */
struct book_view {
	const void *network;
	uint64_t (*count)(const void *network, enum book_count what, uint32_t node);
	uint32_t nodes;
	uint64_t time;  /* number of cycles so far */
	uint64_t flits; /* number of flits that are not retired */
	uint32_t classes;
	const bool *measured; /* for each class, true if its figures are printed; NULL: all are */
};

/* Name of a figure. */
struct book_name {
	const char *text;   /* name as printed */
	const char *equals; /* text between name and value */
	uint32_t index;     /* position among the figures of this name in a printout */
	uint32_t n;         /* number of figures of this name */
};

/* Callbacks that receive a printout, called in the order of the original's lines. */
struct book_out {
	void *ctx;
	void (*text)(void *ctx, const char *text); /* headings */
	void (*real)(void *ctx, const struct book_name *name, double value, const char *after);
	void (*count)(void *ctx, const struct book_name *name, int64_t value, const char *after);
};

void book_stats_init(struct book_stats *s);
/* Counts a flit that arrives at time `now` after `hops` routers. A tail also counts its packet. */
void book_stats_add_flit(struct book_stats *s, const struct book_packet *p, const struct book_flit *f,
	uint32_t hops, uint32_t now);
/* Prints the lines between the Interconnect-DETAILS markers and counts the printout. */
void book_print(struct book_stats *s, const struct book_view *v, const struct book_out *out);

/* ---- source queues -------------- --------------------------------------------------------------------- */

/* Queue of the packets that a device has pushed and that still have flits to inject. */
struct book_queue {
	struct ring packets;
	uint32_t flits; /* number of flits that are not injected */
};

/* Next numbers of packets and flits, common to both subnets. */
struct book_numbers {
	uint64_t next_packet;
	uint64_t next_flit;
};

/* Gives the packet its number and appends it to the queue. The caller counts its flits. */
void book_push(struct book_numbers *n, struct book_queue *q, uint32_t req, struct book_packet *p);

#endif
