/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two_level_active scheduler (part 2 section 5.5). Always true: each slot of a scheduler is in exactly one
 * of the active list and the pending queue. quirk: the slot issued from last is not kept, and nothing asks for
 * it. quirk Q10: a dual issue rotates the active list twice by the same amount.
 */
#include <string.h>
#include "scheduler.h"

void sched_two_level_init(struct sm *s, unsigned k)
{
	struct sched *c = &s->sched[k];

	for (unsigned w = k; w < s->core->warps; w += s->core->schedulers) {
		if (c->n_active < s->core->two_level_active)
			c->list[c->n_active++] = (uint8_t)w;
		else
			c->pending[c->n_pending++] = (uint8_t)w;
	}
}

/* Free slots are waiting, as their lanes are complete. */
static bool demoted(struct sm *s, unsigned w)
{
	if (!(s->live >> w & 1) || warp_waiting(s, w))
		return true;
	return s->ibuf >> w & 1 && scoreboard_long(s, w, s->warp[w].head);
}

static void rebuild(struct sm *s, struct sched *c)
{
	unsigned kept = 0, taken = 0;

	for (unsigned i = 0; i < c->n_active; i++) {
		uint8_t w = c->list[i];

		if (demoted(s, w))
			c->pending[c->n_pending++] = w;
		else
			c->list[kept++] = w;
	}
	while (kept < s->core->two_level_active && taken < c->n_pending)
		c->list[kept++] = c->pending[taken++];
	c->n_active = (uint8_t)kept;
	c->n_pending = (uint8_t)(c->n_pending - taken);
	memmove(c->pending, c->pending + taken, c->n_pending);
}

static void rotate(struct sched *c, unsigned by)
{
	uint8_t old[MAX_WARPS];

	memcpy(old, c->list, sizeof old);
	for (unsigned i = 0; i < c->n_active; i++)
		c->list[i] = old[(i + by) % c->n_active];
}

unsigned sched_two_level(struct sm *s, unsigned k)
{
	struct sched *c = &s->sched[k];
	unsigned seen = 0;

	rebuild(s, c);
	for (unsigned i = 0; i < c->n_active; i++) {
		unsigned w = c->list[i], n;

		if (!(s->live >> w & 1))
			continue;
		n = sched_visit(s, k, w, &seen);
		if (!n)
			continue;
		while (n--)
			rotate(c, i + 1);
		break;
	}
	return seen;
}
