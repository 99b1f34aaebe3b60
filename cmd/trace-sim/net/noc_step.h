/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work lists, and channels between routers, for both the general router (noc_router.c) and the fast one
 * (noc_quick.c).
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

/* Starts all entries of the list if none has begun. Returns true if it started any. */
static inline bool noc_list_start(struct noc_list *l, uint32_t now, uint32_t delay)
{
	if (l->n_started)
		return false;
	l->n_started = l->count;
	l->due_at = now + delay - 1;
	return l->n_started != 0;
}

/* Number of entries at the front of the list that complete in this step. The caller removes them. */
static inline uint32_t noc_list_complete(struct noc_list *l, uint32_t now)
{
	uint32_t n = l->due_at == now ? l->n_started : 0;

	if (n)
		l->n_started = 0;
	return n;
}

/* ---- virtual channels of inputs --------------------------------------------------------------- */

static inline struct noc_flit *vc_flit(
	const struct noc *n, const struct noc_subnet *s, uint32_t vc, uint32_t i)
{
	const struct noc_vc *v = &s->vc[vc];

	return &v->slot[(v->head + i) & (n->buffer_cap - 1)];
}

/* Priority of the virtual channel with the global number vc. */
static inline int32_t noc_vc_priority(const struct noc *n, const struct noc_subnet *s, uint32_t vc)
{
	int32_t best = vc_flit(n, s, vc, 0)->priority;

	if (n->conf.priority == PRIORITY_NONE)
		return 0;
	if (n->conf.priority == PRIORITY_QUEUE_LENGTH)
		return s->vc[vc].count;
	if (n->conf.priority != PRIORITY_LOCAL_AGE && icnt_int(&n->conf, ICNT_vc_priority_donation))
		for (uint32_t i = 1; i < s->vc[vc].count; i++)
			if (vc_flit(n, s, vc, i)->priority > best)
				best = vc_flit(n, s, vc, i)->priority;
	return best;
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

/*
 * Returns the arrivals of the cycle that begins, and sets s->ahead for the flits and credits that are sent in
 * it.
 */
static inline struct noc_slot *noc_begin_cycle(const struct noc *n, struct noc_subnet *s)
{
	s->ahead = &s->doubled_wheel[(n->time + 1) & n->wheel_mask];
	return s->doubled_wheel[n->time & n->wheel_mask];
}

/* Returns the slot for a flit or credit sent in this cycle over a channel of the given latency. */
static inline struct noc_slot *noc_slot_after(struct noc_subnet *s, uint32_t latency)
{
	return s->ahead[latency];
}

/* Sends a flit on channel e. */
static inline void noc_send_flit(struct noc_subnet *s, const struct noc_end *e, const struct noc_flit *f)
{
	struct noc_slot *slot = noc_slot_after(s, e->latency);

	slot->flit[slot->flits++] = (struct noc_moving){e->other_end, *f};
}

/* Delivers a flit to a node. */
static inline void noc_deliver_node_flit(struct noc_subnet *s, const struct noc_moving *m)
{
	uint32_t node = m->target & ~NOC_NODE;
	struct noc_sink *sink = &s->sink[node];

	noc_flits_push(&sink->ejection[m->flit.vc], m->flit);
	bitset_set(sink->filled, m->flit.vc);
	bitset_set(s->ejecting, node);
}

/* Delivers a credit to a node and wakes the node if it has packets to send. */
static inline void noc_deliver_node_credit(
	const struct noc *n, struct noc_subnet *s, const struct noc_returning *c)
{
	uint32_t node = c->sender - n->plan->ports;

	noc_sender_count_credit(&n->conf, &s->senders, c->sender, c->vc, (uint32_t)n->time);
	s->credits--;
	if (!ring_empty(&s->queue[node].packets))
		bitset_set(s->sending_nodes, node);
}

/* Queues a credit at a router, which counts it after n->credit_delay cycles. */
static inline void noc_queue_router_credit(
	const struct noc *n, struct noc_subnet *s, struct noc_router *r, const struct noc_returning *c)
{
	assert(r->credit.count <= r->credit.mask);
	r->credit.slot[(r->credit.head + r->credit.count++) & r->credit.mask] =
		(struct noc_credit){c->sender, (uint32_t)n->time + n->credit_delay, (uint16_t)c->vc};
	bitset_set(s->active, r->id);
}

/* Returns the part of the channels of way w that noq reserves for an output of the next router. */
static inline struct noc_way noc_next_output_vcs(
	const struct noc *n, const struct noc_way *w, uint32_t router, uint32_t output)
{
	uint32_t ports = n->plan->first_port[router + 1] - n->plan->first_port[router];
	uint32_t each = (uint32_t)(w->hi - w->lo + 1) / ports, lo = w->lo + output * each;

	return (struct noc_way){(uint16_t)output, (uint16_t)lo, (uint16_t)(lo + each - 1), 0};
}

/*
 * Computes the route of the head of p through the next router. `to` is the other end of the channel that the
 * head takes.
 */
static inline void noc_route_in_next_router(
	struct noc *n, struct noc_subnet *s, struct noc_packet *p, uint32_t to)
{
	uint32_t router;

	if (to & NOC_NODE)
		return;
	router = n->plan->router_of[to];
	noc_routings[n->conf.routing].route(&s->view, p, router, to - n->plan->first_port[router]);
}

#endif
