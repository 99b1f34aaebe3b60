/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Creates a network of routers. All memory that its cycles need is allocated before the first cycle.
 *
 * Credits limit the sizes: a sender, its channel and its downstream buffer hold at most as many flits and
 * credits as the buffer has slots.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "net/noc.h"

/* ---- routers --------------------------------------------------------------------------------- */

static struct noc_list new_work_list(uint32_t most)
{
	uint32_t cap = fifo_capacity(most);

	return (struct noc_list){.slot = reserve(cap, sizeof(struct noc_entry)), .mask = cap - 1};
}

static void free_work_list(struct noc_list *l)
{
	if (l->slot)
		reserve_free(l->slot, (size_t)l->mask + 1, sizeof(*l->slot));
}

static int32_t *new_minus_one_array(uint32_t n)
{
	int32_t *p = xcalloc(n, sizeof(*p));

	memset(p, 0xff, n * sizeof(*p));
	return p;
}

/* Initialises the incoming and the outgoing channel of a router port for noc_quick.c. */
static void quick_port_init(
	const struct noc *n, struct noc_quick *q, const struct noc_router *r, uint32_t port)
{
	const struct noc_end *in = &n->plan->in[r->first_port + port],
			     *out = &n->plan->out[r->first_port + port];
	uint64_t *ready = &q->sets[port * (r->ports + q->set_words)];

	q->port[port] = (struct noc_quick_port){.free = n->all_vcs,
		.ready = ready,
		.waiting = ready + r->ports,
		.output_end = out->other_end,
		.flit_latency = out->latency + 1,
		.credit_sender = in->sender,
		.credit_latency = in->latency};
}

static void init_quick_router(const struct noc *n, struct noc_router *r, struct noc_vc *vc)
{
	struct noc_quick *q = &r->quick;

	q->vc = vc;
	q->set_words = BITSET_WORDS(r->ports * n->vcs + 1);
	q->free_outputs = ~0ull >> (64 - r->ports);
	q->port = xcalloc(r->ports, sizeof(*q->port));
	q->turn = xcalloc((size_t)r->ports * n->vcs, sizeof(*q->turn));
	q->sets = xcalloc((size_t)r->ports * (r->ports + q->set_words), sizeof(*q->sets));
	for (uint32_t i = 0; i < r->ports; i++)
		quick_port_init(n, q, r, i);
	for (uint32_t i = 0; i < r->ports * n->vcs; i++)
		vc[i].input = &q->port[i / n->vcs];
}

static void free_quick_router(struct noc_quick *q)
{
	free(q->port);
	free(q->turn);
	free(q->sets);
}

static void switch_init(struct noc *n, struct noc_router *r)
{
	uint32_t inputs = r->ports * n->input_speedup, outputs = r->ports * n->output_speedup;

	noc_alloc_init(&r->sw_alloc, &n->conf.sw_alloc, inputs, outputs, true);
	if (n->speculative && n->conf.spec_alloc.kind != ALLOCATOR_PRIO)
		noc_alloc_init(&r->spec_alloc, &n->conf.spec_alloc, inputs, outputs, true);
	r->next_vc_of_switch_input = xcalloc(inputs, sizeof(*r->next_vc_of_switch_input));
	for (uint32_t i = 0; i < inputs; i++)
		r->next_vc_of_switch_input[i] = i % n->input_speedup;
	r->hold_vc = new_minus_one_array(inputs);
	r->hold_in = new_minus_one_array(inputs);
	r->hold_out = new_minus_one_array(outputs);
	r->vc_turn = xcalloc(r->ports, sizeof(*r->vc_turn));
	for (uint32_t i = 0; i < r->ports; i++)
		r->vc_turn[i] = n->vcs - 1;
}

