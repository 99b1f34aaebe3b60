/* SPDX-License-Identifier: BSD-2-Clause */
/* Decode and the instruction buffers (SM-decode). Used by fetch.c and issue.c. */
#ifndef DECODE_H
#define DECODE_H

#include "sm.h"

void decode(struct sm *s); /* decodes for the warp in the fetch buffer, and empties that */
/* Moves past the instruction that issued; p: &s->warp[warp]. */
void ibuffer_advance(struct sm *s, struct warp *p, unsigned warp);
void ibuffer_flush(struct sm *s, unsigned warp); /* removes all instructions from the buffer, uncounted */

/* PTX: empties the buffer of a warp in sm.wrong_path and sets its fetch_pc. */
void ibuffer_correct(struct sm *s, unsigned warp);

#endif
