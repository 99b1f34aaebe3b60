/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A step of a slow router (NET-noc-5 to NET-noc-10): everything is found with the state as it was, then done,
 * in the order of the lists.
 */
#ifndef NOC_SLOW_ROUTER_H
#define NOC_SLOW_ROUTER_H

#include "noc_slow.h"

/* Of a router of a subnet; base: of its ports among all. */
struct slow_at {
	struct slow *x;
	struct slow_subnet *s;
	struct slow_router *r;
	int id, base, ports;
};

static inline struct slow_room *room_of(const struct slow_at *t, int port)
{
	return &t->s->room[t->base + port];
}

static inline struct slow_vc *vc_of(const struct slow_at *t, const struct slow_item *e)
{
	return &t->r->vc[e->in][e->vc];
}

static inline struct noc_packet *head_of(const struct slow_at *t, const struct slow_vc *v)
{
	return &t->x->packet[v->flits.at[0].req];
}

/* Lines of the switch: an input's channels share its lines, an output's lines are shared by the inputs. */
static inline int line_in(const struct slow_at *t, int in, int vc)
{
	int lines = opt(t->x, ICNT_input_speedup);

	return in * lines + vc % lines;
}

static inline int line_out(const struct slow_at *t, int port, int in)
{
	int lines = opt(t->x, ICNT_output_speedup);

	return port * lines + in % lines;
}

static inline bool output_has_place(const struct slow_at *t, int port)
{
	int most = opt(t->x, ICNT_output_buffer_size);

	return most < 0 || t->r->output[port].n < most;
}

static inline int priority_of(const struct slow_at *t, const struct slow_vc *v)
{
	if (t->x->c->priority == PRIORITY_NONE)
		return 0;
	return t->x->c->priority == PRIORITY_QUEUE_LENGTH ? v->flits.n : v->flits.at[0].priority;
}

/* Whether `one` goes before `two` at equal priority: the next in turn. */
static inline bool next_in_turn(int one, int two, int turn, int n)
{
	return (one - turn + n) % n < (two - turn + n) % n;
}

/*
 * ---- arrivals
 * -------------------------------------------------------------------------------------------------
 */

/*
 * NET-noc-7 with noq: of the channels of a way through `router` those for packets that leave it by `output`.
 */
static inline struct noc_way slow_share(
	const struct slow *x, struct noc_way w, uint32_t router, uint32_t output)
{
	uint32_t outputs = x->plan->base[router + 1] - x->plan->base[router];
	uint32_t share = (w.hi + 1u - w.lo) / outputs;

	w.port = (uint16_t)output;
	w.hi = (uint16_t)(w.lo + (output + 1) * share - 1);
	w.lo = (uint16_t)(w.lo + output * share);
	return w;
}

static inline void look_behind_channel(const struct slow_at *t, struct noc_packet *p)
{
	struct noc_way first = p->way[0];
	uint32_t to = t->x->plan->out[t->base + first.port].to, next;

	if (to & NOC_NODE)
		return;
	next = t->x->plan->router_of[to];
	noc_routings[t->x->c->routing].route(&t->s->view, p, next, to - t->x->plan->base[next]);
	p->next = slow_share(t->x, p->way[0], next, p->way[0].port);
	p->way[0] = (struct noc_way){first.port, p->next.lo, p->next.hi, first.priority};
}

static inline void ask_for_channel(const struct slow_at *t, int in, int vc)
{
	t->r->vc[in][vc].state = NOC_WANTS;
	if (t->x->c->speculative)
		slow_append(&t->r->sw, in, vc);
	if (t->r->vc_alloc.kind)
		slow_append(&t->r->ask, in, vc);
	if (opt(t->x, ICNT_noq) > 0)
		look_behind_channel(t, &t->x->packet[t->r->vc[in][vc].flits.at[0].req]);
}

static inline void new_head(const struct slow_at *t, int in, int vc)
{
	if (!opt(t->x, ICNT_routing_delay)) {
		ask_for_channel(t, in, vc);
		return;
	}
	t->r->vc[in][vc].state = NOC_ROUTING;
	slow_append(&t->r->route, in, vc);
}