static void allocators_init(struct noc *n, struct noc_router *r)
{
	uint32_t vcs = r->ports * n->vcs;

	if (!n->lookahead)
		r->route = new_work_list(vcs);
	r->vc = new_work_list(vcs);
	r->sw = new_work_list(vcs);
	r->hold = new_work_list(n->hold ? vcs : 1);
	if (n->conf.vc_alloc.kind != ALLOCATOR_PIGGYBACK)
		noc_alloc_init(&r->vc_alloc, &n->conf.vc_alloc, vcs, vcs, false);
	switch_init(n, r);
}

static void router_init(struct noc *n, struct noc_subnet *s, uint32_t id)
{
	struct noc_router *r = &s->router[id];
	uint32_t cap;

	r->id = id;
	r->first_port = n->plan->first_port[id];
	r->ports = n->plan->first_port[id + 1] - r->first_port;
	r->port_words = BITSET_WORDS(r->ports);
	if (n->has_quick_routers)
		init_quick_router(n, r, &s->vc[r->first_port * n->vcs]);
	else
		allocators_init(n, r);
	cap = fifo_capacity(r->ports * n->output_cap);
	r->cross.slot = reserve(cap, sizeof(*r->cross.slot));
	r->cross.mask = cap - 1;
	r->credit.slot = reserve(cap, sizeof(*r->credit.slot));
	r->credit.mask = cap - 1;
	r->new_arrivals = xcalloc(4 * (size_t)r->port_words, sizeof(*r->new_arrivals));
	r->queued = r->new_arrivals + r->port_words;
	r->crediting_inputs = r->queued + r->port_words;
	r->credited = r->crediting_inputs + r->port_words;
}

static void router_free(struct noc_router *r)
{
	free(r->new_arrivals);
	reserve_free(r->credit.slot, (size_t)r->credit.mask + 1, sizeof(*r->credit.slot));
	reserve_free(r->cross.slot, (size_t)r->cross.mask + 1, sizeof(*r->cross.slot));
	free(r->vc_turn);
	free(r->hold_vc);
	free(r->hold_in);
	free(r->hold_out);
	free(r->next_vc_of_switch_input);
	noc_alloc_free(&r->spec_alloc);
	noc_alloc_free(&r->sw_alloc);
	noc_alloc_free(&r->vc_alloc);
	free_work_list(&r->hold);
	free_work_list(&r->sw);
	free_work_list(&r->vc);
	free_work_list(&r->route);
	free_quick_router(&r->quick);
}

/* ---- nodes --------------------------------------------------------------------------------------------- */

static void allocate_flit_ring(struct noc_flits *q, uint32_t cap)
{
	noc_flits_init(q, reserve(cap, sizeof(*q->slot)), cap);
}

static void free_flit_ring(struct noc_flits *q)
{
	reserve_free(q->slot, (size_t)q->mask + 1, sizeof(*q->slot));
}

static void sink_init(struct noc *n, struct noc_sink *k)
{
	uint32_t cap = fifo_capacity(n->conf.boundary_max);

	k->filled = xcalloc(2 * (size_t)n->vc_words, sizeof(*k->filled));
	k->ready = k->filled + n->vc_words;
	k->ejection = xcalloc(n->vcs, sizeof(*k->ejection));
	k->packets = xcalloc(n->vcs, sizeof(*k->packets));
	k->flits = xcalloc(n->vcs, sizeof(*k->flits));
	for (uint32_t v = 0; v < n->vcs; v++) {
		allocate_flit_ring(&k->ejection[v], n->buffer_cap);
		ring_init(&k->packets[v], reserve(cap, sizeof(uint32_t)), cap);
	}
	allocate_flit_ring(&k->unretired, n->output_cap);
}

static void sink_free(struct noc *n, struct noc_sink *k)
{
	free_flit_ring(&k->unretired);
	for (uint32_t v = n->vcs; v-- > 0;) {
		reserve_free(k->packets[v].slot, (size_t)k->packets[v].mask + 1, sizeof(uint32_t));
		free_flit_ring(&k->ejection[v]);
	}
	free(k->filled);
	free(k->ejection);
	free(k->packets);
	free(k->flits);
}

