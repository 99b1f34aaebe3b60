/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tensor memory accelerator of one SM (HOPPER-tma): bulk copies between global and shared memory.
 *
 * Always true: copies make their requests in the order in which the unit took them, with
 * -core_tma_interval cycles between them or more. A copy ends with its last reply or acknowledgement. The thread block of a copy keeps
 * its slot until the copy has ended (struct warp, copies). An SM without copies runs nothing of this.
 */
#ifndef TMA_H
#define TMA_H

#include "lsu/ldst.h"

#define TMA_COPIES 256u /* copies that a unit has under way */

struct tma;

struct tma *tma_new(void);
void tma_free(struct tma *t);
/* Returns whether the unit takes another copy. */
bool tma_can_take(const struct sm *s);
/* Takes the bulk copy of instruction w at s->clock. */
void tma_take(struct sm *s, const struct winst *w);
/* Makes the requests that are due at s->clock. Returns whether a copy has ended. */
bool tma_step(struct sm *s);
/* Clock of the next step; NEVER: no copy has a request to make. */
uint64_t tma_next(const struct sm *s);
/* Takes the reply to a whole request, and frees the request. */
void tma_reply(struct sm *s, uint32_t req);
/* Takes the acknowledgement of a request, or of a piece of it; `of` is the request. */
void tma_acknowledge(struct sm *s, const struct req *of);

#endif
