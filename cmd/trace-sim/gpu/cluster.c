/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves replies from the network through a cluster's response FIFO to its SMs (LSU-cluster).
 *
 * Always true: in a core tick at most one packet enters the FIFO and one leaves it. If -icnt_cluster_ports is
 * greater than one, it is the limit for both. A packet that cannot leave blocks all packets after it,
 * including packets for other SMs (quirk Q3-34). A sleeping SM without thread blocks keeps the packets that
 * reach it until it wakes. Outside windows, gpu.replying is the set of clusters whose FIFO is not empty.
 */
#include <stdlib.h>
#include "arena.h"
#include "gpu/gpu.h"

void cluster_init(struct cluster *c, const struct params *p)
{
	uint32_t cap = fifo_capacity(p->net.eject_max);

	*c = (struct cluster){.slots = xcalloc(cap, sizeof(*c->slots)),
		.ended = xcalloc(p->sms_per_cluster, sizeof(*c->ended))};
	ring_init(&c->reply, c->slots, cap);
}

void cluster_free(struct cluster *c)
{
	free(c->slots);
	free(c->ended);
	c->slots = c->ended = NULL;
}

static void deliver_reply(struct gpu *g, struct cluster *c, uint64_t now)
{
	uint32_t handle = ring_front(&c->reply);
	const struct req *r = &g->reqs.req[handle];
	struct sm *s = &g->sm[r->sm];

	if (r->type == INST_ACC_R) {
		ring_pop(&c->reply);
		fetch_fill(s, handle, now);
		return;
	}
	if (ldst_is_response_fifo_full(s))
		return;
	ring_pop(&c->reply);
	memstat_count_replied(g->memstat, r, now);
	ldst_push_response(s, handle);
}

static void accept_reply(struct gpu *g, struct cluster *c, uint32_t handle, uint64_t now)
{
	const struct req *r;
	uint32_t bytes;

	if (handle == REQ_NONE)
		return;
	r = &g->reqs.req[handle];
	bytes = req_bytes_of_reply(r);
	traffic_count_packet(g->traffic_to_cores, r, bytes);
	c->flits_in += (bytes + g->params.net.flit_bytes - 1) / g->params.net.flit_bytes;
	if (g->events)
		events_log_reply(g->events, now, r->sm, r->warp, r->addr, r->type);
	ring_push(&c->reply, handle);
}

void cluster_move_replies(struct gpu *g, uint32_t id, uint64_t now, uint32_t advances)
{
	struct cluster *c = &g->cluster[id];
	uint32_t n = g->params.net.cluster_ports;

	do {
		if (!ring_empty(&c->reply))
			deliver_reply(g, c, now);
		if (c->reply.count < g->params.net.eject_max)
			accept_reply(g, c, net_pop_reply(g->net, id, advances), now);
	} while (n-- > 1);
}

void cluster_update_replying(struct gpu *g, uint32_t id)
{
	if (ring_empty(&g->cluster[id].reply))
		bitset_clear(g->replying, id);
	else
		bitset_set(g->replying, id);
}

void cluster_move_all_replies(struct gpu *g)
{
	uint32_t advances = net_advances(g->net);
	const uint64_t *waiting = net_waiting_clusters(g->net);

	for (uint32_t w = 0; w < BITSET_WORDS(g->params.clusters); w++)
		FOR_BITS64 (b, waiting[w] | g->replying[w]) {
			uint32_t id = w * 64 + (uint32_t)b;

			cluster_move_replies(g, id, gpu_now(g), advances);
			cluster_update_replying(g, id);
		}
}
