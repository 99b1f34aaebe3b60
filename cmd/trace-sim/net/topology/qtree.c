/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The quad tree of 64 nodes: levels of 1, 4 and 16 switches with four children each. Ports 0 to 3 lead down,
 * port 4 up.
 */
#include "net/noc.h"

enum { UP = 4, UPWARDS = 0, DOWNWARDS = 20 };

/* Number of the first switch of a level. */
static const uint32_t first[3] = {0, 1, 5};
/* Number of the first channel between a level and its children, relative to UPWARDS or DOWNWARDS. */
static const uint32_t children[2] = {0, 4};

void noc_plan_qtree(struct noc_builder *b, const struct icnt *c)
{
	noc_plan_begin(b, c->nodes, 21, 40);
	for (uint32_t i = 0; i < 64; i++)
		noc_connect_node(b, first[2] + i / 4, i);
	for (uint32_t level = 0, size = 1; level < 3; level++, size *= 4)
		for (uint32_t pos = 0; pos < size; pos++) {
			for (uint32_t port = 0; port < 4 && level < 2; port++) {
				noc_add_input(
					b, first[level] + pos, UPWARDS + children[level] + 4 * pos + port);
				noc_add_output(
					b, first[level] + pos, DOWNWARDS + children[level] + 4 * pos + port);
			}
			if (level) {
				noc_add_input(b, first[level] + pos, DOWNWARDS + children[level - 1] + pos);
				noc_add_output(b, first[level] + pos, UPWARDS + children[level - 1] + pos);
			}
		}
}

void noc_route_qtree_nca(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t level = router >= first[2] ? 2 : router >= first[1], dest = p->dest >> (2 * (2 - level));

	(void)in;
	noc_set_single_way(p, dest / 4 == router - first[level] ? dest % 4 : UP, v->icnt->vc_begin[p->kind],
		v->icnt->vc_end[p->kind]);
}
