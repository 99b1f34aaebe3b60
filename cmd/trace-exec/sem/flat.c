/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads of words by all lanes of a warp without checks, from memory that is contiguous on the host.
 *
 * Always true: a load that does not have this form is executed by mem.c.
 */
#include "sem/sem.h"

typedef u32 u32_any __attribute__((aligned(1), may_alias));
typedef u64 u64_any __attribute__((aligned(1), may_alias));

/* Computes the addresses of all lanes and their range in one loop: 72 host instructions, where two loops take 146. */
LANE_FN static void address_range(struct warp *w, const struct op *o, uint64_t *low, uint64_t *high)
{
	if (o->mode & 1) { /* the address register has 32 bits */
		const uint32_t *s = (const uint32_t *)(const void *)(w->frame + o->a);
		uint32_t l = UINT32_MAX, h = 0;

		for (unsigned i = 0; i < LANES; i++) {
			uint32_t x = s[i] + (uint32_t)o->imm;

			w->addr[i] = x;
			l = x < l ? x : l;
			h = x > h ? x : h;
		}
		*low = l;
		*high = h;
		return;
	}
	const uint64_t *s = (const uint64_t *)(const void *)(w->frame + o->a);
	/* the sign bit is inverted, because vectors compare signed numbers */
	int64_t l = INT64_MAX, h = INT64_MIN;

	for (unsigned i = 0; i < LANES; i++) {
		uint64_t x = s[i] + (uint64_t)o->imm;
		int64_t y = (int64_t)(x ^ 1ull << 63);

		w->addr[i] = x;
		l = y < l ? y : l;
		h = y > h ? y : h;
	}
	*low = (uint64_t)l ^ 1ull << 63;
	*high = (uint64_t)h ^ 1ull << 63;
}

#define HALF (LANES / 2)

/*
 * Loads one word for each half of a warp if the lanes of each half have one address. Returns false if they do
 * not.
 */
LANE_FN static bool load_halves_32(u32 *d, uintptr_t base, const uint64_t *a)
{
	const uint64_t *b = a + HALF;
	uint64_t differ = 0;

	for (unsigned i = 0; i < HALF; i++)
		differ |= (a[i] ^ a[0]) | (b[i] ^ b[0]);
	if (differ)
		return false;
	u32 low = *(const u32_any *)(base + a[0]), high = *(const u32_any *)(base + b[0]);
	for (unsigned i = 0; i < HALF; i++) {
		d[i] = low;
		d[i + HALF] = high;
	}
	return true;
}

/* Copies the words of each half of a warp if its lanes access adjacent words. Returns false if they do not. */
LANE_FN static bool load_rows_32(u32 *d, uintptr_t base, const uint64_t *a)
{
	const uint64_t *b = a + HALF;
	uint64_t differ = 0;

	for (unsigned i = 0; i < HALF; i++)
		differ |= (a[i] ^ (a[0] + i * sizeof(*d))) | (b[i] ^ (b[0] + i * sizeof(*d)));
	if (differ)
		return false;
	memcpy(d, (const void *)(base + a[0]), HALF * sizeof(*d));
	memcpy(d + HALF, (const void *)(base + b[0]), HALF * sizeof(*d));
	return true;
}

/*
 * Loads a word of each lane. In blocks of 16 by 16 threads the lanes of half a warp often have one address or adjacent
 * ones: 59 or 89 host instructions instead of 104.
 */
LANE_FN static void gather_32(u32 *d, uintptr_t base, const uint64_t *a)
{
	uint64_t step = a[1] - a[0];

	if (step == a[HALF + 1] - a[HALF] && ((step == 0 && load_halves_32(d, base, a)) ||
						     (step == sizeof(*d) && load_rows_32(d, base, a))))
		return;
	EACH_LANE_APART (i)
		d[i] = *(const u32_any *)(base + a[i]);
}
LANE_FN static void gather_64(u64 *d, uintptr_t base, const uint64_t *a)
{
	EACH_LANE_APART (i)
		d[i] = *(const u64_any *)(base + a[i]);
}

/*
 * Returns the host address of address 0 of the global or shared space, or 0 unless the bytes of all lanes are
 * contiguous host memory.
 */
static uintptr_t flat_host_base(const struct warp *w, const struct op *o, uint64_t low, uint64_t high)
{
	if (o->space == SP_SHARED)
		return high < w->cta->shared_bytes && w->cta->shared_bytes - high >= o->bytes &&
				       (high < CLUSTER_STRIDE || w->grid->cluster_size == 1)
			       ? (uintptr_t)w->cta->shared
			       : 0;
	uint8_t *base =
		high <= UINT64_MAX - 8 ? memory_host_address(w->mem, low, high - low + o->bytes) : NULL;
	return base ? (uintptr_t)base - low : 0;
}

void flat_ld(struct warp *w, const struct op *o, uint32_t m)
{
	uint64_t low, high;
	uintptr_t base;

	if (m != ALL_LANES || w->grid->options->check) {
		mem_ld(w, o, m);
		return;
	}
	address_range(w, o, &low, &high);
	base = flat_host_base(w, o, low, high);
	if (!base)
		mem_ld(w, o, m);
	else if (low == w->addr[0] && high - low == (LANES - 1) * o->bytes &&
		 lanes_have_step(w->addr, o->bytes))
		memcpy(w->frame + o->d, (const void *)(base + low), (size_t)o->bytes * LANES);
	else if (o->bytes == 4)
		gather_32(REG(u32, w, o->d), base, w->addr);
	else
		gather_64(REG(u64, w, o->d), base, w->addr);
}
