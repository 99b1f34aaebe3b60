/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -gpgpu_simple_dram_model: memory replies to requests after the DRAM latency, in order and at most one per
 * tick (MEM-simple). The DRAM channel itself never ticks, and all its figures remain zero.
 */
#include "partition.h"

bool dram_simple_tick(struct memory *m, struct channel *c, uint64_t now)
{
	uint32_t req = c->delay.head;
	bool moved = false;

	if (c->delay.count && reached(now, c->delay_ready_at)) {
		struct req *r = &m->pool->req[req];

		if (r->type == L1_WRBK_ACC || r->type == L2_WRBK_ACC) {
			channel_free_writeback(m, c, channel_delay_pop(m, c));
			moved = true;
		} else {
			struct sub *s = channel_sub_with_space(m, req);

			r->flags |= REQ_REPLY;
			moved = s;
			if (moved)
				channel_reply(m, c, s, channel_delay_pop(m, c));
		}
	}
	return (c->pending_l2_requests && channel_arbitrate(m, c, now)) || moved;
}
