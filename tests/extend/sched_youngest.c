/* SPDX-License-Identifier: BSD-2-Clause */
/* A warp scheduler that the tree does not have: the warp that came last goes first. */
#include "sm/scheduler.h"

static unsigned pick(const struct sm *s, unsigned k, uint64_t warps)
{
	unsigned best = bit_lowest64(warps);

	(void)k;
	FOR_BITS64 (w, warps)
		if (s->dynamic_id[w] > s->dynamic_id[best])
			best = (unsigned)w;
	return best;
}

const struct sched_policy sched_youngest = {.pick = pick};
