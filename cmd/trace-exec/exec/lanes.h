/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops over the 32 lanes of a warp that the compiler turns into vectors.
 *
 * Functions marked LANE_FN exist for several instruction sets; the program picks one when it starts. A loop
 * over lanes reads element i of its sources before it writes element i of its destination, so a register may
 * be both: LANES_LOOP states that there are no other dependences.
 */
#ifndef LANES_H
#define LANES_H

#include <string.h>
#include "exec/exec.h"

#if defined(__clang__)
#define LANES_LOOP
#define LANES_UNROLL
#else
#define LANES_LOOP   _Pragma("GCC ivdep")
#define LANES_UNROLL _Pragma("GCC unroll 8")
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__) || !defined(__x86_64__)
#define LANE_FN
#elif __GNUC__ >= 12
#define LANE_FN __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LANE_FN __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

#define EACH_LANE(i) LANES_LOOP for (unsigned i = 0; i < LANES; i++)
/*
 * Loops over the lanes of accesses at different addresses, which compilers do not vectorise. Takes 3
 * instructions per lane instead of 7.
 */
#define EACH_LANE_APART(i) LANES_UNROLL for (unsigned i = 0; i < LANES; i++)

/* Sets register d to expr in the lanes of the mask m. LOAD declares the names that expr uses for lane i. */
#define LANES_SET(D, LOAD, expr) \
	if (m == ALL_LANES) \
		EACH_LANE (i) { \
			LOAD d[i] = (D)(expr); \
		} \
	else \
		EACH_LANE (i) { \
			LOAD D r = (D)(expr); \
			d[i] = m >> i & 1 ? r : d[i]; \
		}
/* The macros declare pointers to the registers d, a, b and c. LANE_LOAD*() declare the values of lane i. */
#define LANE_FROM1(D, A) \
	D *d = REG(D, w, o->d); \
	const A *pa = REG(A, w, o->a);
#define LANE_FROM2(D, A, B) \
	LANE_FROM1(D, A) \
	const B *pb = REG(B, w, o->b);
#define LANE_FROM3(D, A, B, C) \
	LANE_FROM2(D, A, B) \
	const C *pc = REG(C, w, o->c);
#define LANE_LOAD1(A)       A a = pa[i];
#define LANE_LOAD2(A, B)    LANE_LOAD1(A) B b = pb[i];
#define LANE_LOAD3(A, B, C) LANE_LOAD2(A, B) C c = pc[i];

/* Each macro defines a function that sets register d to `expr`, computed from a (and b, c). */
#define LANE_OP1(name, D, A, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM1(D, A) \
		LANES_SET(D, LANE_LOAD1(A), expr) \
	}
#define LANE_OP2(name, D, A, B, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM2(D, A, B) \
		LANES_SET(D, LANE_LOAD2(A, B), expr) \
	}
#define LANE_OP3(name, D, A, B, C, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM3(D, A, B, C) \
		LANES_SET(D, LANE_LOAD3(A, B, C), expr) \
	}
/*
 * Like LANE_OP*, but computes only the lanes of the mask, one after another, because expr may trap or is slow.
 */
#define LANE_EACH1(name, D, A, expr) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM1(D, A) \
		FOR_BITS32 (i, m) { \
			LANE_LOAD1(A) \
			d[i] = (D)(expr); \
		} \
	}
#define LANE_EACH2(name, D, A, B, expr) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM2(D, A, B) \
		FOR_BITS32 (i, m) { \
			LANE_LOAD2(A, B) \
			d[i] = (D)(expr); \
		} \
	}
#define LANE_EACH3(name, D, A, B, C, expr) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		LANE_FROM3(D, A, B, C) \
		FOR_BITS32 (i, m) { \
			LANE_LOAD3(A, B, C) \
			d[i] = (D)(expr); \
		} \
	}

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef __uint128_t u128;
typedef __int128_t s128;

/* Sets *low and *high to the least and greatest address of the lanes of m. m is not 0. */
void lanes_find_extremes(const uint64_t *a, uint32_t m, uint64_t *low, uint64_t *high);
/* Returns true if the addresses of all lanes have the stride `step`. */
bool lanes_have_step(const uint64_t *a, uint64_t step);
/* Returns true if the host addresses of all lanes have the stride `step`. */
bool lanes_adjacent(uint8_t *const *at, uint64_t step);
/* Returns true if the host addresses of the lanes of m ascend from lane to lane. */
bool lanes_are_ascending(uint8_t *const *at, uint32_t m);

/* A range of memory that some lanes access without a gap, each at a multiple of the access's size from its start. */
struct access_range {
	uint8_t *host; /* host address */
	uint64_t bytes;
	uint32_t lanes; /* mask */
};
/*
 * Merges the accesses of the lanes of m, `bytes` bytes each, into at most LANES spans, in the order of the
 * lanes. Returns the number of spans. If it may be above `most`, the spans may be missing.
 */
unsigned lanes_merge_spans(
	struct access_range *s, uint32_t m, uint64_t bytes, uint8_t *const *at, unsigned most);

#endif
