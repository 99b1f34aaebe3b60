/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Determines which clock domains (core, icnt, L2, DRAM) fire in a GPU step (LAUNCH-clock).
 *
 * Always true: times are running sums of doubles, because their rounding determines how the domains
 * interleave. They start at 0 and are never reset, except before a kernel from PTX (PTX-launch).
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
 * Takes one step and adds its ticks to *n. quirk Q1-24: the minimum is formed without L2. L2 fires if its
 * time is not later, and its time then replaces the minimum for the other domains.
 */
static inline void step_clocks(struct clocks *c, struct clock_ticks *n)
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

	step_clocks(c, &n);
	return (n.core ? CLOCK_CORE : 0) | (n.icnt ? CLOCK_ICNT : 0) | (n.l2 ? CLOCK_L2 : 0) |
	       (n.dram ? CLOCK_DRAM : 0);
}

/*
 * Returns true if core, icnt and L2 always fire together, because they have the same frequency and the same
 * time. This is true for most configurations.
 */
static bool are_clocks_in_phase(const struct clocks *c)
{
	const double *t = c->time, *p = c->period;

	return t[ICNT] == t[CORE] && t[L2] == t[CORE] && p[ICNT] == p[CORE] && p[L2] == p[CORE];
}

static struct clock_ticks advance_clocks_in_phase(struct clocks *c, uint64_t core, uint64_t dram)
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

static bool is_dram_clock_next(const double t[4])
{
	return t[DRAM] <= t[CORE] && t[DRAM] <= t[ICNT] && t[DRAM] <= t[L2];
}

/* A launch delay takes thousands of core ticks. Clocks in phase therefore have a fast path. */
struct clock_ticks clocks_advance_ticks(struct clocks *c, uint64_t core, uint64_t dram)
{
	struct clock_ticks n = {0};

	if (are_clocks_in_phase(c))
		return advance_clocks_in_phase(c, core, dram);
	while (n.core < core && !(n.dram == dram && is_dram_clock_next(c->time)))
		step_clocks(c, &n);
	return n;
}
