/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a window, shared by window.c and window_clusters.c only.
 */
#ifndef WINDOW_INT_H
#define WINDOW_INT_H

#include "window.h"

#define STEPS_MAX NET_APART_MAX

#define SHARED_WINDOW 512u /* cycles of live clusters in a window that threads share: 0.1 ms of one thread */
#define SHARED_CYCLES 32u  /* cycles of clusters in a part of it that they share: several cache misses */

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Where a window begins or ends: time, cycle of the kernel, ticks of DRAM and L2, advances of the network. */
struct window_edge {
	uint64_t now, cycle, dram, l2;
	uint32_t advance;
};

/* What fires in a window. */
struct window_plan {
	uint64_t now;              /* of its first cycle */
	uint32_t cycles, n;        /* core cycles, steps */
	uint32_t seen[WINDOW_MAX]; /* advances of the network before a cycle */
	uint32_t made[WINDOW_MAX]; /* and before the first that may move what it sends */
	struct memory_work step[STEPS_MAX];
};

struct window {
	uint32_t served, n_served; /* cycles, and steps, for which the request side has been run */
	uint32_t longest;          /* of all windows */
	enum window_bound alone;   /* where the longest is 1: why */
	bool shared;               /* threads share the window that is run */
	uint32_t *ready, n_ready;  /* clusters that may go on */
	uint32_t ready_work;       /* cycles that they may do so for */
	struct window_counts count;
	struct window_plan plan;
};

/* window.c */
/*
 * Calls work() for each item below `items`, with all threads if the window is shared and the items come to at
 * least SHARED_CYCLES cycles of clusters.
 */
void window_items(struct gpu *g, void (*work)(void *ctx, unsigned item), unsigned items, uint32_t cycles);
/* The request side of the first so many cycles, before the last of which all clusters have come. */
void window_serve(struct gpu *g, uint32_t cycles);

/* window_clusters.c: the clusters' part. */
void window_clusters(struct gpu *g);

#endif