static inline void take_in(const struct slow_at *t)
{
	for (int in = 0; in < t->ports; in++) {
		struct slow_flit f = t->r->latch[in];
		struct slow_vc *v = &t->r->vc[in][f.vc];

		if (!t->r->latched[in])
			continue;
		t->r->latched[in] = false;
		if (t->x->c->priority == PRIORITY_LOCAL_AGE)
			f.priority = INT_MAX - (int)t->x->now;
		slow_put(&v->flits, f);
		if (v->state == NOC_IDLE)
			new_head(t, in, (int)f.vc);
		else if (v->state == NOC_ACTIVE && v->flits.n == 1)
			slow_append(&t->r->sw, in, (int)f.vc);
	}
	for (int out = 0; out < t->ports; out++) {
		struct slow_credits *c = &t->r->credit[out];

		while (c->n && c->at[0].time <= (int)t->x->now) {
			for (uint32_t vc = 0; vc < t->x->c->vcs; vc++)
				if (c->at[0].vc[vc])
					slow_credit(t->x, room_of(t, out), vc);
			memmove(c->at, c->at + 1, (size_t)--c->n * sizeof(c->at[0]));
		}
	}
}

/*
 * ---- ways and channels
 * ------------------------------------------------------------------------------------------
 */

static inline void find_ways(const struct slow_at *t)
{
	for (int i = 0, n = slow_beginning(&t->r->route); i < n; i++)
		t->r->route.at[i].time = (int)t->x->now + opt(t->x, ICNT_routing_delay) - 1;
}

static inline void do_ways(const struct slow_at *t)
{
	while (slow_done(t->x, &t->r->route)) {
		struct slow_item e = slow_shift(&t->r->route);

		noc_routings[t->x->c->routing].route(
			&t->s->view, head_of(t, vc_of(t, &e)), (uint32_t)t->id, (uint32_t)e.in);
		ask_for_channel(t, e.in, e.vc);
	}
}

static inline int channel_input(const struct slow_at *t, int in, int vc)
{
	return opt(t->x, ICNT_vc_shuffle_requests) > 0 ? vc * t->ports + in : in * (int)t->x->c->vcs + vc;
}

static inline int way_priority(const struct slow_at *t, const struct noc_way *w, int vc)
{
	bool empty_first = opt(t->x, ICNT_vc_prioritize_empty) > 0;

	return w->priority + (empty_first && room_of(t, w->port)->used[vc] ? INT_MIN : 0);
}

static inline void request_channels(const struct slow_at *t, const struct slow_item *e)
{
	const struct slow_vc *v = vc_of(t, e);
	const struct noc_packet *p = head_of(t, v);

	for (int w = 0; w < p->n_ways; w++)
		for (int vc = p->way[w].lo; vc <= p->way[w].hi; vc++) {
			struct slow_room *m = room_of(t, p->way[w].port);
			int out = p->way[w].port * (int)t->x->c->vcs + vc;

			if (m->taken[vc] ||
				(opt(t->x, ICNT_vc_busy_when_full) > 0 && slow_full(t->x, m, (uint32_t)vc)))
				continue;
			t->r->vc_alloc.ask[channel_input(t, e->in, e->vc)][out] = (struct slow_request){
				true, 0, way_priority(t, &p->way[w], vc), priority_of(t, v)};
		}
}

static inline void find_channels(const struct slow_at *t)
{
	struct slow_list *l = &t->r->ask;
	int n = slow_beginning(l), vcs = (int)t->x->c->vcs;

	for (int i = 0; i < n; i++)
		request_channels(t, &l->at[i]);
	if (l->n)
		slow_alloc_run(&t->r->vc_alloc, &t->x->random);
	for (int i = 0; i < n; i++) {
		l->at[i].result = t->r->vc_alloc.in_match[channel_input(t, l->at[i].in, l->at[i].vc)];
		l->at[i].time = (int)t->x->now + opt(t->x, ICNT_vc_alloc_delay) - 1;
	}
	if (opt(t->x, ICNT_vc_alloc_delay) == 1 || opt(t->x, ICNT_vc_busy_when_full) <= 0)
		return;
	for (int i = 0; i < l->n && l->at[i].time == (int)t->x->now; i++) {
		int got = l->at[i].result;

		if (got >= 0 && slow_full(t->x, room_of(t, got / vcs), (uint32_t)(got % vcs)))
			l->at[i].result = -1;
	}
}

