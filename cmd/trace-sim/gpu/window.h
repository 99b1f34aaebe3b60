/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows: each unit is simulated for many cycles before the next unit is simulated (LAUNCH-window-1).
 *
 * A window runs in three parts. The first is the reply side: DRAM, L2 and the reply network. All requests
 * that it needs are already in the ROP queues, because the delay of these queues is longer than the window.
 * The second is the clusters, one by one, with replies that carry their arrival times. The third is the
 * request network, with requests that carry their send times.
 *
 * Always true: the result depends neither on the lengths of windows nor on the assignment of parts to
 * threads.
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
	uint64_t windows_by_bound[N_WINDOW_BOUNDS]; /* number of windows by the bound of their length */
	uint64_t phases;                            /* number of window parts that threads can share */
};

/*
 * Initialises windows. Called after the network, the memory side, the SMs and the clusters are initialised.
 */
void window_init(struct gpu *g);
void window_free(struct gpu *g);
/*
 * Allows each SM to inject an additional request per cycle, for bulk copies. Called before a kernel with bulk
 * copies runs.
 */
void window_allow_bulk_copies(struct gpu *g);
/*
 * Runs a window, which ends before cycle `until` of the run. Does nothing and returns false if the next cycle
 * must be a single step.
 */
bool window_run(struct gpu *g, uint64_t until);
const struct window_counts *window_counts(const struct gpu *g);

/* ---- window_bounds.c ---- */

/* Reason why all windows of this run are single cycles, or N_WINDOW_BOUNDS if longer windows are possible. */
enum window_bound window_disabled_reason(const struct gpu *g);
/* Number of cycles for which an accepted request stays in the ROP queue (LAUNCH-window-2). */
uint32_t window_request_delay(const struct gpu *g);
/*
 * Lower bound on the number of cycles until the kernel ends. The computation stops when the bound reaches
 * `enough`.
 */
uint32_t window_min_remaining_cycles(struct gpu *g, uint32_t enough);

#endif
