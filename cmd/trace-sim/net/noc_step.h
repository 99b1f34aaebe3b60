/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What both renderings of a router's step (noc_router.c,
 * noc_quick.c) are made of, and the channels between them.
 */
#ifndef NOC_STEP_H
#define NOC_STEP_H

#include "net/noc.h"

#define NOT_BEGUN UINT32_MAX
#define FAILED    (-2)
#define PENDING   (-1)

/* ---- lists ----------------------------------------------------------------------------------- */

static inline void noc_list_append(struct noc_list *l, uint32_t vc)
{
	assert(l->count <= l->mask);
	l->slot[(l->head + l->count++) & l->mask] = (struct noc_entry){vc, PENDING};
}

static inline struct noc_entry *noc_list_entry(struct noc_list *l, uint32_t i)
{
	return &l->slot[(l->head + i) & l->mask];
}

static inline struct noc_entry noc_list_pop(struct noc_list *l)
{
	l->count--;
	return l->slot[l->head++ & l->mask];
}

/* Whether the entries of a list begin in this step: none is under way. They are then all that are in it. */
static inline bool noc_list_begins(struct noc_list *l, uint32_t now, uint32_t delay)
{
	if (l->begun)
		return false;
	l->begun = l->count;
	l->due = now + delay - 1;
	return l->begun != 0;
}

/* How many entries, at the front, are done in this step. */
static inline uint32_t noc_list_done(struct noc_list *l, uint32_t now)
{
	uint32_t n = l->due == now ? l->begun : 0;

	if (n)
		l->begun = 0;
	return n;
}

/* ---- virtual channels of inputs -------------------------------------------------------------- */

static inline struct noc_flit *vc_flit(
	const struct noc *n, const struct noc_subnet *s, uint32_t vc, uint32_t i)
{
	const struct noc_vc *v = &s->vc[vc];

	return &v->slot[(v->head + i) & (n->buffer_cap - 1)];
}

static inline struct noc_packet *vc_packet(const struct noc *n, const struct noc_subnet *s, uint32_t vc)
{
	return &s->packet[vc_flit(n, s, vc, 0)->req];
}

static inline struct noc_crossing *noc_crossing_at(struct noc_router *r, uint32_t i)
{
	return &r->cross.slot[(r->cross.head + i) & r->cross.mask];
}

/* ---- channels -------------------------------------------------------------------------------- */

/* What arrives in this cycle, which begins: what is sent is ahead of it from now on. */
static inline struct noc_slot *noc_slot_now(const struct noc *n, struct noc_subnet *s)
{
	s->ahead = &s->round[(n->time + 1) & n->wheel_mask];
	return s->round[n->time & n->wheel_mask];
}

/* What arrives over a channel of a latency when it is sent now. */
static inline struct noc_slot *noc_slot_in(struct noc_subnet *s, uint32_t latency)
{
	return s->ahead[latency];
}

/* A flit goes on the channel e. */
static inline void noc_launch(struct noc_subnet *s, const struct noc_end *e, const struct noc_flit *f)
{
	struct noc_slot *slot = noc_slot_in(s, e->latency);

	slot->flit[slot->flits++] = (struct noc_moving){e->to, *f};
}

/* A flit arrives at a node. */
static inline void noc_node_flit(struct noc_subnet *s, const struct noc_moving *m)
{
	uint32_t node = m->to & ~NOC_NODE;
	struct noc_sink *sink = &s->sink[node];

	noc_flits_push(&sink->ejection[m->flit.vc], m->flit);
	bitset_set(sink->filled, m->flit.vc);
	bitset_set(s->ejecting, node);
}

/* A credit arrives at a node: it may send, if it has anything. */
static inline void noc_node_credit(const struct noc *n, struct noc_subnet *s, const struct noc_returning *c)
{
	uint32_t node = c->to - n->plan->ports;

	noc_room_credit(&n->conf, &s->room, c->to, c->vc, (uint32_t)n->time);
	s->credits--;
	if (!ring_empty(&s->queue[node].packets))
		bitset_set(s->sending_nodes, node);
}

/* A credit arrives at a router, to count in one of its steps. */
static inline void noc_later_credit(
	const struct noc *n, struct noc_subnet *s, struct noc_router *r, const struct noc_returning *c)
{
	assert(r->credit.count <= r->credit.mask);
	r->credit.slot[(r->credit.head + r->credit.count++) & r->credit.mask] =
		(struct noc_credit){c->to, (uint32_t)n->time + n->credit_delay, (uint16_t)c->vc};
	bitset_set(s->active, r->id);
}

/* With noq an output of the router behind a channel has its part of the channels of each way. */
static inline struct noc_way noc_part(
	const struct noc *n, const struct noc_way *w, uint32_t router, uint32_t output)
{
	uint32_t ports = n->plan->base[router + 1] - n->plan->base[router];
	uint32_t each = (uint32_t)(w->hi - w->lo + 1) / ports, lo = w->lo + output * each;

	return (struct noc_way){(uint16_t)output, (uint16_t)lo, (uint16_t)(lo + each - 1), 0};
}

/* The way of a head through the router that it is sent to, to the end of a channel. */
static inline void route_ahead(struct noc *n, struct noc_subnet *s, struct noc_packet *p, uint32_t to)
{
	uint32_t router;

	if (to & NOC_NODE)
		return;
	router = n->plan->router_of[to];
	noc_routings[n->conf.routing].route(&s->view, p, router, to - n->plan->base[router]);
}

#endif
