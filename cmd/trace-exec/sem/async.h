/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What copies that go on by themselves share: further addresses of an instruction, mbarriers that hear of
 * bytes.
 */
#ifndef ASYNC_H
#define ASYNC_H

#include "sem/sem.h"

/* An address besides the op's own, as bind_address leaves one. */
struct address {
	uint32_t slot;
	int64_t imm;
	uint8_t mode, space;
};

int address_bind(struct bind *b, struct address *a, const struct operand *at, enum state_space space);
/* Host address of bytes there for a lane, whose w->addr is the offset then. NULL: the launch has failed. */
uint8_t *address_find_host(
	struct warp *w, const struct op *o, const struct address *a, unsigned lane, uint64_t bytes);
/*
 * n bytes have come for a lane: the mbarrier at a host address hears of it, whose w->addr is the offset.
 * false: the launch has failed.
 */
bool async_report_bytes(struct warp *w, const struct op *o, unsigned lane, uint8_t *mbarrier, uint64_t n);

/*
 * Where a copy goes: the thread blocks of a cluster, each at the same place as the executing one, or one
 * address.
 */
struct targets {
	struct address to, bar;
	uint32_t mask; /* slot of the blocks' mask; 0: not .multicast::cluster */
	bool reports;  /* bar is there */
};
/*
 * The host address of bytes in block rank's shared memory (mask: else ignored). NULL: the launch has failed.
 */
uint8_t *targets_find_host(struct warp *w, const struct op *o, const struct targets *t, const struct address *a,
	unsigned lane, unsigned rank, uint64_t bytes);
/*
 * The ranks that a lane copies to: bits; bit 0 alone without .multicast::cluster. 0: the launch has failed.
 */
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
