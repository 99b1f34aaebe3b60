/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing of phases done alone and shared. See tuner.h. */
#include <time.h>
#include "tuner.h"

#define TRIAL      24u
#define WARM       8u /* of these: until data has moved to the caches of its threads, not timed */
#define PERIOD_MIN 64u
#define PERIOD_MAX 16384u
#define SAMPLE     4u
#define MEMORY     (15.0 / 16) /* what a timed phase counts after the next one */
#define GAIN       1.05        /* what gains next to nothing leaves the processors to others */
#define WORSE      3

uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* In trials each phase is timed, otherwise one in SAMPLE, for reading the clock takes time, too. */
static bool is_timed(const struct tuner *c)
{
	return c->trial ? c->left <= TRIAL - WARM : c->left % SAMPLE == 0;
}

void tuner_begin(struct tuner *c)
{
	if (is_timed(c))
		c->start = clock_ns();
}

static double rate(const struct tuner *c, bool shared) { return c->ns[shared] / c->work[shared]; }

static void begin_trial(struct tuner *c)
{
	c->trial = true;
	c->left = TRIAL;
	c->ns[!c->share] = c->work[!c->share] = 0;
}

static void end_trial(struct tuner *c)
{
	bool share = c->work[0] > 0 && c->work[1] > 0 && rate(c, true) * GAIN < rate(c, false);

	c->period = share != c->share || !c->period ? PERIOD_MIN
		    : c->period < PERIOD_MAX        ? 2 * c->period
						    : PERIOD_MAX;
	c->share = share;
	c->trial = false;
	c->left = c->period;
	c->settled = c->work[share] > 0 ? rate(c, share) : 0;
}

/* A way that has become much slower than when it was chosen (somebody else needs the processor) is tried anew. */
static bool has_worsened(const struct tuner *c)
{
	return c->left < c->period - PERIOD_MIN / 2 && c->settled > 0 &&
	       rate(c, c->share) > WORSE * c->settled;
}

void tuner_end(struct tuner *c, bool shared, uint32_t work)
{
	double keep = c->trial ? 1 : MEMORY;

	if (shared != tuner_share(c)) /* wanted, but nobody was there */
		return;
	if (is_timed(c)) {
		c->ns[shared] = c->ns[shared] * keep + (double)(clock_ns() - c->start);
		c->work[shared] = c->work[shared] * keep + work;
	}
	if (c->left)
		c->left--;
	if (c->trial && !c->left)
		end_trial(c);
	else if (!c->trial && (!c->left || has_worsened(c)))
		begin_trial(c);
}