static inline void own(const struct slow_at *t, struct slow_vc *v, int port, int vc)
{
	slow_take(room_of(t, port), (uint32_t)vc);
	v->state = NOC_ACTIVE;
	v->port = port;
	v->vc = vc;
}

static inline void do_channels(const struct slow_at *t)
{
	int vcs = (int)t->x->c->vcs;

	while (slow_done(t->x, &t->r->ask)) {
		struct slow_item e = slow_shift(&t->r->ask);

		if (e.result < 0) {
			slow_append(&t->r->ask, e.in, e.vc);
			continue;
		}
		own(t, vc_of(t, &e), e.result / vcs, e.result % vcs);
		if (!t->x->c->speculative)
			slow_append(&t->r->sw, e.in, e.vc);
	}
}

/*
 * ---- the switch
 * -------------------------------------------------------------------------------------------------
 */

static inline void request_line(const struct slow_at *t, const struct slow_item *e, int port)
{
	const struct slow_vc *v = vc_of(t, e);
	int in = line_in(t, e->in, e->vc), out = line_out(t, port, e->in), priority = priority_of(t, v);
	struct slow_alloc *a = &t->r->sw_alloc;
	struct slow_request *q;

	if (t->r->hold_in[in] >= 0 || t->r->hold_out[out] >= 0)
		return;
	if (v->state == NOC_WANTS && t->r->spec_alloc.kind)
		a = &t->r->spec_alloc;
	else if (v->state == NOC_WANTS)
		priority += INT_MIN;
	q = &a->ask[in][out];
	if (q->on && (priority < q->in_priority ||
			     (priority == q->in_priority &&
				     !next_in_turn(e->vc, q->label, t->r->sw_turn[in], (int)t->x->c->vcs))))
		return;
	*q = (struct slow_request){true, e->vc, priority, priority};
}

/* A head without a channel asks for every way of which it may hope to get one. */
static inline bool hope(const struct slow_at *t, const struct noc_way *w)
{
	bool check_free = opt(t->x, ICNT_spec_check_elig) > 0,
	     check_room = opt(t->x, ICNT_spec_check_cred) > 0;
	bool is_free = false, roomy = false;

	for (int vc = w->lo; check_free && vc <= w->hi; vc++)
		if (!room_of(t, w->port)->taken[vc] && output_has_place(t, w->port)) {
			is_free = true;
			roomy |= !check_room || !slow_full(t->x, room_of(t, w->port), (uint32_t)vc);
		}
	return (!check_free || is_free) && (!check_room || roomy);
}

/* Returns whether the entry may get anything. */
static inline bool request_switch(const struct slow_at *t, const struct slow_item *e)
{
	const struct slow_vc *v = vc_of(t, e);
	bool all = true;

	if (v->state == NOC_ACTIVE) {
		if (slow_full(t->x, room_of(t, v->port), (uint32_t)v->vc) || !output_has_place(t, v->port))
			return false;
		request_line(t, e, v->port);
		return true;
	}
	for (int w = 0; w < head_of(t, v)->n_ways; w++) {
		const struct noc_way *way = &head_of(t, v)->way[w];

		if (hope(t, way))
			request_line(t, e, way->port);
		else
			all = false;
	}
	return all;
}

static inline int granted_line(const struct slow_at *t, const struct slow_item *e)
{
	int in = line_in(t, e->in, e->vc), out = t->r->sw_alloc.in_match[in];
	struct slow_alloc *a = &t->r->sw_alloc;

	if (out < 0 && t->r->spec_alloc.kind) {
		bool by_asks = opt(t->x, ICNT_spec_mask_by_reqs) > 0, masked;

		out = t->r->spec_alloc.in_match[in];
		masked = out >= 0 && !by_asks && a->out_match[out] >= 0;
		for (int i = 0; out >= 0 && i < a->n_in; i++)
			masked |= by_asks && a->ask[i][out].on;
		a = &t->r->spec_alloc;
		if (masked)
			return -1;
	}
	if (out < 0 || a->ask[in][out].label != e->vc)
		return -1;
	t->r->sw_turn[in] = (e->vc + opt(t->x, ICNT_input_speedup)) % (int)t->x->c->vcs;
	return out;
}

