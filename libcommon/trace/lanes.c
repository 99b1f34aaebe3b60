/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loops over lanes. Each loop is written once in plain C and compiled for each instruction set. Only packing and
 * sets of sectors use vector intrinsics, because compilers do not vectorise them.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "bits.h"
#include "inlining.h"
#include "lanes.h"
#include "pack.h"

#if defined(__x86_64__)
#define CHOICE 1
#include <immintrin.h>
#else
#define CHOICE 0
#endif
#ifdef __clang__
#define LOOPS
#else
#define LOOPS __attribute__((optimize("O3"))) /* -O2 does not vectorise some of the loops */
#endif
#define BODY static ALWAYS_INLINE void

/* ---- portable loops ----------------------------------------------------------------------- */

BODY shift_body(uint64_t to[32], const uint64_t from[32], int shift, uint64_t c)
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

BODY xor_body(uint64_t to[32], const uint64_t from[32], uint64_t c)
{
	for (unsigned l = 0; l < 32; l++)
		to[l] = from[l] ^ c;
}

BODY pattern_body(uint64_t to[32], const int64_t *pattern, uint64_t base)
{
	for (unsigned l = 0; l < 32; l++)
		to[l] = (uint64_t)pattern[l] + base;
}

BODY line_body(uint64_t to[32], uint64_t base, uint64_t step)
{
	/* sums, because AVX2 has no products of 64 bits */
	for (unsigned l = 0; l < 32; l++, base += step)
		to[l] = base;
}

BODY run_body(uint64_t to[32], uint64_t base, uint64_t step, uint32_t mask)
{
	for (unsigned l = 0; l < 32; l++, base += step)
		to[l] = base & (0 - (uint64_t)(mask >> l & 1));
}

static ALWAYS_INLINE uint32_t differences_body(const uint64_t *a, unsigned n)
{
	uint32_t size[32] = {0}, most = 0;
	uint64_t wide = 0, negative = 0;

	for (unsigned i = 1; i < n; i++) {
		const uint64_t d = a[i] - a[i - 1], sign = 0 - (d >> 63), u = (d ^ sign) - sign;

		wide |= u;
		size[i] = (uint32_t)u;
		negative += d >> 63;
	}
	if (wide >> 30)
		return UINT32_MAX;
	uint32_t length = 2 * (n - 1) + (uint32_t)negative;
	for (unsigned i = 0; i < 32; i++)
		most = size[i] > most ? size[i] : most;
	for (uint32_t least = 10; least <= most; least *= 10)
		for (unsigned i = 0; i < 32; i++)
			length += size[i] >= least;
	return length;
}

static ALWAYS_INLINE uint64_t bits_above_body(const uint64_t *a, unsigned n, uint64_t c)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		bits |= a[i] - c;
	return bits;
}

BODY bytes_body(uint8_t *to, const uint64_t *a, unsigned n, uint64_t c, unsigned shift)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = (uint8_t)((a[i] - c) >> shift);
}

static ALWAYS_INLINE uint64_t changes_body(
	const uint64_t *a, const uint64_t *w, const uint64_t *mask, uint32_t n)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < n; i++)
		bits |= (w[i] ^ a[i]) & mask[i];
	return bits;
}

static ALWAYS_INLINE struct words_distance distance_body(
	const uint64_t *a, const uint64_t *w, const uint64_t *fixed, uint32_t n, uint64_t more)
{
	uint64_t off = 0, all = 0, raised = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t d = w[i] - a[i];

		off |= d & fixed[i];
		all |= d;
		raised |= d + more;
	}
	return (struct words_distance){off, all, raised};
}

/* has_popcnt: the instruction set counts bits, so that the builtin calls no library function. */
static ALWAYS_INLINE uint64_t thread_insts_body(const struct pack_run *run, uint32_t n, bool has_popcnt)
{
	uint64_t insts = 0;

	for (const struct pack_run *end = run + n; run < end; run++)
		insts += (uint64_t)run->n *
			 (has_popcnt ? (unsigned)__builtin_popcount(run->mask) : bit_count32(run->mask));
	return insts;
}

