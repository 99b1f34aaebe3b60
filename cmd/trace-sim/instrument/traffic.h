/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Histograms of packet sizes by class of access, for the figures traffic_breakdown_* (LSU-inject-3, LSU-cluster-2). The
 * class is the access type. Atomics, which have the type of global reads, have the class N_ACC_TYPES.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "request/req.h"

#define TRAFFIC_CLASSES (N_ACC_TYPES + 1)
#define TRAFFIC_BYTES   256 /* number of bins; more than the size of every packet */
struct traffic {
	uint64_t count[TRAFFIC_CLASSES][TRAFFIC_BYTES];
};
/* Counts a packet in the calling thread's histograms. t is the array of all threads' histograms. */
void traffic_count_packet(struct traffic *t, const struct req *r, uint32_t bytes);
/* Adds the histograms of all other threads to t[0], and clears these histograms. */
void traffic_sum_threads(struct traffic *t, unsigned threads);

#endif
