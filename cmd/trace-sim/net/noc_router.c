/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one internal step of the input-queued router (NET-noc-5 to NET-noc-10). Heads are routed and receive a
 * virtual channel of an output. Then each flit is granted the switch, crosses it and waits at the output to
 * be sent.
 *
 * Always true: lists of work have BookSim's order, because that order determines random numbers and the order
 * of flits that reach an output together. Every stage evaluates its entries before any stage updates state.
 * Entries that an update appends are processed in the next step. quirk Q4-36: a list with a delay above 1
 * starts all its entries together. Entries that are added meanwhile wait until those entries have completed.
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "net/noc_step.h"

static bool is_downstream_vc_full(
	const struct noc *n, const struct noc_subnet *s, uint32_t sender, uint32_t vc)
{
	return noc_sender_is_full(&n->conf, &s->senders, sender, vc, (uint32_t)n->time);
}

static bool is_router_output_full(const struct noc *n, const struct noc_subnet *s, uint32_t port)
{
	return n->output_max >= 0 && s->output[port].count >= (uint32_t)n->output_max;
}

/*
 * Computes the way through the next router, for noq. The channel to that router must be one that is reserved
 * for the output taken there.
 */
static void route_two_routers_ahead(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc)
{
	struct noc_packet *p = vc_packet(n, s, r->first_port * n->vcs + vc);
	struct noc_way here = p->way[0];
	uint32_t out = r->first_port + here.port, to = n->plan->out[out].other_end;

	if (to & NOC_NODE)
		return;
	noc_route_in_next_router(n, s, p, n->plan->out[out].other_end);
	p->next = noc_next_output_vcs(n, &p->way[0], n->plan->router_of[to], p->way[0].port);
	here.lo = p->next.lo;
	here.hi = p->next.hi;
	p->way[0] = here;
}

/* Requests an output channel for the routed head at the front of input channel vc. */
static void request_vc(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc)
{
	s->vc[r->first_port * n->vcs + vc].state = NOC_WANTS;
	if (n->speculative)
		noc_list_append(&r->sw, vc);
	if (n->conf.vc_alloc.kind != ALLOCATOR_PIGGYBACK)
		noc_list_append(&r->vc, vc);
	if (n->noq)
		route_two_routers_ahead(n, s, r, vc);
}

static void router_head_arrives(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc)
{
	if (n->lookahead) {
		request_vc(n, s, r, vc);
		return;
	}
	s->vc[r->first_port * n->vcs + vc].state = NOC_ROUTING;
	noc_list_append(&r->route, vc);
}

/* ---- arrivals -------------------------------------------------------------------------------- */

static void router_flit_arrives(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t port)
{
	struct noc_flit *f = &s->arrived_flits[r->first_port + port];
	uint32_t vc = port * n->vcs + f->vc, global = r->first_port * n->vcs + vc;
	struct noc_vc *v = &s->vc[global];

	assert(v->count < n->buffer_cap);
	if (n->conf.priority == PRIORITY_LOCAL_AGE)
		f->priority = INT_MAX - (int32_t)n->time;
	*vc_flit(n, s, global, v->count++) = *f;
	if (v->state == NOC_IDLE) {
		router_head_arrives(n, s, r, vc);
	} else if (v->state == NOC_ACTIVE && v->count == 1) {
		uint32_t input = port * n->input_speedup + f->vc % n->input_speedup;

		noc_list_append(n->hold && r->hold_vc[input] == f->vc ? &r->hold : &r->sw, vc);
	}
}

static void count_due_credits(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	while (r->credit.count) {
		struct noc_credit *c = &r->credit.slot[r->credit.head & r->credit.mask];

		if (n->time < c->time)
			break;
		noc_sender_count_credit(&n->conf, &s->senders, c->port, c->vc, (uint32_t)n->time);
		r->credit.head++;
		r->credit.count--;
		s->credits--;
	}
}

static void process_router_arrivals(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t w = 0; w < r->port_words; w++) {
		FOR_BITS64 (b, r->new_arrivals[w])
			router_flit_arrives(n, s, r, w * 64 + (uint32_t)b);
		r->new_arrivals[w] = 0;
	}
	count_due_credits(n, s, r);
}

