/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows: each unit is simulated for many cycles before the next unit (LAUNCH-window-1). Used by run.c.
 *
 * A window is run in three parts. First the reply side: DRAM, L2 and the reply network. The requests that it
 * needs are in the ROP queues already, because the delay of these queues is longer than the window. Then the
 * clusters, each by itself, with replies that carry their arrival times. Last the request network, with
 * requests that carry the times at which they were sent.
 *
 * Always true: the result does not depend on the lengths of windows, nor on which thread runs which part.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include "gpu.h"

#define WINDOW_MAX 256u /* cycles */

enum window_bound {
#define BOUND(name, text) WINDOW_##name,
#include "window.def"
#undef BOUND
	N_WINDOW_BOUNDS
};

struct window_counts {
	uint64_t windows, cycles;
	uint64_t by_bound[N_WINDOW_BOUNDS]; /* windows and single steps */
	uint64_t phases;                    /* parts of windows that threads can share */
};

void window_init(struct gpu *g); /* Initializes windows, after network, memory side, SMs and clusters. */
void window_free(struct gpu *g);
/* Lets SMs inject a request of a bulk copy in each cycle, too. Called before a kernel with such copies runs. */
void window_allow_copies(struct gpu *g);
/*
 * Runs a window of core cycles that ends before cycle `until` of the run. Returns false, with nothing done, if
 * the next cycle must be a single step.
 */
bool window_run(struct gpu *g, uint64_t until);
const struct window_counts *window_counts(const struct gpu *g);

/* ---- window_bounds.c ---- */

/* Reason for which all windows of this run are single cycles; N_WINDOW_BOUNDS if there is none. */
enum window_bound window_disabled_reason(const struct gpu *g);
/* Number of cycles for which an accepted request stays in the ROP queue (LAUNCH-window-2). */
uint32_t window_delay(const struct gpu *g);
/* Lower bound on the cycles until the kernel ends, at most `enough`. */
uint32_t window_min_remaining_cycles(struct gpu *g, uint32_t enough);

#endif
