/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel does, counted: warp instructions by class, active lanes, sectors of its accesses. By these
 * numbers kernels are told apart (trace-pick), and packed streams carry them in their directory.
 *
 * Always true: counts are of the trace alone, no machine has a part in them; they add up over the records in
 * any order.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stdint.h>
#include "isa.h"
#include "trace.h"

/* The fields that are not by class, in the order in which packed streams have them. */
#define TALLY_FIELDS(X) \
	X(lanes)   /* active lanes of all warp instructions */ \
	X(loads)   /* sectors of 32 bytes of global and generic loads */ \
	X(stores)  /* the same of stores and atomics */ \
	X(local)   /* sectors of local accesses */ \
	X(shared)  /* warp instructions that access shared memory */ \
	X(atomics) /* warp instructions: atomics on global memory */

struct tally {
#define TALLY_FIELD(name) uint64_t name;
	TALLY_FIELDS(TALLY_FIELD)
#undef TALLY_FIELD
	uint64_t of_class[N_CLASSES]; /* warp instructions */
};

/* Does an access of this instruction count by its sectors, so that tally_access() needs addresses? */
bool tally_wants_lanes(const struct inst *in);
/*
 * One execution of an instruction that has addresses, by the lanes of mask; lane[i] is the address of lane i,
 * and is not looked at where none are wanted. What no lane executes counts for nothing. Classes are the
 * caller's to count.
 */
void tally_access(struct tally *t, const struct inst *in, const uint64_t lane[32], uint32_t mask);
void tally_add(struct tally *to, const struct tally *from);

#endif
