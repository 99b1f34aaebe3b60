/* SPDX-License-Identifier: BSD-2-Clause */
/* Decode and the instruction buffers (SM-decode). Used by fetch.c and issue.c. */
#ifndef DECODE_H
#define DECODE_H

#include "sm.h"

void decode_fetch_buffer(
	struct sm *s); /* decodes for the warp in the fetch buffer, and empties the fetch buffer */
/* Removes the instruction that issued from the buffer of warp p; p is &s->warp[warp]. */
void ibuffer_advance(struct sm *s, struct warp *p, unsigned warp);
void ibuffer_flush(
	struct sm *s, unsigned warp); /* removes all instructions from the buffer; none is counted */

/* Empties the buffer of a PTX warp in sm.wrong_path, and sets the warp's fetch_pc to its next record. */
void ibuffer_leave_wrong_path(struct sm *s, unsigned warp);

#endif
