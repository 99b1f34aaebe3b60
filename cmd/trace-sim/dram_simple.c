/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -gpgpu_simple_dram_model: memory answers after the DRAM latency, one request a tick and in order (part 4
 * section 11). The channel itself never ticks and all its figures stay zero.
 */
#include "partition.h"

bool simple_dram_tick(struct memory *m, struct channel *c, uint64_t now)
{
	uint32_t req = c->delay.head;
	bool moved = false;

	if (c->delay.count && reached(now, m->pool->at[req].key)) {
		struct req *r = &m->pool->at[req];

		if (r->type == L1_WRBK_ACC || r->type == L2_WRBK_ACC) {
			mem_fifo_pop(m->pool->at, &c->delay);
			channel_done(m, c, req);
			moved = true;
		} else {
			r->flags |= REQ_REPLY;
			moved = channel_reply(m, c, &c->delay);
		}
	}
	return channel_arbitrate(m, c, now) || moved;
}
