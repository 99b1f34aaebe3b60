/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions shared by asynchronous copies: further addresses of an instruction, and the completion of bytes of
 * mbarriers.
 */
#ifndef ASYNC_H
#define ASYNC_H

#include "sem/atom.h"
#include "sem/tensor.h"

/* A second address of an op, as bind_address() sets the first. */
struct address {
	uint32_t slot; /* as o->a */
	int64_t imm;   /* as o->imm */
	uint8_t mode;  /* copy of o->mode */
	uint8_t space; /* copy of o->space */
};

int address_bind(struct bind *b, struct address *a, const struct operand *at, enum state_space space);
/*
 * Returns the host address of a lane's address a, and sets w->addr to its offset. Returns NULL if the launch
 * has failed.
 */
uint8_t *address_find_host(
	struct warp *w, const struct op *o, const struct address *a, unsigned lane, uint64_t bytes);
/*
 * Completes n bytes of the mbarrier at a host address, whose offset is w->addr[lane]. Returns false if the launch has
 * failed.
 */
bool async_complete_bytes(struct warp *w, const struct op *o, unsigned lane, uint8_t *mbarrier, uint64_t n);

/* A change of an mbarrier by a lane. */
struct mbarrier_change {
	bool arrives;      /* the lane arrives; `arrivals` must be at least 1 */
	bool drop;         /* later phases do not expect these arrivals */
	uint64_t arrivals; /* number of arrivals */
	int64_t bytes;     /* number of pending bytes that are added; negative: bytes that have arrived */
};
/*
 * Changes the mbarrier at a host address, whose offset is w->addr[lane], and ends its phase if nothing is
 * pending. Sets *old to its word before the change. Returns false if the launch has failed.
 */
bool async_change_mbarrier(struct warp *w, const struct op *o, unsigned lane, uint8_t *at,
	const struct mbarrier_change *x, uint64_t *old);
/*
 * Tests whether the phase with a parity of the mbarrier at a host address is over, and notes in the warp for which
 * mbarrier it waits. Returns false if the launch has failed.
 */
bool async_test_phase(
	struct warp *w, const struct op *o, unsigned lane, const uint8_t *at, uint64_t parity, bool *over);

/* Destination of a copy: one address, or the same offset in several thread blocks of a cluster. */
struct targets {
	struct address target, mbarrier;
	uint32_t mask;   /* slot of the blocks' mask; 0: not .multicast::cluster */
	bool all_blocks; /* copy to all blocks of the cluster; the instruction has no mask */
	bool reports;    /* the copy completes bytes of `mbarrier` */
};
/*
 * Returns the host address of a in the shared memory of the block with this rank. The rank is ignored if t has
 * neither a mask nor `all_blocks`. Returns NULL if the launch has failed.
 */
uint8_t *targets_find_host(struct warp *w, const struct op *o, const struct targets *t,
	const struct address *a, unsigned lane, unsigned rank, uint64_t bytes);
/*
 * Returns the set of ranks to which a lane copies, as bits: bit 0 without a mask or `all_blocks`; 0 if the launch has
 * failed.
 */
uint32_t targets_ranks(struct warp *w, const struct op *o, const struct targets *t, unsigned lane);

/* ---- data of ops (x->family) and their execution ---- */

/* A bulk copy or reduction; sem/bulk.c. */
struct bulk {
	struct targets targets;
	struct address source;
	uint32_t bytes; /* slot of the number of bytes */
	bool reduce;
	enum atom atom;
	enum type type;
};
void bulk_copy(struct warp *w, const struct op *o, uint32_t m);

/* A bulk store of zeros; sem/bulk.c. */
struct zeros {
	struct address target;
	uint32_t bytes; /* slot of the number of bytes, 64 bits */
};
void bulk_zero(struct warp *w, const struct op *o, uint32_t m);
/* Checks the operands of a prefetch. */
void bulk_prefetch(struct warp *w, const struct op *o, uint32_t m);

/* A store or reduction that completes bytes of an mbarrier; sem/bulk.c. o->bytes, o->n: size and number of elements. */
struct store_async {
	struct address target, mbarrier;
	bool reduce;
	enum atom atom;
	enum type type;
};
void bulk_execute_store_async(struct warp *w, const struct op *o, uint32_t m);

/* Denies the requests of the lanes of m for the work of thread blocks that have not begun. Family: struct targets. */
void work_deny(struct warp *w, const struct op *o, uint32_t m);

enum tensor_direction { TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE, TENSOR_PREFETCH };
/* Part of a tensor to copy: a box, four rows given by their numbers, or pixels of im2col. */
enum tensor_order { ORDER_TILE, ORDER_ROWS, ORDER_PIXELS };

/* A tensor copy, reduction or prefetch; sem/tensor.c. */
struct tensor_copy {
	struct address map;
	struct targets targets; /* .to: address in shared memory, also for a store, which reads it */
	uint8_t direction;      /* enum tensor_direction */
	uint8_t order;          /* enum tensor_order */
	uint8_t rank;           /* number of dimensions */
	enum atom atom;
	uint32_t coordinate[TENSOR_RANK]; /* slots of the coordinates */
	uint32_t offset[TENSOR_RANK - 2]; /* slots of the offsets of im2col */
};
void tensor_copy_run(struct warp *w, const struct op *o, uint32_t m);
/* Elements of a tensor copy. Elements of 4 and 6 bits are counted in groups. */
struct tensor_extent {
	uint64_t bytes;    /* bytes of an element in global memory */
	uint64_t elements; /* number of elements */
	uint64_t n_inside; /* number of elements inside the tensor */
};
/*
 * Sets *e to the extent of a lane's copy. Calls line, unless it is NULL, for each line of elements inside the tensor,
 * with its address and number of elements. Returns false if the launch has failed.
 */
bool tensor_copy_lines(struct warp *w, const struct op *o, unsigned lane, struct tensor_extent *e,
	void (*line)(void *ctx, uint64_t addr, uint64_t n), void *ctx);

/* Binds cp.async.mbarrier.arrive; sem/mbarrier.c. */
int bind_copies_arrive(struct bind *b, struct op *o);
/* Binds cp.async.bulk and cp.reduce.async.bulk without a tensor; sem/bulk.c. */
int bind_bulk(struct bind *b, struct op *o);
/* Binds cp.async.bulk.tensor and cp.reduce.async.bulk.tensor; sem/tensor.c. */
int bind_tensor_copy(struct bind *b, struct op *o);
/* Binds st.async and red.async; sem/bulk.c. */
int bind_store_async(struct bind *b, struct op *o);
/* Binds st.bulk; sem/bulk.c. */
int bind_store_bulk(struct bind *b, struct op *o);

#endif
