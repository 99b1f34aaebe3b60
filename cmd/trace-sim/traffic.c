/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet size histograms by class of access (part 4 section 13.2). The class is the access type, but
 * atomics, which are global reads, have one of their own.
 */
#include <assert.h>
#include "ldst.h"

void traffic_add(struct traffic *t, const struct req *r, uint32_t bytes)
{
	unsigned class = r->type == GLOBAL_ACC_R && r->flags & REQ_ATOMIC ? N_ACC_TYPES : r->type;

	assert(bytes < TRAFFIC_BYTES);
	t->count[class][bytes]++;
}
