/* SPDX-License-Identifier: BSD-2-Clause */
/* Example of a warp scheduler: it prefers the warp that arrived last. It has an additional counter. */
#include "sm/scheduler.h"

static unsigned pick_youngest(const struct sm *s, unsigned k, uint64_t warps)
{
	unsigned best = bit_lowest64(warps);

	(void)k;
	FOR_BITS64 (w, warps)
		if (s->dynamic_id[w] > s->dynamic_id[best])
			best = (unsigned)w;
	return best;
}

static unsigned youngest_cycle(struct sm *s, unsigned k)
{
	s->n.youngest_cycles++;
	return sched_default_cycle(s, k);
}

const struct sched_policy sched_youngest = {
	.pick = pick_youngest, .cycle = youngest_cycle, .updates_when_idle = true};
