/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds plans of networks. Topologies connect routers, channels and nodes through a builder. They do so in
 * BookSim's order, because channel ends are numbered in the order in which they are added.
 *
 * In a finished plan, every channel and every node has two ends, and a router has as many inputs as outputs.
 * As in BookSim, noc_end.min_credit_rtt uses the latency that the channel had when the output was added, even
 * if the latency changes later.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "net/noc.h"

#define UNSET UINT32_MAX

struct noc_end_list {
	uint32_t n, cap;
	struct {
		uint32_t channel; /* number of the channel, or NOC_NODE plus the number of the node */
		uint32_t latency; /* latency when the channel was added */
	} * end;
};

struct noc_builder {
	const struct icnt *icnt;
	struct noc_plan *plan;
	uint32_t channels;
	uint32_t *latency, *node_latency;
	struct noc_end_list *in, *out; /* by router */
};

static void append_channel_end(struct noc_end_list *l, uint32_t channel, uint32_t latency)
{
	if (l->n == l->cap)
		grow(&l->end, &l->cap, l->n + 1, sizeof(*l->end));
	l->end[l->n].channel = channel;
	l->end[l->n++].latency = latency;
}

void noc_plan_begin(struct noc_builder *b, uint32_t nodes, uint32_t routers, uint32_t channels)
{
	assert(nodes == b->icnt->nodes);
	b->plan->nodes = nodes;
	b->plan->routers = routers;
	b->plan->channels = b->channels = channels;
	b->latency = xcalloc(channels ? channels : 1, sizeof(*b->latency));
	b->node_latency = xcalloc(nodes, sizeof(*b->node_latency));
	b->in = xcalloc(routers, sizeof(*b->in));
	b->out = xcalloc(routers, sizeof(*b->out));
	for (uint32_t i = 0; i < channels; i++)
		b->latency[i] = 1;
	for (uint32_t i = 0; i < nodes; i++)
		b->node_latency[i] = 1;
}

void noc_set_channel_latency(struct noc_builder *b, uint32_t channel, uint32_t cycles)
{
	assert(channel < b->channels && cycles);
	b->latency[channel] = cycles;
}

void noc_set_node_latency(struct noc_builder *b, uint32_t node, uint32_t cycles)
{
	assert(node < b->plan->nodes && cycles);
	b->node_latency[node] = cycles;
}

void noc_add_input(struct noc_builder *b, uint32_t router, uint32_t channel)
{
	assert(router < b->plan->routers && channel < b->channels);
	append_channel_end(&b->in[router], channel, b->latency[channel]);
}

void noc_add_output(struct noc_builder *b, uint32_t router, uint32_t channel)
{
	assert(router < b->plan->routers && channel < b->channels);
	append_channel_end(&b->out[router], channel, b->latency[channel]);
}

void noc_add_input_from_node(struct noc_builder *b, uint32_t router, uint32_t node)
{
	assert(router < b->plan->routers && node < b->plan->nodes);
	append_channel_end(&b->in[router], NOC_NODE | node, b->node_latency[node]);
}

void noc_add_output_to_node(struct noc_builder *b, uint32_t router, uint32_t node)
{
	assert(router < b->plan->routers && node < b->plan->nodes);
	append_channel_end(&b->out[router], NOC_NODE | node, b->node_latency[node]);
}

void noc_connect_node(struct noc_builder *b, uint32_t router, uint32_t node)
{
	noc_add_input_from_node(b, router, node);
	noc_add_output_to_node(b, router, node);
}

#define TABLE_MAX (1u << 20) /* ways */

void noc_tabulate_ways(struct noc_builder *b, noc_toward_fn *toward)
{
	uint32_t nodes = b->plan->nodes, routers = b->plan->routers;

	if ((uint64_t)routers * nodes > TABLE_MAX)
		return;
	b->plan->table = xcalloc((size_t)routers * nodes, sizeof(*b->plan->table));
	for (uint32_t r = 0; r < routers; r++)
		for (uint32_t node = 0; node < nodes; node++)
			b->plan->table[(size_t)r * nodes + node] = toward(b->icnt, r, node);
}

