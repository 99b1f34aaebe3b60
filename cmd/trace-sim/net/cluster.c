/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cluster's response FIFO between the network and its SMs (LSU-cluster).
 *
 * Always true: at most one packet a core tick enters and one leaves (-icnt_cluster_ports: so many); the head blocks all behind it, whichever
 * SM they are for (quirk Q3-34). A sleeping SM without thread blocks keeps what reaches it until it wakes.
 * The replying set of its part has the clusters whose FIFO is not empty.
 */
#include <stdlib.h>
#include "arena.h"
#include "gpu/gpu.h"
#include "team/share.h"

void cluster_init(struct cluster *c, struct gpu *g, uint32_t id)
{
	uint32_t cap = fifo_capacity(g->params.net.eject_max);

	*c = (struct cluster){.slots = xcalloc(cap, sizeof(*c->slots)),
		.ended = xcalloc(g->params.sms_per_cluster, sizeof(*c->ended)),
		.part = &g->part[share_part_of(g, id)]};
	bitset_set(c->part->clusters, id);
	ring_init(&c->reply, c->slots, cap);
}

void cluster_free(struct cluster *c)
{
	free(c->slots);
	free(c->ended);
	c->slots = c->ended = NULL;
}

void cluster_reply(struct gpu *g, uint32_t id, uint32_t req)
{
	ring_push(&g->cluster[id].reply, req);
	bitset_set(g->cluster[id].part->replying, id);
}

static void hand_over(struct gpu *g, struct cluster *c)
{
	uint32_t handle = ring_front(&c->reply);
	const struct req *r = &g->reqs.at[handle];
	struct sm *s = &g->sm[r->sm];

	if (r->type == INST_ACC_R) {
		ring_pop(&c->reply);
		fetch_fill(s, handle);
		return;
	}
	if (ldst_response_full(s))
		return;
	ring_pop(&c->reply);
	memstat_replied(g->memstat, r, gpu_now(g));
	ldst_push_response(s, handle);
}

static void take_in(struct gpu *g, struct cluster *c, uint32_t id)
{
	uint32_t handle = net_pop(g->net, id), bytes;
	const struct req *r;

	if (handle == REQ_NONE)
		return;
	r = &g->reqs.at[handle];
	bytes = req_bytes_back(r);
	traffic_add(g->back, r, bytes);
	c->flits_in += (bytes + g->params.net.flit_bytes - 1) / g->params.net.flit_bytes;
	if (g->events)
		events_reply(g->events, gpu_now(g), r->sm, r->warp, r->addr, r->type);
	cluster_reply(g, id, handle);
}

static void response_step(struct gpu *g, uint32_t id, bool waiting)
{
	struct cluster *c = &g->cluster[id];
	uint32_t n = g->params.net.cluster_ports;

	do {
		if (!ring_empty(&c->reply)) {
			hand_over(g, c);
			if (ring_empty(&c->reply))
				bitset_clear(c->part->replying, id);
		}
		if (waiting && c->reply.count < g->params.net.eject_max)
			take_in(g, c, id);
	} while (n-- > 1);
}

void cluster_response_steps(struct gpu *g, const struct core_part *p)
{
	const uint64_t *waiting = net_waiting_clusters(g->net);

	for (uint32_t w = 0; w < BITSET_WORDS(g->params.clusters); w++)
		FOR_BITS64 (b, (waiting[w] & p->clusters[w]) | p->replying[w])
			response_step(g, w * 64 + (uint32_t)b, waiting[w] >> b & 1);
}