/* ---- ways ------------------------------------------------------------------------------------ */

static void finish_routing(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t left = noc_list_complete(&r->route, (uint32_t)n->time); left; left--) {
		uint32_t vc = noc_list_pop(&r->route).vc;

		noc_routings[n->conf.routing].route(
			&s->view, vc_packet(n, s, r->first_port * n->vcs + vc), r->id, vc / n->vcs);
		request_vc(n, s, r, vc);
	}
}

/* ---- virtual channels of outputs -------------------------------------------------------------- */

static uint32_t allocator_input_of_vc(const struct noc *n, const struct noc_router *r, uint32_t vc)
{
	return n->shuffle ? vc % n->vcs * r->ports + vc / n->vcs : vc;
}

static bool request_way_vcs(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc, const struct noc_way *way)
{
	uint32_t sender = r->first_port + way->port, in = allocator_input_of_vc(n, r, vc);
	int32_t priority = n->has_priorities ? noc_vc_priority(n, s, r->first_port * n->vcs + vc) : 0;
	bool any = false;

	for (uint32_t out = way->lo; out <= way->hi; out++) {
		struct noc_request a = {0, way->priority, priority};

		if (!noc_sender_is_vc_free(&s->senders, sender, out) ||
			(n->busy_when_full && is_downstream_vc_full(n, s, sender, out)))
			continue;
		if (n->empty_first && s->senders.vc_used[(size_t)sender * n->vcs + out])
			a.in_priority += INT_MIN;
		noc_alloc_add(&r->vc_alloc, in, way->port * n->vcs + out, a);
		any = true;
	}
	return any;
}

static void request_output_vcs(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t i = 0; i < r->vc.n_started; i++) {
		struct noc_entry *e = noc_list_entry(&r->vc, i);
		const struct noc_packet *p = vc_packet(n, s, r->first_port * n->vcs + e->vc);
		bool any = false;

		for (uint32_t w = 0; w < p->n_ways; w++)
			any |= request_way_vcs(n, s, r, e->vc, &p->way[w]);
		e->result = any ? PENDING : FAILED;
	}
}

static void store_vc_grants(const struct noc *n, struct noc_router *r)
{
	for (uint32_t i = 0; i < r->vc.n_started; i++) {
		struct noc_entry *e = noc_list_entry(&r->vc, i);
		int32_t out;

		if (e->result == FAILED)
			continue;
		out = r->vc_alloc.in_match[allocator_input_of_vc(n, r, e->vc)];
		e->result = out >= 0 ? out : FAILED;
	}
}

/*
 * Cancels grants of earlier cycles for channels whose downstream buffer has become full. These channels still
 * have no owner.
 */
static void cancel_full_vc_grants(const struct noc *n, const struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t i = 0; i < r->vc.n_started; i++) {
		struct noc_entry *e = noc_list_entry(&r->vc, i);
		const uint32_t out = (uint32_t)e->result;

		if (e->result >= 0 && is_downstream_vc_full(n, s, r->first_port + out / n->vcs, out % n->vcs))
			e->result = FAILED;
	}
}

/* Runs the VC allocator, even without requests, because some allocators draw random numbers in any case. */
static void evaluate_vc_allocation(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	bool begin = noc_list_start(&r->vc, (uint32_t)n->time, n->vc_delay);

	if (begin)
		request_output_vcs(n, s, r);
	noc_alloc_run(&r->vc_alloc, &n->random);
	if (begin)
		store_vc_grants(n, r);
	if (n->vc_delay > 1 && n->busy_when_full && r->vc.due_at == (uint32_t)n->time)
		cancel_full_vc_grants(n, s, r);
}

static void assign_output_vc(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc,
	uint32_t port, uint32_t out_vc)
{
	struct noc_vc *v = &s->vc[r->first_port * n->vcs + vc];

	noc_sender_assign_vc(&n->conf, &s->senders, r->first_port + port, out_vc);
	v->port = (uint16_t)port;
	v->vc = (uint16_t)out_vc;
	v->state = NOC_ACTIVE;
}

