/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selects picks from strata: the number of picks per stratum, the kernels and their weights.
 *
 * Always true: the first kernel of a stratum of three or more kernels becomes a stratum of its own. A stratum
 * of two or more kernels has at least two picks, to estimate its spread. With --one, neither is the case. The
 * sum of weight times size over the picks of a stratum is the size of the stratum. Each kernel of a stratum
 * is picked with the same probability.
 *
 * The deviation of a kernel's cycles from the rate of its stratum is not known in advance. It is estimated
 * from measured times if they are given. Otherwise the estimate is RATE_SPREAD of a kernel's instructions
 * plus a quarter of their spread. The root mean square of the deviations in strata of generated applications
 * of 200 kernels is 0.05 on an RTX 3070, 0.06 on a V100 and 0.12 on an H100; RATE_SPREAD is near the largest
 * of these, because few picks underestimate the spread of a stratum. The numbers of picks minimise the work
 * for the wanted error (Neyman's allocation with costs). The error is half of the 95 % interval with
 * Student's distribution, which is wider if there are few picks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "diag.h"
#include "pick.h"
#include "table.h"
#include "weighted.h"

#define RATE_SPREAD 0.10
#define MANY        20 /* minimum number of kernels in a stratum that needs more than two picks */
#define VERY_MANY   100
#define KERNEL_COST 500.0 /* cost of a kernel launch, in warp instructions */

struct member {
	double value;
	uint32_t kernel;
};

struct stratum {
	struct member *member; /* members sorted by value */
	uint32_t n, picks, min_picks;
	double size;                  /* sum of the sizes of all members */
	double value;                 /* sum of the values of all members */
	double sigma;                 /* standard deviation of the values of the stratum's kernels */
	double picks_per_unit_effort; /* number of picks per unit of effort */
};

static double kernel_value(const struct app *a, uint32_t i)
{
	const struct pick_kernel *k = &a->kernel[i];

	return a->has_times ? k->time : k->insts ? (double)k->insts : 1;
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/*
 * Returns the minimum number of picks of a stratum of n kernels: two to estimate the spread, and more for
 * large strata, in which two picks may miss a few kernels that differ a lot from the others.
 */
static uint32_t fewest_picks_of_stratum(uint32_t n, const struct pick_options *w)
{
	if (w->one || n == 1 || w->max_picks == 1)
		return 1;
	return n < MANY || w->max_picks != UINT32_MAX ? 2 : n < VERY_MANY ? 3 : 5;
}

static void measure_stratum(
	struct stratum *s, const struct app *a, const struct method *m, const struct pick_options *w)
{
	double rate, mean, spread = 0, sum_of_squares = 0, cost = 0;

	s->size = s->value = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct pick_kernel *k = &a->kernel[s->member[i].kernel];

		s->size += method_size(m, k);
		s->value += s->member[i].value;
		cost += (double)k->insts + KERNEL_COST;
	}
	rate = s->value / s->size;
	mean = s->value / s->n;
	for (uint32_t i = 0; i < s->n; i++) {
		double v = s->member[i].value, d = v - rate * method_size(m, &a->kernel[s->member[i].kernel]);

		spread += (v - mean) * (v - mean);
		sum_of_squares += d * d;
	}
	spread = sqrt(spread / s->n);
	double assumed = RATE_SPREAD * mean + (a->has_times ? 0 : spread / 4);

	s->sigma = s->n > 1 ? sqrt(sum_of_squares / (s->n - 1) + assumed * assumed) : 0;
	s->picks_per_unit_effort = s->n * s->sigma / sqrt(cost / s->n);
	s->min_picks = fewest_picks_of_stratum(s->n, w);
	qsort(s->member, s->n, sizeof(*s->member), compare_members);
}

/* Sets the number of picks of each stratum for the given effort. Returns the sum. */
static uint64_t set_picks_for_effort(struct stratum *s, uint32_t n, double effort)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		double wanted = ceil(effort * s[i].picks_per_unit_effort);

		s[i].picks = wanted < s[i].min_picks ? s[i].min_picks
			     : wanted > s[i].n       ? s[i].n
						     : (uint32_t)wanted;
		sum += s[i].picks;
	}
	return sum;
}

