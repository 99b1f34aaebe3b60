/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window while it is run, and its neighbours: what window.c and window_clusters.c share. For the two alone.
 *
 * Always true between two windows: behind and now are there together, or neither is (window_ahead); next is
 * not.
 */
#ifndef WINDOW_INT_H
#define WINDOW_INT_H

#include "threads/share.h"
#include "window.h"

#define STEPS_MAX NET_WINDOW_MAX

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Where a window begins or ends: time, cycle of the kernel, ticks of DRAM and L2, advances of the network. */
struct window_edge {
	uint64_t now, cycle, dram, l2;
	uint32_t advance;
};

/* What fires in a window. */
struct window_plan {
	uint64_t now;              /* of its first cycle */
	uint32_t cycles, n;        /* core cycles, steps; no steps: there is no such window */
	uint32_t seen[WINDOW_MAX]; /* advances of the network before a cycle */
	uint32_t made[WINDOW_MAX]; /* and before the first that may move what it sends */
	struct window_edge end;
	struct memory_work step[STEPS_MAX];
};

struct window {
	uint32_t served, n_served; /* cycles, and steps, for which the request side has been run */
	uint32_t longest;          /* of all windows */
	uint32_t half;             /* so long that two fit the delay queue; 0: that is too short */
	enum window_bound alone;   /* where the longest is 1: why */
	bool busy;                 /* the network was, in the window before */
	struct share share;        /* in cycles of live clusters */
	uint32_t *ready, n_ready;  /* clusters that may go on */
	uint32_t ready_work;       /* cycles that they may do so for */
	struct fault **fault;      /* by channel: what it met in the next window */
	struct window_counts count;
	/*
	 * By turns: of the window that is run; of the next, where its reply side is run beside it; and of
	 * the one behind, where sub partitions have yet to take in its requests.
	 */
	uint32_t turn;
	struct window_plan plan[MEMORY_WINDOWS];
};

static inline struct window_plan *window_now(struct window *w) { return &w->plan[w->turn]; }
static inline struct window_plan *window_next(struct window *w)
{
	return &w->plan[(w->turn + 1) % MEMORY_WINDOWS];
}
static inline struct window_plan *window_behind(struct window *w)
{
	return &w->plan[(w->turn + 2) % MEMORY_WINDOWS];
}

/* window.c */
/* Items of a part that is so many cycles of clusters. */
void window_items(struct gpu *g, void (*work)(void *ctx, unsigned item), unsigned items, uint32_t cycles);
/* The request side of the first so many cycles, before the last of which all clusters have come. */
void window_serve(struct gpu *g, uint32_t cycles);

/* window_clusters.c: the clusters, and beside them the channels for the windows behind and next. */
void window_clusters(struct gpu *g);

#endif
