/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network mode 1 (NET-conf) with BookSim's crossbar as in the supplied configurations: one k x k input-queued
 * router for requests and one for replies. Shared by booksim.c (the interface of the network) and
 * booksim_router.c (a step of one router). noc.h has all other networks. book.h has the figures of all
 * networks of mode 1.
 *
 * Devices are ports here. In subnet 0 the clusters are inputs and the sub partitions outputs; in subnet 1 it
 * is the reverse. Both are numbered from 0. The original has additional ports, which it never uses. A cyclic
 * search finds the same port without them.
 */
#ifndef BOOKSIM_H
#define BOOKSIM_H

#include <stdio.h>
#include "crossbar.h"
#include "icnt.h"
#include "net/book.h"
#include "fifo.h"

/* ---- configuration ----------------------------------------------------------------------------- */

struct booksim_conf {
	uint32_t k; /* number of nodes; at least the number of clusters plus the number of sub partitions */
	uint32_t flit_bytes;
	uint32_t buffer;       /* vc_buf_size: slots of an input; limit of uncredited flits per output */
	uint32_t source_max;   /* input_buffer_size in flits, or 9 if the file says 0 */
	uint32_t boundary_max; /* boundary_buffer_size in flits */
	double speedup;        /* number of internal steps per network step, at least 1 */
};

/* Returns true and fills *c if booksim_router.c can model the network of `file`, a single router. */
bool booksim_conf_of(struct booksim_conf *c, const struct icnt *file);

/* ---- network ----------------------------------------------------------------------------------- */

FIFO(book_flits, struct book_flit)

enum input_state { INPUT_IDLE, INPUT_WANTS, INPUT_ACTIVE };

struct book_input {
	uint32_t sent;     /* number of flits injected of the first packet in the queue */
	uint32_t occupied; /* number of flits injected and not yet credited */
	uint32_t credits;  /* number of credits that wait for the link to the sender */
	uint32_t output;   /* destination of the first packet */
	enum input_state state;
	struct book_flits fifo;
	uint64_t sent_packets; /* packets since the start of the run */
	uint64_t sent_flits;   /* flits since the start of the run */
};

struct book_output {
	uint32_t pointer;  /* input at which the search for the next grant starts */
	uint32_t occupied; /* number of flits sent and not yet credited */
	struct book_flits queue, ejection;
	struct ring boundary; /* complete packets in the boundary buffer */
	uint32_t boundary_flits;
	uint64_t received_packets, received_flits;
};

/* A link with two alternating sets: a flit that is sent in step t is delivered in step t + 2. */
struct book_link {
	uint64_t *set[2];
	struct book_flit *flit[2]; /* flit of each port; NULL for a link of credits */
};

struct book_cross {
	uint32_t output;
	struct book_flit flit;
};

struct book_net {
	uint32_t n_in, n_out, in_words, out_words;
	struct book_packet
		/* packets by request handle; each subnet has its own, because a handle may be in both */
		*packet;
	struct book_queue *queue; /* packets to inject, a queue for each input */
	struct book_input *in;
	struct book_output *out;
	struct book_link inject, inject_credit, eject, eject_credit;
	/* sets of inputs */
	uint64_t *sending; /* inputs whose source queue is not empty */
	uint64_t *ready;   /* inputs that own their output and have a flit (BookSim's switch list) */
	uint64_t *granted; /* inputs that won their output in this internal step */
	uint64_t *inputs_with_credits; /* inputs with credits that wait for the link */
	uint64_t *want; /* for each output, inputs whose first packet requests it (BookSim's VC list) */
	/* sets of outputs */
	uint64_t *wanted;         /* outputs that any input requests */
	uint64_t *owned;          /* outputs that an input owns */
	uint64_t *queued;         /* outputs whose queue is not empty */
	uint64_t *ejecting;       /* outputs whose ejection buffer is not empty */
	uint64_t *waiting;        /* outputs with a complete packet; exact after a step */
	struct book_cross *cross; /* flits that cross the switch */
	uint32_t n_cross;         /* number of crossing flits */
	uint32_t n_requests;      /* number of requests */
	uint32_t n_ready;         /* number of ready inputs */
	uint64_t flits;           /* number of flits that are not retired */
	uint64_t credits;         /* number of credits on links or waiting for a link */
};

struct booksim {
	struct booksim_conf conf;
	struct book_net net[2]; /* requests and replies */
	size_t packets;
	struct book_flit *slots; /* memory of the slots of all flit rings */
	size_t n_slots;
	uint64_t time;
	double steps; /* fraction of an internal step left from earlier network steps */
	struct book_numbers numbers;
	struct book_stats stats;
	struct events *events; /* event log; NULL if flits are not logged */
};

struct booksim *booksim_new(const struct booksim_conf *c, uint32_t clusters, uint32_t subs, size_t packets);
void booksim_delete(struct booksim *b);
/* `port` is the port in subnet s of the sending device or, for pops, of the receiving device. */
bool booksim_has_buffer(const struct booksim *b, unsigned s, uint32_t port, uint32_t bytes);
void booksim_push(
	struct booksim *b, unsigned s, uint32_t port, uint32_t output, uint32_t req, uint32_t bytes);
bool booksim_has_packet(const struct booksim *b, unsigned s, uint32_t port);
uint32_t booksim_pop(struct booksim *b, unsigned s, uint32_t port);
void booksim_advance(struct booksim *b);
void booksim_skip_cycles(struct booksim *b, uint64_t k);
bool booksim_is_busy(const struct booksim *b);
bool booksim_is_empty(const struct booksim *b);

/* Runs one network step of a subnet that has a flit or a credit. Its router makes n internal steps. */
void booksim_step_subnet(struct booksim *b, struct book_net *x, uint32_t n);

void booksim_print(struct booksim *b, const struct book_out *out);

#endif
