/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Affine recipes from a sample of executions: the address of a lane is the sum of a pattern, a step times the warp's
 * number, a step times each coordinate of the thread block, and a constant.
 *
 * Always true: arithmetic is modulo 2^64. A recipe is a guess from the sample. Before it is used, fit.c counts how
 * often it is right. Other recipes (addr.h) represent the remaining addresses.
 */
#include "affine.h"

/* Sets the pattern. Inactive lanes continue the last step of the shape. */
void affine_pattern(const struct shape *s, int64_t pattern[32])
{
	const uint32_t mask = s->recorded.mask, rest = mask & (mask - 1);
	const unsigned first = bit_lowest32(mask), second = rest ? bit_lowest32(rest) : first;
	uint64_t t[32];
	const uint64_t *a = recorded_list(&s->recorded, t);
	int64_t step = second > first ? (int64_t)(a[1] - a[0]) / (int64_t)(second - first) : 0;
	uint64_t at = a[0] - (uint64_t)step * first, zero = at;

	for (unsigned l = 0; l < 32; l++, at += (uint64_t)step) {
		if (mask >> l & 1)
			at = *a++;
		pattern[l] = (int64_t)(at - zero);
	}
}

static bool find_shape_base(const struct shape *s, const int64_t pattern[32], uint64_t *base)
{
	uint64_t t[32];

	return pattern_base(pattern, s->recorded.mask, recorded_list(&s->recorded, t), base);
}

/* Returns coordinate k of a sample: the warp, x, y or z. */
static uint32_t block_coordinate(const struct shape *s, unsigned k) { return k ? s->block[k - 1] : s->warp; }

static bool differ_only_in_coordinate(const struct shape *a, const struct shape *b, unsigned k)
{
	for (unsigned i = 0; i < 4; i++)
		if (i > k ? block_coordinate(a, i) != block_coordinate(b, i)
			  : i == k && block_coordinate(a, i) == block_coordinate(b, i))
			return false;
	return true;
}

/* Returns true if the shapes have several values of coordinate k. */
static bool coordinate_varies(const struct shape *shape, uint32_t n_shapes, unsigned k)
{
	for (uint32_t i = 1; i < n_shapes; i++)
		if (block_coordinate(&shape[i], k) != block_coordinate(&shape[0], k))
			return true;
	return false;
}

/*
 * Returns the step of coordinate k, from the first two good shapes that differ only in it; 0 if there are none or the
 * difference of their bases is not a multiple of the coordinate's.
 */
static int64_t step_of_coordinate(
	const struct shape *shape, const bool *good, const uint64_t *base, uint32_t n_shapes, unsigned k)
{
	for (uint32_t i = 0; i < n_shapes; i++) {
		for (uint32_t j = i + 1; good[i] && j < n_shapes; j++) {
			if (!good[j] || !differ_only_in_coordinate(&shape[i], &shape[j], k))
				continue;
			int64_t d = (int64_t)block_coordinate(&shape[j], k) - block_coordinate(&shape[i], k);
			uint64_t rise = d > 0 ? base[j] - base[i] : base[i] - base[j];
			d = d < 0 ? -d : d;
			return !d || (int64_t)rise % d ? 0 : (int64_t)rise / d;
		}
	}
	return 0;
}

/* Finds the step of one coordinate after the other, from pairs of shapes whose later coordinates are equal. */
uint32_t affine_fit(const struct shape *shape, uint32_t n_shapes, const int64_t pattern[32], struct recipe *r)
{
	uint64_t base[SHAPES];
	bool good[SHAPES];
	uint32_t hits = 0;

	for (uint32_t i = 0; i < n_shapes; i++)
		good[i] = find_shape_base(&shape[i], pattern, &base[i]);
	for (unsigned k = 0; k < 4; k++) {
		if (!coordinate_varies(shape, n_shapes, k))
			continue;
		r->steps[k] = step_of_coordinate(shape, good, base, n_shapes, k);
		for (uint32_t i = 0; i < n_shapes; i++)
			base[i] -= (uint64_t)r->steps[k] * block_coordinate(&shape[i], k);
	}
	uint32_t best = 0;
	for (uint32_t i = 0; i < n_shapes && i < 8; i++) {
		uint32_t same = 0;

		for (uint32_t j = 0; j < n_shapes; j++)
			same += good[i] && good[j] && base[i] == base[j];
		if (same > hits) {
			hits = same;
			best = i;
		}
	}
	r->constant = base[best];
	return hits;
}

uint32_t affine_intern_pattern(struct pcode *c, const int64_t pattern[32])
{
	for (uint32_t i = 0; i < c->n_pattern; i++)
		if (!memcmp(c->pattern[i], pattern, sizeof(c->pattern[i])))
			return i;
	grow(&c->pattern, &c->cap_pattern, c->n_pattern + 1, sizeof(c->pattern[0]));
	memcpy(c->pattern[c->n_pattern], pattern, sizeof(c->pattern[0]));
	return c->n_pattern++;
}