static double expected_error(const struct stratum *s, uint32_t n)
{
	double var = 0, squares = 0, sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		double all = s[i].n, picks = s[i].picks;
		double part = all * (all - picks) / picks * s[i].sigma * s[i].sigma;

		var += part;
		squares += part * part / (picks > 1 ? picks - 1 : 1);
		sum += s[i].value;
	}
	return var > 0 ? weighted_student(var * var / squares) * sqrt(var) / sum : 0;
}

/*
 * Sets the numbers of picks for the smallest effort that achieves the wanted error, or for the largest effort
 * that -n allows.
 */
static void find_smallest_effort(struct stratum *s, uint32_t n, const struct pick_options *w)
{
	double lo = 0, hi = 0;

	if (w->one) {
		set_picks_for_effort(s, n, 0);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (s[i].picks_per_unit_effort > 0 && s[i].n / s[i].picks_per_unit_effort > hi)
			hi = s[i].n / s[i].picks_per_unit_effort;
	for (unsigned i = 0; i < 100; i++) {
		double mid = (lo + hi) / 2;

		if (set_picks_for_effort(s, n, mid) > w->max_picks)
			hi = mid;
		else if (expected_error(s, n) > w->error)
			lo = mid;
		else
			hi = mid;
	}
	if (set_picks_for_effort(s, n, hi) > w->max_picks)
		set_picks_for_effort(s, n, lo);
}

/*
 * Picks kernels systematically: starts at a random kernel and proceeds in equal steps through the kernels
 * sorted by value. The picks thus include small and large kernels.
 */
static void draw_systematic_picks(
	struct pick_choice *c, const struct stratum *s, uint32_t number, const struct pick_options *w)
{
	uint64_t word[2] = {w->seed, number}, state = table_hash_words(word, 2);
	double start = (double)(linear_next_random(&state) >> 11) * 0x1p-53, step = (double)s->n / s->picks;

	/*
	 * With --one, the middle kernel is picked, because the first of many equal kernels runs with colder
	 * caches than the others.
	 */
	if (w->one) {
		c->picked[s->member[s->n / 2].kernel] = true;
		return;
	}
	for (uint32_t i = 0; i < s->picks; i++) {
		uint32_t at = (uint32_t)((i + start) * step);

		c->picked[s->member[at < s->n ? at : s->n - 1].kernel] = true;
	}
}

/* ---- strata ------------------------------------------------------------------------------- */

/*
 * Merges the strata with the smallest values into one if -n allows fewer picks than the strata need. Returns
 * the number of strata.
 */
static uint32_t merge_light_strata(
	const struct app *a, uint32_t *of, uint32_t n, const struct pick_options *w)
{
	struct ranked *s = xcalloc(n, sizeof(*s));
	uint32_t *count = xcalloc(n, sizeof(*count)), *to = xcalloc(n, sizeof(*to)), joined = 0, left = 0;
	uint64_t least = 0;

	for (uint32_t i = 0; i < n; i++)
		s[i].number = i;
	for (uint32_t i = 0; i < a->n_kernels; i++) {
		s[of[i]].value += kernel_value(a, i);
		count[of[i]]++;
	}
	qsort(s, n, sizeof(*s), method_rank_order);
	for (uint32_t i = 0; i < n; i++)
		least += fewest_picks_of_stratum(count[i], w);
	if (least > w->max_picks)
		for (least += fewest_picks_of_stratum(a->n_kernels, w); joined < n && least > w->max_picks;
			joined++)
			least -= fewest_picks_of_stratum(count[s[joined].number], w);
	for (uint32_t i = 0; i < n; i++)
		to[s[i].number] = i < joined ? 0 : ++left;
	for (uint32_t i = 0; i < a->n_kernels; i++)
		of[i] = joined ? to[of[i]] : of[i];
	free(s);
	free(count);
	free(to);
	return joined ? left + 1 : n;
}

/* Groups the kernels by stratum in array `all`. Returns the strata, which the caller frees. */
static struct stratum *group_members(struct member *all, const struct app *a, const uint32_t *of, uint32_t n)
{
	struct stratum *s = xcalloc(n, sizeof(*s));
	uint32_t at = 0;

	for (uint32_t i = 0; i < a->n_kernels; i++)
		s[of[i]].n++;
	for (uint32_t i = 0; i < n; i++) {
		s[i].member = all + at;
		at += s[i].n;
		s[i].n = 0;
	}
	for (uint32_t i = 0; i < a->n_kernels; i++)
		s[of[i]].member[s[of[i]].n++] = (struct member){kernel_value(a, i), i};
	return s;
}

/*
 * Makes the first kernel of each stratum, which runs with cold caches, a stratum of its own, so that it is
 * always picked. Does nothing if -n allows too few picks. Returns the number of strata.
 */
static uint32_t separate_first_kernels(
	const struct app *a, uint32_t *of, uint32_t n, const struct pick_options *w)
{
	uint32_t *count = xcalloc(n, sizeof(*count)), *apart = xcalloc(n, sizeof(*apart)), now = n;
	uint64_t least = 0;

	for (uint32_t i = 0; i < a->n_kernels; i++)
		count[of[i]]++;
	for (uint32_t i = 0; i < n; i++)
		least += fewest_picks_of_stratum(count[i], w) + (count[i] > 2);
	for (uint32_t i = 0; i < a->n_kernels && !w->one && least <= w->max_picks; i++) {
		uint32_t s = of[i];

		if (count[s] > 2 && !apart[s])
			of[i] = apart[s] = now++;
	}
	free(count);
	free(apart);
	return now;
}

static void set_weights(
	struct pick_choice *c, const struct app *a, const struct method *m, const struct stratum *s)
{
	double *picked = xcalloc(c->n, sizeof(*picked));
	uint32_t label = 0;

	for (uint32_t i = 0; i < a->n_kernels; i++) {
		uint32_t of = c->stratum[i];

		if (!c->label[of])
			c->label[of] = ++label;
		c->kernels[of]++;
		if (c->picked[i]) {
			picked[of] += method_size(m, &a->kernel[i]);
			c->n_picked++;
		}
	}
	for (uint32_t i = 0; i < c->n; i++) {
		bool all = s[i].picks == s[i].n;

		c->weight[i] = all ? 1 : s[i].size / picked[i];
		c->spread[i] = all ? 0 : s[i].sigma * s[i].n / s[i].value;
	}
	free(picked);
}

void pick_choice_make(
	struct pick_choice *c, const struct app *a, const struct method *m, const struct pick_options *w)
{
	struct member *all = xmalloc(a->n_kernels * sizeof(*all));

	*c = (struct pick_choice){.stratum = xcalloc(a->n_kernels, sizeof(uint32_t)),
		.picked = xcalloc(a->n_kernels, sizeof(bool))};
	c->n = merge_light_strata(a, c->stratum, m->strata(a, w, c->stratum), w);
	if (m->strata != method_random)
		c->n = separate_first_kernels(a, c->stratum, c->n, w);
	c->weight = xcalloc(c->n, sizeof(double));
	c->spread = xcalloc(c->n, sizeof(double));
	c->kernels = xcalloc(c->n, sizeof(uint32_t));
	c->label = xcalloc(c->n, sizeof(uint32_t));
	struct stratum *s = group_members(all, a, c->stratum, c->n);

	for (uint32_t i = 0; i < c->n; i++)
		measure_stratum(&s[i], a, m, w);
	find_smallest_effort(s, c->n, w);
	for (uint32_t i = 0; i < c->n; i++)
		draw_systematic_picks(c, &s[i], i, w);
	set_weights(c, a, m, s);
	c->error = expected_error(s, c->n);
	free(s);
	free(all);
}

void pick_choice_free(struct pick_choice *c)
{
	free(c->stratum);
	free(c->picked);
	free(c->weight);
	free(c->spread);
	free(c->kernels);
	free(c->label);
}
