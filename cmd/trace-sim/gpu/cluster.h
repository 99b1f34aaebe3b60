/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cluster: SMs that share an end of the network (LSU-cluster).
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
	uint32_t *ended, n_ended;       /* SMs in which CTAs ended in this tick; at most all of the cluster */
	uint32_t first;                 /* SM of the cluster that is cycled first */
	/* in a window: its next cycle, where it is to stop; it waits for the others there, and what it met */
	uint32_t at, end;
	bool waits, stays; /* stays: waits at its end, even though no thread block has ended */
	bool full;         /* stands before its next cycle until its input is known to have room, or not */
	struct fault *fault;
	bool needs_flush; /* an SM has had a CTA since the L1Ds were last invalidated */
	uint32_t live_threads;
};
void cluster_init(struct cluster *c, const struct params *p);
void cluster_free(struct cluster *c);
/* LAUNCH-step-1 (LSU-cluster): the clusters, ascending; idle ones cost nothing. */
void cluster_response_steps(struct gpu *g);
/* The same of one at time now, when the network had made so many advances; gpu.replying is not kept. */
void cluster_response(struct gpu *g, uint32_t id, uint64_t now, uint32_t advances);
void cluster_note_replies(struct gpu *g, uint32_t id); /* bring it up to date */

#endif