/* Piggyback: the free channel with room of the ways to port, by priority, then the next in turn. */
static inline int piggyback_channel(const struct slow_at *t, const struct slow_vc *v, int port)
{
	const struct noc_packet *p = head_of(t, v);
	int best = -1, best_priority = 0;

	for (int w = 0; w < p->n_ways; w++)
		for (int vc = p->way[w].lo; p->way[w].port == port && vc <= p->way[w].hi; vc++) {
			int priority = way_priority(t, &p->way[w], vc);

			if (room_of(t, port)->taken[vc] || slow_full(t->x, room_of(t, port), (uint32_t)vc))
				continue;
			if (best >= 0 && (priority < best_priority ||
						 (priority == best_priority &&
							 !next_in_turn(vc, best, t->r->vc_turn[port],
								 (int)t->x->c->vcs))))
				continue;
			best = vc;
			best_priority = priority;
		}
	return best;
}

static inline bool still_good(const struct slow_at *t, const struct slow_item *e)
{
	const struct slow_vc *v = vc_of(t, e);
	int port = e->result / opt(t->x, ICNT_output_speedup), vcs = (int)t->x->c->vcs, got;

	if (t->r->hold_in[line_in(t, e->in, e->vc)] >= 0 || t->r->hold_out[e->result] >= 0)
		return false;
	if (v->state == NOC_ACTIVE)
		return v->port == port && !slow_full(t->x, room_of(t, port), (uint32_t)v->vc);
	if (!t->r->vc_alloc.kind)
		return piggyback_channel(t, v, port) >= 0;
	got = t->r->vc_alloc.in_match[channel_input(t, e->in, e->vc)];
	return got >= 0 && got / vcs == port && !slow_full(t->x, room_of(t, port), (uint32_t)(got % vcs));
}

static inline void find_switch(const struct slow_at *t)
{
	struct slow_list *l = &t->r->sw;
	bool hopes[SLOW_P * SLOW_Q];
	int n = slow_beginning(l);

	for (int i = 0; i < n; i++)
		hopes[i] = request_switch(t, &l->at[i]);
	if (l->n)
		slow_alloc_run(&t->r->sw_alloc, &t->x->random);
	if (l->n && t->r->spec_alloc.kind)
		slow_alloc_run(&t->r->spec_alloc, &t->x->random);
	for (int i = 0; i < n; i++) {
		l->at[i].result = hopes[i] ? granted_line(t, &l->at[i]) : -1;
		l->at[i].time = (int)t->x->now + opt(t->x, ICNT_sw_alloc_delay) - 1;
	}
	if (!t->x->c->speculative && opt(t->x, ICNT_sw_alloc_delay) == 1)
		return;
	for (int i = 0; i < l->n && l->at[i].time == (int)t->x->now; i++)
		if (l->at[i].result >= 0 && !still_good(t, &l->at[i]))
			l->at[i].result = -1;
}

/* The first flit of a channel enters the switch: it is sent, as far as the room behind is concerned. */
static inline bool enter_switch(const struct slow_at *t, int in, int vc)
{
	struct slow_vc *v = &t->r->vc[in][vc];
	struct slow_flit f = slow_get(&v->flits);
	struct noc_packet *p = &t->x->packet[f.req];
	uint32_t to = t->x->plan->out[t->base + v->port].to;

	f.vc = (uint32_t)v->vc;
	f.priority += t->x->c->priority == PRIORITY_HOP_COUNT;
	if (!f.index) {
		p->vc = (uint16_t)v->vc;
		if (opt(t->x, ICNT_noq) > 0) {
			p->way[0] = p->next;
		} else if (!opt(t->x, ICNT_routing_delay) && !(to & NOC_NODE)) {
			uint32_t next = t->x->plan->router_of[to];

			noc_routings[t->x->c->routing].route(
				&t->s->view, p, next, to - t->x->plan->base[next]);
		}
	}
	slow_send(t->x, room_of(t, v->port), &f);
	t->s->used[t->base + v->port]++;
	slow_append(&t->r->cross, in, v->port);
	t->r->cross.at[t->r->cross.n - 1].flit = f;
	if (!t->r->owing[in])
		memset(&t->r->owed[in].at[t->r->owed[in].n++], 0, sizeof(t->r->owed[in].at[0]));
	t->r->owing[in] = true;
	t->r->owed[in].at[t->r->owed[in].n - 1].vc[vc] = true;
	return f.tail;
}

