/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Network mode 1 (NET-conf): the BookSim crossbar as the shipped configurations set it up, one k x k
 * input-queued router for requests and one for replies. Shared by booksim.c (the interface of the network)
 * and booksim_router.c (a step of one router). noc.h has all other networks, book.h the figures of both.
 *
 * Devices are ports here. In subnet 0 the clusters are inputs and the sub partitions outputs; in subnet 1 it
 * is the reverse. Both are numbered from 0. The original has more ports, which it never uses; a cyclic search
 * finds the same port without them.
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
	uint32_t k; /* nodes, at least as many as clusters and sub partitions together */
	uint32_t flit_bytes;
	uint32_t buffer; /* vc_buf_size: slots of a router input, and maximum of uncredited flits per output */
	uint32_t source_max;   /* input_buffer_size, in flits; 9 if the file has 0 */
	uint32_t boundary_max; /* boundary_buffer_size, in flits */
	double speedup;        /* internal steps per network step, at least 1 */
};

/* Returns true and fills *c if the network of `file` is a single router that booksim_router.c models. */
bool booksim_conf_of(struct booksim_conf *c, const struct icnt *file);

/* ---- network ----------------------------------------------------------------------------------- */

FIFO(book_flits, struct book_flit)

enum input_state { INPUT_IDLE, INPUT_WANTS, INPUT_ACTIVE };

struct book_input {
	uint32_t sent;     /* injected flits of the first packet of its queue */
	uint32_t occupied; /* flits injected and not yet credited */
	uint32_t credits;  /* credits that wait for the link to the sender */
	uint32_t output;   /* destination of the packet at the head */
	enum input_state state;
	struct book_flits fifo;
	uint64_t sent_packets, sent_flits;
};

struct book_output {
	uint32_t pointer;  /* input at which the search for the next grant starts */
	uint32_t occupied; /* flits sent and not yet credited */
	struct book_flits queue, ejection;
	struct ring boundary; /* complete packets in the boundary buffer */
	uint32_t boundary_flits;
	uint64_t taken_packets, taken_flits;
};

/* A link with two alternating sets: a flit that is sent in step t is delivered in step t + 2. */
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
	struct book_packet
		*packet; /* by request handle; one array per subnet, because a handle may be in both */
	struct book_queue *queue; /* by input: packets to inject */
	struct book_input *in;
	struct book_output *out;
	struct book_link inject, inject_credit, eject, eject_credit;
	/* sets of inputs */
	uint64_t *sending;   /* source queue not empty */
	uint64_t *ready;     /* inputs that own their output and hold a flit (BookSim's switch list) */
	uint64_t *granted;   /* inputs that won their output in this internal step */
	uint64_t *crediting; /* inputs with credits that wait for the link */
	uint64_t *want;      /* by output: inputs whose head packet requests it (BookSim's VC list) */
	/* sets of outputs */
	uint64_t *wanted;         /* `want` is not empty */
	uint64_t *owned;          /* outputs that are bound to an input */
	uint64_t *queued;         /* output queue not empty */
	uint64_t *ejecting;       /* ejection buffer not empty */
	uint64_t *waiting;        /* complete packets; exact after a step */
	struct book_cross *cross; /* flits that cross the switch */
	uint32_t n_cross, n_requests, n_ready;
	uint64_t flits;   /* flits that are not retired */
	uint64_t credits; /* credits on links or waiting for one */
};

struct booksim {
	struct booksim_conf conf;
	struct book_net net[2];
	size_t packets;
	struct book_flit *slots; /* slots of all flit rings */
	size_t n_slots;
	uint64_t time;
	double steps; /* fraction of an internal step carried over */
	struct book_numbers numbers;
	struct book_stats stats;
	struct events *events; /* NULL: flits are not logged */
};

struct booksim *booksim_new(const struct booksim_conf *c, uint32_t clusters, uint32_t subs, size_t packets);
void booksim_delete(struct booksim *b);
/* port: port in subnet s of the sending device or, for pops, of the receiving device. */
bool booksim_has_buffer(const struct booksim *b, unsigned s, uint32_t port, uint32_t bytes);
void booksim_push(
	struct booksim *b, unsigned s, uint32_t port, uint32_t output, uint32_t req, uint32_t bytes);
bool booksim_has_packet(const struct booksim *b, unsigned s, uint32_t port);
uint32_t booksim_pop(struct booksim *b, unsigned s, uint32_t port);
void booksim_advance(struct booksim *b);
void booksim_skip_cycles(struct booksim *b, uint64_t k);
bool booksim_busy(const struct booksim *b);
bool booksim_empty(const struct booksim *b);

/* Runs one step of a subnet that holds a flit or a credit, with n internal steps of its router. */
void booksim_step(struct booksim *b, struct book_net *x, uint32_t n);

void booksim_print(struct booksim *b, const struct book_out *out);

#endif