static void update_vc_allocation(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t left = noc_list_complete(&r->vc, (uint32_t)n->time); left; left--) {
		struct noc_entry e = noc_list_pop(&r->vc);

		if (e.result < 0) {
			noc_list_append(&r->vc, e.vc);
			continue;
		}
		assign_output_vc(n, s, r, e.vc, (uint32_t)e.result / n->vcs, (uint32_t)e.result % n->vcs);
		if (!n->speculative)
			noc_list_append(&r->sw, e.vc);
	}
}

/* ---- crossing the switch ---------------------------------------------------------------------- */

static void queue_credit_to_sender(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t port, uint32_t vc)
{
	struct noc_owed *q = &s->credits_to_send[r->first_port + port];
	uint32_t mask = n->output_cap - 1;

	if (bitset_test(r->credited, port))
		q->slot[(q->head + q->count - 1) & mask] |= NOC_MORE;
	bitset_set(r->credited, port);
	assert(q->count <= mask);
	q->slot[(q->head + q->count++) & mask] = (uint16_t)vc;
	bitset_set(r->crediting_inputs, port);
	s->credits++;
}

/* Moves the first flit of input channel vc into the switch. Returns true for a tail. */
static bool cross_switch_flit(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc)
{
	struct noc_vc *v = &s->vc[r->first_port * n->vcs + vc];
	struct noc_crossing *c = &r->cross.slot[(r->cross.head + r->cross.count++) & r->cross.mask];
	struct noc_packet *p;
	bool tail;

	assert(r->cross.count <= r->cross.mask + 1);
	c->flit = *vc_flit(n, s, r->first_port * n->vcs + vc, 0);
	c->output = v->port;
	c->time = NOT_BEGUN;
	v->head++;
	v->count--;
	p = &s->packet[c->flit.req];
	tail = c->flit.index + 1u == p->book.flits;
	c->flit.vc = v->vc;
	c->flit.priority += n->conf.priority == PRIORITY_HOP_COUNT;
	if (!c->flit.index) {
		p->hops++;
		p->vc = v->vc;
		if (n->noq)
			p->way[0] = p->next;
		else if (n->lookahead)
			noc_route_in_next_router(n, s, p, n->plan->out[r->first_port + v->port].other_end);
	}
	noc_sender_count_flit(&n->conf, &s->senders, r->first_port + v->port, v->vc, tail, (uint32_t)n->time);
	queue_credit_to_sender(n, s, r, vc / n->vcs, vc % n->vcs);
	return tail;
}

static void release_held(struct noc_router *r, uint32_t input, uint32_t output)
{
	r->hold_vc[input] = r->hold_in[input] = r->hold_out[output] = -1;
}

/* ---- held connections ------------------------------------------------------------------------ */

static void evaluate_held_connections(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t i = 0; i < r->hold.count; i++) {
		struct noc_entry *e = noc_list_entry(&r->hold, i);
		const struct noc_vc *v = &s->vc[r->first_port * n->vcs + e->vc];
		uint32_t port = e->vc / n->vcs;

		e->result = is_downstream_vc_full(n, s, r->first_port + v->port, v->vc)
				    ? FAILED
				    : (int32_t)(v->port * n->output_speedup + port % n->output_speedup);
	}
}

static void update_held_connections(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t left = r->hold.count; left; left--) {
		struct noc_entry e = noc_list_pop(&r->hold);
		struct noc_vc *v = &s->vc[r->first_port * n->vcs + e.vc];
		uint32_t input = e.vc / n->vcs * n->input_speedup + e.vc % n->vcs % n->input_speedup;
		bool tail;

		if (e.result < 0 || is_router_output_full(n, s, r->first_port + (uint32_t)e.result)) {
			release_held(r, input, (uint32_t)r->hold_in[input]);
			noc_list_append(&r->sw, e.vc);
			continue;
		}
		tail = cross_switch_flit(n, s, r, e.vc);
		if (!v->count || tail)
			release_held(r, input, (uint32_t)e.result);
		if (tail && v->count)
			router_head_arrives(n, s, r, e.vc);
		else if (tail)
			v->state = NOC_IDLE;
		else if (v->count)
			noc_list_append(&r->hold, e.vc);
	}
}

