/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two_level_active scheduler (SM-two). Always true: each slot of a scheduler is either in the active list or in the
 * pending queue. quirk Q2-24: the slot that issued last is not stored, because nothing uses it. quirk Q2-10: a dual
 * issue rotates the active list twice by the same amount.
 */
#include <string.h>
#include "depend.h"
#include "scheduler.h"

struct two_level_lists {
	uint8_t active[MAX_WARPS], pending[MAX_WARPS];
	uint8_t n_active, n_pending;
};

static void two_level_init(struct sm *s, unsigned k)
{
	struct two_level_lists *c = SCHED_STATE(struct two_level_lists, s, k);

	for (unsigned w = k; w < s->core->warps; w += s->core->schedulers) {
		if (c->n_active < s->core->policy_number)
			c->active[c->n_active++] = (uint8_t)w;
		else
			c->pending[c->n_pending++] = (uint8_t)w;
	}
}

/* Returns true if slot w must leave the active list: if it is free, or if its warp waits. */
static bool must_leave_active(struct sm *s, unsigned w)
{
	if (!(s->live >> w & 1) || warp_is_waiting(s, w))
		return true;
	return (s->ibuf | s->wrong_path) >> w & 1 && depend_waits_for_long_op(s, w);
}

static void rebuild_active_list(struct sm *s, struct two_level_lists *c)
{
	unsigned kept = 0, taken = 0;

	for (unsigned i = 0; i < c->n_active; i++) {
		uint8_t w = c->active[i];

		if (must_leave_active(s, w))
			c->pending[c->n_pending++] = w;
		else
			c->active[kept++] = w;
	}
	while (kept < s->core->policy_number && taken < c->n_pending)
		c->active[kept++] = c->pending[taken++];
	c->n_active = (uint8_t)kept;
	c->n_pending = (uint8_t)(c->n_pending - taken);
	memmove(c->pending, c->pending + taken, c->n_pending);
}

static void rotate_active_list(struct two_level_lists *c, unsigned by)
{
	uint8_t old[MAX_WARPS];

	memcpy(old, c->active, sizeof(old));
	for (unsigned i = 0; i < c->n_active; i++)
		c->active[i] = old[(i + by) % c->n_active];
}

static unsigned two_level_cycle(struct sm *s, unsigned k)
{
	struct two_level_lists *c = SCHED_STATE(struct two_level_lists, s, k);
	unsigned seen = 0;

	rebuild_active_list(s, c);
	for (unsigned i = 0; i < c->n_active; i++) {
		unsigned w = c->active[i], n;

		if (!(s->live >> w & 1))
			continue;
		n = sched_visit(s, k, w, &seen);
		if (!n)
			continue;
		while (n--)
			rotate_active_list(c, i + 1);
		break;
	}
	return seen;
}

static uint64_t two_level_considered(const struct sm *s, unsigned k, uint64_t running)
{
	const struct two_level_lists *c = SCHED_STATE(const struct two_level_lists, s, k);
	uint64_t set = 0;

	(void)running;
	for (unsigned i = 0; i < c->n_active; i++)
		set |= 1ull << c->active[i];
	return set;
}

static unsigned two_level_pick(const struct sm *s, unsigned k, uint64_t warps)
{
	const struct two_level_lists *c = SCHED_STATE(const struct two_level_lists, s, k);

	for (unsigned i = 0; i < c->n_active; i++)
		if (warps >> c->active[i] & 1)
			return c->active[i];
	return sched_pick_oldest(s, warps);
}

const struct sched_policy sched_two_level_active = {.init = two_level_init,
	.pick = two_level_pick,
	.considered = two_level_considered,
	.cycle = two_level_cycle,
	.updates_when_idle = true,
	.needs_longop = true};
