/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a window, shared by window.c and window_clusters.c only.
 */
#ifndef WINDOW_INT_H
#define WINDOW_INT_H

#include "window.h"

#define STEPS_MAX NET_WINDOW_MAX

#define SHARED_WINDOW 512u /* cycles of live clusters in a window that threads share: 0.1 ms of one thread */
#define SHARED_CYCLES 32u  /* cycles of clusters in a part of it that they share: several cache misses */

/* State of the clocks at the start of a window: time, cycle of the kernel, ticks of DRAM and L2, advances. */
struct window_edge {
	uint64_t now, cycle, dram, l2;
	uint32_t advance;
};

/* The clock edges in a window. */
struct window_plan {
	uint64_t now;                /* time of its first cycle */
	uint32_t cycles;             /* core cycles */
	uint32_t n;                  /* steps */
	uint32_t before[WINDOW_MAX]; /* advances of the network before a cycle */
	uint32_t after[WINDOW_MAX];  /* advances before the first that may move packets sent in the cycle */
	struct memory_work step[STEPS_MAX];
};

struct window {
	uint32_t served_cycles;            /* cycles for which the request side has been run */
	uint32_t served_steps;             /* steps for which the request side has been run */
	uint32_t longest;                  /* maximum length of a window */
	enum window_bound disabled_reason; /* reason, if longest is 1; else N_WINDOW_BOUNDS */
	bool shared;                       /* threads share the window that is run */
	uint32_t *ready, n_ready;          /* clusters that can continue */
	uint32_t ready_cycles;             /* sum of the cycles for which they can */
	struct window_counts count;
	struct window_plan plan;
};

/* window.c */
/*
 * Calls work() for each item below `items`, with all threads if the window is shared and the items come to at
 * least SHARED_CYCLES cycles of clusters.
 */
void window_items(struct gpu *g, void (*work)(void *ctx, unsigned item), unsigned items, uint32_t cycles);
/*
 * Runs the request side through the first `cycles` cycles of the window. All clusters must have reached the last
 * of them.
 */
void window_serve(struct gpu *g, uint32_t cycles);

/* window_clusters.c: the clusters' part. */
void window_clusters(struct gpu *g);

#endif
