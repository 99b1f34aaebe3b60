/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a window, shared by window.c and window_clusters.c only. */
#ifndef WINDOW_INT_H
#define WINDOW_INT_H

#include "window.h"

#define STEPS_MAX NET_WINDOW_MAX

/*
 * least product of live clusters and cycles of a window that threads share: about 0.1 ms of work of one
 * thread
 */
#define SHARED_WINDOW 512u
/*
 * least number of cluster cycles in a part of a window that threads share: about as long as several cache
 * misses
 */
#define SHARED_CYCLES 32u

/*
 * Clocks at the start of a window: time, cycle of the kernel, ticks of DRAM and L2, advances of the network.
 */
struct window_edge {
	uint64_t now, cycle, dram, l2;
	uint32_t advance;
};

/* The clock edges in a window. */
struct window_plan {
	uint64_t now;                         /* time of its first cycle */
	uint32_t cycles;                      /* number of core cycles */
	uint32_t n;                           /* number of steps */
	uint32_t advances_before[WINDOW_MAX]; /* by cycle: advances of the network before it */
	uint32_t first_advance[WINDOW_MAX];   /* by cycle: first advance that may move a packet sent in it */
	struct memory_work step[STEPS_MAX];
};

struct window {
	uint32_t served_cycles;            /* cycles for which the request side has been run */
	uint32_t served_steps;             /* steps for which the request side has been run */
	uint32_t longest;                  /* maximum length of a window */
	enum window_bound disabled_reason; /* reason why longest is 1; else N_WINDOW_BOUNDS */
	bool shared;                       /* threads share the current window */
	uint32_t *ready, n_ready;          /* clusters that can be run further */
	uint32_t ready_cycles;             /* sum of the cycles that these clusters can run */
	struct window_counts count;
	struct window_plan plan;
};

/* window.c */
/*
 * Calls work() for each item from 0 to items - 1. Uses all threads if the window is shared and the work
 * amounts to at least SHARED_CYCLES cycles of clusters. cycles: amount of work.
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