/* ---- the switch ------------------------------------------------------------------------------ */

/* Returns true if a request of channel vc takes precedence over the request `old` of the same input. */
static bool replaces_request(
	int32_t vc, int32_t priority, const struct noc_request *old, uint32_t turn, uint32_t vcs)
{
	int32_t size = (int32_t)vcs, from = (int32_t)turn;

	if (priority != old->in_priority)
		return priority > old->in_priority;
	return (vc - from + size) % size < (old->label - from + size) % size;
}

static void request_switch_output(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc, uint32_t port)
{
	uint32_t v = vc % n->vcs, in = vc / n->vcs, global = r->first_port * n->vcs + vc;
	uint32_t input = in * n->input_speedup + v % n->input_speedup;
	uint32_t output = port * n->output_speedup + in % n->output_speedup;
	struct noc_alloc *a = &r->sw_alloc;
	int32_t priority = n->has_priorities ? noc_vc_priority(n, s, global) : 0;

	if (n->hold && (r->hold_in[input] >= 0 || r->hold_out[output] >= 0))
		return;
	if (s->vc[global].state == NOC_WANTS) {
		if (n->conf.spec_alloc.kind != ALLOCATOR_PRIO)
			a = &r->spec_alloc;
		else
			priority += INT_MIN;
	}
	if (noc_alloc_has_request(a, input, output) &&
		!replaces_request((int32_t)v, priority, &a->request_labels[(size_t)input * a->n_out + output],
			r->next_vc_of_switch_input[input], n->vcs))
		return;
	noc_alloc_add(a, input, output, (struct noc_request){(int32_t)v, priority, priority});
}

/* Returns true if the way has a free channel and a free slot. Checks only what the configuration requires. */
static bool can_speculation_succeed(const struct noc *n, const struct noc_subnet *s,
	const struct noc_router *r, const struct noc_way *way)
{
	uint32_t sender = r->first_port + way->port;
	bool is_free = false, has_slot = false;

	for (uint32_t vc = way->lo; n->check_free && vc <= way->hi && !has_slot; vc++) {
		if (!noc_sender_is_vc_free(&s->senders, sender, vc) || is_router_output_full(n, s, sender))
			continue;
		is_free = true;
		has_slot = !n->check_credit || !is_downstream_vc_full(n, s, sender, vc);
	}
	return (!n->check_free || is_free) && (!n->check_credit || has_slot);
}

static void request_speculatively(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, struct noc_entry *e)
{
	const struct noc_packet *p = vc_packet(n, s, r->first_port * n->vcs + e->vc);

	for (uint32_t w = 0; w < p->n_ways; w++) {
		if (can_speculation_succeed(n, s, r, &p->way[w]))
			request_switch_output(n, s, r, e->vc, p->way[w].port);
		else
			e->result = FAILED;
	}
}

/* Returns the output that was granted to a channel, or FAILED. */
static int32_t switch_grant(struct noc *n, struct noc_router *r, uint32_t vc)
{
	uint32_t v = vc % n->vcs, input = vc / n->vcs * n->input_speedup + v % n->input_speedup;
	const struct noc_alloc *a = &r->sw_alloc;
	int32_t output = a->in_match[input];

	if (output < 0 && n->speculative && n->conf.spec_alloc.kind != ALLOCATOR_PRIO) {
		a = &r->spec_alloc;
		output = a->in_match[input];
		if (output >= 0 &&
			(n->mask_by_requests ? bitset_test(r->sw_alloc.requested_ports, (uint32_t)output)
					     : r->sw_alloc.out_match[output] >= 0))
			return FAILED;
	}
	if (output < 0 || a->request_labels[(size_t)input * a->n_out + (uint32_t)output].label != (int32_t)v)
		return FAILED;
	r->next_vc_of_switch_input[input] = (v + n->input_speedup) % n->vcs;
	return output;
}

