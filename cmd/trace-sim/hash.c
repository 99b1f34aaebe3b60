/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index functions of caches, L1D banks, DRAM banks and the address decoder (part 3 section 12, part 4 section 6.2).
 * Always true: the result is below n.
 */
#include <assert.h>
#include "bits.h"
#include "cache.h"

/* Address bits that are folded into each output bit, least significant output first. */
static const uint32_t ipoly16[] = {0xF59, 0x11EB, 0x3D6, 0x7AC};
static const uint32_t ipoly32[] = {0x3E69, 0x7CD2, 0x47CD, 0xF9A, 0x1F34};
static const uint32_t ipoly64[] = {0x79461, 0xBCA3, 0x17946, 0x2F28C, 0x5E518, 0x3CA30};

uint32_t hash_ipoly(uint64_t high, uint32_t index, uint32_t n)
{
	const uint32_t *mask = n == 16 ? ipoly16 : n == 32 ? ipoly32 : ipoly64;
	uint32_t out = index & (n - 1);

	assert(n == 16 || n == 32 || n == 64);
	for (unsigned bit = 0; bit < log2_floor(n); bit++)
		out ^= parity64(high & mask[bit]) << bit;
	return out;
}

static uint32_t fermi(uint64_t addr, uint32_t n, uint32_t lo)
{
	uint32_t low = (uint32_t)(addr >> lo) & 31;
	uint32_t up = (uint32_t)((addr >> 13 & 7) | (addr >> 17 & 1) << 3 | (addr >> 19 & 1) << 4);

	return (low ^ up) | (n == 64 ? (uint32_t)(addr >> 12 & 1) << 5 : 0);
}

uint32_t hash_index(enum set_index function, uint64_t addr, uint32_t n, uint32_t lo)
{
	uint32_t k = log2_floor(n), index = (uint32_t)(addr >> lo) & (n - 1);

	switch (function) {
	case INDEX_LINEAR: return index;
	case INDEX_XOR: return index ^ ((uint32_t)(addr >> (lo + k)) & (n - 1));
	case INDEX_IPOLY: return hash_ipoly(addr >> (lo + k), index, n);
	case INDEX_FERMI: return fermi(addr, n, lo);
	case INDEX_CUSTOM: return 0;
	}
	return 0;
}
