/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the allocators, which match inputs with outputs that they request. The requests of an input are
 * a row of bits, and so are the requests for an output. A search by words finds the next requester in round
 * robin, and only requesters are visited.
 *
 * Always true: round-robin pointers move exactly as in BookSim. The allocator pim draws a number for every
 * input and output, with or without requests.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "net/noc.h"

static uint64_t *requests_of_input(const struct noc_alloc *a, uint32_t in)
{
	return a->wanted_outputs + (size_t)in * a->out_words;
}

static uint64_t *requests_for_output(const struct noc_alloc *a, uint32_t out)
{
	return a->wanting_inputs + (size_t)out * a->in_words;
}

static const struct noc_request *label_of_request(const struct noc_alloc *a, uint32_t in, uint32_t out)
{
	return &a->request_labels[(size_t)in * a->n_out + out];
}

static void match_pair(struct noc_alloc *a, uint32_t in, uint32_t out)
{
	a->in_match[in] = (int32_t)out;
	a->out_match[out] = (int32_t)in;
}

/*
 * Returns the first unmatched input that requests output `out`, in a cyclic search from input `from`. Returns
 * -1 if there is none.
 */
static int32_t next_unmatched(const struct noc_alloc *a, uint32_t out, uint32_t from)
{
	const uint64_t *row = requests_for_output(a, out);
	int32_t wrapped = -1;

	for (uint32_t w = 0; w < a->in_words; w++)
		FOR_BITS64 (b, row[w]) {
			uint32_t in = w * 64 + (uint32_t)b;

			if (a->in_match[in] >= 0)
				continue;
			if (in >= from)
				return (int32_t)in;
			if (wrapped < 0)
				wrapped = (int32_t)in;
		}
	return wrapped;
}

