/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops of address recipes over 32 lanes. Plain C that the compiler makes vectors of; on x86-64 the
 * widest version that the machine has is chosen when the program runs. All give the same lanes.
 */
#include "pack_addr.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define VECTOR __attribute__((target_clones("arch=x86-64-v4", "avx2", "default"), optimize("O3")))
#define CHOICE 1
#include <immintrin.h>
#else
#define VECTOR
#define CHOICE 0
#endif

VECTOR void lanes_shift(uint64_t to[32], const uint64_t from[32], int shift, uint64_t c)
{
	uint64_t t[32];
	if (shift >= 0)
		for (unsigned l = 0; l < 32; l++)
			t[l] = (from[l] << shift) + c;
	else
		for (unsigned l = 0; l < 32; l++)
			t[l] = (from[l] >> -shift) + c;
	memcpy(to, t, sizeof(t));
}

VECTOR void lanes_xor(uint64_t to[32], const uint64_t from[32], uint64_t c)
{
	for (unsigned l = 0; l < 32; l++)
		to[l] = from[l] ^ c;
}

VECTOR void lanes_pattern(uint64_t to[32], const int64_t *pattern, uint64_t base)
{
	for (unsigned l = 0; l < 32; l++)
		to[l] = (uint64_t)pattern[l] + base;
}

VECTOR void lanes_line(uint64_t to[32], uint64_t base, uint64_t step)
{
	for (unsigned l = 0; l < 32; l++)
		to[l] = base + l * step;
}

/* ---- packing the active lanes ------------------------------------------------------------- */

static void pack_plain(uint64_t *to, const uint64_t from[32], uint32_t mask)
{
	FOR_BITS32(l, mask)
		*to++ = from[l];
}

#if CHOICE
__attribute__((target("avx512f,popcnt")))
static void pack_512(uint64_t *to, const uint64_t from[32], uint32_t mask)
{
	for (unsigned l = 0; mask >> l; l += 8) {
		__mmask8 m = (__mmask8)(mask >> l);
		_mm512_storeu_si512(to, _mm512_maskz_compress_epi64(m, _mm512_loadu_si512(from + l)));
		to += __builtin_popcount(m);
		if (l == 24)
			break;
	}
}

/* Where the dwords of the chosen ones of four lanes come from. */
static const uint32_t chosen[16][8] = {
#define A 0, 1
#define B 2, 3
#define C 4, 5
#define D 6, 7
	{ A, A, A, A }, { A, A, A, A }, { B, A, A, A }, { A, B, A, A }, { C, A, A, A }, { A, C, A, A },
	{ B, C, A, A }, { A, B, C, A }, { D, A, A, A }, { A, D, A, A }, { B, D, A, A }, { A, B, D, A },
	{ C, D, A, A }, { A, C, D, A }, { B, C, D, A }, { A, B, C, D },
#undef A
#undef B
#undef C
#undef D
};

__attribute__((target("avx2,popcnt")))
static void pack_256(uint64_t *to, const uint64_t from[32], uint32_t mask)
{
	for (unsigned l = 0; mask >> l; l += 4) {
		unsigned m = mask >> l & 15;
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(from + l));
		v = _mm256_permutevar8x32_epi32(
			v, _mm256_loadu_si256((const __m256i *)(const void *)chosen[m]));
		_mm256_storeu_si256((__m256i *)(void *)to, v);
		to += __builtin_popcount(m);
		if (l == 28)
			break;
	}
}
#endif

void lanes_pack(uint64_t *to, const uint64_t from[32], uint32_t mask)
{
	if (mask == UINT32_MAX) {
		memcpy(to, from, 32 * sizeof(from[0]));
		return;
	}
#if CHOICE
	if (__builtin_cpu_supports("avx512f")) {
		pack_512(to, from, mask);
		return;
	}
	if (__builtin_cpu_supports("avx2")) {
		pack_256(to, from, mask);
		return;
	}
#endif
	pack_plain(to, from, mask);
}

/* ---- state -------------------------------------------------------------------------------- */

void addresses_new(struct addresses *x, const struct pcode *c)
{
	x->c = c;
	x->last = xcalloc(c->n_mem + 1, sizeof(x->last[0]));
	x->stamp = xcalloc(c->n_mem + 1, sizeof(x->stamp[0]));
	x->base = xcalloc(c->n_mem + 1, sizeof(x->base[0]));
	x->straight = xcalloc(c->n_pattern + 1, sizeof(x->straight[0]));
	x->now = 0;
	for (uint32_t i = 0; i < c->n_pattern; i++) {
		const int64_t *p = c->pattern[i];
		uint64_t off = 0;
		for (unsigned l = 2; l < 32; l++)
			off |= ((uint64_t)p[l] - (uint64_t)p[l - 1]) ^ ((uint64_t)p[1] - (uint64_t)p[0]);
		x->straight[i] = !off;
	}
}

void addresses_free(struct addresses *x)
{
	free(x->last);
	free(x->stamp);
	free(x->base);
	free(x->straight);
}

static bool moved(struct addresses *x, const struct recipe *r, const struct given *g)
{
	const struct lanes *from = lanes_of(x, r->ref);
	unsigned i = 0;
	uint64_t t[32], d, off = 0;
	if (!g->n)
		return false;
	const uint64_t *a = given_list(g, t);
	d = a[0] - lane_at(from, bit_lowest32(g->mask));
	FOR_BITS32(l, g->mask)
		off |= (a[i++] - lane_at(from, l)) ^ d;
	return !off;
}

bool recipe_holds(struct addresses *x, const struct recipe *r, const struct given *g)
{
	uint64_t low = (UINT64_C(1) << r->align) - 1, limit = UINT64_C(1) << (8 * r->planes), t[32];
	const uint64_t *a;
	if (r->op == OP_ANY)
		return true;
	if (r->op == OP_MOVED)
		return moved(x, r, g);
	a = given_list(g, t);
	if (r->op == OP_BASED)
		return pattern_base(x->c->pattern[r->pattern], g->mask, a, &low);
	for (unsigned i = 0; i < g->n && r->op == OP_PLANES; i++)
		if ((a[i] - r->c) & low || (a[i] - r->c) >> r->align >= limit)
			return false;
	for (unsigned i = 1; i < g->n && r->op == OP_DELTAS; i++)
		if ((a[i] - a[i - 1]) & low || fold((int64_t)(a[i] - a[i - 1]) >> r->align) >= limit)
			return false;
	return true;
}
