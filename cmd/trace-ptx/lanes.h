/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all families of instructions share: loops over 32 lanes that the compiler turns into vectors, and bindings by
 * type.
 *
 * Functions marked LANE_FN exist for several instruction sets; the program picks one when it starts. A loop over lanes
 * reads element i of its sources before it writes element i of its destination, so a register may be both: the
 * compiler is told that there are no other dependences.
 */
#ifndef LANES_H
#define LANES_H

#include <string.h>
#include "exec.h"
#include "sem.h"

#if defined(__clang__)
#define LANES_LOOP
#else
#define LANES_LOOP _Pragma("GCC ivdep")
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__clang__) || !defined(__x86_64__)
#define LANE_FN
#else
#define LANE_FN __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#endif

#define EACH_LANE(i) LANES_LOOP for (unsigned i = 0; i < LANES; i++)

/* Register d gets expr of a (and b, c): all lanes, or those of the mask m. */
#define LANE_OP1(name, D, A, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		D *d = REG(D, w, o->d); \
		const A *pa = REG(A, w, o->a); \
		if (m == ALL_LANES) \
			EACH_LANE(i) \
			{ \
				A a = pa[i]; \
				d[i] = (D)(expr); \
			} \
		else \
			EACH_LANE(i) \
			{ \
				A a = pa[i]; \
				D r = (D)(expr); \
				d[i] = m >> i & 1 ? r : d[i]; \
			} \
	}
#define LANE_OP2(name, D, A, B, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		D *d = REG(D, w, o->d); \
		const A *pa = REG(A, w, o->a); \
		const B *pb = REG(B, w, o->b); \
		if (m == ALL_LANES) \
			EACH_LANE(i) \
			{ \
				A a = pa[i]; \
				B b = pb[i]; \
				d[i] = (D)(expr); \
			} \
		else \
			EACH_LANE(i) \
			{ \
				A a = pa[i]; \
				B b = pb[i]; \
				D r = (D)(expr); \
				d[i] = m >> i & 1 ? r : d[i]; \
			} \
	}
#define LANE_OP3(name, D, A, B, C, expr) \
	LANE_FN static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		D *d = REG(D, w, o->d); \
		const A *pa = REG(A, w, o->a); \
		const B *pb = REG(B, w, o->b); \
		const C *pc = REG(C, w, o->c); \
		if (m == ALL_LANES) \
			EACH_LANE(i) \
			{ \
				A a = pa[i]; \
				B b = pb[i]; \
				C c = pc[i]; \
				d[i] = (D)(expr); \
			} \
		else \
			EACH_LANE(i) \
			{ \
				A a = pa[i]; \
				B b = pb[i]; \
				C c = pc[i]; \
				D r = (D)(expr); \
				d[i] = m >> i & 1 ? r : d[i]; \
			} \
	}
/* The same for lanes of the mask alone, one after another: what may trap or is slow. */
#define LANE_EACH2(name, D, A, B, expr) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		D *d = REG(D, w, o->d); \
		const A *pa = REG(A, w, o->a); \
		const B *pb = REG(B, w, o->b); \
		FOR_BITS32 (i, m) { \
			A a = pa[i]; \
			B b = pb[i]; \
			d[i] = (D)(expr); \
		} \
	}
#define LANE_EACH3(name, D, A, B, C, expr) \
	static void name(struct warp *w, const struct op *o, uint32_t m) \
	{ \
		D *d = REG(D, w, o->d); \
		const A *pa = REG(A, w, o->a); \
		const B *pb = REG(B, w, o->b); \
		const C *pc = REG(C, w, o->c); \
		FOR_BITS32 (i, m) { \
			A a = pa[i]; \
			B b = pb[i]; \
			C c = pc[i]; \
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

/* mode bits of floating-point ops; bit 0 belongs to addresses. */
enum { MODE_FTZ = 2, MODE_SAT = 4, MODE_RZ = 8, MODE_RM = 16, MODE_RP = 32, MODE_NAN = 64, MODE_RELU = 128 };

/* fn with d = operand 0 of type d, sources = operands 1.. of types s[0..n-1]; exactly so many operands. fn NULL: refused. */
int bind_plain(struct bind *b, struct op *o, op_fn *fn, enum type d, const enum type *s, unsigned n);
#define BIND(b, o, fn, d, ...) \
	bind_plain(b, o, fn, d, (const enum type[]){__VA_ARGS__}, \
		sizeof((const enum type[]){__VA_ARGS__}) / sizeof(enum type))

/* Least and greatest address of the lanes in m (not 0); sem_mem.c keeps the one that checks use, too. */
void mem_extremes(const uint64_t *a, uint32_t m, uint64_t *low, uint64_t *high);

/* ---- numbers of few bits (small.c) ---- */

enum small { SMALL_F16, SMALL_BF16, SMALL_TF32, SMALL_E4M3, SMALL_E5M2, N_SMALL };
enum rounding { ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA };
/* v in the format, as its bits. saturate: the greatest finite value instead of infinity (e4m3 always). */
uint32_t small_from(double v, enum small f, enum rounding r, bool saturate);
double small_value(uint32_t bits, enum small f);
static inline float half_value(uint16_t h) { return (float)small_value(h, SMALL_F16); }
/* a * b + c rounded to odd in 53 bits: rounding it again to few bits is right in every mode. */
double fma_to_odd(double a, double b, double c);

#endif
