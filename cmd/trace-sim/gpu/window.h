/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows: many cycles of one unit at a stretch instead of one cycle of all units after the other
 * (LAUNCH-window-1). Used by run.c and skip.c.
 *
 * A window is run in three parts. First the reply side: DRAM, L2 and the reply network, which see no request
 * that is not in a ROP queue yet, for the queue's delay outlasts the window. Then the clusters, with the
 * replies of which it is known by now when they are there, each by itself. Last the request network, with
 * requests of which it is known when they were made. The first part may be run beside the second and third of
 * the window before (LAUNCH-window-12).
 *
 * Always true: what a run computes does not depend on how it is cut into windows, nor on who runs which part
 * of one.
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
	uint64_t by[N_WINDOW_BOUNDS]; /* windows and single steps, by what bounded them */
	uint64_t phases;              /* parts of windows that are worth sharing, whether threads do or not */
};

void window_init(struct gpu *g); /* behind network, memory side, SMs and clusters */
void window_free(struct gpu *g);
/*
 * A window of core cycles, none at or beyond `until`, right before which a step could be; false: nothing was
 * done, for only a single step will do.
 */
bool window_run(struct gpu *g, uint64_t until);
/* Has the reply side gone ahead of the machine? Then nothing but another window will do. */
bool window_ahead(const struct gpu *g);
const struct window_counts *window_counts(const struct gpu *g);
/*
 * window_bounds.c. Why no window of this run can be longer than one cycle; N_WINDOW_BOUNDS: nothing speaks
 * against it.
 */
enum window_bound window_forbidden(const struct gpu *g);
/* Number of cycles for which an accepted request stays in its delay queue. */
uint32_t window_delay(const struct gpu *g);
/* Cycles in which the kernel cannot end; no more than enough. */
uint32_t window_kernel_lasts(struct gpu *g, uint32_t enough);

#endif
