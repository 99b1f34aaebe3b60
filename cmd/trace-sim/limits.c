/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides whether a run continues: activity, limits, deadlock (LAUNCH-stop).
 *
 * Unlike in the original, a launch delay is not a deadlock. Neither is a period without progress that began
 * after the last deadlock test. A test compares progress counts of the whole run, not of an interval, so that
 * the count of the last test remains valid.
 */
#include "run.h"

const char *run_reached_limit(const struct run *r)
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

/* Returns true if a kernel waits for its launch delay. The delay ends even if no instruction completes meanwhile. */
static bool is_launch_delayed(const struct gpu *g) { return launch_min_delay(g) != 0; }

bool run_may_continue(const struct run *r)
{
	const struct gpu *g = &r->gpu;

	if (run_reached_limit(r) || g->deadlock)
		return false;
	if (launch_has_placeable_ctas(g) || is_launch_delayed(g))
		return true;
	return gpu_has_live_cta(g) || memory_is_busy(g->mem) || net_is_busy(g->net);
}

/*
 * Number of thread blocks placed, plus instructions issued, plus instructions completed. It grows whenever
 * the run progresses.
 */
static uint64_t progress_count(const struct gpu *g)
{
	uint64_t n = g->tot_issued_ctas + g->issued_ctas;

	for (uint32_t i = 0; i < g->params.sms; i++)
		n += g->sm[i].next_uid + g->sm[i].n.warp_insts;
	return n;
}

bool run_is_deadlocked(struct run *r)
{
	struct gpu *g = &r->gpu;
	uint64_t now = progress_count(g) + 1;
	bool waits = is_launch_delayed(g),
	     stuck = now == r->progress_at_deadlock_test && !waits && !r->delayed_at_deadlock_test;

	r->progress_at_deadlock_test = now;
	r->delayed_at_deadlock_test = waits; /* the next test must not treat this delay as a deadlock */
	return g->params.deadlock_detect && stuck;
}
