/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recomputes the derived state of the GPU and compares it; see instrument/invariants.h. Empty unless
 * CHECK_INVARIANTS is defined.
 */
#ifdef CHECK_INVARIANTS

#include "gpu.h"
#include "instrument/invariants.h"

/* Number of steps between two checks of all cache lines. */
#define ALL_EVERY 64u

void gpu_check_invariants(const struct gpu *g)
{
	static uint32_t steps;
	const uint32_t per = g->params.sms_per_cluster;
	const bool all = steps++ % ALL_EVERY == 0;

	for (uint32_t c = 0; c < g->params.clusters; c++) {
		bool live = false;

		for (uint32_t i = 0; i < per; i++)
			live |= g->sm[c * per + i].live_ctas != 0;
		invariant("gpu.live", c, 0, bitset_test(g->live, c), live);
	}
	for (uint32_t i = 0; i < g->params.sms; i++) {
		sm_check_invariants(&g->sm[i]);
		ldst_check_invariants(&g->sm[i], all);
	}
	net_check_invariants(g->net);
	memory_check_invariants(g->mem, all);
}

#endif
