/* SPDX-License-Identifier: BSD-2-Clause */
/* States of the bytes of shared memory, and marks of accesses to its words; shadow.c and shared.c. */
#ifndef SHADOW_H
#define SHADOW_H

#include "exec/check.h"

/* states of a byte of shared memory, and SHARED_BULK_WRITES, SHARED_BULK_READS */
enum { WRITTEN = 1, IN_FLIGHT = 2, OF_BULK_COPY = SHARED_BULK_WRITES | SHARED_BULK_READS };

/* Bytes that a vector may extend beyond the end of shared memory (mem.c). They are never written. */
#define BEYOND_END 16u

struct shared_shadow {
	uint32_t epoch; /* number of barriers, fences and atomics so far */
	uint32_t bytes;
	/* state of each byte: 0 (uninitialised), WRITTEN, or IN_FLIGHT (target of a copy in flight) */
	uint8_t *byte_state;
	bool bulk;             /* bulk or tensor copies have accessed the memory of this thread block */
	uint32_t *valid_epoch; /* for each word, the epoch in which its marks are valid */
	/* for each word: 1 + the warp that wrote it (bits 0-14), QUIET (shared.c), 1 + its reader (bits 16-31) */
	uint32_t *warps;
	uint32_t *byte_warps; /* the same for each byte of words that are IN_PARTS (shared.c); NULL: there are none */
	/* for each word, 1 + the number of the stored read whose value it has while unwritten; NULL: there are none */
	uint8_t *stored_at;
	const struct op **stored; /* stored reads: their ops */
	uint32_t n_stored, cap_stored;
};

/* Number of words that have marks. */
static inline size_t shadow_words(const struct shared_shadow *s) { return (s->bytes + BEYOND_END) / 4 + 1; }

/*
 * Returns the offset in shared memory of host address `at`, and sets *c to the block of the cluster that owns
 * it. Returns UINT32_MAX if the address is not in shared memory.
 */
static inline uint32_t shadow_offset(const struct cta **c, const uint8_t *at)
{
	uintptr_t d = (uintptr_t)at - (uintptr_t)(*c)->shared;

	if (d < (*c)->shared_bytes)
		return (uint32_t)d;
	const struct cluster *all = (*c)->cluster;
	for (uint32_t i = 0; i < all->n; i++) {
		d = (uintptr_t)at - (uintptr_t)all->cta[i]->shared;
		if (d < all->cta[i]->shared_bytes) {
			*c = all->cta[i];
			return (uint32_t)d;
		}
	}
	return UINT32_MAX;
}

#endif
