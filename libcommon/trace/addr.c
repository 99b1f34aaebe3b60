/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address lists: conversion of a line's numbers to the words of a thread block, and of these words to 32 lanes.
 *
 * Always true: a STRIDE list is a base and a stride. A DELTA list is a base and one int32 for each further active
 * lane, two in a word, the lower half first. A LIST has one word for each active lane. Sums wrap at 64 bits
 * (kernel-trace(5)).
 */
#include <string.h>
#include "bits.h"
#include "reader.h"
#include "lanes.h"

static uint32_t addr_at(uint32_t word, enum addr_kind kind) { return word << 2 | (uint32_t)kind; }

uint32_t addr_list(struct tblock *tb, const uint64_t *a, unsigned n)
{
	uint32_t at = tb->n_words;
	memcpy(tb->word + at, a, n * sizeof(a[0]));
	tb->n_words += n;
	return addr_at(at, ADDR_LIST);
}

uint32_t addr_stride(struct tblock *tb, uint64_t base, int64_t stride)
{
	uint32_t at = tb->n_words;
	tb->word[at] = base;
	tb->word[at + 1] = (uint64_t)stride;
	tb->n_words += 2;
	return addr_at(at, ADDR_STRIDE);
}

/* Stores the addresses as a plain list. Used if a delta does not fit 32 bits. */
static uint32_t delta_as_list(struct tblock *tb, uint64_t base, const int64_t *delta, unsigned n_deltas)
{
	uint64_t a[32];
	a[0] = base;
	for (unsigned i = 0; i < n_deltas; i++)
		a[i + 1] = a[i] + (uint64_t)delta[i];
	return addr_list(tb, a, n_deltas + 1);
}

uint32_t addr_delta(struct tblock *tb, uint64_t base, const int64_t *delta, unsigned n_deltas)
{
	uint32_t at = tb->n_words;
	uint64_t *w = tb->word + at;
	w[0] = base;
	uint64_t wide = 0;
	for (unsigned i = 0; i < n_deltas; i++) {
		uint64_t low = (uint32_t)delta[i];
		wide |= ((uint64_t)delta[i] + 0x80000000u) >> 32; /* 0 if all deltas so far fit in 32 bits */
		if (i & 1)
			w[1 + i / 2] |= low << 32;
		else
			w[1 + i / 2] = low;
	}
	if (wide)
		return delta_as_list(tb, base, delta, n_deltas);
	tb->n_words += 1 + (n_deltas + 1) / 2;
	return addr_at(at, ADDR_DELTA);
}

/* quirk Q1-4: a stride run ends at the first inactive lane and is not resumed. */
static void expand_stride(const uint64_t *w, uint32_t mask, uint64_t lane[32])
{
	unsigned first = bit_lowest32(mask);
	uint32_t gap = ~(mask >> first);
	uint32_t run = (gap & (0 - gap)) - 1; /* mask of all bits below the first gap */
	lanes_loops->run(lane, w[0] - first * w[1], w[1], run << first);
}

/* Return the lower and the upper of the two deltas in a word. */
static uint64_t lower_delta(uint64_t two) { return (uint64_t)(int64_t)(int32_t)(uint32_t)two; }
static uint64_t upper_delta(uint64_t two) { return lower_delta(two >> 32); }

static void expand_delta_whole(const uint64_t *w, uint64_t lane[32])
{
	uint64_t a = lane[0] = w[0];
	for (unsigned i = 1; i < 31; i += 2) {
		uint64_t two = *++w;
		lane[i] = a + lower_delta(two);
		lane[i + 1] = a = lane[i] + upper_delta(two);
	}
	lane[31] = a + lower_delta(w[1]);
}

static void expand_delta(const uint64_t *w, uint32_t mask, uint64_t lane[32])
{
	uint64_t a = w[0];
	unsigned n = 0;
	memset(lane, 0, 32 * sizeof(lane[0]));
	lane[bit_lowest32(mask)] = a;
	FOR_BITS32 (i, mask & (mask - 1)) {
		a += n & 1 ? upper_delta(w[1 + n / 2]) : lower_delta(w[1 + n / 2]);
		lane[i] = a;
		n++;
	}
}

void rec_addresses(const struct tblock *tb, const struct rec *r, uint64_t lane[32])
{
	enum addr_kind kind = r->mask ? r->addr & 3 : ADDR_NONE;
	const uint64_t *w = kind == ADDR_NONE ? NULL : tb->word + (r->addr >> 2);
	if (kind == ADDR_STRIDE) {
		expand_stride(w, r->mask, lane);
		return;
	}
	if (kind == ADDR_LIST && r->mask == UINT32_MAX) {
		memcpy(lane, w, 32 * sizeof(lane[0]));
		return;
	}
	if (kind == ADDR_LIST) {
		lanes_loops->spread(lane, w, r->mask);
		return;
	}
	if (kind == ADDR_DELTA && r->mask == UINT32_MAX)
		expand_delta_whole(w, lane);
	else if (kind == ADDR_DELTA)
		expand_delta(w, r->mask, lane);
	else
		memset(lane, 0, 32 * sizeof(lane[0]));
}
