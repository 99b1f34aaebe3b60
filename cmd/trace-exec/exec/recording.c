/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a warp for a packed stream: runs of consecutive instructions with the same lanes, and the
 * addresses of accesses. Always true: the last run ends before `next`; its length is set when it ends.
 *
 * Most accesses continue a run and have space for their words. Functions on their path call others only at their end,
 * so that they save no registers: packing takes 3.78 host instructions a thread instruction of matmul-tiled, not 3.97,
 * and 10.8 of reduce-smem, not 11.2.
 */
#include <string.h>
#include "exec/lanes.h"
#include "exec/recording.h"
#include "inlining.h"
#include "pack.h"

#define SPACE_LEAST 64u /* number of accesses for which space is made at a time */

void recording_make_space(struct recording *t, uint32_t accesses)
{
	if (t->cap_words - t->n_words < accesses * LANES)
		grow(&t->word, &t->cap_words, t->n_words + accesses * LANES, sizeof(*t->word));
	if (t->cap_payloads - t->n_payloads < accesses)
		grow(&t->payload, &t->cap_payloads, t->n_payloads + accesses, sizeof(*t->payload));
	t->capacity = (t->cap_words - t->n_words) / LANES;
	if (t->capacity > t->cap_payloads - t->n_payloads)
		t->capacity = t->cap_payloads - t->n_payloads;
}

/* Adds the addresses a[] + base of all lanes, relative to a recent list of the warp or as a new list. */
LANE_FN static void add_list_of_all(struct recording *t, const uint64_t *a, uint64_t base)
{
	const uint32_t kept = sizeof(t->list) / sizeof(t->list[0]), n = t->n_lists < kept ? t->n_lists : kept;
	const uint64_t range = a[LANES - 1] - a[0]; /* a quick test that rejects most lists */
	uint64_t *to = t->word + t->n_words;

	for (uint32_t k = 0; k < n; k++) {
		if (range != t->list[k].address_span)
			continue;
		const uint64_t *b = t->word + t->list[k].first_word, by = a[0] - b[0];
		uint64_t wrong = 0;

		for (unsigned i = 0; i < LANES; i++)
			wrong |= a[i] ^ (b[i] + by);
		if (wrong)
			continue;
		to[0] = by + base;
		to[1] = t->n_words - t->list[k].first_word;
		recording_end_access(t, ADDR_MOVED, 2);
		return;
	}
	EACH_LANE (i)
		to[i] = a[i] + base;
	t->list[t->n_lists % kept].first_word = t->n_words;
	t->list[t->n_lists++ % kept].address_span = range;
	recording_end_access(t, ADDR_LIST, LANES);
}

/*
 * Adds the addresses a[] + base of all lanes, of which the last one is 31 * d after the first. The loop equals
 * lanes_have_step(), but a call would save registers.
 */
LANE_FN static void add_line_of_all(struct recording *t, const uint64_t *a, uint64_t base, uint64_t d)
{
	uint64_t wrong = ((a[1] - a[0]) ^ d) | ((a[2] - a[1]) ^ d) | ((a[3] - a[2]) ^ d);

	/* a comparison with the fourth lane before takes whole vectors */
	for (unsigned i = 4; i < LANES; i++)
		wrong |= a[i] ^ (a[i - 4] + 4 * d);
	if (wrong)
		add_list_of_all(t, a, base);
	else
		recording_put_stride(t, a[0] + base, d);
}

/* Adds the addresses a[] + base of all lanes. A stride has 32 bits; the ends exclude most other lists. */
static inline void add_access_of_all(struct recording *t, const uint64_t *a, uint64_t base)
{
	const uint64_t d = a[1] - a[0];

	if (a[LANES - 1] - a[0] == (LANES - 1) * d && (int64_t)d == (int32_t)d)
		add_line_of_all(t, a, base, d);
	else
		add_list_of_all(t, a, base);
}

/*
 * Returns true if the addresses of the lanes of m, at least two, have one step of 32 bits from each lane to the next,
 * active or not. If so, sets *step to it.
 */
LANE_FN static bool find_step_of_some(const uint64_t *a, uint32_t m, uint64_t *step)
{
	const unsigned first = bit_lowest32(m), second = bit_lowest32(m & (m - 1)), last = log2_floor(m);
	const int64_t rise = (int64_t)(a[second] - a[first]), lanes = second - first,
		      d = lanes == 1 ? rise : rise / lanes;
	uint64_t at = a[first] - first * (uint64_t)d, wrong = 0;

	/* the last lane excludes most other lists */
	if (d * lanes != rise || d != (int32_t)d || a[last] != at + last * (uint64_t)d)
		return false;
	for (unsigned i = 0; i < LANES; i++, at += (uint64_t)d)
		wrong |= (a[i] ^ at) & (0 - (uint64_t)(m >> i & 1));
	*step = (uint64_t)d;
	return !wrong;
}

