/* SPDX-License-Identifier: BSD-2-Clause */
/* Parked calls: calls whose lanes wait while lanes of their callers run; see park.c. */
#ifndef PARK_H
#define PARK_H

#include "exec/call.h"

/* Parks the running call. Lanes that have returned from it leave it with their results. */
void park_call(struct warp *w);
/* Continues parked calls until the top entry is none. */
void park_resume_top(struct warp *w);
/* Moves the groups of lanes of all parked calls past the barrier at which they wait. */
void park_release_barrier(struct warp *w);
/* Removes all parked calls. */
void park_reset(struct warp *w);
void park_free(struct warp *w);

#endif
