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
	uint32_t *slots;                /* storage of reply */
	uint64_t flits_in;              /* icnt_total_pkts_mem_to_simt */
	uint32_t *ended, n_ended;       /* SMs in which CTAs ended in this tick */
	uint32_t first;                 /* SM that is cycled first, within the cluster */
	bool needs_flush;               /* an SM has had a CTA since the L1Ds were last invalidated */
	uint32_t live_threads;          /* live threads of all CTAs in its SMs */
	/* in a window (window_clusters.c) */
	uint32_t cycle;           /* next cycle to simulate, from the start of the window */
	uint32_t end_cycle;       /* first cycle not to simulate */
	bool waiting;             /* stopped until all other clusters have reached `cycle` */
	bool waits_for_placement; /* stops at end_cycle, even if no thread block has ended */
	bool input_full;          /* stopped until the network reports whether its input is full */
	struct fault *fault;      /* raised in the cycle before `cycle`; NULL: none */
};
void cluster_init(struct cluster *c, const struct params *p);
void cluster_free(struct cluster *c);
/* Moves replies in all clusters that have one, in ascending order (LAUNCH-step-1). */
void cluster_response_steps(struct gpu *g);
/*
 * Moves replies in cluster `id` at time `now`, after `advances` advances of the network. Leaves gpu.replying
 * unchanged: cluster_note_replies() updates it.
 */
void cluster_response(struct gpu *g, uint32_t id, uint64_t now, uint32_t advances);
void cluster_note_replies(struct gpu *g, uint32_t id);

#endif
