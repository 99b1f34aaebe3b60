/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network of routers whose subnets are apart (book_apart.c): what clusters that are between them see of
 * either.
 *
 * Always true: of the reply subnet, which is ahead, they see packets that came by their own time; of the
 * request subnet, which is behind, what is sure whatever it will do.
 */
#include <assert.h>
#include "bits.h"
#include "net/noc.h"

/* When the first packet of a channel was there. */
static uint32_t came(const struct noc_subnet *s, const struct noc_sink *k, uint32_t vc)
{
	return s->packet[ring_front(&k->packets[vc])].book.there;
}

bool noc_reply_due(const struct noc *n, uint32_t cluster, uint32_t *time)
{
	const struct noc_sink *k = &n->net[1].sink[n->node[cluster]];
	bool any = false;

	for (uint32_t w = 0; w < n->vc_words; w++)
		FOR_BITS64 (b, k->ready[w]) {
			uint32_t at = came(&n->net[1], k, w * 64 + (uint32_t)b);

			if (!any || (int32_t)(at - *time) < 0)
				*time = at;
			any = true;
		}
	return any;
}

/* The first in turn of the channels whose packet was there. */
uint32_t noc_pop_reply(struct noc *n, uint32_t cluster, uint32_t time)
{
	struct noc_subnet *s = &n->net[1];
	struct noc_sink *k = &s->sink[n->node[cluster]];
	uint32_t first = UINT32_MAX, next = UINT32_MAX;

	for (uint32_t w = 0; w < n->vc_words; w++)
		FOR_BITS64 (b, k->ready[w]) {
			uint32_t vc = w * 64 + (uint32_t)b;

			if ((int32_t)(came(s, k, vc) - time) > 0)
				continue;
			first = vc < first ? vc : first;
			next = vc >= k->turn && vc < next ? vc : next;
		}
	if (first == UINT32_MAX)
		return 0;
	return noc_take(n, s, k, next != UINT32_MAX ? next : first);
}

uint32_t noc_sure(const struct noc *n, uint32_t node)
{
	const struct noc_room *m = &n->net[0].room;
	uint32_t room = n->plan->ports + node, most = 0;

	if (!n->patient || m->wait_for_tail)
		return 0;
	for (uint32_t vc = 0; vc < n->vcs; vc++)
		if (m->vc_used[(size_t)room * m->vcs + vc] > most)
			most = m->vc_used[(size_t)room * m->vcs + vc];
	return n->conf.vc_buffer - most;
}

void noc_split(struct noc *n)
{
	struct noc_subnet *s = &n->net[1];

	assert(!n->draws);
	n->apart.on = true;
	n->net[0].time = n->net[1].time = n->time;
	n->net[0].steps = n->net[1].steps = n->steps;
	s->fullest = 0;
	for (uint32_t c = 0; c < n->clusters; c++)
		for (uint32_t vc = 0; vc < n->vcs; vc++)
			if (s->sink[n->node[c]].flits[vc] > s->fullest)
				s->fullest = s->sink[n->node[c]].flits[vc];
}

void noc_join(struct noc *n)
{
	assert(n->net[0].time == n->net[1].time);
	n->time = n->net[0].time;
	n->steps = n->net[0].steps;
	book_join(&n->apart, &n->stats, (uint32_t)n->time);
}
