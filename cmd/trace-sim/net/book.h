/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every network of mode 1 has: the queues in front of it, the numbers of packets, and the figures that
 * BookSim prints after each kernel: latencies of packets and flits, rates by node, and means over the prints
 * (book.c). Its two subnets may be apart for a while, replies ahead of clusters and clusters ahead of
 * requests (book_apart.c).
 *
 * Always true: latencies are taken when a flit is retired, in the order of subnets and nodes; nothing is ever
 * set back. Packets are numbered in the order of the pushes. Both hold for subnets apart, too, as if they had
 * not been.
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

/* Sums over the prints so far of what was printed (NET-bstat-4). */
struct book_overall {
	double plat[3], nlat[3], flat[3], frag[3]; /* average, minimum, maximum */
	double sent_packets[3], taken_packets[3], sent_flits[3], taken_flits[3];
	double hops;
	int prints;
};

struct book_stats {
	struct book_sample plat, nlat, flat, frag, hops;
	int32_t slowest_packet, slowest_flit; /* as wide as the original's; -1: none yet */
	struct book_overall all;
};

/* A packet under way. */
struct book_packet {
	uint64_t id, flit_id; /* running numbers of the packet and of its first flit */
	uint32_t output;
	uint32_t flits;
	uint32_t created, injected, arrived; /* network time; of the head for the last two */
	uint32_t there;                      /* network time at which its device could first see all of it */
	uint32_t cycle;                      /* of the core, in which a device pushed it that was ahead */
};

struct book_flit {
	uint32_t req, index, injected;
};

enum book_count { SENT_PACKETS, TAKEN_PACKETS, SENT_FLITS, TAKEN_FLITS };

/* What a print looks at besides the latencies. */
struct book_view {
	const void *network;
	uint64_t (*count)(const void *network, enum book_count what, uint32_t node);
	uint32_t nodes;
	uint64_t time, flits; /* cycles so far; flits not retired */
	uint32_t classes;
	const bool *measured; /* by class; NULL: all */
};

/*
 * A figure's name: as printed, what stands before its value, and which it is of those that bear the name in a
 * printout.
 */
struct book_name {
	const char *text, *equals;
	uint32_t index, of;
};

/* Who takes a printout, in the order of the original's lines. */
struct book_out {
	void *ctx;
	void (*text)(void *ctx, const char *text); /* headings */
	void (*real)(void *ctx, const struct book_name *name, double value, const char *after);
	void (*count)(void *ctx, const struct book_name *name, int64_t value, const char *after);
};

void book_stats_init(struct book_stats *s);
/* A flit has arrived now, over so many routers; after a tail its packet's figures are taken too. */
void book_stats_retire(struct book_stats *s, const struct book_packet *p, const struct book_flit *f,
	uint32_t hops, uint32_t now);
/* The lines between the Interconnect-DETAILS markers; counts a print. */
void book_print(struct book_stats *s, const struct book_view *v, const struct book_out *out);

/* ---- queues in front of a subnet, and subnets apart -------------------------------------------------- */

/* What a device has pushed and the network not taken. */
struct book_queue {
	struct ring packets;
	uint32_t flits; /* of them that have not left */
	uint32_t ahead; /* packets, the last ones, that a device pushed which is ahead of the network */
	struct net_push_time push; /* such a device's */
	/* What it knows of the queue, while the subnet's time is `found`: */
	uint32_t found;
	uint32_t most, as_of; /* flits in it at network time as_of, at most */
	uint32_t sure;        /* flits that leave it from then on, one an advance, whatever happens behind */
};

/* What is known as of its device's time. */
static inline void book_drain(struct book_queue *q)
{
	uint32_t left = q->push.advance - q->as_of;

	left = left < q->most ? left : q->most;
	left = left < q->sure ? left : q->sure;
	q->most -= left;
	q->sure -= left;
	q->as_of = q->push.advance;
}

/*
 * As of now, the subnet's time: so many are in it, the device's own pushes included, and so many are sure to
 * leave. Nothing is known of how many have left before its device's time.
 */
static inline void book_look(struct book_queue *q, uint32_t now, uint32_t sure)
{
	q->found = now;
	q->most = q->flits;
	q->sure = sure;
	q->as_of = q->push.advance;
}

/* Packets that may move. */
static inline bool book_queued(const struct book_queue *q) { return q->packets.count != q->ahead; }

/* A flit of the reply subnet, retired before it was known what the request subnet had retired by then. */
struct book_late {
	struct book_flit flit;
	uint32_t hops, now;
};

FIFO(book_lates, struct book_late)

struct book_apart {
	bool on;
	uint64_t next_packet, next_flit;
	void *packet[2]; /* by subnet and request handle: begin with a struct book_packet, stride bytes each */
	size_t stride;
	/* of the request subnet */
	struct book_queue *queue; /* by input */
	uint64_t *sending;        /* inputs with packets that may move */
	uint64_t *flits;          /* not retired */
	uint64_t *fresh;          /* inputs pushed to since the last look, a row for each thread */
	uint64_t *ahead;          /* inputs with packets ahead */
	uint32_t words, row, threads;
	uint32_t cycle; /* of packets that were taken in last */
	/* of the reply subnet */
	struct ring unnumbered;  /* packets whose number depends on requests still to come */
	struct book_lates lates; /* that may raise a maximum, in the order of time */
};

/*
 * inputs: of the request subnet. replies: that may be pushed, and retired: flits that may be retired, by the
 * reply subnet while they are apart. The caller has set packet, stride, queue, sending and flits. threads:
 * that devices push in; 1, and more if set before the first push.
 */
void book_apart_init(struct book_apart *a, uint32_t inputs, size_t replies, size_t retired);
void book_apart_free(struct book_apart *a);
/*
 * A packet of the subnet goes into queue i; the caller counts the flits of one that is not ahead. True: it
 * is.
 */
bool book_push(struct book_apart *a, unsigned subnet, struct book_queue *q, uint32_t i, uint32_t req,
	struct book_packet *p);
/*
 * Before the request subnet's step at `time`: what has been pushed by then, and what the other one has
 * retired before.
 */
void book_before_step(struct book_apart *a, struct book_stats *s, uint32_t time);
/* A flit of the subnet has arrived now. */
void book_retire(struct book_apart *a, struct book_stats *s, unsigned subnet, const struct book_packet *p,
	const struct book_flit *f, uint32_t hops, uint32_t now);
/* Both have come to `time`: all is as if they had never been apart. */
void book_join(struct book_apart *a, struct book_stats *s, uint32_t time);

#endif
