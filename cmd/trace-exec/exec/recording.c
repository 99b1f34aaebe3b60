/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a warp for a packed stream: runs of consecutive instructions with the same lanes, and the
 * addresses of accesses. Always true: the last run ends before `next`; its length is set when it ends.
 */
#include <string.h>
#include "exec/lanes.h"
#include "exec/recording.h"
#include "inlining.h"
#include "pack.h"

/* Adds the addresses a[] + base of all lanes, relative to a recent list of the warp or as a new list. */
static uint32_t put_address_list(struct recording *t, const uint64_t *a, uint64_t base)
{
	const uint32_t kept = sizeof(t->list) / sizeof(t->list[0]), n = t->n_lists < kept ? t->n_lists : kept;
	const uint64_t range = a[LANES - 1] - a[0]; /* a quick test that rejects most lists */
	uint32_t at = t->n_words;
	uint64_t *to = t->word + at;

	for (uint32_t k = 0; k < n; k++) {
		const uint64_t *b = t->word + t->list[k].first_word;

		if (range != t->list[k].range || !lanes_have_same_distance(a, b))
			continue;
		to[0] = a[0] + base - b[0];
		to[1] = at - t->list[k].first_word;
		t->n_words += 2;
		return at << 2 | ADDR_MOVED;
	}
	for (unsigned i = 0; i < LANES; i++)
		to[i] = a[i] + base;
	t->list[t->n_lists % kept].first_word = at;
	t->list[t->n_lists++ % kept].range = range;
	t->n_words += LANES;
	return at << 2 | ADDR_LIST;
}

/* Tests whether the addresses of all lanes have one stride of 32 bits. The ends exclude most other lists. */
static inline bool have_one_stride(const uint64_t *a)
{
	const uint64_t d = a[1] - a[0];

	return a[LANES - 1] - a[0] == (LANES - 1) * d && (int64_t)d == (int32_t)d && lanes_have_step(a, d);
}

/* Adds the addresses a[] + base of the lanes of m, which is not full. Returns their position and form. */
static uint32_t put_some_addresses(struct recording *t, const uint64_t *a, uint32_t m, uint64_t base)
{
	uint32_t at = t->n_words << 2;
	uint64_t *to = t->word + t->n_words;
	int64_t stride = 0;

	if (!(m & (m - 1)) || text_find_stride(a, m, &stride)) {
		to[0] = m ? a[bit_lowest32(m)] + base : 0;
		to[1] = (uint64_t)stride;
		t->n_words += 2;
		return at | ADDR_STRIDE;
	}
	FOR_BITS32 (i, m)
		*to++ = a[i] + base;
	t->n_words = (uint32_t)(to - t->word);
	return at | ADDR_LIST;
}

/* Adds the addresses a[] + base of the lanes of m as words of a packed record. Returns their position and form. */
static inline uint32_t record_addresses(struct recording *t, const uint64_t *a, uint32_t m, uint64_t base)
{
	if (t->cap_words - t->n_words < LANES)
		grow(&t->word, &t->cap_words, t->n_words + LANES, sizeof(*t->word));
	if (m != ALL_LANES)
		return put_some_addresses(t, a, m, base);
	if (!have_one_stride(a))
		return put_address_list(t, a, base);
	uint64_t *to = t->word + t->n_words;
	to[0] = a[0] + base;
	to[1] = a[1] - a[0];
	t->n_words += 2;
	return (t->n_words - 2) << 2 | ADDR_STRIDE;
}

/* Adds a record for the data of an instruction other than its mask. */
static inline struct pack_more *add_pack_more(struct recording *t)
{
	if (t->n_more == t->cap_more)
		grow(&t->more, &t->cap_more, t->n_more + 1, sizeof(*t->more));
	t->more[t->n_more] = (struct pack_more){0, 0};
	return &t->more[t->n_more++];
}

void recording_end(struct recording *t)
{
	if (t->n_runs)
		t->run[t->n_runs - 1].n = t->next - t->run[t->n_runs - 1].id;
}

void recording_begin_run(struct recording *t, uint32_t id, uint32_t mask)
{
	recording_end(t);
	if (t->n_runs == t->cap_runs)
		grow(&t->run, &t->cap_runs, t->n_runs + 1, sizeof(*t->run));
	t->run[t->n_runs++] = (struct pack_run){.id = id, .mask = mask};
	t->next = id + 1;
	t->mask = mask;
}

void recording_add_text(struct recording *t, uint32_t id, uint32_t mask, uint32_t bytes)
{
	recording_extend_run(t, id, mask);
	add_pack_more(t)->text_len = bytes;
}

void recording_add_access(struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base)
{
	recording_extend_run(t, id, mask);
	uint32_t addr = record_addresses(t, a, mask, base);
	add_pack_more(t)->addr = addr;
}

void recording_add_access_and_text(
	struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base, uint32_t bytes)
{
	recording_add_access(t, id, mask, a, base);
	t->more[t->n_more - 1].text_len = bytes;
}
