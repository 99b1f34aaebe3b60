/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bit masks: 64-bit words, sets of several words, and iteration from the lowest bit up.
 * All indices count from bit 0, the least significant.
 */
#ifndef BITS_H
#define BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }
/* Returns the least multiple of `unit` that is at least n. Requires n + unit - 1 < 2^64. */
static inline uint64_t round_up_u64(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }

/*
 * Returns the number of set bits. Without a POPCNT instruction, the compiler's builtin would call a library function.
 */
#ifdef __POPCNT__
static inline unsigned bit_count32(uint32_t v) { return (unsigned)__builtin_popcount(v); }
static inline unsigned bit_count64(uint64_t v) { return (unsigned)__builtin_popcountll(v); }
#else
static inline unsigned bit_count32(uint32_t v)
{
	/* The steps count pairs of bits, then nibbles, then bytes, and add up the bytes. */
	v -= v >> 1 & 0x55555555u;
	v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
	return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
static inline unsigned bit_count64(uint64_t v)
{
	v -= v >> 1 & 0x5555555555555555u;
	v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
	return (unsigned)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}
#endif
static inline unsigned bit_lowest32(uint32_t v) { return (unsigned)__builtin_ctz(v); } /* requires v != 0 */
/* Requires v != 0. */
static inline unsigned bit_lowest64(uint64_t v) { return (unsigned)__builtin_ctzll(v); }

/* Returns floor(log2 v), or 0 for v = 0 (CACHE-index-1). */
static inline unsigned log2_floor(uint64_t v) { return v ? 63u - (unsigned)__builtin_clzll(v) : 0; }
static inline bool is_pow2(uint64_t v) { return v && !(v & (v - 1)); }
static inline uint64_t rotate_left64(uint64_t v, unsigned n) { return v << n % 64 | v >> (64 - n % 64) % 64; }
static inline unsigned parity64(uint64_t v) { return (unsigned)__builtin_parityll(v); }

/* Returns true if a bit between the lowest and the highest set one is not set. */
static inline bool mask_has_holes(uint32_t mask) { return mask & (mask + (mask & (0 - mask))); }

/*
 * Returns the first set bit of mask at or after bit `from`; after bit 63 the search continues at bit 0. mask must not
 * be 0.
 */
static inline unsigned bit_next_cyclic64(uint64_t mask, unsigned from)
{
	uint64_t up = from < 64 ? mask >> from << from : 0;
	return bit_lowest64(up ? up : mask);
}

/* Loops over the set bits b of a mask in ascending order; mask is evaluated once. */
#define FOR_BITS64(b, mask) \
	for (uint64_t b##_m = (mask), b; b##_m && (b = (uint64_t)__builtin_ctzll(b##_m), 1); \
		b##_m &= b##_m - 1)
#define FOR_BITS32(b, mask) \
	for (uint32_t b##_m = (mask), b; b##_m && (b = (uint32_t)__builtin_ctz(b##_m), 1); b##_m &= b##_m - 1)

#define BITSET_WORDS(n) (((n) + 63u) / 64u)
static inline bool bitset_test(const uint64_t *s, unsigned i) { return s[i / 64] >> (i % 64) & 1; }
static inline void bitset_set(uint64_t *s, unsigned i) { s[i / 64] |= 1ull << (i % 64); }
static inline void bitset_clear(uint64_t *s, unsigned i) { s[i / 64] &= ~(1ull << (i % 64)); }

static inline bool bitset_any(const uint64_t *s, unsigned words)
{
	for (unsigned w = 0; w < words; w++)
		if (s[w])
			return true;
	return false;
}
static inline unsigned bitset_count(const uint64_t *s, unsigned words)
{
	unsigned n = 0;

	for (unsigned w = 0; w < words; w++)
		n += bit_count64(s[w]);
	return n;
}

/*
 * Returns the first member at or after `from` of a set of `words` words, which must not be empty. The search wraps
 * around.
 */
static inline unsigned bitset_next_cyclic(const uint64_t *s, unsigned words, unsigned from)
{
	unsigned w = from / 64;
	uint64_t m = s[w] & ~0ull << from % 64;

	while (!m) {
		w = w + 1 < words ? w + 1 : 0;
		m = s[w];
	}
	return w * 64 + bit_lowest64(m);
}

#endif
