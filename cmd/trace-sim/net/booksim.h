/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network mode 1 (NET-conf): the BookSim crossbar as the shipped configurations set it up, one
 * k x k input-queued router for requests and one for replies. Shared by booksim.c (the network's face),
 * booksim_router.c (a step of one router) and
 * booksim_stat.c (the printed figures). The .icnt file is read by machine/icnt.c.
 *
 * Devices are ports here: subnet 0 has the clusters as inputs and the sub partitions as outputs, subnet 1 the
 * other way round, both numbered from 0. The ports that the original has besides are never used, and a search
 * in cyclic order finds the same port with or without them.
 */
#ifndef BOOKSIM_H
#define BOOKSIM_H

#include <stdio.h>
#include "crossbar.h"
#include "icnt.h"
#include "ring.h"

/* ---- statistics -------------------------------------------------------------------------------- */

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

/* ---- network ----------------------------------------------------------------------------------- */

/* A packet under way, by request handle. */
struct book_packet {
	uint64_t id, flit_id; /* running numbers of the packet and of its first flit */
	uint32_t output;
	uint32_t flits;
	uint32_t created, injected, arrived; /* network time; of the head for the last two */
};

struct book_flit {
	uint32_t req, index, injected;
};

struct flit_ring {
	struct book_flit *slot;
	uint32_t mask, head, count;
};

enum input_state { INPUT_IDLE, INPUT_WANTS, INPUT_ACTIVE };

struct book_input {
	struct ring source;          /* packets; the first may have sent some flits */
	uint32_t source_flits, sent; /* flits in the source queue; flits that the first packet has sent */
	uint32_t fresh;              /* packets pushed since the last settling */
	uint32_t occupied;           /* flits injected and not yet credited */
	uint32_t credits;            /* waiting for the link back */
	uint32_t output;             /* of the packet at the head */
	enum input_state state;
	struct flit_ring fifo;
	uint64_t sent_packets, sent_flits;
};

struct book_output {
	uint32_t pointer;  /* where the search for a grant starts */
	uint32_t occupied; /* flits sent and not yet credited */
	struct flit_ring queue, ejection;
	struct ring boundary; /* complete packets */
	uint32_t boundary_flits;
	uint64_t taken_packets, taken_flits;
};

/* A link delivers in step t + 2 what is sent in step t: two sets, used in turn. */
struct book_link {
	uint64_t *set[2];
	struct book_flit *flit[2]; /* NULL: a link of credits */
};

struct book_cross {
	uint32_t output;
	struct book_flit flit;
};

struct book_net {
	uint32_t n_in, n_out, in_words, out_words;
	struct book_packet *packet; /* shared by both subnets */
	struct book_input *in;
	struct book_output *out;
	struct book_link inject, inject_credit, eject, eject_credit;
	/* sets of inputs */
	uint64_t *fresh;     /* pushed to since the last settling */
	uint64_t *sending;   /* source queue not empty */
	uint64_t *ready;     /* own their output and have a flit at the head: the switch list */
	uint64_t *granted;   /* won their output in this internal step */
	uint64_t *crediting; /* credits wait for the link */
	uint64_t *want;      /* per output the inputs whose head packet goes there: the VC list */
	/* sets of outputs */
	uint64_t *wanted, *owned;    /* want not empty; bound to an input */
	uint64_t *queued, *ejecting; /* output queue, ejection buffer not empty */
	uint64_t *waiting;           /* complete packets; exact after a step */
	struct book_cross *cross;    /* crossing the switch */
	uint32_t n_cross, n_wanting, n_ready;
	uint64_t flits, credits; /* not retired; on links or waiting for one */
};

struct booksim {
	struct icnt conf;
	struct book_net net[2];
	struct book_packet *packet;
	size_t packets;
	struct book_flit *slots; /* of all flit rings */
	size_t n_slots;
	uint64_t time, next_packet, next_flit;
	double steps; /* fraction of an internal step carried over */
	struct book_stats stats;
};

struct booksim *booksim_new(const struct icnt *c, uint32_t clusters, uint32_t subs, size_t packets);
void booksim_delete(struct booksim *b);
/* port: of the sender, or for pops of the receiver, in subnet s. */
bool booksim_has_buffer(const struct booksim *b, unsigned s, uint32_t port, uint32_t bytes);
/* later: other threads push too; the packet gets its number when the pushes are settled. */
void booksim_push(struct booksim *b, unsigned s, uint32_t port, uint32_t output, uint32_t req, uint32_t bytes,
	bool later);
bool booksim_has_packet(const struct booksim *b, unsigned s, uint32_t port);
uint32_t booksim_pop(struct booksim *b, unsigned s, uint32_t port);
void booksim_settle(struct booksim *b);
void booksim_advance(struct booksim *b);
void booksim_idle(struct booksim *b, uint64_t k);
bool booksim_busy(const struct booksim *b);
bool booksim_empty(const struct booksim *b);

/* One step of one subnet that holds a flit or a credit, with n internal steps of its router. */
void book_step(struct booksim *b, struct book_net *x, uint32_t n);

void book_stats_init(struct book_stats *s);
/* A flit has arrived now; after a tail its packet's figures are taken too. */
void book_stats_retire(
	struct book_stats *s, const struct book_packet *p, const struct book_flit *f, uint32_t now);
void booksim_print(struct booksim *b, FILE *out);

#endif
