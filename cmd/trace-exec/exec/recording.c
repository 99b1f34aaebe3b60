/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a warp for a packed stream: runs of consecutive instructions with the same lanes, and the addresses of
 * accesses. Always true: the last run ends before `next`, its length is set when it ends.
 */
#include <string.h>
#include "exec/lanes.h"
#include "exec/recording.h"
#include "inlining.h"
#include "pack.h"

/* Adds the addresses of all lanes: relative to a recent list of the warp, or as a new one. */
static uint32_t put_address_list(struct recording *t, const uint64_t *a)
{
	const uint32_t kept = sizeof(t->list) / sizeof(t->list[0]), n = t->n_lists < kept ? t->n_lists : kept;
	const uint64_t range = a[LANES - 1] - a[0]; /* differs in most lists that differ */
	uint32_t at = t->n_words;
	uint64_t *to = t->word + at;

	for (uint32_t k = 0; k < n; k++) {
		const uint64_t *b = t->word + t->list[k].first_word;

		if (range != t->list[k].range || !lanes_same_distance(a, b))
			continue;
		to[0] = a[0] - b[0];
		to[1] = at - t->list[k].first_word;
		t->n_words += 2;
		return at << 2 | ADDR_MOVED;
	}
	memcpy(to, a, LANES * sizeof(*to));
	t->list[t->n_lists % kept].first_word = at;
	t->list[t->n_lists++ % kept].range = range;
	t->n_words += LANES;
	return at << 2 | ADDR_LIST;
}

/* Tests first two and last lane; most lists without a stride fail this test. */
static inline bool may_have_one_stride(const uint64_t *a)
{
	return a[LANES - 1] - a[0] == (LANES - 1) * (a[1] - a[0]);
}

/* Adds the addresses of the lanes of m as words of a packed record. Returns their position and form. */
static uint32_t record_addresses(struct recording *t, const uint64_t *a, uint32_t m)
{
	uint32_t at = t->n_words << 2;
	uint64_t *to;
	int64_t stride = 0;

	if (t->cap_words - t->n_words < LANES)
		grow(&t->word, &t->cap_words, t->n_words + LANES, sizeof(*t->word));
	to = t->word + t->n_words;
	if (!(m & (m - 1)) ||
		((m != ALL_LANES || may_have_one_stride(a)) && text_find_stride(a, m, &stride))) {
		to[0] = m ? a[bit_lowest32(m)] : 0;
		to[1] = (uint64_t)stride;
		t->n_words += 2;
		return at | ADDR_STRIDE;
	}
	if (m == ALL_LANES)
		return put_address_list(t, a);
	FOR_BITS32 (i, m)
		*to++ = a[i];
	t->n_words = (uint32_t)(to - t->word);
	return at | ADDR_LIST;
}

/* Adds a record for the data of an instruction besides its mask. */
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

void recording_text(struct recording *t, uint32_t id, uint32_t mask, uint32_t bytes)
{
	recording_step(t, id, mask);
	add_pack_more(t)->text_len = bytes;
}

void recording_access(struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a)
{
	recording_step(t, id, mask);
	add_pack_more(t)->addr = record_addresses(t, a, mask);
}
