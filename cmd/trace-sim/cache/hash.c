/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index functions: which set, bank or partition an address falls into (CACHE-index, MEM-addr-5).
 *
 * IPOLY xors to each bit of the index the parity of some higher address bits. That is linear over single
 * bits, so the whole is an xor of one column per set bit; columns are summed four address bits at a time.
 * Which configurations are possible is checked where they are read (params_cache.c, addrdec.c).
 */
#include <assert.h>
#include "bits.h"
#include "cache.h"

/* All sums of four columns, by which of them are taken. */
#define SUMS(a, b, c, d) \
	{ \
		0, a, b, (a) ^ (b), c, (a) ^ (c), (b) ^ (c), (a) ^ (b) ^ (c), d, (a) ^ (d), (b) ^ (d), \
			(a) ^ (b) ^ (d), (c) ^ (d), (a) ^ (c) ^ (d), (b) ^ (c) ^ (d), (a) ^ (b) ^ (c) ^ (d) \
	}

#define NIBBLES 5

static const uint8_t poly16[NIBBLES][16] = {
	SUMS(0x3, 0x6, 0xC, 0xB),
	SUMS(0x5, 0xA, 0x7, 0xE),
	SUMS(0xF, 0xD, 0x9, 0x1),
	SUMS(0x2, 0, 0, 0),
	SUMS(0, 0, 0, 0),
};
static const uint8_t poly32[NIBBLES][16] = {
	SUMS(0x05, 0x0A, 0x14, 0x0D),
	SUMS(0x1A, 0x11, 0x07, 0x0E),
	SUMS(0x1C, 0x1D, 0x1F, 0x1B),
	SUMS(0x13, 0x03, 0x06, 0),
	SUMS(0, 0, 0, 0),
};
static const uint8_t poly64[NIBBLES][16] = {
	SUMS(0x03, 0x06, 0x0C, 0x18),
	SUMS(0x30, 0x23, 0x05, 0x0A),
	SUMS(0x14, 0x28, 0x13, 0x26),
	SUMS(0x0F, 0x1E, 0x3C, 0x3B),
	SUMS(0x35, 0x29, 0x11, 0),
};

uint32_t hash_ipoly(uint64_t high, uint32_t index, uint32_t n)
{
	const uint8_t(*sums)[16] = n == 16 ? poly16 : n == 32 ? poly32 : poly64;
	uint32_t v = index & (n - 1);

	assert(n == 16 || n == 32 || n == 64);
	for (unsigned i = 0; i < NIBBLES; i++)
		v ^= sums[i][high >> 4 * i & 15];
	return v;
}

static uint32_t fermi(uint64_t addr, uint32_t n, uint32_t lo_log2)
{
	uint64_t up = (addr >> 13 & 7) | (addr >> 17 & 1) << 3 | (addr >> 19 & 1) << 4;
	uint32_t v = (uint32_t)((addr >> lo_log2 & 31) ^ up);

	assert(n == 32 || n == 64);
	return n == 64 ? v | (uint32_t)(addr >> 12 & 1) << 5 : v;
}

/* quirk Q3-36: an n that is no power of two is only masked, which leaves some indices unused. */
uint32_t hash_index(enum set_index function, uint64_t addr, uint32_t n, uint32_t lo_log2)
{
	uint64_t low = addr >> lo_log2;
	uint32_t bits = log2_floor(n);

	switch (function) {
	case INDEX_LINEAR: return (uint32_t)low & (n - 1);
	case INDEX_XOR: return ((uint32_t)low ^ (uint32_t)(low >> bits)) & (n - 1);
	case INDEX_IPOLY: return hash_ipoly(low >> bits, (uint32_t)low, n);
	case INDEX_FERMI: return fermi(addr, n, lo_log2);
	case INDEX_CUSTOM: break;
	}
	return 0;
}
