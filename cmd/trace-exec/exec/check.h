/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may be wrong with an access to memory or with a barrier.
 *
 * Accesses outside of all memory end the launch, checks or not. Everything else is looked for only when
 * checks are on.
 */
#ifndef CHECK_H
#define CHECK_H

#include "exec/exec.h"

/* The launch fails: lane's bytes at addr of space do not exist. */
void check_outside(struct warp *w, const struct op *o, uint32_t lane, enum state_space space, uint64_t addr,
	uint64_t bytes);
/*
 * Before the lanes of m read or write bytes each at w->addr (host addresses in at). false: the launch has
 * failed.
 */
bool check_read(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at);
bool check_write(struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at);
/* The same of a lane's bytes of a copy in bulk, at the host address at in space. */
bool check_run(struct warp *w, const struct op *o, enum state_space space, unsigned lane, uint64_t bytes,
	uint8_t *at, bool write);
/* Accesses that races leave out. */
static inline bool check_atomic(const struct op *o)
{
	return o->in->op == I_atom || o->in->op == I_red || (o->in->op == I_cp && has(o->in, M_REDUCE));
}
/* A warp arrives at a barrier with the lanes of exec. false: others of its lanes live and stand elsewhere. */
bool check_divergence(struct warp *w, const struct op *o, uint32_t exec);
/* A barrier of the thread block has been met. */
void check_barrier(struct cta *c);

/* A thread block begins with shared memory that nobody has written. */
void check_start(struct cta *c);
void check_free(struct cta *c);
/* Bytes of shared memory (elsewhere: nothing) are written by other means than a store. */
void check_mark(struct cta *c, const uint8_t *at, uint64_t bytes);

/* Bytes of shared memory are under way, or no longer. */
void check_flying(struct cta *c, const uint8_t *at, uint64_t bytes, bool flying);

/* Copies of cp.async; flight.c. */
/* The lanes of m begin to copy bytes each to host addresses of shared memory. */
void flight_begin(struct warp *w, uint32_t m, uint64_t bytes, uint8_t *const *to);
/* What the lanes have begun is a group. */
void flight_commit(struct warp *w, uint32_t m);
/* The lanes have waited for all groups but the newest ones. */
void flight_wait(struct warp *w, uint32_t m, uint32_t groups);
/* The block's warps have nothing under way; its room is given back. */
void flight_reset(struct cta *c);
void flight_free(struct cta *c);

/* Races on global memory, between thread blocks and between warps of one; race.c. */
/* Warps of the block that begins: nothing of theirs is known. */
void race_cta(struct cta *c);
void race_cta_free(struct cta *c);
/* The warps of the block have met or may have told each other something. */
void race_order(struct cta *c);
/* A block that has ended is delivered. */
void race_delivered(struct cta *c);
/* A launch begins; it ends, good: without a failure. */
void race_start(struct grid *g);
void race_end(struct grid *g, bool good);
/* The lanes of m read or write bytes each, host addresses in at. */
void race_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write);

/*
 * The lanes of m are about to execute the store, host addresses in at; of a block that is delivered it is
 * told.
 */
void clash_store(struct warp *w, const struct op *o, uint32_t m, uint8_t *const *at);
void clash_delivered(const struct cta *c);
/* Does the store of the lane leave the bytes at host address `at` as they are? */
bool clash_keeps(const struct warp *w, const struct op *o, uint32_t lane, const uint8_t *at);

#endif
