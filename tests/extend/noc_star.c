/* SPDX-License-Identifier: BSD-2-Clause */
/* Example of a network: all nodes are connected to one router; node i is at input i and output i. */
#include "net/noc.h"

void noc_plan_star(struct noc_builder *b, const struct icnt *c)
{
	noc_plan_begin(b, c->nodes, 1, 0);
	for (uint32_t node = 0; node < c->nodes; node++) {
		noc_add_input_from_node(b, 0, node);
		noc_add_output_to_node(b, 0, node);
	}
}

void noc_route_star_direct(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)router;
	(void)in;
	noc_set_single_way(p, p->dest, v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
}