static void nodes_init(struct noc *n, struct noc_subnet *s)
{
	uint32_t cap = fifo_capacity(n->conf.source_max), nodes = n->plan->nodes, words = BITSET_WORDS(nodes);

	s->source = xcalloc(nodes, sizeof(*s->source));
	s->queue = reserve(nodes, sizeof(*s->queue));
	s->sink = xcalloc(nodes, sizeof(*s->sink));
	for (uint32_t i = 0; i < nodes; i++) {
		ring_init(&s->queue[i].packets, reserve(cap, sizeof(uint32_t)), cap);
		s->source[i].last_vc = -1;
		sink_init(n, &s->sink[i]);
	}
	s->sending_nodes = xcalloc(words, sizeof(*s->sending_nodes));
	s->ejecting = xcalloc(words, sizeof(*s->ejecting));
	s->retiring = xcalloc(nodes, sizeof(*s->retiring));
	s->device_of = xcalloc(nodes, sizeof(*s->device_of));
	s->ready = xcalloc(BITSET_WORDS(n->clusters > n->subs ? n->clusters : n->subs), sizeof(*s->ready));
}

/* ---- subnets ------------------------------------------------------------------------------------------- */

/*
 * Allocates the wheel. In a cycle each input receives at most one flit, and each sender at most input_speedup
 * credits.
 */
static void wheel_init(struct noc *n, struct noc_subnet *s)
{
	size_t flits = n->plan->ports + n->plan->nodes, credits = flits * n->input_speedup;

	s->wheel = xcalloc((size_t)n->wheel_mask + 1, sizeof(*s->wheel));
	s->doubled_wheel = xcalloc(2 * ((size_t)n->wheel_mask + 1), sizeof(*s->doubled_wheel));
	for (uint32_t i = 0; i <= n->wheel_mask; i++) {
		s->doubled_wheel[i] = s->doubled_wheel[n->wheel_mask + 1 + i] = &s->wheel[i];
		s->wheel[i].flit = reserve(flits, sizeof(*s->wheel[i].flit));
		s->wheel[i].credit = reserve(credits, sizeof(*s->wheel[i].credit));
	}
}

static void wheel_free(struct noc *n, struct noc_subnet *s)
{
	size_t flits = n->plan->ports + n->plan->nodes, credits = flits * n->input_speedup;

	for (uint32_t i = n->wheel_mask + 1; i-- > 0;) {
		reserve_free(s->wheel[i].credit, credits, sizeof(*s->wheel[i].credit));
		reserve_free(s->wheel[i].flit, flits, sizeof(*s->wheel[i].flit));
	}
	free(s->doubled_wheel);
	free(s->wheel);
}

static void subnet_init(struct noc *n, struct noc_subnet *s, bool links)
{
	uint32_t ports = n->plan->ports;
	size_t vcs = (size_t)ports * n->vcs;

	noc_sender_init(&s->senders, &n->conf, ports + n->plan->nodes, n->min_credit_rtt);
	s->packet = reserve(n->packets, sizeof(*s->packet));
	s->vc = xcalloc(vcs, sizeof(*s->vc));
	s->buffer = reserve(vcs * n->buffer_cap, sizeof(*s->buffer));
	s->arrived_flits = xcalloc(ports, sizeof(*s->arrived_flits));
	s->output = xcalloc(ports, sizeof(*s->output));
	s->credits_to_send = xcalloc(ports, sizeof(*s->credits_to_send));
	for (uint32_t i = 0; i < ports; i++) {
		allocate_flit_ring(&s->output[i], n->output_cap);
		s->credits_to_send[i].slot = reserve(n->output_cap, sizeof(*s->credits_to_send[i].slot));
	}
	s->active = xcalloc(BITSET_WORDS(n->plan->routers), sizeof(*s->active));
	s->sending = xcalloc(BITSET_WORDS(n->plan->routers), sizeof(*s->sending));
	wheel_init(n, s);
	nodes_init(n, s);
	s->router = xcalloc(n->plan->routers, sizeof(*s->router));
	for (uint32_t r = 0; r < n->plan->routers; r++)
		router_init(n, s, r);
	for (uint32_t i = 0; i < vcs; i++) {
		s->vc[i].input_index =
			(uint16_t)(i - n->plan->first_port[n->plan->router_of[i / n->vcs]] * n->vcs);
		s->vc[i].in = (uint8_t)(s->vc[i].input_index / n->vcs);
		s->vc[i].in_vc = (uint8_t)(i % n->vcs);
		s->vc[i].slot = &s->buffer[(size_t)i * n->buffer_cap];
	}
	s->link_flits = links ? xcalloc(ports + n->plan->nodes, sizeof(*s->link_flits)) : NULL;
	if (n->immediate_credits && noc_routings[n->conf.routing].reads_used_flits)
		s->credited = xcalloc(ports, sizeof(*s->credited));
	s->view = (struct noc_view){.icnt = &n->conf,
		.plan = n->plan,
		.used = s->senders.used,
		.credited = s->credited,
		.random = &n->random};
}

