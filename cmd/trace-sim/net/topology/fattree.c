/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fat trees: n levels of k^(n-1) switches; level 0 is the top. Ports 0 to k - 1 of a switch lead down; ports
 * k to 2k - 1 lead up. The nodes are below the lowest level. Channels are numbered by level: the down
 * channels of a level are followed by the up channels of the level below.
 */
#include "net/noc.h"

static uint32_t fattree_power(uint32_t base, uint32_t exponent)
{
	uint32_t p = 1;

	while (exponent--)
		p *= base;
	return p;
}

/*
 * Number of the channel that enters `port` of the switch at position `pos`, counted in its level and
 * direction.
 */
static uint32_t fattree_channel(const struct icnt *c, uint32_t level, uint32_t pos, uint32_t port)
{
	uint32_t region = fattree_power(c->k, c->n - 1 - level), branch = region / c->k;
	uint32_t in_region = pos % region;

	return pos / region * region * c->k + port * branch * c->k + in_region % branch * c->k +
	       in_region / branch;
}

static void fattree_add_outputs(struct noc_builder *b, const struct icnt *c, uint32_t each)
{
	uint32_t level_channels = 2 * c->k * each;

	for (uint32_t level = 0; level + 1 < c->n; level++)
		for (uint32_t i = 0; i < each * c->k; i++)
			noc_add_output(b, level * each + i / c->k, level * level_channels + i);
	for (uint32_t level = 1; level < c->n; level++)
		for (uint32_t i = 0; i < each * c->k; i++)
			noc_add_output(b, level * each + i / c->k, level * level_channels - c->k * each + i);
}

static void fattree_add_inputs(struct noc_builder *b, const struct icnt *c, uint32_t each)
{
	uint32_t level_channels = 2 * c->k * each;

	for (uint32_t level = 0; level + 1 < c->n; level++)
		for (uint32_t i = 0; i < each * c->k; i++)
			noc_add_input(b, level * each + i / c->k,
				(level + 1) * level_channels - c->k * each +
					fattree_channel(c, level, i / c->k, i % c->k));
	for (uint32_t level = 1; level < c->n; level++)
		for (uint32_t i = 0; i < each * c->k; i++)
			noc_add_input(b, level * each + i / c->k,
				(level - 1) * level_channels +
					fattree_channel(c, level - 1, i / c->k, i % c->k));
}

/* Returns the output that leads down to a node, or k if the node is not below the router. */
static uint16_t fattree_down_port(const struct icnt *c, uint32_t router, uint32_t dest)
{
	uint32_t each = c->nodes / c->k, level = router / each, pos = router % each;
	uint32_t below = fattree_power(c->k, c->n - level), region = pos / (below / c->k);

	return (uint16_t)(dest / below == region ? dest % below / (below / c->k) : c->k);
}

void noc_plan_fattree(struct noc_builder *b, const struct icnt *c)
{
	uint32_t each = c->nodes / c->k;

	noc_plan_begin(b, c->nodes, c->n * each, 2 * c->k * each * (c->n - 1));
	for (uint32_t i = 0; i < c->nodes; i++)
		noc_connect_node(b, (c->n - 1) * each + i / c->k, i);
	fattree_add_outputs(b, c, each);
	fattree_add_inputs(b, c, each);
	noc_tabulate_ways(b, fattree_down_port);
}

void noc_route_fattree_nca(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t port = noc_way_to_node(v, router, p->dest, fattree_down_port);

	(void)in;
	if (port == v->icnt->k)
		port = v->icnt->k + noc_random_int(v->random, v->icnt->k - 1);
	noc_set_single_way(p, port, v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
}

void noc_route_fattree_anca(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t port = noc_way_to_node(v, router, p->dest, fattree_down_port);

	(void)in;
	if (port == v->icnt->k) {
		uint32_t a = v->icnt->k + noc_random_int(v->random, v->icnt->k - 1);
		uint32_t b = v->icnt->k + noc_random_int(v->random, v->icnt->k - 1);

		port = noc_uncredited_flits(v, router, a) > noc_uncredited_flits(v, router, b) ? b : a;
	}
	noc_set_single_way(p, port, v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
}
