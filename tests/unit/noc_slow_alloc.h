/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocators of the slow network: the whole matrix of requests is looked through for every question, from the
 * turn on. As trace-network(5) has them; without max_size and tree arbiters.
 */
#ifndef NOC_SLOW_ALLOC_H
#define NOC_SLOW_ALLOC_H

#include "net/noc.h"

#define SLOW_M 40

struct slow_request {
	bool on;
	int label, in_priority, out_priority;
};

struct slow_alloc {
	const struct icnt_alloc *kind; /* NULL: there is none */
	int n_in, n_out;
	struct slow_request ask[SLOW_M][SLOW_M]; /* [input][output] */
	int in_match[SLOW_M], out_match[SLOW_M]; /* -1: none */
	int in_turn[SLOW_M], out_turn[SLOW_M], turn;
	int in_won[SLOW_M][SLOW_M], out_won[SLOW_M][SLOW_M], clock; /* matrix arbiters: when who won last */
};

static inline void slow_alloc_init(struct slow_alloc *a, const struct icnt_alloc *kind, int n_in, int n_out)
{
	assert(n_in <= SLOW_M && n_out <= SLOW_M);
	*a = (struct slow_alloc){.kind = kind, .n_in = n_in, .n_out = n_out};
}

static inline void slow_alloc_clear(struct slow_alloc *a)
{
	for (int i = 0; i < a->n_in; i++)
		memset(a->ask[i], 0, (size_t)a->n_out * sizeof(a->ask[i][0]));
	memset(a->in_match, 0xff, sizeof(a->in_match));
	memset(a->out_match, 0xff, sizeof(a->out_match));
}

static inline void slow_match(struct slow_alloc *a, int in, int out)
{
	a->in_match[in] = out;
	a->out_match[out] = in;
}

/*
 * ---- islip, pim
 * ---------------------------------------------------------------------------------------------
 */

/* granted[out]: the first input in turn that asks and is free. Accepts likewise. random: turns by chance. */
static inline void slow_round(struct slow_alloc *a, bool first, struct noc_random *random)
{
	int granted[SLOW_M];

	for (int o = 0; o < a->n_out; o++) {
		int from = random ? (int)noc_random_int(random, (uint32_t)a->n_in - 1) : a->out_turn[o];

		granted[o] = -1;
		for (int j = 0; j < a->n_in && granted[o] < 0 && a->out_match[o] < 0; j++) {
			int in = (from + j) % a->n_in;

			if (a->ask[in][o].on && a->in_match[in] < 0)
				granted[o] = in;
		}
	}
	for (int i = 0; i < a->n_in; i++) {
		int from = random ? (int)noc_random_int(random, (uint32_t)a->n_out - 1) : a->in_turn[i],
		    out = -1;

		for (int j = 0; j < a->n_out && out < 0; j++)
			if (granted[(from + j) % a->n_out] == i)
				out = (from + j) % a->n_out;
		if (out < 0)
			continue;
		slow_match(a, i, out);
		if (!random && first) {
			a->in_turn[i] = (out + 1) % a->n_out;
			a->out_turn[out] = (i + 1) % a->n_in;
		}
	}
}

/*
 * ---- loa
 * ------------------------------------------------------------------------------------------------------
 */

static inline void slow_loa(struct slow_alloc *a)
{
	int chosen[SLOW_M], count[SLOW_M] = {0};

	for (int o = 0; o < a->n_out; o++)
		for (int i = 0; i < a->n_in; i++)
			count[o] += a->ask[i][o].on;
	for (int i = 0; i < a->n_in; i++) {
		chosen[i] = -1;
		for (int j = 0; j < a->n_out; j++) {
			int o = (a->in_turn[i] + j) % a->n_out;

			if (a->ask[i][o].on && (chosen[i] < 0 || count[o] < count[chosen[i]]))
				chosen[i] = o;
		}
	}
	for (int o = 0; o < a->n_out; o++)
		for (int j = 0, from = a->out_turn[o]; j < a->n_in && a->out_match[o] < 0; j++) {
			int in = (from + j) % a->n_in;

			if (chosen[in] != o)
				continue;
			slow_match(a, in, o);
			a->in_turn[in] = (a->in_turn[in] + 1) % a->n_out;
			a->out_turn[o] = (a->out_turn[o] + 1) % a->n_in;
		}
}

/*
 * ---- wavefront
 * --------------------------------------------------------------------------------------------------
 */

/* Whether (in, out) is the best request left: highest priority, then diagonal, then output. */
static inline bool slow_wave(const struct slow_alloc *a, int square, int *in, int *out)
{
	bool found = false;
	int best[4] = {0};

	for (int i = 0; i < a->n_in; i++)
		for (int o = 0; o < a->n_out; o++) {
			const struct slow_request *q = &a->ask[i][o];
			int rank[4] = {q->out_priority, q->in_priority,
				-((i + o + square - a->turn) % square), -o},
			    k = 0;

			if (!q->on || a->in_match[i] >= 0 || a->out_match[o] >= 0)
				continue;
			while (found && k < 3 && rank[k] == best[k])
				k++;
			if (found && rank[k] < best[k])
				continue;
			memcpy(best, rank, sizeof(best));
			found = true;
			*in = i;
			*out = o;
		}
	return found;
}

