/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping a kernel whose progress is stable (--sample-blocks), as PKA and Photon do it: of its thread blocks no more are
 * launched when the rate at which they complete hardly changed over the last waves; those under way run to their end.
 *
 * Always true: what it looks at happens in the serial end of a step, so that the number of threads shows nowhere; a kernel
 * of less than SAMPLE_WAVES + 2 waves is never stopped. A wave is as many thread blocks as were under way at the most. Left
 * out: what the blocks that never ran would have done to the caches.
 */
#include <math.h>
#include "launch.h"

#define STABLE 0.1  /* of their mean, between the slowest and the fastest wave */
#define DRIFT  0.02 /* of it, between the means of their first and second half */

static bool stable(const struct block_rate *s, double *mean, double *deviation)
{
	double least = s->took[0], most = s->took[0], sum = 0, squares = 0, half[2] = {0, 0};

	for (uint32_t i = 0; i < SAMPLE_WAVES; i++) {
		double took = s->took[(s->n + i) % SAMPLE_WAVES]; /* the oldest first */

		least = fmin(least, took);
		most = fmax(most, took);
		sum += took / SAMPLE_WAVES;
		half[i >= SAMPLE_WAVES / 2] += took / (SAMPLE_WAVES / 2);
	}
	for (uint32_t i = 0; i < SAMPLE_WAVES; i++)
		squares += (s->took[i] - sum) * (s->took[i] - sum);
	*mean = sum;
	*deviation = sqrt(squares / (SAMPLE_WAVES - 1));
	return most - least <= STABLE * sum && fabs(half[1] - half[0]) <= DRIFT * sum;
}

void sample_cta_ended(struct gpu *g, struct kernel *k)
{
	struct block_rate *s = &k->sample;
	uint64_t done = k->next_cta - k->running_ctas, under_way = k->running_ctas + 1u;
	double mean, deviation;

	if (s->stopped)
		return;
	s->wave = under_way > s->wave ? under_way : s->wave;
	if (done < s->mark + s->wave)
		return;
	/* Cycles of a block, so that waves of different lengths compare. */
	s->took[s->n++ % SAMPLE_WAVES] = (double)(gpu_now(g) - s->at) / (double)(done - s->mark);
	s->at = gpu_now(g);
	s->mark = done;
	/* The first wave has the launch in it and does not count. */
	if (s->n <= SAMPLE_WAVES || k->n_ctas - k->next_cta < s->wave || !stable(s, &mean, &deviation))
		return;
	s->stopped = true;
	s->per_block = mean;
	s->deviation = deviation;
}

#define STUDENT 2.365 /* 95 %, of SAMPLE_WAVES - 1 degrees of freedom */

void sample_result(const struct kernel *k, uint64_t cycles, struct sampled *out)
{
	double left = (double)(k->n_ctas - k->next_cta);
	double half = STUDENT * k->sample.deviation / sqrt(SAMPLE_WAVES) * left;

	*out = (struct sampled){.blocks = k->next_cta,
		.all = k->n_ctas,
		.cycles = (double)cycles + left * k->sample.per_block};
	out->low = out->cycles - half;
	out->high = out->cycles + half;
}
