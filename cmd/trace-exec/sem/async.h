/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions shared by asynchronous copies: further addresses of an instruction, and reports of bytes to
 * mbarriers.
 */
#ifndef ASYNC_H
#define ASYNC_H

#include "sem/atom.h"
#include "sem/tensor.h"

/* A second address of an op, in the form of bind_address(). */
struct address {
	uint32_t slot;
	int64_t imm;
	uint8_t mode, space;
};

int address_bind(struct bind *b, struct address *a, const struct operand *at, enum state_space space);
/* Returns a lane's host address of bytes and sets w->addr to its offset. NULL: the launch has failed. */
uint8_t *address_find_host(
	struct warp *w, const struct op *o, const struct address *a, unsigned lane, uint64_t bytes);
/*
 * Reports the arrival of n bytes of a lane to the mbarrier at a host address, whose offset is w->addr. false:
 * the launch has failed.
 */
bool async_report_bytes(struct warp *w, const struct op *o, unsigned lane, uint8_t *mbarrier, uint64_t n);

/* A change of an mbarrier by a lane. */
struct mbarrier_change {
	bool arrives;      /* the lane arrives; `arrivals` must be at least 1 */
	bool drop;         /* later phases expect these arrivals no more */
	uint64_t arrivals; /* number of arrivals */
	int64_t bytes;     /* number of pending bytes that are added; negative: bytes that have arrived */
};
/*
 * Changes the mbarrier at a host address, whose offset is w->addr[lane], and ends its phase if nothing is
 * pending. *old: its word before. false: the launch has failed.
 */
bool async_change_mbarrier(struct warp *w, const struct op *o, unsigned lane, uint8_t *at,
	const struct mbarrier_change *x, uint64_t *old);
/* Reads the phase of an mbarrier, 0 or 1. false: the launch has failed. */
bool async_read_phase(struct warp *w, const struct op *o, unsigned lane, const uint8_t *at, unsigned *phase);

/* Destination of a copy: one address, or the same offset in several thread blocks of a cluster. */
struct targets {
	struct address to, bar;
	uint32_t mask; /* slot of the blocks' mask; 0: not .multicast::cluster */
	bool reports;  /* the copy reports to mbarrier bar */
};
/*
 * Returns the host address in block rank's shared memory; rank is ignored without mask. NULL: the launch has
 * failed.
 */
uint8_t *targets_find_host(struct warp *w, const struct op *o, const struct targets *t,
	const struct address *a, unsigned lane, unsigned rank, uint64_t bytes);
/* Returns the ranks of a lane's copy as bits; bit 0 without .multicast::cluster. 0: the launch has failed. */
uint32_t targets_ranks(struct warp *w, const struct op *o, const struct targets *t, unsigned lane);

/* ---- data of ops (x->family) and their execution ---- */

/* A bulk copy or reduction; sem/bulk.c. */
struct bulk {
	struct targets targets;
	struct address from;
	uint32_t bytes; /* slot */
	bool reduce;
	enum atom atom;
	enum type type;
};
void bulk_copy(struct warp *w, const struct op *o, uint32_t m);
/* Checks the operands of a prefetch. */
void bulk_prefetch(struct warp *w, const struct op *o, uint32_t m);

/* A store or reduction that reports to an mbarrier; sem/bulk.c. o->bytes, o->n: size and number of elements. */
struct store_async {
	struct address to, bar;
	bool reduce;
	enum atom atom;
	enum type type;
};
void bulk_store_async(struct warp *w, const struct op *o, uint32_t m);

enum tensor_direction { WAY_LOAD, WAY_STORE, WAY_REDUCE, WAY_PREFETCH };
/* A box; four rows by their numbers; pixels of im2col. */
enum tensor_order { ORDER_TILE, ORDER_ROWS, ORDER_PIXELS };

/* A tensor copy, reduction or prefetch; sem/tensor.c. */
struct tensor_copy {
	struct address map;
	struct targets targets; /* .to: the shared memory, also the source of a store */
	uint8_t direction, order, rank;
	enum atom atom;
	uint32_t coordinate[TENSOR_RANK], offset[TENSOR_RANK - 2]; /* slots; offset: im2col */
};
void tensor_copy_run(struct warp *w, const struct op *o, uint32_t m);
/* Elements of a tensor copy: bytes of one, number, and number of those that are in the tensor. */
struct tensor_extent {
	uint64_t bytes, elements, inside;
};
/*
 * Finds the extent of a lane's copy and, if line is not NULL, passes the address of each line of elements that
 * are in the tensor, with their number. false: the launch has failed.
 */
bool tensor_copy_lines(struct warp *w, const struct op *o, unsigned lane, struct tensor_extent *e,
	void (*line)(void *ctx, uint64_t addr, uint64_t n), void *ctx);

/* cp.async.mbarrier.arrive; sem/mbarrier.c. */
int bind_copies_arrive(struct bind *b, struct op *o);
/* cp.async.bulk and cp.reduce.async.bulk without a tensor; sem/bulk.c. */
int bind_bulk(struct bind *b, struct op *o);
/* cp.async.bulk.tensor and cp.reduce.async.bulk.tensor; sem/tensor.c. */
int bind_tensor_copy(struct bind *b, struct op *o);
/* st.async and red.async; sem/bulk.c. */
int bind_store_async(struct bind *b, struct op *o);
/* st.bulk; sem/bulk.c. */
int bind_store_bulk(struct bind *b, struct op *o);

#endif
