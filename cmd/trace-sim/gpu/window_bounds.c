/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the bounds on windows that follow from the configuration and the kernel (LAUNCH-window-2, 7, 9).
 *
 * Always true: no function here changes state, and every bound is conservative.
 */
#include "core/core.h"
#include "launch.h"
#include "window.h"

uint32_t window_request_delay(const struct gpu *g) { return g->params.mem.rop_latency; }

enum window_bound window_disabled_reason(const struct gpu *g)
{
	const struct params *p = &g->params;

	if (!net_can_decouple(g->net))
		return WINDOW_network;
	if (g->events)
		return WINDOW_events;
	if (addrdec_is_random(g->dec))
		return WINDOW_draws;
	if (p->core.perfect_mem)
		return WINDOW_perfect;
	if (p->kernel_window > 1)
		return WINDOW_concurrent;
	if (p->max_insn || p->max_cta || p->max_completed_cta)
		return WINDOW_limits;
	if (window_request_delay(g) < 2 || p->mem.rop_latency >> 31 || p->mem.queue_icnt_l2 <= 3)
		return WINDOW_delay;
	return N_WINDOW_BOUNDS;
}

/*
 * Lower bound on the cycles that the warps of SM s need to issue all their instructions. Returns `enough` if
 * the bound is higher. A warp issues at most max_issue instructions per cycle. The same limit applies to a
 * scheduler.
 */
static uint32_t sm_min_issue_cycles(const struct sm *s, uint32_t enough)
{
	uint32_t most = 0, all = 0;

	FOR_BITS64 (b, s->live & ~s->done) {
		const struct warp *w = &s->warp[b];
		uint32_t next = w->cursor - w->buffered, left = next <= w->last ? w->last + 1 - next : 0;

		left /= s->core->max_issue;
		all += left;
		most = max_u32(most, left);
		if (most >= enough)
			return enough;
	}
	return max_u32(most, all / s->core->schedulers);
}

uint32_t window_min_remaining_cycles(struct gpu *g, uint32_t enough)
{
	uint64_t now = gpu_now(g), awaited = memory_awaited_until(g->mem);
	uint32_t most = awaited > now ? (uint32_t)(awaited - now) : 0;

	if (most < enough && g->launch->kernels_with_ctas && !g->sampling) {
		uint32_t next_block = launch_peek_longest_warp(g) / g->params.core.max_issue;

		most = max_u32(most, next_block);
	}
	for (uint32_t i = 0; i < g->params.sms && most < enough; i++) {
		uint32_t cycles = g->sm[i].live_ctas ? sm_min_issue_cycles(&g->sm[i], enough) : 0;

		most = max_u32(most, cycles);
	}
	return most;
}