/* Adds the addresses a[] + base of the lanes of m, which are several but not all. */
static NOINLINE void add_access_of_some(struct recording *t, uint32_t m, const uint64_t *a, uint64_t base)
{
	uint64_t *to = t->word + t->n_words, step;

	if (find_step_of_some(a, m, &step)) {
		recording_put_stride(t, a[bit_lowest32(m)] + base, step);
		return;
	}
	FOR_BITS32 (i, m)
		*to++ = a[i] + base;
	recording_end_access(t, ADDR_LIST, (uint32_t)(to - t->word) - t->n_words);
}

/* Adds the addresses a[] + base of the lanes of m, for which there is space. */
static inline void add_access_in_space(struct recording *t, uint32_t m, const uint64_t *a, uint64_t base)
{
	if (!(m & (m - 1)))
		recording_put_stride(t, m ? a[bit_lowest32(m)] + base : 0, 0);
	else if (m == ALL_LANES)
		add_access_of_all(t, a, base);
	else
		add_access_of_some(t, m, a, base);
}

void recording_end(struct recording *t)
{
	if (t->n_runs)
		t->run[t->n_runs - 1].n = t->next - t->run[t->n_runs - 1].id;
}

static void make_space_for_run(struct recording *t)
{
	grow(&t->run, &t->cap_runs, t->n_runs + 1, sizeof(*t->run));
}

/* Begins a run with one instruction. run[] has space for it. */
static inline void begin_run_in_space(struct recording *t, uint32_t id, uint32_t mask)
{
	struct pack_run *r = &t->run[t->n_runs];

	if (t->n_runs++)
		r[-1].n = t->next - t->last_run_start;
	r->id = id;
	r->mask = mask;
	t->last_run_start = id;
	t->next = id + 1;
	t->last_run_mask = mask;
}

static NOINLINE void begin_run_in_new_space(struct recording *t, uint32_t id, uint32_t mask)
{
	make_space_for_run(t);
	begin_run_in_space(t, id, mask);
}

void recording_begin_run(struct recording *t, uint32_t id, uint32_t mask)
{
	if (t->n_runs == t->cap_runs)
		begin_run_in_new_space(t, id, mask);
	else
		begin_run_in_space(t, id, mask);
}

void recording_add_text(struct recording *t, uint32_t id, uint32_t mask, uint32_t bytes)
{
	recording_extend_run(t, id, mask);
	if (!t->capacity)
		recording_make_space(t, SPACE_LEAST);
	t->capacity--;
	t->payload[t->n_payloads++] = (struct pack_payload){0, bytes};
}

/* Returns true if there is space for an access that begins a run. */
static inline bool has_space_for_access(const struct recording *t)
{
	return t->capacity && t->n_runs < t->cap_runs;
}

static void make_space_for_access(struct recording *t)
{
	if (!t->capacity)
		recording_make_space(t, SPACE_LEAST);
	make_space_for_run(t);
}

static NOINLINE void add_access_in_new_space(
	struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base)
{
	make_space_for_access(t);
	recording_add_access(t, id, mask, a, base);
}

static NOINLINE void begin_run_with_access(
	struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base)
{
	if (!has_space_for_access(t)) {
		add_access_in_new_space(t, id, mask, a, base);
		return;
	}
	begin_run_in_space(t, id, mask);
	add_access_in_space(t, mask, a, base);
}

void recording_add_access(struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base)
{
	if (id != t->next || mask != t->last_run_mask || !t->capacity) {
		begin_run_with_access(t, id, mask, a, base);
		return;
	}
	t->next++;
	add_access_in_space(t, mask, a, base);
}

static NOINLINE void add_line_in_new_space(
	struct recording *t, uint32_t id, uint32_t mask, uint64_t first, uint32_t stride)
{
	make_space_for_access(t);
	recording_add_line(t, id, mask, first, stride);
}

static NOINLINE void begin_run_with_line(
	struct recording *t, uint32_t id, uint32_t mask, uint64_t first, uint32_t stride)
{
	if (!has_space_for_access(t)) {
		add_line_in_new_space(t, id, mask, first, stride);
		return;
	}
	begin_run_in_space(t, id, mask);
	recording_put_stride(t, first, stride);
}

void recording_add_line(struct recording *t, uint32_t id, uint32_t mask, uint64_t first, uint32_t stride)
{
	if (id != t->next || mask != t->last_run_mask || !t->capacity) {
		begin_run_with_line(t, id, mask, first, stride);
		return;
	}
	t->next++;
	recording_put_stride(t, first, stride);
}

void recording_add_access_and_text(
	struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base, uint32_t bytes)
{
	recording_add_access(t, id, mask, a, base);
	t->payload[t->n_payloads - 1].text_len = bytes;
}
