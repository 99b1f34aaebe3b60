/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts packets in histograms of their sizes; see traffic.h. Each thread has its own histograms. */
#include <assert.h>
#include "threads/threads.h"
#include "instrument/traffic.h"

void traffic_count_packet(struct traffic *t, const struct req *r, uint32_t bytes)
{
	unsigned class = r->type == GLOBAL_ACC_R && r->flags & REQ_ATOMIC ? N_ACC_TYPES : r->type;

	assert(bytes < TRAFFIC_BYTES);
	t[thread_index].count[class][bytes]++;
}

void traffic_sum_threads(struct traffic *t, unsigned threads)
{
	for (unsigned i = 1; i < threads; i++)
		for (unsigned c = 0; c < TRAFFIC_CLASSES; c++)
			for (unsigned b = 0; b < TRAFFIC_BYTES; b++) {
				t->count[c][b] += t[i].count[c][b];
				t[i].count[c][b] = 0;
			}
}
