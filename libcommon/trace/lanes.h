/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loops over the 32 lanes of a warp in three versions: AVX-512, AVX2, portable C. The widest version that the
 * processor supports is used. All versions give the same results. Internal to libcommon.
 */
#ifndef TRACE_LANES_H
#define TRACE_LANES_H

#include <stdint.h>

struct pack_run;

struct words_distance {
	uint64_t fixed, all, raised; /* results of lanes_loops.distance */
};

struct lanes_loops {
	const char *name; /* "avx512", "avx2" or "none" */
	/* Shifts left by shift, or right if shift is negative; then adds c. */
	void (*shift)(uint64_t to[32], const uint64_t from[32], int shift, uint64_t c);
	void (*xor)(uint64_t to[32], const uint64_t from[32], uint64_t c);
	void (*pattern)(uint64_t to[32], const int64_t *pattern, uint64_t base);
	void (*line)(uint64_t to[32], uint64_t base, uint64_t step);
	/* Sets the lanes outside mask to 0. */
	void (*run)(uint64_t to[32], uint64_t base, uint64_t step, uint32_t mask);
	/* Stores the words of the active lanes one after the other. May overwrite up to 8 words after the last. */
	void (*pack)(uint64_t *to, const uint64_t from[32], uint32_t mask);
	/* Reverses pack(). Sets the lanes outside mask to 0. */
	void (*spread)(uint64_t to[32], const uint64_t *from, uint32_t mask);
	/* Returns the bits of `bits` at the places of mask, one after the other from bit 0 on. */
	uint32_t (*gather)(uint32_t bits, uint32_t mask);
	/*
	 * Returns the set of sectors of 32 bytes that accesses of `more` + 1 <= 33 bytes at a[] touch. Bit 0 is the
	 * 32nd sector before the sector of lane 0. Returns 0 if a sector has no bit.
	 */
	uint64_t (*sectors)(const uint64_t a[32], uint64_t more);
	/*
	 * Returns the number of characters of the n - 1 differences between neighbours in a[], each written as text
	 * after a blank; n is from 1 to 32. Returns UINT32_MAX if a difference has more than 30 bits.
	 */
	uint32_t (*differences)(const uint64_t *a, unsigned n);
	/* Returns the OR of the differences a[i] - c of n words. */
	uint64_t (*bits_above)(const uint64_t *a, unsigned n, uint64_t c);
	/* Sets n bytes to the lowest bytes of a[i] - c, shifted right by `shift`. */
	void (*bytes)(uint8_t *to, const uint64_t *a, unsigned n, uint64_t c, unsigned shift);
	/* Returns the OR of the bits in which n words of w[] differ from those of a[], in the bits of mask[]. */
	uint64_t (*changes)(const uint64_t *a, const uint64_t *w, const uint64_t *mask, uint32_t n);
	/*
	 * Returns ORs over the differences d = w[i] - a[i] of n words: of d & fixed[i], of d, and of d + more.
	 */
	struct words_distance (*distance)(
		const uint64_t *a, const uint64_t *w, const uint64_t *fixed, uint32_t n, uint64_t more);
	/* Returns the number of thread instructions of n runs. */
	uint64_t (*thread_insts)(const struct pack_run *run, uint32_t n);
};

/* The loops to use, selected before main(). WARPTOOLS_SIMD in the environment names a narrower version, for tests. */
extern const struct lanes_loops *lanes_loops;

#endif
