/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clock domains: which of core, icnt, L2 and DRAM fire in a GPU step (LAUNCH-clock).
 *
 * Always true: times are running sums of doubles, for their rounding decides how the domains interleave.
 * They start at 0 once and are never reset between kernels, but of kernels from PTX (PTX-launch).
 */
#include "gpu.h"

void clocks_init(struct clocks *c, const double hz[4])
{
	for (int i = 0; i < 4; i++) {
		c->time[i] = 0.0;
		c->period[i] = 1 / hz[i];
	}
}

/* quirk Q1-24: L2 takes no part in the minimum, yet may lower it; core is compared with the lowered value. */
unsigned clocks_step(struct clocks *c)
{
	enum { CORE, ICNT, L2, DRAM };
	double *t = c->time, least = t[CORE];
	unsigned fired = 0;

	if (t[ICNT] < least)
		least = t[ICNT];
	if (t[DRAM] < least)
		least = t[DRAM];
	if (t[L2] <= least) {
		least = t[L2];
		fired |= CLOCK_L2;
		t[L2] += c->period[L2];
	}
	if (t[ICNT] <= least) {
		fired |= CLOCK_ICNT;
		t[ICNT] += c->period[ICNT];
	}
	if (t[DRAM] <= least) {
		fired |= CLOCK_DRAM;
		t[DRAM] += c->period[DRAM];
	}
	if (t[CORE] <= least) {
		fired |= CLOCK_CORE;
		t[CORE] += c->period[CORE];
	}
	return fired;
}