/*
 * Returns the best free channel with a free slot on a way to `port`, or -1 if there is none. The way's
 * priority decides, then round robin.
 */
static int32_t next_piggyback_vc(const struct noc *n, const struct noc_subnet *s, const struct noc_router *r,
	uint32_t vc, uint32_t port)
{
	const struct noc_packet *p = vc_packet(n, s, r->first_port * n->vcs + vc);
	struct noc_request best = {-1, 0, 0};

	for (uint32_t w = 0; w < p->n_ways; w++)
		for (uint32_t out = p->way[w].lo; p->way[w].port == port && out <= p->way[w].hi; out++) {
			int32_t priority = p->way[w].priority;

			if (n->empty_first &&
				s->senders.vc_used[(size_t)(r->first_port + port) * n->vcs + out])
				priority += INT_MIN;
			if (!noc_sender_is_vc_free(&s->senders, r->first_port + port, out) ||
				is_downstream_vc_full(n, s, r->first_port + port, out))
				continue;
			if (best.label < 0 ||
				replaces_request((int32_t)out, priority, &best, r->vc_turn[port], n->vcs))
				best = (struct noc_request){(int32_t)out, priority, 0};
		}
	return best.label;
}

/* Returns true if a speculative grant is still usable once channels have been assigned. */
static bool is_speculation_usable(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, const struct noc_entry *e)
{
	const struct noc_vc *v = &s->vc[r->first_port * n->vcs + e->vc];
	uint32_t v_in = e->vc % n->vcs, port = (uint32_t)e->result / n->output_speedup;
	uint32_t input = e->vc / n->vcs * n->input_speedup + v_in % n->input_speedup;
	int32_t got;

	if (n->hold && (r->hold_in[input] >= 0 || r->hold_out[e->result] >= 0))
		return false;
	/* if the switch allocator has a delay, the head may have received a channel of another output meanwhile */
	if (v->state == NOC_ACTIVE)
		return v->port == port && !is_downstream_vc_full(n, s, r->first_port + port, v->vc);
	if (n->conf.vc_alloc.kind == ALLOCATOR_PIGGYBACK)
		return next_piggyback_vc(n, s, r, e->vc, port) >= 0;
	got = r->vc_alloc.in_match[allocator_input_of_vc(n, r, e->vc)];
	return got >= 0 && (uint32_t)got / n->vcs == port &&
	       !is_downstream_vc_full(n, s, r->first_port + port, (uint32_t)got % n->vcs);
}

static void request_switch_for_all(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t i = 0; i < r->sw.n_started; i++) {
		struct noc_entry *e = noc_list_entry(&r->sw, i);
		const struct noc_vc *v = &s->vc[r->first_port * n->vcs + e->vc];

		e->result = PENDING;
		if (v->state != NOC_ACTIVE)
			request_speculatively(n, s, r, e);
		else if (is_downstream_vc_full(n, s, r->first_port + v->port, v->vc) ||
			 is_router_output_full(n, s, r->first_port + v->port))
			e->result = FAILED;
		else
			request_switch_output(n, s, r, e->vc, v->port);
	}
}

static void evaluate_switch_allocation(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	bool begin = noc_list_start(&r->sw, (uint32_t)n->time, n->sw_delay);

	if (begin)
		request_switch_for_all(n, s, r);
	noc_alloc_run(&r->sw_alloc, &n->random);
	if (r->spec_alloc.n_in)
		noc_alloc_run(&r->spec_alloc, &n->random);
	for (uint32_t i = 0; begin && i < r->sw.n_started; i++)
		if (noc_list_entry(&r->sw, i)->result == PENDING)
			noc_list_entry(&r->sw, i)->result = switch_grant(n, r, noc_list_entry(&r->sw, i)->vc);
	if ((!n->speculative && n->sw_delay == 1) || r->sw.due_at != (uint32_t)n->time)
		return;
	for (uint32_t i = 0; i < r->sw.n_started; i++)
		if (noc_list_entry(&r->sw, i)->result >= 0 &&
			!is_speculation_usable(n, s, r, noc_list_entry(&r->sw, i)))
			noc_list_entry(&r->sw, i)->result = FAILED;
}

