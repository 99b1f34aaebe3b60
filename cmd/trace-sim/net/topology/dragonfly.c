/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dragonflies: 2k * k + 1 groups of a = 2k routers. Each router has k nodes, a channel to every other router
 * of its group, and k channels to other groups. Its ports are in this order: k to nodes, a - 1 in the group,
 * k between groups. Channels are numbered by the router and port at which they begin.
 */
#include "net/noc.h"

#define LOCAL_CYCLES  10
#define GLOBAL_CYCLES 100

void noc_plan_dragonflynew(struct noc_builder *b, const struct icnt *c)
{
	uint32_t p = c->k, a = 2 * p, routers = c->nodes / p, each = a - 1 + p;

	noc_plan_begin(b, c->nodes, routers, routers * each);
	for (uint32_t r = 0; r < routers; r++) {
		uint32_t group = r / a, at = r % a;

		for (uint32_t i = 0; i < p; i++)
			noc_connect_node(b, r, p * r + i);
		for (uint32_t i = 0; i < each; i++) {
			noc_add_output(b, r, each * r + i);
			noc_set_channel_latency(b, each * r + i, i < a - 1 ? LOCAL_CYCLES : GLOBAL_CYCLES);
		}
		for (uint32_t i = 0; i < a - 1; i++) {
			uint32_t other = i < at ? i : i + 1;

			noc_add_input(b, r, each * (group * a + other) + (other < at ? at - 1 : at));
		}
		for (uint32_t i = 0; i < p; i++) {
			uint32_t to = at * p + i, slot = group > to ? group - 1 : group;

			noc_add_input(
				b, r, each * ((group > to ? to : to + 1) * a + slot / p) + a - 1 + slot % p);
		}
	}
}

/* Returns the output of a router on the shortest path to a node. */
static uint32_t dragonfly_next_port(const struct icnt *c, uint32_t router, uint32_t dest)
{
	uint32_t p = c->k, a = 2 * p, group = router / a, dest_group = dest / (a * p), way = 0, leaves;

	if (dest_group == group) {
		leaves = dest / p;
	} else {
		way = group > dest_group ? dest_group : dest_group - 1;
		leaves = way / p + group * a;
	}
	if (dest / p == router)
		return dest % p;
	if (leaves == router)
		return p + a - 1 + way % p;
	return leaves % a + p - (router < leaves);
}

/*
 * Routes a packet on the shortest path. The virtual channel is 0 until the packet changes to another group,
 * and 1 afterwards.
 */
void noc_route_dragonfly_min(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t k = v->icnt->k, port = dragonfly_next_port(v->icnt, router, p->dest);

	if (in < k)
		p->phase = 0;
	if (port >= k + 2 * k - 1)
		p->phase = 1;
	noc_set_single_way(p, port, (uint32_t)p->phase, (uint32_t)p->phase);
}

/* maximum number by which the shortest path's flits may exceed twice the other path's flits */
#define BIAS 30

/*
 * Chooses between the shortest path and a path through a random node. p->phase is 0 on the way to the
 * intermediate router, 1 on the way to the destination's group, and 2 in that group.
 */
static void dragonfly_choose_path(const struct noc_view *v, struct noc_packet *p, uint32_t router)
{
	uint32_t k = v->icnt->k, group_nodes = 2 * k * k, group = router / (2 * k);

	if (p->dest / group_nodes == group) {
		p->phase = 2;
		return;
	}
	p->between = noc_random_int(v->random, v->plan->nodes - 1);
	p->phase = 1;
	if (p->between / group_nodes != group &&
		noc_uncredited_flits(v, router, dragonfly_next_port(v->icnt, router, p->dest)) >
			2 * noc_uncredited_flits(
				    v, router, dragonfly_next_port(v->icnt, router, p->between)) +
				BIAS)
		p->phase = 0;
}

void noc_route_dragonfly_ugal(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t k = v->icnt->k, port;

	if (in < k)
		dragonfly_choose_path(v, p, router);
	if (!p->phase && router == p->between / k)
		p->phase = 1;
	port = dragonfly_next_port(v->icnt, router, p->phase ? p->dest : p->between);
	if (p->phase == 1 && port >= k + 2 * k - 1)
		p->phase = 2;
	noc_set_single_way(p, port, (uint32_t)p->phase, (uint32_t)p->phase);
}
