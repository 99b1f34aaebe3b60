/* SPDX-License-Identifier: BSD-2-Clause */
/* Decode and the instruction buffers (SM-decode). Used by fetch.c and issue.c. */
#ifndef DECODE_H
#define DECODE_H

#include "sm.h"

void decode(struct sm *s); /* the warp in the fetch buffer; empties it */
/* p, s->warp[warp]: past the instruction that issued */
void ibuffer_advance(struct sm *s, struct warp *p, unsigned warp);
void ibuffer_flush(struct sm *s, unsigned warp); /* what is left leaves the pipeline uncounted */

/* PTX: a visit of a warp in sm.wrong; it is fetched where it is. */
void ibuffer_correct(struct sm *s, unsigned warp);

#endif
