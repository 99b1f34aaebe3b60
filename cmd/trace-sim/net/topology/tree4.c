/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree of 64 nodes with levels of 4, 8 and 16 switches. Every switch is connected to all switches of the
 * level above that reach the same nodes. In the two lower levels, ports 0 to 3 lead down and the other ports
 * lead up. In the top level, all eight ports of a switch lead down.
 */
#include "net/noc.h"

enum { TOPS = 4, MIDDLES = 8, BOTTOMS = 16, TOP = 0, MIDDLE = TOPS, BOTTOM = TOPS + MIDDLES };

static void tree4_connect(struct noc_builder *b, uint32_t upper, uint32_t lower, uint32_t *channel)
{
	noc_add_output(b, upper, *channel);
	noc_add_input(b, lower, (*channel)++);
	noc_add_input(b, upper, *channel);
	noc_add_output(b, lower, (*channel)++);
}

void noc_plan_tree4(struct noc_builder *b, const struct icnt *c)
{
	uint32_t channel = 0;

	noc_plan_begin(b, c->nodes, TOPS + MIDDLES + BOTTOMS, 128);
	for (uint32_t i = 0; i < 64; i++)
		noc_connect_node(b, BOTTOM + i / 4, i);
	for (uint32_t i = 0; i < MIDDLES; i++)
		for (uint32_t port = 0; port < 4; port++)
			tree4_connect(b, MIDDLE + i, BOTTOM + 4 * (i / 2) + port, &channel);
	for (uint32_t i = 0; i < TOPS; i++)
		for (uint32_t port = 0; port < 8; port++)
			tree4_connect(b, TOP + i, MIDDLE + port, &channel);
}

/* Routes a packet. With `by_chance`, selects a random output upwards instead of the first one. */
static void tree4_route(const struct noc_view *v, struct noc_packet *p, uint32_t router, bool by_chance)
{
	uint32_t port, dest = p->dest;

	if (router < MIDDLE)
		port = 2 * (dest / 16) + noc_random_int(v->random, 1);
	else if (router < BOTTOM && dest / 16 == (router - MIDDLE) / 2)
		port = dest / 4 % 4;
	else if (router < BOTTOM)
		port = 4 + (by_chance ? noc_random_int(v->random, 3) : 0);
	else if (dest / 4 == router - BOTTOM)
		port = dest % 4;
	else
		port = 4 + (by_chance ? noc_random_int(v->random, 1) : 0);
	noc_set_single_way(p, port, v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
}

void noc_route_tree4_nca(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	tree4_route(v, p, router, true);
}

/* quirk Q4-31: all ways up should be eligible, but BookSim keeps only the first one. */
void noc_route_tree4_anca(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	tree4_route(v, p, router, false);
}