static void hold_switch(struct noc *n, struct noc_router *r, uint32_t vc, uint32_t output)
{
	uint32_t input = vc / n->vcs * n->input_speedup + vc % n->vcs % n->input_speedup;

	r->hold_vc[input] = (int32_t)(vc % n->vcs);
	r->hold_in[input] = (int32_t)output;
	r->hold_out[output] = (int32_t)input;
	noc_list_append(&r->hold, vc);
}

/*
 * Assigns a channel to a head that was granted the switch before it owned a channel. Only the piggyback
 * allocator does this. With other allocators the grant is lost.
 */
static bool take_piggyback_vc(
	struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc, uint32_t port)
{
	int32_t got =
		n->conf.vc_alloc.kind == ALLOCATOR_PIGGYBACK ? next_piggyback_vc(n, s, r, vc, port) : -1;

	if (got < 0)
		return false;
	assign_output_vc(n, s, r, vc, port, (uint32_t)got);
	r->vc_turn[port] = ((uint32_t)got + 1) % n->vcs;
	return true;
}

static void update_switch_allocation(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	for (uint32_t left = noc_list_complete(&r->sw, (uint32_t)n->time); left; left--) {
		struct noc_entry e = noc_list_pop(&r->sw);
		struct noc_vc *v = &s->vc[r->first_port * n->vcs + e.vc];
		uint32_t port = (uint32_t)e.result / n->output_speedup;
		bool tail;

		if (e.result < 0 || (v->state == NOC_WANTS && !take_piggyback_vc(n, s, r, e.vc, port))) {
			noc_list_append(&r->sw, e.vc);
			continue;
		}
		tail = cross_switch_flit(n, s, r, e.vc);
		if (tail && v->count)
			router_head_arrives(n, s, r, e.vc);
		else if (tail)
			v->state = NOC_IDLE;
		else if (v->count && n->hold)
			hold_switch(n, r, e.vc, (uint32_t)e.result);
		else if (v->count)
			noc_list_append(&r->sw, e.vc);
	}
}

/* ---- crossing -------------------------------------------------------------------------------- */

static void start_crossings(struct noc *n, struct noc_router *r)
{
	for (uint32_t i = 0; i < r->cross.count && noc_crossing_at(r, i)->time == NOT_BEGUN; i++)
		noc_crossing_at(r, i)->time = (uint32_t)n->time + n->conf.crossbar_delay - 1;
}

static void finish_crossings(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	while (r->cross.count && noc_crossing_at(r, 0)->time == (uint32_t)n->time) {
		struct noc_crossing *c = noc_crossing_at(r, 0);

		noc_flits_push(&s->output[r->first_port + c->output], c->flit);
		bitset_set(r->queued, c->output);
		r->cross.head++;
		r->cross.count--;
	}
}

/* ---- a step ---------------------------------------------------------------------------------- */

bool noc_router_step(struct noc *n, struct noc_subnet *s, struct noc_router *r)
{
	process_router_arrivals(n, s, r);
	noc_list_start(&r->route, (uint32_t)n->time, n->routing_delay);
	noc_alloc_clear(&r->vc_alloc);
	if (r->vc.count)
		evaluate_vc_allocation(n, s, r);
	if (r->hold.count)
		evaluate_held_connections(n, s, r);
	noc_alloc_clear(&r->sw_alloc);
	if (r->spec_alloc.n_in)
		noc_alloc_clear(&r->spec_alloc);
	if (r->sw.count)
		evaluate_switch_allocation(n, s, r);
	start_crossings(n, r);
	finish_routing(n, s, r);
	update_vc_allocation(n, s, r);
	if (r->hold.count)
		update_held_connections(n, s, r);
	update_switch_allocation(n, s, r);
	finish_crossings(n, s, r);
	memset(r->credited, 0, r->port_words * sizeof(*r->credited));
	return r->credit.count || r->route.count || r->vc.count || r->hold.count || r->sw.count ||
	       r->cross.count;
}