#define FOR_SET(i, set, words) \
	for (uint32_t i##_w = 0; i##_w < (words); i##_w++) \
		for (uint64_t i##_m = (set)[i##_w], i; \
			i##_m && (i = i##_w * 64 + (uint64_t)__builtin_ctzll(i##_m), 1); i##_m &= i##_m - 1)

/* ---- islip ----------------------------------------------------------------------------------- */

static void accept_islip_grants(struct noc_alloc *a, bool first)
{
	FOR_SET (i, a->granted_in, a->in_words) {
		uint32_t in = (uint32_t)i;
		uint64_t *granted = a->granted + (size_t)in * a->out_words;
		uint32_t out = bitset_next_cyclic(granted, a->out_words, a->in_pointer[in]);

		match_pair(a, in, out);
		if (first) {
			a->out_pointer[out] = in + 1 < a->n_in ? in + 1 : 0;
			a->in_pointer[in] = out + 1 < a->n_out ? out + 1 : 0;
		}
		memset(granted, 0, a->out_words * sizeof(*granted));
	}
	memset(a->granted_in, 0, a->in_words * sizeof(*a->granted_in));
}

static void allocate_by_islip(struct noc_alloc *a)
{
	for (uint32_t round = 0; round < a->kind.rounds; round++) {
		bool any = false;

		FOR_SET (o, a->requested_ports, a->out_words) {
			uint32_t out = (uint32_t)o;
			int32_t in;

			if (a->out_match[out] >= 0)
				continue;
			in = round ? next_unmatched(a, out, a->out_pointer[out])
				   : (int32_t)bitset_next_cyclic(
					     requests_for_output(a, out), a->in_words, a->out_pointer[out]);
			if (in < 0)
				continue;
			bitset_set(a->granted + (size_t)in * a->out_words, out);
			bitset_set(a->granted_in, (uint32_t)in);
			any = true;
		}
		if (!any)
			return;
		accept_islip_grants(a, !round);
	}
}

/* ---- pim ------------------------------------------------------------------------------------- */

static void grant_by_pim(struct noc_alloc *a, struct noc_random *random)
{
	uint32_t next = 0;

	FOR_SET (o, a->requested_ports, a->out_words) {
		uint32_t out = (uint32_t)o, from;
		int32_t in;

		noc_random_skip(random, out - next);
		from = noc_random_int(random, a->n_in - 1);
		next = out + 1;
		if (a->out_match[out] >= 0)
			continue;
		in = next_unmatched(a, out, from);
		if (in < 0)
			continue;
		bitset_set(a->granted + (size_t)in * a->out_words, out);
		bitset_set(a->granted_in, (uint32_t)in);
	}
	noc_random_skip(random, a->n_out - next);
}

static void allocate_by_pim(struct noc_alloc *a, struct noc_random *random)
{
	for (uint32_t round = 0; round < a->kind.rounds; round++) {
		uint32_t next = 0;

		grant_by_pim(a, random);
		FOR_SET (i, a->granted_in, a->in_words) {
			uint32_t in = (uint32_t)i;
			uint64_t *granted = a->granted + (size_t)in * a->out_words;

			noc_random_skip(random, in - next);
			match_pair(a, in,
				bitset_next_cyclic(
					granted, a->out_words, noc_random_int(random, a->n_out - 1)));
			next = in + 1;
			memset(granted, 0, a->out_words * sizeof(*granted));
		}
		noc_random_skip(random, a->n_in - next);
		memset(a->granted_in, 0, a->in_words * sizeof(*a->granted_in));
	}
}

/* ---- loa ------------------------------------------------------------------------------------- */

/*
 * Returns the output with the fewest requests among the outputs that input `in` requests. Round robin decides
 * between equal outputs.
 */
static uint32_t least_requested_output(const struct noc_alloc *a, uint32_t in)
{
	const uint64_t *row = requests_of_input(a, in);
	uint32_t best = a->n_out, fewest = UINT32_MAX, nearest = 0;

	FOR_SET (o, row, a->out_words) {
		uint32_t out = (uint32_t)o, n = 0, way = (out + a->n_out - a->in_pointer[in]) % a->n_out;

		for (uint32_t w = 0; w < a->in_words; w++)
			n += bit_count64(requests_for_output(a, out)[w]);
		if (n > fewest || (n == fewest && way > nearest))
			continue;
		best = out;
		fewest = n;
		nearest = way;
	}
	return best;
}

/* quirk Q4-33: after any grant, the pointer advances by one. */
static void allocate_by_loa(struct noc_alloc *a)
{
	FOR_SET (i, a->requesting_inputs, a->in_words) {
		uint32_t in = (uint32_t)i, out = least_requested_output(a, in);
		int32_t rival = a->grant[out];
		uint32_t from = a->out_pointer[out];

		if (rival < 0 ||
			(in + a->n_in - from) % a->n_in < ((uint32_t)rival + a->n_in - from) % a->n_in)
			a->grant[out] = (int32_t)in;
	}
	FOR_SET (o, a->requested_ports, a->out_words) {
		int32_t in = a->grant[o];

		if (in < 0)
			continue;
		a->grant[o] = -1;
		match_pair(a, (uint32_t)in, (uint32_t)o);
		a->in_pointer[in] = (a->in_pointer[in] + 1) % a->n_out;
		a->out_pointer[o] = (a->out_pointer[o] + 1) % a->n_in;
	}
}

/* ---- wavefront ------------------------------------------------------------------------------- */

struct wave {
	int32_t out_priority, in_priority;
	uint32_t diagonal, in, out;
};

/*
 * Compares requests by the priority at the output, then the priority at the input, the diagonal, and the
 * output.
 */
static bool precedes_in_wave(const struct wave *x, const struct wave *y)
{
	if (x->out_priority != y->out_priority)
		return x->out_priority > y->out_priority;
	if (x->in_priority != y->in_priority)
		return x->in_priority > y->in_priority;
	return x->diagonal != y->diagonal ? x->diagonal < y->diagonal : x->out < y->out;
}

static void sift_wave_down(struct wave *w, uint32_t i, uint32_t n)
{
	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		struct wave swap = w[i];

		if (child + 1 < n && precedes_in_wave(&w[child], &w[child + 1]))
			child++;
		if (!precedes_in_wave(&w[i], &w[child]))
			return;
		w[i] = w[child];
		w[child] = swap;
	}
}

static void sort_waves(struct wave *w, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sift_wave_down(w, i, n);
	while (n > 1) {
		struct wave swap = w[--n];

		w[n] = w[0];
		w[0] = swap;
		sift_wave_down(w, 0, n);
	}
}

static void allocate_by_wavefront(struct noc_alloc *a)
{
	uint32_t square = a->n_in > a->n_out ? a->n_in : a->n_out, n = 0, first = UINT32_MAX;
	struct wave *wave = a->waves;

	if (!a->n_new_requests)
		return;
	FOR_SET (i, a->requesting_inputs, a->in_words) {
		FOR_SET (o, requests_of_input(a, (uint32_t)i), a->out_words) {
			const struct noc_request *ask = label_of_request(a, (uint32_t)i, (uint32_t)o);
			uint32_t in = (uint32_t)i, out = (uint32_t)o;

			wave[n++] = (struct wave){ask->out_priority, ask->in_priority,
				(in + out + square - a->turn) % square, in, out};
		}
	}
	sort_waves(wave, n);
	for (uint32_t i = 0; i < n; i++) {
		if (a->in_match[wave[i].in] >= 0 || a->out_match[wave[i].out] >= 0)
			continue;
		match_pair(a, wave[i].in, wave[i].out);
		if (first == UINT32_MAX)
			first = wave[i].in + wave[i].out;
	}
	a->n_new_requests = 0;
	a->turn = ((a->kind.kind == ALLOCATOR_RR_WAVEFRONT ? first : a->turn) + 1) % square;
}

/* ---- select ---------------------------------------------------------------------------------- */

/*
 * Returns the request with the highest priority in a row, or -1 if there is none. Round robin decides between
 * equal priorities. With `by_out`, the row belongs to an output, and only unmatched inputs are eligible.
 * Otherwise the row belongs to an input, and only outputs that granted it are eligible.
 */
static int32_t highest_request(const struct noc_alloc *a, uint32_t row, bool by_out, uint32_t from)
{
	const uint64_t *set = by_out ? requests_for_output(a, row) : requests_of_input(a, row);
	uint32_t words = by_out ? a->in_words : a->out_words, size = by_out ? a->n_in : a->n_out, nearest = 0;
	int32_t best = -1, priority = 0;

	FOR_SET (s, set, words) {
		uint32_t other = (uint32_t)s, way = (other + size - from) % size;
		const struct noc_request *ask =
			by_out ? label_of_request(a, other, row) : label_of_request(a, row, other);
		int32_t p = by_out ? ask->out_priority : ask->in_priority;

		if (by_out ? a->in_match[other] >= 0 : a->grant[other] != (int32_t)row)
			continue;
		if (best >= 0 && (p < priority || (p == priority && way > nearest)))
			continue;
		best = (int32_t)other;
		priority = p;
		nearest = way;
	}
	return best;
}

/* quirk Q4-33: grants of earlier rounds remain valid in later rounds. */
static void match_highest_requests(struct noc_alloc *a)
{
	for (uint32_t round = 0; round < a->kind.rounds; round++) {
		FOR_SET (o, a->requested_ports, a->out_words) {
			int32_t in = a->out_match[o] >= 0
					     ? -1
					     : highest_request(a, (uint32_t)o, true, a->out_pointer[o]);

			if (in >= 0)
				a->grant[o] = in;
		}
		FOR_SET (i, a->requesting_inputs, a->in_words) {
			int32_t out = highest_request(a, (uint32_t)i, false, a->in_pointer[i]);

			if (out < 0)
				continue;
			match_pair(a, (uint32_t)i, (uint32_t)out);
			if (round)
				continue;
			a->out_pointer[out] = ((uint32_t)i + 1) % a->n_in;
			a->in_pointer[i] = ((uint32_t)out + 1) % a->n_out;
		}
	}
	FOR_SET (o, a->requested_ports, a->out_words)
		a->grant[o] = -1;
}

/* ---- max_size -------------------------------------------------------------------------------- */

/*
 * Inverts the matches on the path that ends at output `out`. a->grant[out] is the input from which the search
 * reached `out`.
 */
static void augment_matching(struct noc_alloc *a, uint32_t out)
{
	for (;;) {
		uint32_t in = (uint32_t)a->grant[out];
		int32_t before = a->in_match[in];

		match_pair(a, in, out);
		if (before < 0)
			return;
		out = (uint32_t)before;
	}
}

/*
 * Extends the search from input `in`. If it reaches an unmatched output, augments the matching and returns
 * true. quirk Q4-33: outputs with a number of n_in or more are never reached.
 */
static bool extend_search(struct noc_alloc *a, uint32_t in, int32_t *next, uint32_t *n_next)
{
	FOR_SET (o, requests_of_input(a, in), a->out_words) {
		if (o >= a->n_in || a->in_match[in] == (int32_t)o || a->grant[o] >= 0)
			continue;
		a->grant[o] = (int32_t)in;
		if (a->out_match[o] < 0) {
			augment_matching(a, (uint32_t)o);
			return true;
		}
		next[(*n_next)++] = a->out_match[o];
	}
	return false;
}

static bool augment_shortest_path(struct noc_alloc *a)
{
	int32_t *level = a->scratch, *next = a->scratch + a->n_in, *swap;
	uint32_t n = 0, n_next;
	bool found = false;

	for (uint32_t i = 0; i < a->n_in; i++) {
		uint32_t in = i + a->turn < a->n_in ? i + a->turn : i + a->turn - a->n_in;

		if (bitset_test(a->requesting_inputs, in) && a->in_match[in] < 0)
			level[n++] = (int32_t)in;
	}
	while (n && !found) {
		n_next = 0;
		for (uint32_t e = 0; e < n && !found; e++)
			found = extend_search(a, (uint32_t)level[e], next, &n_next);
		swap = level;
		level = next;
		next = swap;
		n = n_next;
	}
	FOR_SET (o, a->requested_ports, a->out_words)
		a->grant[o] = -1;
	return found;
}

static void allocate_max_size(struct noc_alloc *a)
{
	while (augment_shortest_path(a))
		;
	a->turn = (a->turn + 1) % a->n_in;
}

/* ---- separable ------------------------------------------------------------------------------- */

static void commit_arbiter_match(struct noc_alloc *a, uint32_t in, uint32_t out)
{
	match_pair(a, in, out);
	noc_arbiter_won(a->in_arbiter, in);
	noc_arbiter_won(a->out_arbiter, out);
}

static void allocate_input_first(struct noc_alloc *a)
{
	FOR_SET (i, a->requesting_inputs, a->in_words) {
		int32_t out;

		FOR_SET (o, requests_of_input(a, (uint32_t)i), a->out_words)
			noc_arbiter_add(a->in_arbiter, (uint32_t)i, (uint32_t)o,
				label_of_request(a, (uint32_t)i, (uint32_t)o)->in_priority);
		out = noc_arbiter_pick(a->in_arbiter, (uint32_t)i);
		noc_arbiter_add(a->out_arbiter, (uint32_t)out, (uint32_t)i,
			label_of_request(a, (uint32_t)i, (uint32_t)out)->out_priority);
	}
	FOR_SET (o, a->requested_ports, a->out_words) {
		int32_t in = noc_arbiter_pick(a->out_arbiter, (uint32_t)o);

		if (in >= 0)
			commit_arbiter_match(a, (uint32_t)in, (uint32_t)o);
	}
}

static void allocate_output_first(struct noc_alloc *a)
{
	FOR_SET (o, a->requested_ports, a->out_words) {
		int32_t in;

		FOR_SET (i, requests_for_output(a, (uint32_t)o), a->in_words)
			noc_arbiter_add(a->out_arbiter, (uint32_t)o, (uint32_t)i,
				label_of_request(a, (uint32_t)i, (uint32_t)o)->out_priority);
		in = noc_arbiter_pick(a->out_arbiter, (uint32_t)o);
		noc_arbiter_add(a->in_arbiter, (uint32_t)in, (uint32_t)o,
			label_of_request(a, (uint32_t)in, (uint32_t)o)->in_priority);
	}
	FOR_SET (i, a->requesting_inputs, a->in_words) {
		int32_t out = noc_arbiter_pick(a->in_arbiter, (uint32_t)i);

		if (out >= 0)
			commit_arbiter_match(a, (uint32_t)i, (uint32_t)out);
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Returns true if the allocator takes priorities into account. */
static bool noc_alloc_uses_priorities(const struct icnt_alloc *kind)
{
	switch (kind->kind) {
	case ALLOCATOR_WAVEFRONT:
	case ALLOCATOR_RR_WAVEFRONT:
	case ALLOCATOR_SELECT:
	case ALLOCATOR_SEPARABLE_INPUT_FIRST:
	case ALLOCATOR_SEPARABLE_OUTPUT_FIRST: return true;
	default: return false;
	}
}

void noc_alloc_run(struct noc_alloc *a, struct noc_random *random)
{
	switch (a->kind.kind) {
	case ALLOCATOR_ISLIP: allocate_by_islip(a); break;
	case ALLOCATOR_PIM: allocate_by_pim(a, random); break;
	case ALLOCATOR_LOA: allocate_by_loa(a); break;
	case ALLOCATOR_WAVEFRONT:
	case ALLOCATOR_RR_WAVEFRONT: allocate_by_wavefront(a); break;
	case ALLOCATOR_SELECT: match_highest_requests(a); break;
	case ALLOCATOR_MAX_SIZE: allocate_max_size(a); break;
	case ALLOCATOR_SEPARABLE_INPUT_FIRST: allocate_input_first(a); break;
	case ALLOCATOR_SEPARABLE_OUTPUT_FIRST: allocate_output_first(a); break;
	default: break;
	}
}

void noc_alloc_add(struct noc_alloc *a, uint32_t in, uint32_t out, struct noc_request ask)
{
	bitset_set(a->requesting_inputs, in);
	bitset_set(a->requested_ports, out);
	bitset_set(requests_of_input(a, in), out);
	bitset_set(requests_for_output(a, out), in);
	if (a->request_labels)
		a->request_labels[(size_t)in * a->n_out + out] = ask;
	a->n_new_requests++;
}

void noc_alloc_clear(struct noc_alloc *a)
{
	for (uint32_t w = 0; w < a->in_words; w++) {
		FOR_BITS64 (b, a->requesting_inputs[w]) {
			uint32_t in = w * 64 + (uint32_t)b;

			a->in_match[in] = -1;
			memset(requests_of_input(a, in), 0, a->out_words * sizeof(*a->wanted_outputs));
			if (a->in_arbiter)
				noc_arbiter_clear(a->in_arbiter, in);
		}
		a->requesting_inputs[w] = 0;
	}
	for (uint32_t w = 0; w < a->out_words; w++) {
		FOR_BITS64 (b, a->requested_ports[w]) {
			uint32_t out = w * 64 + (uint32_t)b;

			a->out_match[out] = -1;
			memset(requests_for_output(a, out), 0, a->in_words * sizeof(*a->wanting_inputs));
			if (a->out_arbiter)
				noc_arbiter_clear(a->out_arbiter, out);
		}
		a->requested_ports[w] = 0;
	}
}

static int32_t *new_unmatched_array(uint32_t n)
{
	int32_t *p = xcalloc(n, sizeof(*p));

	memset(p, 0xff, n * sizeof(*p));
	return p;
}

void noc_alloc_init(
	struct noc_alloc *a, const struct icnt_alloc *kind, uint32_t n_in, uint32_t n_out, bool labels)
{
	bool separable = kind->kind == ALLOCATOR_SEPARABLE_INPUT_FIRST ||
			 kind->kind == ALLOCATOR_SEPARABLE_OUTPUT_FIRST;

	*a = (struct noc_alloc){.kind = *kind,
		.n_in = n_in,
		.n_out = n_out,
		.in_words = BITSET_WORDS(n_in),
		.out_words = BITSET_WORDS(n_out)};
	a->requesting_inputs = xcalloc(a->in_words, sizeof(*a->requesting_inputs));
	a->requested_ports = xcalloc(a->out_words, sizeof(*a->requested_ports));
	a->wanted_outputs = xcalloc((size_t)n_in * a->out_words, sizeof(*a->wanted_outputs));
	a->wanting_inputs = xcalloc((size_t)n_out * a->in_words, sizeof(*a->wanting_inputs));
	a->granted = xcalloc((size_t)n_in * a->out_words, sizeof(*a->granted));
	a->granted_in = xcalloc(a->in_words, sizeof(*a->granted_in));
	a->in_match = new_unmatched_array(n_in);
	a->out_match = new_unmatched_array(n_out);
	a->grant = new_unmatched_array(n_out);
	a->scratch = xcalloc(2 * (size_t)n_in, sizeof(*a->scratch));
	a->in_pointer = xcalloc(n_in, sizeof(*a->in_pointer));
	a->out_pointer = xcalloc(n_out, sizeof(*a->out_pointer));
	if (labels || noc_alloc_uses_priorities(kind))
		a->request_labels = reserve((size_t)n_in * n_out, sizeof(*a->request_labels));
	if (kind->kind == ALLOCATOR_WAVEFRONT || kind->kind == ALLOCATOR_RR_WAVEFRONT)
		a->waves = reserve((size_t)n_in * n_out, sizeof(*a->waves));
	if (separable) {
		a->in_arbiter = noc_arbiters_new(kind, n_in, n_out);
		a->out_arbiter = noc_arbiters_new(kind, n_out, n_in);
	}
}

void noc_alloc_free(struct noc_alloc *a)
{
	if (!a->requesting_inputs)
		return;
	noc_arbiters_delete(a->in_arbiter, a->n_in);
	noc_arbiters_delete(a->out_arbiter, a->n_out);
	if (a->waves)
		reserve_free(a->waves, (size_t)a->n_in * a->n_out, sizeof(*a->waves));
	if (a->request_labels)
		reserve_free(a->request_labels, (size_t)a->n_in * a->n_out, sizeof(*a->request_labels));
	free(a->requesting_inputs);
	free(a->requested_ports);
	free(a->wanted_outputs);
	free(a->wanting_inputs);
	free(a->granted);
	free(a->granted_in);
	free(a->in_match);
	free(a->out_match);
	free(a->grant);
	free(a->scratch);
	free(a->in_pointer);
	free(a->out_pointer);
}
