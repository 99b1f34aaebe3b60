/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of the addresses of all lanes. Functions with versions for several instruction sets are static, so
 * that the library of --run exports none of them.
 */
#include "exec/lanes.h"

LANE_FN static void extremes_of_all(const uint64_t *a, uint64_t *low, uint64_t *high)
{
	int64_t l = INT64_MAX, h = INT64_MIN; /* sign bit inverted: vectors compare signed numbers */

	for (unsigned i = 0; i < LANES; i++) {
		int64_t x = (int64_t)(a[i] ^ 1ull << 63);

		l = x < l ? x : l;
		h = x > h ? x : h;
	}
	*low = (uint64_t)l ^ 1ull << 63;
	*high = (uint64_t)h ^ 1ull << 63;
}

LANE_FN static void extremes_of_some(const uint64_t *a, uint32_t m, uint64_t *low, uint64_t *high)
{
	int64_t l = INT64_MAX, h = INT64_MIN;

	for (unsigned i = 0; i < LANES; i++) {
		int64_t x = (int64_t)(a[i] ^ 1ull << 63), y = m >> i & 1 ? x : INT64_MAX,
			z = m >> i & 1 ? x : INT64_MIN;

		l = y < l ? y : l;
		h = z > h ? z : h;
	}
	*low = (uint64_t)l ^ 1ull << 63;
	*high = (uint64_t)h ^ 1ull << 63;
}

void lanes_extremes(const uint64_t *a, uint32_t m, uint64_t *low, uint64_t *high)
{
	if (m == ALL_LANES)
		extremes_of_all(a, low, high);
	else
		extremes_of_some(a, m, low, high);
}

LANE_FN static bool lanes_have_stride(const uint64_t *a, uint64_t step)
{
	uint64_t wrong = 0;

	for (unsigned i = 0; i < LANES; i++)
		wrong |= a[i] ^ (a[0] + i * step);
	return !wrong;
}

bool lanes_apart_by(const uint64_t *a, uint64_t step) { return lanes_have_stride(a, step); }

LANE_FN static bool all_lanes_moved(const uint64_t *a, const uint64_t *b)
{
	uint64_t wrong = 0, by = a[0] - b[0];

	for (unsigned i = 0; i < LANES; i++)
		wrong |= (a[i] - b[i]) ^ by;
	return !wrong;
}

bool lanes_moved(const uint64_t *a, const uint64_t *b) { return all_lanes_moved(a, b); }