/* ---- finishing ---------------------------------------------------------------------------------------- */

/*
 * Number of cycles from the arrival of a head at a router until it reaches the switch, as feedback policies
 * count them.
 */
static uint32_t switch_latency(const struct icnt *c, bool speculative)
{
	uint32_t vc = (uint32_t)icnt_int(c, ICNT_vc_alloc_delay),
		 sw = (uint32_t)icnt_int(c, ICNT_sw_alloc_delay);
	uint32_t alloc = !speculative ? vc + sw : vc > sw ? vc : sw;

	return (uint32_t)icnt_int(c, ICNT_routing_delay) + alloc;
}

static uint32_t router_delay(const struct icnt *c)
{
	return 1 + switch_latency(c, c->speculative) + c->crossbar_delay +
	       (uint32_t)icnt_int(c, ICNT_credit_delay);
}

static void number_router_ports(struct noc_builder *b)
{
	struct noc_plan *p = b->plan;

	p->first_port = xcalloc(p->routers + 1, sizeof(*p->first_port));
	for (uint32_t r = 0; r < p->routers; r++) {
		assert(b->in[r].n == b->out[r].n);
		p->first_port[r + 1] = p->first_port[r] + b->in[r].n;
		p->max_router_ports = b->in[r].n > p->max_router_ports ? b->in[r].n : p->max_router_ports;
	}
	p->ports = p->first_port[p->routers];
	p->router_of = xcalloc(p->ports, sizeof(*p->router_of));
	p->in = xcalloc(p->ports, sizeof(*p->in));
	p->out = xcalloc(p->ports, sizeof(*p->out));
	p->inject = xcalloc(p->nodes, sizeof(*p->inject));
	p->eject = xcalloc(p->nodes, sizeof(*p->eject));
}

/*
 * Sets both ends of every channel. `from` and `into` are scratch arrays for the output and input port of each
 * channel.
 */
static void connect_channels(struct noc_builder *b, uint32_t *from, uint32_t *into)
{
	struct noc_plan *p = b->plan;

	for (uint32_t r = 0; r < p->routers; r++)
		for (uint32_t i = 0; i < b->in[r].n; i++) {
			uint32_t port = p->first_port[r] + i, in = b->in[r].end[i].channel,
				 out = b->out[r].end[i].channel;

			p->router_of[port] = r;
			if (in & NOC_NODE) {
				p->in[port] = (struct noc_end){
					.other_end = in, .latency = b->node_latency[in & ~NOC_NODE]};
				p->inject[in & ~NOC_NODE] = (struct noc_end){
					.other_end = port, .latency = b->node_latency[in & ~NOC_NODE]};
			} else {
				into[in] = port;
			}
			p->out[port].min_credit_rtt = router_delay(b->icnt) + 2 * b->out[r].end[i].latency;
			if (out & NOC_NODE) {
				p->out[port].other_end = out;
				p->out[port].latency = b->node_latency[out & ~NOC_NODE];
				p->eject[out & ~NOC_NODE] = port;
			} else {
				from[out] = port;
			}
		}
	for (uint32_t i = 0; i < b->channels; i++) {
		assert(from[i] != UNSET && into[i] != UNSET);
		p->out[from[i]].other_end = into[i];
		p->in[into[i]].other_end = from[i];
		p->out[from[i]].latency = p->in[into[i]].latency = b->latency[i];
	}
}