static inline void slow_wavefront(struct slow_alloc *a)
{
	int square = a->n_in > a->n_out ? a->n_in : a->n_out, first = -1, in, out;

	while (slow_wave(a, square, &in, &out)) {
		slow_match(a, in, out);
		first = first < 0 ? in + out : first;
	}
	if (first >= 0)
		a->turn = ((a->kind->kind == ALLOCATOR_RR_WAVEFRONT ? first : a->turn) + 1) % square;
}

/*
 * ---- select
 * -----------------------------------------------------------------------------------------------------
 */

static inline void slow_select(struct slow_alloc *a)
{
	int granted[SLOW_M];

	memset(granted, 0xff, sizeof(granted));
	for (uint32_t round = 0; round < a->kind->rounds; round++) {
		for (int o = 0; o < a->n_out; o++) {
			int best = -1;

			for (int j = 0; j < a->n_in && a->out_match[o] < 0; j++) {
				int i = (a->out_turn[o] + j) % a->n_in;

				if (a->ask[i][o].on && a->in_match[i] < 0 &&
					(best < 0 ||
						a->ask[i][o].out_priority > a->ask[best][o].out_priority))
					best = i;
			}
			granted[o] = best >= 0 ? best : granted[o];
		}
		for (int i = 0; i < a->n_in; i++) {
			int best = -1;

			for (int j = 0; j < a->n_out; j++) {
				int o = (a->in_turn[i] + j) % a->n_out;

				if (granted[o] == i &&
					(best < 0 || a->ask[i][o].in_priority > a->ask[i][best].in_priority))
					best = o;
			}
			if (best < 0)
				continue;
			slow_match(a, i, best);
			if (!round) {
				a->out_turn[best] = (i + 1) % a->n_in;
				a->in_turn[i] = (best + 1) % a->n_out;
			}
		}
	}
}

/*
 * ---- separable
 * --------------------------------------------------------------------------------------------------
 */

/* Of who asks (priority[i], or INT_MIN - 1ll for nobody) the highest; of equals by the arbiter. */
#define SLOW_NOBODY (INT_MIN - 1ll)

static inline int slow_arbiter(
	const struct slow_alloc *a, const long long *priority, int n, int turn, const int *won)
{
	int best = -1;

	for (int j = 0; j < n; j++) {
		int i = a->kind->arbiter == ARBITER_MATRIX ? n - 1 - j : (turn + j) % n;

		if (priority[i] == SLOW_NOBODY)
			continue;
		if (best < 0 || priority[i] > priority[best] ||
			(a->kind->arbiter == ARBITER_MATRIX && priority[i] == priority[best] &&
				won[i] < won[best]))
			best = i;
	}
	return best;
}

static inline int slow_of_input(const struct slow_alloc *a, int in, const int *only)
{
	long long priority[SLOW_M];

	for (int o = 0; o < a->n_out; o++)
		priority[o] = a->ask[in][o].on && (!only || only[o] == in) ? a->ask[in][o].in_priority
									   : SLOW_NOBODY;
	return slow_arbiter(a, priority, a->n_out, a->in_turn[in], a->in_won[in]);
}

static inline int slow_of_output(const struct slow_alloc *a, int out, const int *only)
{
	long long priority[SLOW_M];

	for (int i = 0; i < a->n_in; i++)
		priority[i] = a->ask[i][out].on && (!only || only[i] == out) ? a->ask[i][out].out_priority
									     : SLOW_NOBODY;
	return slow_arbiter(a, priority, a->n_in, a->out_turn[out], a->out_won[out]);
}

static inline void slow_separable(struct slow_alloc *a)
{
	bool input_first = a->kind->kind == ALLOCATOR_SEPARABLE_INPUT_FIRST;
	int chosen[SLOW_M];

	for (int i = 0; i < (input_first ? a->n_in : a->n_out); i++)
		chosen[i] = input_first ? slow_of_input(a, i, NULL) : slow_of_output(a, i, NULL);
	for (int i = 0; i < (input_first ? a->n_out : a->n_in); i++) {
		int other = input_first ? slow_of_output(a, i, chosen) : slow_of_input(a, i, chosen);
		int in = input_first ? other : i, out = input_first ? i : other;

		if (other < 0)
			continue;
		slow_match(a, in, out);
		a->in_turn[in] = (out + 1) % a->n_out;
		a->out_turn[out] = (in + 1) % a->n_in;
		a->in_won[in][out] = a->out_won[out][in] = ++a->clock;
	}
}

/*
 * ---- all
 * ----------------------------------------------------------------------------------------------------------
 */

static inline void slow_alloc_run(struct slow_alloc *a, struct noc_random *random)
{
	switch (a->kind->kind) {
	case ALLOCATOR_ISLIP:
	case ALLOCATOR_PIM:
		for (uint32_t i = 0; i < a->kind->rounds; i++)
			slow_round(a, !i, a->kind->kind == ALLOCATOR_PIM ? random : NULL);
		break;
	case ALLOCATOR_LOA: slow_loa(a); break;
	case ALLOCATOR_WAVEFRONT:
	case ALLOCATOR_RR_WAVEFRONT: slow_wavefront(a); break;
	case ALLOCATOR_SELECT: slow_select(a); break;
	case ALLOCATOR_SEPARABLE_INPUT_FIRST:
	case ALLOCATOR_SEPARABLE_OUTPUT_FIRST: slow_separable(a); break;
	default: assert(false && "an allocator that the slow network has");
	}
}

#endif