static void subnet_free(struct noc *n, struct noc_subnet *s)
{
	for (uint32_t r = n->plan->routers; r-- > 0;)
		router_free(&s->router[r]);
	for (uint32_t i = n->plan->nodes; i-- > 0;) {
		sink_free(n, &s->sink[i]);
		reserve_free(
			s->queue[i].packets.slot, (size_t)s->queue[i].packets.mask + 1, sizeof(uint32_t));
	}
	reserve_free(s->queue, n->plan->nodes, sizeof(*s->queue));
	reserve_free(s->packet, n->packets, sizeof(*s->packet));
	wheel_free(n, s);
	for (uint32_t i = n->plan->ports; i-- > 0;) {
		reserve_free(s->credits_to_send[i].slot, n->output_cap, sizeof(*s->credits_to_send[i].slot));
		free_flit_ring(&s->output[i]);
	}
	reserve_free(s->buffer, (size_t)n->plan->ports * n->vcs * n->buffer_cap, sizeof(*s->buffer));
	noc_sender_free(&s->senders);
	free(s->credited);
	free(s->link_flits);
	free(s->router);
	free(s->source);
	free(s->sink);
	free(s->sending_nodes);
	free(s->ejecting);
	free(s->retiring);
	free(s->device_of);
	free(s->ready);
	free(s->active);
	free(s->sending);
	free(s->vc);
	free(s->arrived_flits);
	free(s->output);
	free(s->credits_to_send);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void copy_options(struct noc *n)
{
	const struct icnt *c = &n->conf;

	n->vcs = c->vcs;
	n->vc_words = BITSET_WORDS(c->vcs);
	n->input_speedup = (uint32_t)icnt_int(c, ICNT_input_speedup);
	n->output_speedup = (uint32_t)icnt_int(c, ICNT_output_speedup);
	n->routing_delay = (uint32_t)icnt_int(c, ICNT_routing_delay);
	n->vc_delay = (uint32_t)icnt_int(c, ICNT_vc_alloc_delay);
	n->sw_delay = (uint32_t)icnt_int(c, ICNT_sw_alloc_delay);
	n->credit_delay = (uint32_t)icnt_int(c, ICNT_credit_delay);
	n->output_max = icnt_int(c, ICNT_output_buffer_size);
	n->lookahead = !n->routing_delay;
	n->noq = icnt_int(c, ICNT_noq) > 0;
	n->speculative = c->speculative;
	n->check_free = icnt_int(c, ICNT_spec_check_elig) > 0;
	n->check_credit = icnt_int(c, ICNT_spec_check_cred) > 0;
	n->mask_by_requests = icnt_int(c, ICNT_spec_mask_by_reqs) > 0;
	n->hold = icnt_int(c, ICNT_hold_switch_for_packet) > 0;
	n->shuffle = icnt_int(c, ICNT_vc_shuffle_requests) > 0;
	n->busy_when_full = icnt_int(c, ICNT_vc_busy_when_full) > 0;
	n->empty_first = icnt_int(c, ICNT_vc_prioritize_empty) > 0;
	n->has_priorities = c->priority != PRIORITY_NONE;
	n->buffer_cap = fifo_capacity(c->vc_buffer);
	n->output_cap = fifo_capacity(c->buffer);
	n->wheel_mask = fifo_capacity(n->plan->max_channel_latency + 3) - 1;
}

/* Returns true if noc_quick.c can model the routers of the network. */
static bool can_use_quick_routers(const struct noc *n)
{
	const struct icnt *c = &n->conf;

	return n->lookahead && !n->noq && n->vc_delay == 1 && n->sw_delay == 1 && !n->speculative &&
	       !n->hold && !n->shuffle && !n->busy_when_full && !n->empty_first && n->input_speedup == 1 &&
	       n->output_speedup == 1 && c->speedup == 1 && n->output_max < 0 && c->crossbar_delay == 1 &&
	       c->policy == POLICY_PRIVATE && c->vc_alloc.kind == ALLOCATOR_ISLIP &&
	       c->vc_alloc.rounds == 1 && c->sw_alloc.kind == ALLOCATOR_ISLIP && c->sw_alloc.rounds == 1 &&
	       !n->has_priorities && n->vcs <= 64 && n->plan->max_router_ports <= 64;
}

struct noc *noc_new(
	struct icnt *c, uint32_t clusters, uint32_t subs, const uint32_t *node, size_t packets, bool quick)
{
	struct noc *n = xcalloc(1, sizeof(*n));

	n->conf = *c;
	*c = (struct icnt){.file = c->file};
	n->plan = noc_plan_new(&n->conf);
	n->clusters = clusters;
	n->subs = subs;
	n->node = xcalloc(clusters + subs, sizeof(*n->node));
	memcpy(n->node, node, (clusters + subs) * sizeof(*n->node));
	n->packets = packets;
	noc_random_start(&n->random, icnt_int(&n->conf, ICNT_seed));
	copy_options(n);
	n->has_quick_routers = quick && can_use_quick_routers(n);
	n->all_vcs = ~0ull >> (64 - n->vcs % 64) % 64;
	n->inputs_granted =
		xcalloc(BITSET_WORDS(n->plan->max_router_ports * n->vcs + 1), sizeof(*n->inputs_granted));
	n->granted = xcalloc((size_t)NOC_WAYS * n->plan->max_router_ports * n->vcs, sizeof(*n->granted));
	n->crossing = xcalloc(n->plan->max_router_ports, sizeof(*n->crossing));
	n->immediate_credits = n->has_quick_routers && !n->credit_delay;
	n->sleep_until_credit = n->conf.policy == POLICY_PRIVATE && !n->noq &&
				noc_routings[n->conf.routing].inject != noc_injection_vcs_any_vc;
	n->min_credit_rtt = xcalloc(n->plan->ports + n->plan->nodes, sizeof(*n->min_credit_rtt));
	for (uint32_t i = 0; i < n->plan->ports; i++)
		n->min_credit_rtt[i] = n->plan->out[i].min_credit_rtt;
	for (uint32_t i = 0; i < n->plan->nodes; i++)
		n->min_credit_rtt[n->plan->ports + i] = n->plan->inject[i].min_credit_rtt;
	for (int k = 0; k < 2; k++)
		subnet_init(n, &n->net[k], true);
	for (uint32_t i = 0; i < clusters + subs; i++)
		n->net[i < clusters].device_of[node[i]] = i < clusters ? i : i - clusters;
	book_stats_init(&n->stats);
	return n;
}

void noc_delete(struct noc *n)
{
	if (!n)
		return;
	subnet_free(n, &n->net[1]);
	subnet_free(n, &n->net[0]);
	noc_plan_delete(n->plan);
	icnt_free(&n->conf);
	free(n->min_credit_rtt);
	free(n->inputs_granted);
	free(n->granted);
	free(n->crossing);
	free(n->node);
	free(n);
}
