/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds networks from a file of links. The ports of a router lead to its nodes in ascending order, then to
 * its neighbours in ascending order. The table of ways has, for each router and node, the first output on the
 * path with the fewest cycles.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "net/noc.h"

void noc_plan_anynet(struct noc_builder *b, const struct icnt *c)
{
	const struct anynet *a = c->anynet;

	noc_plan_begin(b, a->nodes, a->routers, a->links);
	for (uint32_t i = 0; i < a->links; i++)
		noc_set_channel_latency(b, i, a->link[i].cycles);
	for (uint32_t i = 0; i < a->nodes; i++)
		noc_set_node_latency(b, i, a->node_cycles[i]);
	for (uint32_t r = 0; r < a->routers; r++)
		for (uint32_t i = a->node_start[r]; i < a->node_start[r + 1]; i++)
			noc_connect_node(b, r, a->node[i]);
	for (uint32_t r = 0; r < a->routers; r++)
		for (uint32_t i = a->link_start[r]; i < a->link_start[r + 1]; i++) {
			noc_add_output(b, r, i);
			noc_add_input(b, a->link[i].to, i);
		}
}

/*
 * Runs Dijkstra's algorithm from router `start`. Of routers at equal distance, the first one is visited
 * first. Only a shorter path replaces a path. `far` has the distances. `before` is the previous router of
 * each path. `done` is scratch memory.
 */
static void find_shortest_paths(
	const struct anynet *a, uint32_t start, uint64_t *far, uint32_t *before, bool *done)
{
	for (uint32_t r = 0; r < a->routers; r++) {
		far[r] = r == start ? 0 : UINT64_MAX;
		done[r] = false;
	}
	for (uint32_t n = 0; n < a->routers; n++) {
		uint32_t at = UINT32_MAX;

		for (uint32_t r = 0; r < a->routers; r++)
			if (!done[r] && (at == UINT32_MAX || far[r] < far[at]))
				at = r;
		done[at] = true;
		for (uint32_t i = a->link_start[at]; i < a->link_start[at + 1]; i++) {
			uint32_t to = a->link[i].to;

			if (far[at] + a->link[i].cycles < far[to]) {
				far[to] = far[at] + a->link[i].cycles;
				before[to] = at;
			}
		}
	}
}

static uint16_t anynet_port(const struct anynet *a, uint32_t router, uint32_t neighbour)
{
	uint32_t i = a->link_start[router];

	while (a->link[i].to != neighbour)
		i++;
	return (uint16_t)(a->node_start[router + 1] - a->node_start[router] + i - a->link_start[router]);
}

uint16_t *noc_anynet_table(const struct anynet *a)
{
	uint16_t *table = xcalloc((size_t)a->routers * a->nodes, sizeof(*table));
	uint64_t *far = xcalloc(a->routers, sizeof(*far));
	uint32_t *before = xcalloc(a->routers, sizeof(*before));
	bool *done = xcalloc(a->routers, sizeof(*done));

	for (uint32_t start = 0; start < a->routers; start++) {
		find_shortest_paths(a, start, far, before, done);
		for (uint32_t r = 0; r < a->routers; r++) {
			uint32_t first = r;

			while (r != start && before[first] != start)
				first = before[first];
			for (uint32_t i = a->node_start[r]; i < a->node_start[r + 1]; i++)
				table[(size_t)start * a->nodes + a->node[i]] =
					r == start ? (uint16_t)(i - a->node_start[r])
						   : anynet_port(a, start, first);
		}
	}
	free(far);
	free(before);
	free(done);
	return table;
}

void noc_route_anynet_min(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)in;
	noc_set_single_way(p, v->plan->table[(size_t)router * v->plan->nodes + p->dest],
		v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
}
