/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tensor memory accelerator of one SM (HOPPER-tma): bulk copies between global and shared memory.
 *
 * Always true: copies make their requests in the order in which the unit accepted them, at least -core_tma_interval
 * cycles apart. A copy ends with its last reply or acknowledgement. The thread block of a copy keeps its slot until the
 * copy has ended (warp.copies). An SM without copies runs no code of this unit.
 */
#ifndef TMA_H
#define TMA_H

#include "lsu/ldst.h"

#define TMA_COPIES 256u /* maximum number of copies that a unit has accepted and not ended */

struct tma;

struct tma *tma_new(void);
void tma_free(struct tma *t);
/* Returns true if the unit accepts another copy. */
bool tma_can_accept(const struct sm *s);
/* Accepts the bulk copy of instruction w at s->clock. */
void tma_accept(struct sm *s, const struct winst *w);
/* Makes the requests that are due at s->clock. Returns true if a copy has ended since the last call. */
bool tma_step(struct sm *s);
/* Returns the clock of the next step; NEVER: no copy has a request to make. */
uint64_t tma_next_clock(const struct sm *s);
/* Handles the last reply to a request, and frees the request. */
void tma_handle_reply(struct sm *s, uint32_t req);
/* Handles the acknowledgement of the request *of, or of a piece of it. */
void tma_handle_acknowledge(struct sm *s, const struct req *of);

#endif
