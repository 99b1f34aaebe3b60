/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Properties of the addresses of all lanes. Functions with versions for several instruction sets are static, so
 * that the library of --run exports none of them.
 */
#include "exec/lanes.h"

LANE_FN static void extremes_of_all(const uint64_t *a, uint64_t *low, uint64_t *high)
{
	/* the sign bit is inverted, because vectors compare signed numbers */
	int64_t l = INT64_MAX, h = INT64_MIN;

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
	int64_t first = (int64_t)(a[bit_lowest32(m)] ^ 1ull << 63), l = first, h = first;

	for (unsigned i = 0; i < LANES; i++) {
		int64_t x = m >> i & 1 ? (int64_t)(a[i] ^ 1ull << 63) : first;

		l = x < l ? x : l;
		h = x > h ? x : h;
	}
	*low = (uint64_t)l ^ 1ull << 63;
	*high = (uint64_t)h ^ 1ull << 63;
}

/*
 * Largest number of lanes for which a loop over the lanes takes fewer instructions than vectors of all lanes.
 */
#define SOME_LANES 12u

void lanes_find_extremes(const uint64_t *a, uint32_t m, uint64_t *low, uint64_t *high)
{
	if (m == ALL_LANES) {
		extremes_of_all(a, low, high);
	} else if (bit_count32(m) > SOME_LANES) {
		extremes_of_some(a, m, low, high);
	} else {
		*low = *high = a[bit_lowest32(m)];
		FOR_BITS32 (i, m & (m - 1)) {
			*low = a[i] < *low ? a[i] : *low;
			*high = a[i] > *high ? a[i] : *high;
		}
	}
}

LANE_FN static bool lanes_have_stride(const uint64_t *a, uint64_t step)
{
	uint64_t wrong = ((a[1] - a[0]) ^ step) | ((a[2] - a[1]) ^ step) | ((a[3] - a[2]) ^ step);

	/* a comparison with the fourth lane before takes whole vectors */
	for (unsigned i = 4; i < LANES; i++)
		wrong |= a[i] ^ (a[i - 4] + 4 * step);
	return !wrong;
}

bool lanes_have_step(const uint64_t *a, uint64_t step) { return lanes_have_stride(a, step); }

LANE_FN static bool pointers_have_stride(uint8_t *const *at, uint64_t step)
{
	uintptr_t wrong = 0, first = (uintptr_t)at[0];

	for (unsigned i = 0; i < LANES; i++)
		wrong |= (uintptr_t)at[i] ^ (first + i * step);
	return !wrong;
}

bool lanes_adjacent(uint8_t *const *at, uint64_t step)
{
	return (uintptr_t)at[LANES - 1] - (uintptr_t)at[0] == (LANES - 1) * step &&
	       pointers_have_stride(at, step);
}

LANE_FN static bool pointers_ascend(uint8_t *const *at)
{
	int64_t wrong = 0; /* negative if the address of some lane is not above that of the lane before */

	for (unsigned i = 1; i < LANES; i++)
		wrong |= (int64_t)((uintptr_t)at[i] - (uintptr_t)at[i - 1] - 1);
	return wrong >= 0;
}

bool lanes_are_ascending(uint8_t *const *at, uint32_t m)
{
	uintptr_t before = 0;

	if (m == ALL_LANES)
		return pointers_ascend(at);
	FOR_BITS32 (i, m) {
		if ((uintptr_t)at[i] <= before)
			return false;
		before = (uintptr_t)at[i];
	}
	return true;
}

/* Returns the lanes whose host address is neither the previous lane's nor `bytes` above it. */
LANE_FN static uint32_t lanes_starting_runs(uint8_t *const *at, uint64_t bytes)
{
	uint64_t apart = 1;

	for (unsigned i = 1; i < LANES; i++) {
		uint64_t d = (uintptr_t)at[i] - (uintptr_t)at[i - 1];

		apart |= d && d != bytes ? 1ull << i : 0;
	}
	return (uint32_t)apart;
}

/* Makes the access of each lane a span of its own. */
static unsigned span_of_each_lane(struct access_range *s, uint64_t bytes, uint8_t *const *at)
{
	for (unsigned i = 0; i < LANES; i++)
		s[i] = (struct access_range){at[i], bytes, 1u << i};
	return LANES;
}

/* Returns true if more than two bits are set: it takes fewer instructions than to count them. */
static inline bool has_many_bits(uint32_t v)
{
	v &= v - 1;
	return v & (v - 1);
}

unsigned lanes_merge_spans(
	struct access_range *s, uint32_t m, uint64_t bytes, uint8_t *const *at, unsigned most)
{
	struct access_range *last = s;
	uint32_t first = m; /* first lanes of runs of adjacent accesses */

	if (m == ALL_LANES) {
		first = lanes_starting_runs(at, bytes);
		if (most < LANES && has_many_bits(first) && bit_count32(first) > most)
			return LANES;
	}
	if (first == ALL_LANES) /* no lane continues the access of the lane before */
		return span_of_each_lane(s, bytes, at);
	*last = (struct access_range){at[bit_lowest32(m)], 0, 0};
	FOR_BITS32 (i, first) {
		uint32_t above = first & ~((2u << i) - 1), next = above ? bit_lowest32(above) : LANES;
		uint32_t end = m == ALL_LANES ? next : i + 1;
		uint64_t d = (uintptr_t)at[i] - (uintptr_t)last->host;

		if (d > last->bytes || d & (bytes - 1)) {
			*++last = (struct access_range){at[i], 0, 0};
			d = 0;
		}
		d += (uintptr_t)at[end - 1] - (uintptr_t)at[i] + bytes;
		last->bytes = d > last->bytes ? d : last->bytes;
		last->lanes |= (uint32_t)((1ull << end) - (1ull << i));
	}
	return (unsigned)(last - s) + 1;
}
