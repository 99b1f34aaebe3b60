/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index functions: they map an address to a set, bank or partition (CACHE-index, MEM-addr-5).
 *
 * IPOLY treats the address above the offset as a polynomial over GF(2). The result is the remainder of its division by
 * a primitive polynomial, whose degree is the number of index bits. The remainder is linear in the address bits: it is
 * the linear index, xor one column for each set bit above the index. Tables have the sums of the columns of four bits.
 * The original has functions for 16, 32 and 64 indices, which use 13, 15 and 19 bits above the index. Functions for
 * other numbers continue the scheme with 20 bits. params_cache.c and addrdec.c check that a configuration
 * is possible.
 */
#include <assert.h>
#include "bits.h"
#include "request/hash.h"

/* All sums of four columns, indexed by the mask of the columns. */
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

/* The column after c: c times x, reduced by the polynomial p if the product has degree k, the degree of p. */
#define NEXT(c, k, p) ((uint32_t)(c) << 1 ^ ((uint32_t)(c) >> ((k)-1) & 1 ? (uint32_t)(p) : 0))

/* The columns for degree k: x to the power of k, k + 1, ... modulo p. */
#define COLUMNS(k, p) \
	enum { \
		A##k = (p) ^ 1 << (k), \
		B##k = NEXT(A##k, k, p), \
		C##k = NEXT(B##k, k, p), \
		D##k = NEXT(C##k, k, p), \
		E##k = NEXT(D##k, k, p), \
		F##k = NEXT(E##k, k, p), \
		G##k = NEXT(F##k, k, p), \
		H##k = NEXT(G##k, k, p), \
		I##k = NEXT(H##k, k, p), \
		J##k = NEXT(I##k, k, p), \
		K##k = NEXT(J##k, k, p), \
		L##k = NEXT(K##k, k, p), \
		M##k = NEXT(L##k, k, p), \
		N##k = NEXT(M##k, k, p), \
		O##k = NEXT(N##k, k, p), \
		P##k = NEXT(O##k, k, p), \
		Q##k = NEXT(P##k, k, p), \
		R##k = NEXT(Q##k, k, p), \
		S##k = NEXT(R##k, k, p), \
		T##k = NEXT(S##k, k, p) \
	};
#define TABLE(k, p) \
	[k] = {SUMS(A##k, B##k, C##k, D##k), SUMS(E##k, F##k, G##k, H##k), SUMS(I##k, J##k, K##k, L##k), \
		SUMS(M##k, N##k, O##k, P##k), SUMS(Q##k, R##k, S##k, T##k)},

/* Primitive polynomials by degree: the polynomial with the fewest terms and, of several, the smallest. */
#define OTHER_DEGREES(X) \
	X(1, 0x3) \
	X(2, 0x7) \
	X(3, 0xB) \
	X(7, 0x83) \
	X(8, 0x11D) \
	X(9, 0x211) \
	X(10, 0x409) \
	X(11, 0x805) \
	X(12, 0x1053) \
	X(13, 0x201B) \
	X(14, 0x4443) \
	X(15, 0x8003) \
	X(16, 0x1100B)

OTHER_DEGREES(COLUMNS)

static const uint16_t poly[17][NIBBLES][16] = {OTHER_DEGREES(TABLE)};

_Static_assert(HASH_IPOLY_MAX == 1u << 16, "the highest degree");

static uint32_t ipoly_of_other_sizes(uint64_t high, uint32_t index, uint32_t n)
{
	const uint16_t(*sums)[16] = poly[log2_floor(n)];
	uint32_t v = index & (n - 1);

	for (unsigned i = 0; i < NIBBLES; i++)
		v ^= sums[i][high >> 4 * i & 15];
	return v;
}

uint32_t hash_ipoly(uint64_t high, uint32_t index, uint32_t n)
{
	const uint8_t(*sums)[16] = n == 16 ? poly16 : n == 32 ? poly32 : poly64;
	uint32_t v = index & (n - 1);

	assert(is_pow2(n) && n <= HASH_IPOLY_MAX);
	if (n != 16 && n != 32 && n != 64)
		return ipoly_of_other_sizes(high, index, n);
	for (unsigned i = 0; i < NIBBLES; i++)
		v ^= sums[i][high >> 4 * i & 15];
	return v;
}

static uint32_t hash_fermi(uint64_t addr, uint32_t n, uint32_t lo_log2)
{
	uint64_t up = (addr >> 13 & 7) | (addr >> 17 & 1) << 3 | (addr >> 19 & 1) << 4;
	uint32_t v = (uint32_t)((addr >> lo_log2 & 31) ^ up);

	assert(n == 32 || n == 64);
	return n == 64 ? v | (uint32_t)(addr >> 12 & 1) << 5 : v;
}

/*
 * Returns the index of an address. quirk Q3-36: if n is not a power of two, a result is masked with n - 1, so some
 * indices are never used.
 */
uint32_t hash_index(enum set_index function, uint64_t addr, uint32_t n, uint32_t lo_log2)
{
	uint64_t low = addr >> lo_log2;
	uint32_t bits = log2_floor(n);

	switch (function) {
	case INDEX_LINEAR: return (uint32_t)low & (n - 1);
	case INDEX_XOR: return ((uint32_t)low ^ (uint32_t)(low >> bits)) & (n - 1);
	case INDEX_IPOLY: return hash_ipoly(low >> bits, (uint32_t)low, n);
	case INDEX_FERMI: return hash_fermi(addr, n, lo_log2);
	case INDEX_MODULO: return (uint32_t)(low % n);
	case INDEX_CUSTOM: break;
	}
	return 0;
}
