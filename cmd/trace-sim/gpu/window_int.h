/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a window, for window.c and window_clusters.c only. */
#ifndef WINDOW_INT_H
#define WINDOW_INT_H

#include "window.h"

#define STEPS_MAX NET_WINDOW_MAX

/*
 * minimum product of live clusters and cycles for threads to share a window: about 0.1 ms of work for one
 * thread
 */
#define SHARED_WINDOW 512u
/*
 * minimum number of cluster cycles for threads to share a part of a window: about the time of several cache
 * misses
 */
#define SHARED_CYCLES 32u

/*
 * Clocks at the start of a window: time, cycle of the kernel, ticks of DRAM and L2, advances of the network.
 */
struct window_edge {
	uint64_t now, cycle, dram_ticks, l2_ticks;
	uint32_t advance;
};

/* The clock edges in a window. */
struct window_plan {
	uint64_t now;     /* time of the window's first cycle */
	uint32_t cycles;  /* number of core cycles */
	uint32_t n_steps; /* number of steps */
	/* for each cycle, the number of advances of the network before it */
	uint32_t advances_before[WINDOW_MAX];
	/* for each cycle, the first advance that may move a packet sent in it */
	uint32_t first_advance[WINDOW_MAX];
	struct memory_work step[STEPS_MAX];
};

struct window {
	uint32_t request_side_cycles;      /* number of cycles for which the request side has run */
	uint32_t request_side_steps;       /* number of steps for which the request side has run */
	uint32_t longest;                  /* maximum length of a window in cycles */
	enum window_bound disabled_reason; /* reason why `longest` is 1, or N_WINDOW_BOUNDS */
	bool shared;                       /* true if threads share the current window */
	uint32_t *ready;                   /* clusters that can be run further */
	uint32_t n_ready;                  /* number of clusters in `ready` */
	uint32_t ready_cycles;             /* sum of the cycles that these clusters can run */
	struct window_counts count;
	struct window_plan plan;
};

/* window.c */
/*
 * Calls work() for each item from 0 to items - 1. Uses all threads if the window is shared and `cycles`, the
 * number of cluster cycles to simulate, is at least SHARED_CYCLES.
 */
void window_run_items(struct gpu *g, void (*work)(void *ctx, unsigned item), unsigned items, uint32_t cycles);
/*
 * Runs the request side for the first `cycles` cycles of the window. All clusters must have reached the last
 * of these cycles.
 */
void window_run_request_side(struct gpu *g, uint32_t cycles);

/* window_clusters.c: runs all clusters to the end of the window. */
void window_run_clusters(struct gpu *g);

#endif
