/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a run goes on, and when it may not: activity, limits, deadlock (part 1 section 14).
 *
 * Unlike the original, a launch delay is no deadlock, and the count of the last look never goes stale:
 * it is the run's total, not the interval's (there quirk Q20).
 */
#include "run.h"

const char *run_limit(const struct run *r)
{
	const struct gpu *g = &r->gpu;
	const struct params *p = &g->params;

	if (p->max_cycle && gpu_now(g) >= p->max_cycle)
		return "-gpgpu_max_cycle";
	if (p->max_insn && g->tot_insn + gpu_interval_insn(g) >= p->max_insn)
		return "-gpgpu_max_insn";
	if (p->max_cta && g->tot_issued_ctas >= p->max_cta)
		return "-gpgpu_max_cta";
	if (p->max_completed_cta && g->completed_ctas >= p->max_completed_cta)
		return "-gpgpu_max_completed_cta";
	return NULL;
}

bool run_active(const struct run *r)
{
	const struct gpu *g = &r->gpu;

	if (run_limit(r) || g->deadlock)
		return false;
	if (launch_more(g))
		return true;
	return gpu_live(g) || memory_busy(g->mem) || net_busy(g->net);
}

/* Something may still happen by itself, however long nothing completes. */
static bool delayed(const struct gpu *g) { return launch_least_delay(g) != 0; }

bool run_deadlocked(struct run *r)
{
	struct gpu *g = &r->gpu;
	uint64_t insns = g->tot_insn + gpu_interval_insn(g);
	bool stuck = insns == r->deadlock_insns && !delayed(g);

	r->deadlock_insns = insns;
	return g->params.deadlock_detect && stuck;
}
