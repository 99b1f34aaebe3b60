/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops a kernel whose rate of progress is stable (--sample-blocks), as in PKA and Photon. No further thread
 * blocks are launched once the rate at which they complete has hardly changed over the last waves. Running
 * blocks complete. The end of the kernel, when fewer and fewer blocks run, is therefore simulated, not
 * extrapolated.
 *
 * Always true: decisions use only the state at the serial end of a step, so they do not depend on the number
 * of threads. A kernel of fewer than SAMPLE_WAVES + 2 waves is never stopped. A kernel whose use of the L2 is
 * about to change is not stopped either: accesses become slower when the L2 is full, and earlier rates do not
 * predict this. A wave is the largest number of thread blocks that ran at the same time, at least LEAST_WAVE.
 * The effects of omitted blocks on the caches are not modelled.
 */
#include <math.h>
#include "launch.h"

/* minimum number of thread blocks in a wave: smaller waves have random rates */
#define LEAST_WAVE 64u

#define STABLE 0.1 /* largest difference between waves, relative to their mean */
#define DRIFT \
	0.02 /* largest difference between the means of the first and the second half, relative to the mean */
#define FULL 1.1 /* turnover from which on the L2 has only lines that the kernel has filled */
/* turnover at the end of the kernel up to which hardly any set of the L2 is full */
#define ENOUGH 0.7
#define STILL  0.01 /* turnover in the rest of the kernel up to which the rate does not change */

/* Turnover of the L2: the number of lines filled since the run began, divided by the number of its lines. */
static double l2_turnover(const struct gpu *g)
{
	uint64_t lines = 0, brought = 0;

	for (uint32_t i = 0; i < memory_sub_partitions(g->mem); i++) {
		const struct cache *c = memory_l2(g->mem, i);
		struct cache_counts sum = {.status = {{0}}};

		if (!c)
			continue;
		cache_add_counts(c, -1, &sum);
		lines += cache_capacity_lines(c);
		for (unsigned t = 0; t < N_ACC_TYPES; t++)
			brought += sum.status[t][STATUS_MISS];
	}
	return lines ? (double)brought / (double)lines : 0;
}

static struct sample_wave *ring_wave_at(struct block_rate *s, uint32_t n)
{
	return &s->waves[n % (SAMPLE_WAVES + 1)];
}

/* Computes mean, deviation and drift of the last SAMPLE_WAVES waves. Returns true if they are stable. */
static bool waves_are_stable(struct block_rate *s)
{
	double least = INFINITY, most = 0, sum = 0, squares = 0, half[2] = {0, 0};

	for (uint32_t i = 0; i < SAMPLE_WAVES; i++) {
		double took =
			ring_wave_at(s, s->n_waves - SAMPLE_WAVES + i)->cycles_per_block; /* oldest first */

		least = fmin(least, took);
		most = fmax(most, took);
		sum += took / SAMPLE_WAVES;
		half[i >= SAMPLE_WAVES / 2] += 2 * took / SAMPLE_WAVES;
	}
	for (uint32_t i = 0; i < SAMPLE_WAVES; i++) {
		double d = ring_wave_at(s, s->n_waves - SAMPLE_WAVES + i)->cycles_per_block - sum;

		squares += d * d;
	}
	s->per_block = sum;
	s->deviation = sqrt(squares / (SAMPLE_WAVES - 1));
	s->drift = fabs(half[1] - half[0]);
	return most - least <= STABLE * sum && s->drift <= DRIFT * sum;
}

/*
 * Returns true if the L2 is expected to behave the same for the `left` remaining blocks as in the last waves.
 */
static bool is_l2_use_settled(struct block_rate *s, uint64_t left)
{
	double now = ring_wave_at(s, s->n_waves - 1)->turnover,
	       before = ring_wave_at(s, s->n_waves - 1 - SAMPLE_WAVES)->turnover;
	double at_end = now + (now - before) / (double)(SAMPLE_WAVES * s->wave_blocks) * (double)left;

	return before >= FULL || at_end <= ENOUGH || at_end - now <= STILL;
}

void sample_count_ended_cta(struct gpu *g, struct kernel *k)
{
	struct block_rate *s = &k->sample;
	uint64_t done = k->next_cta - k->running_ctas, under_way = k->running_ctas + 1u;

	if (s->stopped)
		return;
	if (!s->wave_blocks)
		s->wave_blocks = LEAST_WAVE;
	s->wave_blocks = under_way > s->wave_blocks ? under_way : s->wave_blocks;
	if (done < s->blocks_done + s->wave_blocks)
		return;
	if (!s->n_waves)
		s->first_wave_turnover = l2_turnover(g);
	/* cycles per block, because waves of different lengths are compared */
	*ring_wave_at(s, s->n_waves++) = (struct sample_wave){
		(double)(gpu_now(g) - s->last_wave_end) / (double)(done - s->blocks_done),
		l2_turnover(g) - s->first_wave_turnover};
	s->last_wave_end = gpu_now(g);
	s->blocks_done = done;
	/* the first wave includes the launch and is ignored */
	s->stopped = s->n_waves > SAMPLE_WAVES && k->n_ctas - k->next_cta >= s->wave_blocks &&
		     waves_are_stable(s) && is_l2_use_settled(s, k->n_ctas - done);
}

#define STUDENT 2.365 /* Student's t for 95 % and SAMPLE_WAVES - 1 degrees of freedom */

/*
 * The 95 % interval is wider if the waves vary, if they have a trend, and if the last wave is partial. If
 * thread blocks end together, a partial wave takes as long as a whole one. Otherwise the end may be earlier
 * or later by up to the duration of the partial wave.
 */
void sample_extrapolate(const struct kernel *k, uint64_t cycles, struct sampled *out)
{
	uint64_t part = (k->n_ctas - k->next_cta) % k->sample.wave_blocks,
		 rest = part ? k->sample.wave_blocks - part : 0;
	double left = (double)(k->n_ctas - k->next_cta), per_block = k->sample.per_block;
	double half = (STUDENT * k->sample.deviation / sqrt(SAMPLE_WAVES) + k->sample.drift) * left;

	*out = (struct sampled){.simulated_blocks = k->next_cta,
		.total_blocks = k->n_ctas,
		.cycles = (double)cycles + left * per_block};
	out->low = fmax(out->cycles - half - (double)(part < rest ? part : rest) * per_block, (double)cycles);
	out->high = out->cycles + half + (double)rest * per_block;
}
