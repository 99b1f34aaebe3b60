/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet size histograms by class of access, traffic_breakdown_* (LSU-inject-3, LSU-cluster-2). The class is
 * the access type, but atomics, which are global reads, have one of their own, N_ACC_TYPES.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "request/req.h"

#define TRAFFIC_CLASSES (N_ACC_TYPES + 1)
#define TRAFFIC_BYTES   256 /* packet sizes are below */
struct traffic {
	uint64_t count[TRAFFIC_CLASSES][TRAFFIC_BYTES];
};
void traffic_add(struct traffic *t, const struct req *r, uint32_t bytes); /* t: the first of all threads' */
void traffic_fold(struct traffic *t, unsigned threads); /* t[1], ... are added to t[0] and cleared */

#endif