static uint64_t sectors_none(const uint64_t a[32], uint64_t more)
{
	const uint64_t from = (a[0] >> 5) - 32;
	uint64_t bits = 0, far = 0;

	for (unsigned l = 0; l < 32; l++) {
		uint64_t first = (a[l] >> 5) - from, last = ((a[l] + more) >> 5) - from;

		bits |= UINT64_C(1) << (first & 63) | UINT64_C(1) << (last & 63);
		far |= first | last;
	}
	return far >> 6 ? 0 : bits;
}

static void pack_none(uint64_t *to, const uint64_t from[32], uint32_t mask)
{
	FOR_BITS32 (l, mask)
		*to++ = from[l];
}

static void spread_none(uint64_t to[32], const uint64_t *from, uint32_t mask)
{
	memset(to, 0, 32 * sizeof(to[0]));
	FOR_BITS32 (l, mask)
		to[l] = *from++;
}

static uint32_t gather_none(uint32_t bits, uint32_t mask)
{
	uint32_t to = 0;
	unsigned n = 0;

	FOR_BITS32 (l, mask)
		to |= (bits >> l & 1) << n++;
	return to;
}

/* ---- the loops for each instruction set -------------------------------------------------- */

#define HAS_POPCNT_avx512 true
#define HAS_POPCNT_avx2   true
#define HAS_POPCNT_none   false

