/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet size histograms by class of access, traffic_breakdown_* (LSU-inject-3, LSU-cluster-2). The class is
 * the access type, except for atomics: these are global reads, and have the class N_ACC_TYPES.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "request/req.h"

#define TRAFFIC_CLASSES (N_ACC_TYPES + 1)
#define TRAFFIC_BYTES   256 /* packet sizes are smaller */
struct traffic {
	uint64_t count[TRAFFIC_CLASSES][TRAFFIC_BYTES];
};
/* Counts a packet. t: histograms of all threads. */
void traffic_add(struct traffic *t, const struct req *r, uint32_t bytes);
/* Adds t[1], ... to t[0] and clears them. */
void traffic_fold(struct traffic *t, unsigned threads);

#endif