static void finish_plan(struct noc_builder *b)
{
	struct noc_plan *p = b->plan;
	uint32_t *ends = xcalloc((size_t)2 * b->channels + 1, sizeof(*ends));

	memset(ends, 0xff, (size_t)2 * b->channels * sizeof(*ends));
	number_router_ports(b);
	connect_channels(b, ends, ends + b->channels);
	free(ends);
	for (uint32_t i = 0; i < p->ports; i++) {
		p->max_channel_latency = p->out[i].latency > p->max_channel_latency ? p->out[i].latency
										    : p->max_channel_latency;
		p->in[i].sender = p->in[i].other_end & NOC_NODE ? p->ports + (p->in[i].other_end & ~NOC_NODE)
								: p->in[i].other_end;
		p->max_channel_latency =
			p->in[i].latency > p->max_channel_latency ? p->in[i].latency : p->max_channel_latency;
	}
	/* a negative value of `speculative` has the same effect as a positive one */
	for (uint32_t i = 0; i < p->nodes; i++)
		p->inject[i].min_credit_rtt =
			1 + 2 * p->inject[i].latency +
			switch_latency(b->icnt, icnt_int(b->icnt, ICNT_speculative) != 0);
	for (uint32_t r = 0; r < p->routers; r++) {
		free(b->in[r].end);
		free(b->out[r].end);
	}
	free(b->in);
	free(b->out);
	free(b->latency);
	free(b->node_latency);
}

struct noc_plan *noc_plan_new(const struct icnt *c)
{
	static void (*const plans[N_TOPOLOGIES])(struct noc_builder *, const struct icnt *) = {
#define TOPOLOGY(name, text) noc_plan_##name,
#include "arch/network.def"
	};
	struct noc_builder b = {.icnt = c, .plan = xcalloc(1, sizeof(*b.plan))};

	plans[c->topology](&b, c);
	finish_plan(&b);
	if (c->topology == TOPOLOGY_anynet)
		b.plan->table = noc_anynet_table(c->anynet);
	return b.plan;
}

void noc_plan_delete(struct noc_plan *p)
{
	if (!p)
		return;
	free(p->first_port);
	free(p->router_of);
	free(p->in);
	free(p->out);
	free(p->inject);
	free(p->eject);
	free(p->table);
	free(p);
}

/* ---- routings ----------------------------------------------------------------------------------------- */

const struct noc_routing noc_routings[N_ROUTINGS] = {
#define LOOKS true
#define BLIND false
#define ROUTING(topology, name, need, looks, draws, inject, step, text) \
	{noc_injection_vcs_##inject, noc_route_##step, looks},
#include "arch/network.def"
};

/* Stands in for the missing function of routings that icnt_load() rejects. */
struct noc_way noc_injection_vcs_none(const struct noc_view *v, const struct noc_packet *p)
{
	(void)v, (void)p;
	abort();
}

void noc_route_none(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in)
{
	(void)v, (void)p, (void)router, (void)in;
	abort();
}

/* Returns a way with all channels of the packet's class. */
struct noc_way noc_injection_vcs_class(const struct noc_view *v, const struct noc_packet *p)
{
	return (struct noc_way){
		.lo = (uint16_t)v->icnt->vc_begin[p->kind], .hi = (uint16_t)v->icnt->vc_end[p->kind]};
}

struct noc_way noc_injection_vcs_zero(const struct noc_view *v, const struct noc_packet *p)
{
	(void)v, (void)p;
	return (struct noc_way){.lo = 0, .hi = 0};
}

struct noc_way noc_injection_vcs_per_node(const struct noc_view *v, const struct noc_packet *p)
{
	uint32_t lo = v->icnt->vc_begin[p->kind], each = (v->icnt->vc_end[p->kind] - lo + 1) / v->plan->nodes;

	lo += p->dest * each;
	return (struct noc_way){.lo = (uint16_t)lo, .hi = (uint16_t)(lo + each - 1)};
}

/*
 * quirk Q4-35: requests one random channel. While the channel is not available, another one is drawn in each
 * cycle.
 */
struct noc_way noc_injection_vcs_any_vc(const struct noc_view *v, const struct noc_packet *p)
{
	uint16_t vc = (uint16_t)noc_random_int(v->random, v->icnt->vcs - 1);

	(void)p;
	return (struct noc_way){.lo = vc, .hi = vc};
}
