/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of a kernel: warp instructions by class, active lanes, sectors of its accesses. trace-pick distinguishes
 * kernels by them, and the directory of a packed stream has them.
 *
 * Always true: counts depend on the trace alone, not on a GPU. They do not depend on the order of the records.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stdint.h>
#include "bits.h"
#include "isa.h"
#include "trace.h"

/* Counts other than those by class, in their order in packed streams. */
#define TALLY_FIELDS(X) \
	X(lanes)   /* active lanes, over all warp instructions */ \
	X(loads)   /* sectors of 32 bytes of global and generic loads */ \
	X(stores)  /* sectors of stores and atomics */ \
	X(local)   /* sectors of local accesses */ \
	X(shared)  /* warp instructions that access shared memory */ \
	X(atomics) /* warp instructions that are atomics on global memory */

struct tally {
#define TALLY_FIELD(name) uint64_t name;
	TALLY_FIELDS(TALLY_FIELD)
#undef TALLY_FIELD
	uint64_t of_class[N_CLASSES]; /* number of warp instructions of each class */
};

/* Returns true if accesses of this instruction are counted in sectors. tally_access() then needs the addresses. */
bool tally_wants_lanes(const struct inst *in);
/*
 * Counts one execution of an instruction with addresses by the lanes of mask. Reads lane[i], the address of lane i,
 * only if tally_wants_lanes(). Counts nothing for an empty mask. The caller counts the classes.
 */
void tally_access(struct tally *t, const struct inst *in, const uint64_t lane[32], uint32_t mask);
/* Returns the number of sectors that tally_access() would count for the lanes of mask, which is not empty. */
uint32_t tally_sectors(const struct inst *in, const uint64_t lane[32], uint32_t mask);
/* Counts accesses of an instruction with this number of sectors in all. */
void tally_add_sectors(struct tally *t, const struct inst *in, uint64_t accesses, uint64_t sectors);

/*
 * Returns the number of sectors of the lanes of mask, which is not 0, whose addresses begin at `first` and rise by
 * `step` from each lane to the next; 0 if only tally_sectors() can find it.
 */
static inline uint32_t tally_line_sectors(const struct inst *in, uint64_t first, uint64_t step, uint32_t mask)
{
	const uint32_t more = in->size ? in->size - 1u : 0;
	const unsigned lanes = log2_floor(mask) - bit_lowest32(mask);
	const uint64_t last = first + lanes * step;
	uint64_t sectors = 0;

	/* The sectors of a lane and of the next one are adjacent or the same. */
	if (step > 32 || more >= 32 || last < first || last > UINT64_MAX - more)
		return 0;
	if (!mask_has_holes(mask))
		return (uint32_t)((last + more) / 32 - first / 32 + 1);
	/* the last lane begins at most 31 sectors after the first one, so 64 bits are enough */
	FOR_BITS32 (l, mask >> bit_lowest32(mask)) {
		const uint64_t at = first % 32 + l * step;

		sectors |= UINT64_C(1) << at / 32 | UINT64_C(1) << (at + more) / 32;
	}
	return bit_count64(sectors);
}

/* Adds the counts of `from` to `to`. */
void tally_add(struct tally *to, const struct tally *from);

#endif