static inline void let_go(const struct slow_at *t, int in, int out)
{
	t->r->hold_in[in] = t->r->hold_out[out] = -1;
}

/* NET-noc-8: after a flit of channel e; line: over which it went. */
static inline void go_on(const struct slow_at *t, const struct slow_item *e, bool tail, int line)
{
	struct slow_vc *v = vc_of(t, e);
	int in = line_in(t, e->in, e->vc);
	bool hold = opt(t->x, ICNT_hold_switch_for_packet) > 0;

	if (hold && (tail || !v->flits.n))
		let_go(t, in, line);
	if (tail && v->flits.n) {
		new_head(t, e->in, e->vc);
	} else if (tail) {
		v->state = NOC_IDLE;
	} else if (v->flits.n && hold) {
		t->r->hold_in[in] = line;
		t->r->hold_out[line] = in;
		slow_append(&t->r->hold, e->in, e->vc);
	} else if (v->flits.n) {
		slow_append(&t->r->sw, e->in, e->vc);
	}
}

static inline void find_held(const struct slow_at *t)
{
	for (int i = 0; i < t->r->hold.n; i++) {
		struct slow_item *e = &t->r->hold.at[i];
		const struct slow_vc *v = vc_of(t, e);

		e->time = (int)t->x->now;
		e->result = slow_full(t->x, room_of(t, v->port), (uint32_t)v->vc)
				    ? -1
				    : line_out(t, v->port, e->in);
	}
}

static inline void do_held(const struct slow_at *t)
{
	while (slow_done(t->x, &t->r->hold)) {
		struct slow_item e = slow_shift(&t->r->hold);
		int in = line_in(t, e.in, e.vc);

		if (e.result < 0 || !output_has_place(t, e.result / opt(t->x, ICNT_output_speedup))) {
			let_go(t, in, t->r->hold_in[in]);
			slow_append(&t->r->sw, e.in, e.vc);
			continue;
		}
		go_on(t, &e, enter_switch(t, e.in, e.vc), e.result);
	}
}

static inline void do_switch(const struct slow_at *t)
{
	while (slow_done(t->x, &t->r->sw)) {
		struct slow_item e = slow_shift(&t->r->sw);
		struct slow_vc *v = vc_of(t, &e);
		int port = e.result / opt(t->x, ICNT_output_speedup), got = -1;

		if (e.result >= 0 && v->state == NOC_WANTS && !t->r->vc_alloc.kind)
			got = piggyback_channel(t, v, port);
		if (got >= 0) {
			own(t, v, port, got);
			t->r->vc_turn[port] = (got + 1) % (int)t->x->c->vcs;
		}
		if (e.result < 0 || v->state == NOC_WANTS)
			slow_append(&t->r->sw, e.in, e.vc);
		else
			go_on(t, &e, enter_switch(t, e.in, e.vc), e.result);
	}
}

/*
 * ---- a step
 * -------------------------------------------------------------------------------------------------------
 */

static inline void find_crossings(const struct slow_at *t)
{
	for (int i = 0, n = slow_beginning(&t->r->cross); i < n; i++)
		t->r->cross.at[i].time = (int)(t->x->now + t->x->c->crossbar_delay) - 1;
}

static inline void do_crossings(const struct slow_at *t)
{
	while (slow_done(t->x, &t->r->cross)) {
		struct slow_item e = slow_shift(&t->r->cross);

		slow_put(&t->r->output[e.vc], e.flit);
	}
}

static inline void slow_step(const struct slow_at *t)
{
	take_in(t);
	find_ways(t);
	if (t->r->vc_alloc.kind) {
		slow_alloc_clear(&t->r->vc_alloc);
		find_channels(t);
	}
	find_held(t);
	slow_alloc_clear(&t->r->sw_alloc);
	slow_alloc_clear(&t->r->spec_alloc);
	find_switch(t);
	find_crossings(t);
	do_ways(t);
	do_channels(t);
	do_held(t);
	do_switch(t);
	do_crossings(t);
	memset(t->r->owing, 0, sizeof(t->r->owing));
}

#endif
