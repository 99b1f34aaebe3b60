/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cluster: SMs that share a network port (LSU-cluster).
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "fifo.h"
#include "params.h"

struct gpu;

struct cluster {
	_Alignas(64) struct ring reply; /* response FIFO */
	uint32_t *slots;                /* array in which `reply` stores its entries */
	uint64_t flits_in;              /* icnt_total_pkts_mem_to_simt */
	uint32_t *ended;                /* SMs on which CTAs ended in this tick */
	uint32_t n_ended;               /* number of these SMs */
	uint32_t first_sm;              /* index in the cluster of the SM that is ticked first */
	bool needs_flush;      /* true if an SM has received a CTA since the last flush of the L1Ds */
	uint32_t live_threads; /* number of live threads of all CTAs on the cluster's SMs */
	/* state in a window (window_clusters.c) */
	uint32_t cycle;           /* next cycle to simulate, counted from the start of the window */
	uint32_t end_cycle;       /* first cycle not to simulate */
	bool waiting;             /* true if stopped until all other clusters have reached `cycle` */
	bool waits_for_placement; /* true if the cluster stops at end_cycle in any case */
	bool input_full;          /* true if the cluster waits to learn whether its input is full */
	struct fault *fault;      /* fault that occurred in the cycle before `cycle`; NULL if none did */
};
void cluster_init(struct cluster *c, const struct params *p);
void cluster_free(struct cluster *c);
/* Moves replies in all clusters whose response FIFO is not empty, in ascending order (LAUNCH-step-1). */
void cluster_move_all_replies(struct gpu *g);
/*
 * Moves replies in cluster `id` at time `now`, when the network has advanced `advances` times. Does not
 * change gpu.replying, which cluster_update_replying() updates.
 */
void cluster_move_replies(struct gpu *g, uint32_t id, uint64_t now, uint32_t advances);
void cluster_update_replying(struct gpu *g, uint32_t id);

#endif
