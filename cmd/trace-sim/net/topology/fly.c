/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Butterflies: n stages of switches with k inputs and k outputs. The channels between two stages exchange the
 * port with one digit of the switch's number (to the base k). A butterfly with one stage is a crossbar.
 */
#include "net/noc.h"

/*
 * Returns the channel to input `port` of switch `at` in a stage. Channels are numbered by the output at which
 * they begin.
 */
static uint32_t fly_channel_to_input(const struct icnt *c, uint32_t stage, uint32_t at, uint32_t port)
{
	uint32_t step = 1, digit;

	for (uint32_t i = stage + 1; i < c->n; i++)
		step *= c->k;
	digit = at / step % c->k;
	return (stage - 1) * c->nodes + (at - digit * step + port * step) * c->k + digit;
}

void noc_plan_fly(struct noc_builder *b, const struct icnt *c)
{
	uint32_t each = c->nodes / c->k;

	noc_plan_begin(b, c->nodes, c->n * each, (c->n - 1) * c->nodes);
	for (uint32_t stage = 0; stage < c->n; stage++)
		for (uint32_t at = 0; at < each; at++)
			for (uint32_t port = 0; port < c->k; port++) {
				uint32_t router = stage * each + at;

				if (stage)
					noc_add_input(b, router, fly_channel_to_input(c, stage, at, port));
				else
					noc_add_input_from_node(b, router, at * c->k + port);
				if (stage < c->n - 1)
					noc_add_output(b, router, stage * c->nodes + at * c->k + port);
				else
					noc_add_output_to_node(b, router, at * c->k + port);
			}
}

void noc_route_fly_dest_tag(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	uint32_t dest = p->dest;

	(void)in;
	for (uint32_t stage = router / (v->plan->nodes / v->icnt->k); stage < v->icnt->n - 1; stage++)
		dest /= v->icnt->k;
	noc_set_single_way(p, dest % v->icnt->k, v->icnt->vc_begin[p->kind], v->icnt->vc_end[p->kind]);
}
