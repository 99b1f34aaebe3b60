/* SPDX-License-Identifier: BSD-2-Clause */
/* What both renderings of a router's step (noc_router.c, noc_quick.c) are made of. */
#ifndef NOC_STEP_H
#define NOC_STEP_H

#include "net/noc.h"

#define NOT_BEGUN UINT32_MAX
#define FAILED    (-2)
#define PENDING   (-1)

/* ---- lists ------------------------------------------------------------------------------------------------ */

static inline void append(struct noc_list *l, uint32_t vc)
{
	assert(l->count <= l->mask);
	l->slot[(l->head + l->count++) & l->mask] = (struct noc_entry){vc, PENDING};
}

static inline struct noc_entry *entry(struct noc_list *l, uint32_t i)
{
	return &l->slot[(l->head + i) & l->mask];
}

static inline struct noc_entry drop(struct noc_list *l)
{
	l->count--;
	return l->slot[l->head++ & l->mask];
}

/* Whether the entries of a list begin in this step: none is under way. They are then all that are in it. */
static inline bool begins(struct noc_list *l, uint32_t now, uint32_t delay)
{
	if (l->begun)
		return false;
	l->begun = l->count;
	l->due = now + delay - 1;
	return l->begun != 0;
}

/* How many entries, at the front, are done in this step. */
static inline uint32_t done(struct noc_list *l, uint32_t now)
{
	uint32_t n = l->due == now ? l->begun : 0;

	if (n)
		l->begun = 0;
	return n;
}

/* ---- virtual channels of inputs ------------------------------------------------------------------------------ */

static inline struct noc_flit *slot_of(
	const struct noc *n, const struct noc_subnet *s, uint32_t vc, uint32_t i)
{
	uint32_t at = (s->vc[vc].head + i) & (n->buffer_cap - 1);

	return &s->buffer[(size_t)vc * n->buffer_cap + at];
}

static inline struct noc_packet *packet_of(const struct noc *n, const struct noc_subnet *s, uint32_t vc)
{
	return &n->packet[slot_of(n, s, vc, 0)->req];
}

static inline struct noc_crossing *crossing(struct noc_router *r, uint32_t i)
{
	return &r->cross.slot[(r->cross.head + i) & r->cross.mask];
}

/* Flits and credits that have come to the router. */
void noc_router_arrivals(struct noc *n, struct noc_subnet *s, struct noc_router *r);
/* A head has come to the front of channel vc. */
void noc_router_head(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc);
/* Channel vc gets channel out_vc of output port. */
void noc_router_own(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc, uint32_t port,
	uint32_t out_vc);
/* The flit at the front of channel vc enters the switch. Returns whether it was a tail. */
bool noc_router_cross(struct noc *n, struct noc_subnet *s, struct noc_router *r, uint32_t vc);

#endif