#define LOOPS_FOR(set, target) \
	target LOOPS static void shift_##set( \
		uint64_t to[32], const uint64_t from[32], int shift, uint64_t c) \
	{ \
		shift_body(to, from, shift, c); \
	} \
	target LOOPS static void xor_##set(uint64_t to[32], const uint64_t from[32], uint64_t c) \
	{ \
		xor_body(to, from, c); \
	} \
	target LOOPS static void pattern_##set(uint64_t to[32], const int64_t *pattern, uint64_t base) \
	{ \
		pattern_body(to, pattern, base); \
	} \
	target LOOPS static void line_##set(uint64_t to[32], uint64_t base, uint64_t step) \
	{ \
		line_body(to, base, step); \
	} \
	target LOOPS static void run_##set(uint64_t to[32], uint64_t base, uint64_t step, uint32_t mask) \
	{ \
		run_body(to, base, step, mask); \
	} \
	target LOOPS static uint32_t differences_##set(const uint64_t *a, unsigned n) \
	{ \
		return n == 32 ? differences_body(a, 32) : differences_body(a, n); \
	} \
	target LOOPS static uint64_t bits_above_##set(const uint64_t *a, unsigned n, uint64_t c) \
	{ \
		return n == 32 ? bits_above_body(a, 32, c) : bits_above_body(a, n, c); \
	} \
	target LOOPS static void bytes_##set( \
		uint8_t *to, const uint64_t *a, unsigned n, uint64_t c, unsigned shift) \
	{ \
		if (n == 32) \
			bytes_body(to, a, 32, c, shift); \
		else \
			bytes_body(to, a, n, c, shift); \
	} \
	target LOOPS static uint64_t changes_##set( \
		const uint64_t *a, const uint64_t *w, const uint64_t *mask, uint32_t n) \
	{ \
		return changes_body(a, w, mask, n); \
	} \
	target LOOPS static struct words_distance distance_##set( \
		const uint64_t *a, const uint64_t *w, const uint64_t *fixed, uint32_t n, uint64_t more) \
	{ \
		return distance_body(a, w, fixed, n, more); \
	} \
	target static uint64_t thread_insts_##set(const struct pack_run *run, uint32_t n) \
	{ \
		return thread_insts_body(run, n, HAS_POPCNT_##set); \
	} \
	static const struct lanes_loops set = {#set, shift_##set, xor_##set, pattern_##set, line_##set, \
		run_##set, pack_##set, spread_##set, gather_##set, sectors_##set, differences_##set, \
		bits_above_##set, bytes_##set, changes_##set, distance_##set, thread_insts_##set};

#if CHOICE
#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,bmi2,popcnt")))
#define AVX2   __attribute__((target("avx2,bmi2,popcnt")))

AVX512 static void pack_avx512(uint64_t *to, const uint64_t from[32], uint32_t mask)
{
	for (unsigned l = 0; l < 32 && mask >> l; l += 8) {
		__mmask8 m = (__mmask8)(mask >> l);

		_mm512_storeu_si512(to, _mm512_maskz_compress_epi64(m, _mm512_loadu_si512(from + l)));
		to += __builtin_popcount(m);
	}
}

AVX512 static void spread_avx512(uint64_t to[32], const uint64_t *from, uint32_t mask)
{
	for (unsigned l = 0; l < 32; l += 8) {
		__mmask8 m = (__mmask8)(mask >> l);

		_mm512_storeu_si512(to + l, _mm512_maskz_expandloadu_epi64(m, from));
		from += __builtin_popcount(m);
	}
}

/* Indices of the source 32-bit words for each selection of four lanes. */
static const uint32_t chosen[16][8] = {
#define A 0, 1
#define B 2, 3
#define C 4, 5
#define D 6, 7
	{A, A, A, A},
	{A, A, A, A},
	{B, A, A, A},
	{A, B, A, A},
	{C, A, A, A},
	{A, C, A, A},
	{B, C, A, A},
	{A, B, C, A},
	{D, A, A, A},
	{A, D, A, A},
	{B, D, A, A},
	{A, B, D, A},
	{C, D, A, A},
	{A, C, D, A},
	{B, C, D, A},
	{A, B, C, D},
#undef A
#undef B
#undef C
#undef D
};

AVX2 static void pack_avx2(uint64_t *to, const uint64_t from[32], uint32_t mask)
{
	for (unsigned l = 0; l < 32 && mask >> l; l += 4) {
		unsigned m = mask >> l & 15;
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(from + l));

		v = _mm256_permutevar8x32_epi32(
			v, _mm256_loadu_si256((const __m256i *)(const void *)chosen[m]));
		_mm256_storeu_si256((__m256i *)(void *)to, v);
		to += __builtin_popcount(m);
	}
}

AVX2 static inline uint64_t or_of_words(__m256i v)
{
	uint64_t w[4];

	_mm256_storeu_si256((__m256i *)(void *)w, v);
	return w[0] | w[1] | w[2] | w[3];
}

AVX2 static uint64_t sectors_avx2(const uint64_t a[32], uint64_t more)
{
	const __m256i one = _mm256_set1_epi64x(1), length = _mm256_set1_epi64x((int64_t)more),
		      from = _mm256_set1_epi64x((int64_t)((a[0] >> 5) - 32));
	__m256i bits = _mm256_setzero_si256(), far = bits, low = bits;

	for (unsigned l = 0; l < 32; l += 4) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(a + l)),
			first = _mm256_sub_epi64(_mm256_srli_epi64(v, 5), from);

		bits = _mm256_or_si256(bits, _mm256_sllv_epi64(one, first));
		far = _mm256_or_si256(far, first);
		low = _mm256_or_si256(low, v);
	}
	const bool across = (or_of_words(low) & 31) + more > 31;
	/* if no access goes beyond its first sector, as aligned ones do not, the last sectors are the first ones */
	for (unsigned l = 0; l < 32 && across; l += 4) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(a + l)),
			last = _mm256_sub_epi64(_mm256_srli_epi64(_mm256_add_epi64(v, length), 5), from);

		bits = _mm256_or_si256(bits, _mm256_sllv_epi64(one, last));
		far = _mm256_or_si256(far, last);
	}
	return or_of_words(far) >> 6 ? 0 : or_of_words(bits);
}

AVX2 static uint32_t gather_avx2(uint32_t bits, uint32_t mask) { return _pext_u32(bits, mask); }

#define sectors_avx512 sectors_avx2
#define gather_avx512  gather_avx2

static void spread_avx2(uint64_t to[32], const uint64_t *from, uint32_t mask) { spread_none(to, from, mask); }

LOOPS_FOR(avx512, AVX512)
LOOPS_FOR(avx2, AVX2)
#endif
LOOPS_FOR(none, )

/* ---- the choice --------------------------------------------------------------------------- */

const struct lanes_loops *lanes_loops = &none;

__attribute__((constructor)) static void choose_lane_loops(void)
{
#if CHOICE
	const char *most = getenv("WARPTOOLS_SIMD");
	bool two = !most || !strcmp(most, "avx512") || !strcmp(most, "avx2");

	two = two &&
	      __builtin_cpu_supports("bmi2"); /* all processors with AVX2 have it, but an emulator may not */
	if (__builtin_cpu_supports("avx2") && two)
		lanes_loops = &avx2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && two &&
		(!most || strcmp(most, "avx2")))
		lanes_loops = &avx512;
#endif
}
