/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions shared by asynchronous copies: further addresses of an instruction, and reports of bytes to
 * mbarriers.
 */
#ifndef ASYNC_H
#define ASYNC_H

#include "sem/sem.h"

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
