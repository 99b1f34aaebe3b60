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

enum { CORE, ICNT, L2, DRAM };

/*
 * One step: the ticks in it are added to n. quirk Q1-24: L2 takes no part in the minimum, yet may lower it; core
 * is compared with the lowered value.
 */
static inline void step(struct clocks *c, struct clock_ticks *n)
{
	double *t = c->time, least = t[CORE];

	if (t[ICNT] < least)
		least = t[ICNT];
	if (t[DRAM] < least)
		least = t[DRAM];
	if (t[L2] <= least) {
		least = t[L2];
		n->l2++;
		t[L2] += c->period[L2];
	}
	if (t[ICNT] <= least) {
		n->icnt++;
		t[ICNT] += c->period[ICNT];
	}
	if (t[DRAM] <= least) {
		n->dram++;
		t[DRAM] += c->period[DRAM];
	}
	if (t[CORE] <= least) {
		n->core++;
		t[CORE] += c->period[CORE];
	}
}

unsigned clocks_step(struct clocks *c)
{
	struct clock_ticks n = {0};

	step(c, &n);
	return (n.core ? CLOCK_CORE : 0) | (n.icnt ? CLOCK_ICNT : 0) | (n.l2 ? CLOCK_L2 : 0) |
	       (n.dram ? CLOCK_DRAM : 0);
}

/* Core, icnt and L2 have one frequency in most machines: they fire together, as they always have. */
static bool all_but_dram_agree(const struct clocks *c)
{
	const double *t = c->time, *p = c->period;

	return t[ICNT] == t[CORE] && t[L2] == t[CORE] && p[ICNT] == p[CORE] && p[L2] == p[CORE];
}

static struct clock_ticks run_agreed(struct clocks *c, uint64_t core, uint64_t dram)
{
	double t = c->time[CORE], d = c->time[DRAM], period = c->period[CORE], dram_period = c->period[DRAM];
	uint64_t n = 0, n_dram = 0;

	while (n < core) {
		double now = t;

		if (d <= now && n_dram == dram)
			break;
		if (now <= d) {
			t += period;
			n++;
		}
		if (d <= now) {
			d += dram_period;
			n_dram++;
		}
	}
	c->time[CORE] = c->time[ICNT] = c->time[L2] = t;
	c->time[DRAM] = d;
	return (struct clock_ticks){n, n, n, n_dram};
}

static bool dram_is_next(const double t[4])
{
	return t[DRAM] <= t[CORE] && t[DRAM] <= t[ICNT] && t[DRAM] <= t[L2];
}

/* Thousands of steps at once are what launch delays are made of. */
struct clock_ticks clocks_run(struct clocks *c, uint64_t core, uint64_t dram)
{
	struct clock_ticks n = {0};

	if (all_but_dram_agree(c))
		return run_agreed(c, core, dram);
	while (n.core < core && !(n.dram == dram && dram_is_next(c->time)))
		step(c, &n);
	return n;
}
