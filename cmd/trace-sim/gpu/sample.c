/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping a kernel whose progress is stable (--sample-blocks), as PKA and Photon do it: of its thread blocks
 * no more are launched when the rate at which they complete hardly changed over the last waves; those under
 * way run to their end, so that the kernel's end, with fewer and fewer of them, is simulated and not
 * extrapolated.
 *
 * Always true: what it looks at happens in the serial end of a step, so that the number of threads shows
 * nowhere; a kernel of less than SAMPLE_WAVES + 2 waves is never stopped, and none whose use of the L2 is
 * about to change: accesses become slower when the L2 is full, and what was quick before tells nothing of it.
 * A wave is as many thread blocks as were under way at the most, and LEAST_WAVE where few SMs have fewer. Left
 * out: what the blocks that never ran would have done to the caches.
 */
#include <math.h>
#include "launch.h"

#define LEAST_WAVE 64u /* thread blocks: what fewer do together is chance, and the first of them are slower */

#define STABLE 0.1  /* of their mean, between the slowest and the fastest wave */
#define DRIFT  0.02 /* of it, between the means of their first and second half */
#define FULL   1.1  /* lines that the kernel brought, by those of the L2: it holds nothing but the kernel's */
#define ROOM   0.7  /* the same at the kernel's end, where sets that fill before others do not matter yet */
#define STILL  0.01 /* the same, so few that nothing changes */

/* Lines that the L2 got since the run began, in multiples of those that it has. */
static double turnover(const struct gpu *g)
{
	uint64_t lines = 0, brought = 0;

	for (uint32_t i = 0; i < memory_sub_partitions(g->mem); i++) {
		const struct cache *c = memory_l2(g->mem, i);
		struct cache_counts sum = {.status = {{0}}};

		if (!c)
			continue;
		cache_add_counts(c, -1, &sum);
		lines += cache_lines(c);
		for (unsigned t = 0; t < N_ACC_TYPES; t++)
			brought += sum.status[t][STATUS_MISS];
	}
	return lines ? (double)brought / (double)lines : 0;
}

static struct sample_wave *wave_at(struct block_rate *s, uint32_t n)
{
	return &s->waves[n % (SAMPLE_WAVES + 1)];
}

/* The last waves, and what they are like on the average. */
static bool stable(struct block_rate *s)
{
	double least = INFINITY, most = 0, sum = 0, squares = 0, half[2] = {0, 0};

	for (uint32_t i = 0; i < SAMPLE_WAVES; i++) {
		double took = wave_at(s, s->n - SAMPLE_WAVES + i)->took; /* the oldest first */

		least = fmin(least, took);
		most = fmax(most, took);
		sum += took / SAMPLE_WAVES;
		half[i >= SAMPLE_WAVES / 2] += took / (SAMPLE_WAVES / 2);
	}
	for (uint32_t i = 0; i < SAMPLE_WAVES; i++) {
		double d = wave_at(s, s->n - SAMPLE_WAVES + i)->took - sum;

		squares += d * d;
	}
	s->per_block = sum;
	s->deviation = sqrt(squares / (SAMPLE_WAVES - 1));
	s->drift = fabs(half[1] - half[0]);
	return most - least <= STABLE * sum && s->drift <= DRIFT * sum;
}

/* Is the L2 the same to the blocks that are left as it was to the last waves'? */
static bool settled(struct block_rate *s, uint64_t left)
{
	double now = wave_at(s, s->n - 1)->turnover, before = wave_at(s, s->n - 1 - SAMPLE_WAVES)->turnover;
	double at_end = now + (now - before) / (double)(SAMPLE_WAVES * s->wave) * (double)left;

	return before >= FULL || at_end <= ROOM || at_end - now <= STILL;
}

void sample_cta_ended(struct gpu *g, struct kernel *k)
{
	struct block_rate *s = &k->sample;
	uint64_t done = k->next_cta - k->running_ctas, under_way = k->running_ctas + 1u;

	if (s->stopped)
		return;
	if (!s->wave)
		s->wave = LEAST_WAVE;
	s->wave = under_way > s->wave ? under_way : s->wave;
	if (done < s->mark + s->wave)
		return;
	if (!s->n)
		s->brought = turnover(g);
	/* Cycles of a block, so that waves of different lengths compare. */
	*wave_at(s, s->n++) = (struct sample_wave){
		(double)(gpu_now(g) - s->at) / (double)(done - s->mark), turnover(g) - s->brought};
	s->at = gpu_now(g);
	s->mark = done;
	/* The first wave has the launch in it and does not count. */
	s->stopped = s->n > SAMPLE_WAVES && k->n_ctas - k->next_cta >= s->wave && stable(s) &&
		     settled(s, k->n_ctas - done);
}

#define STUDENT 2.365 /* 95 %, of SAMPLE_WAVES - 1 degrees of freedom */

/*
 * Waves that vary, a trend in them that may go on, and the last wave each make the interval wider: where thread blocks
 * end together, a part of a wave takes as long as a whole one; elsewhere the end comes by as much as that part earlier
 * or later.
 */
void sample_result(const struct kernel *k, uint64_t cycles, struct sampled *out)
{
	uint64_t part = (k->n_ctas - k->next_cta) % k->sample.wave, rest = part ? k->sample.wave - part : 0;
	double left = (double)(k->n_ctas - k->next_cta), per_block = k->sample.per_block;
	double half = (STUDENT * k->sample.deviation / sqrt(SAMPLE_WAVES) + k->sample.drift) * left;

	*out = (struct sampled){
		.blocks = k->next_cta, .all = k->n_ctas, .cycles = (double)cycles + left * per_block};
	out->low = fmax(out->cycles - half - (double)(part < rest ? part : rest) * per_block, (double)cycles);
	out->high = out->cycles + half + (double)rest * per_block;
}
