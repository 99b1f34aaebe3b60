/* SPDX-License-Identifier: BSD-2-Clause */
/* Atomic operations of atom, red, sured and reducing copies; sem/atom.c. */
#ifndef ATOM_H
#define ATOM_H

#include "sem/sem.h"

enum atom {
	ATOM_ADD,
	ATOM_MIN,
	ATOM_MAX,
	ATOM_INC,
	ATOM_DEC,
	ATOM_AND,
	ATOM_OR,
	ATOM_XOR,
	ATOM_EXCH,
	ATOM_CAS
};

/* Returns true if the operation exists for the type. */
bool atom_is_supported(enum atom a, enum type t);
/*
 * Sets *a to the operation that the suffixes name. Returns false unless they name exactly one and it exists for
 * t (T_NONE: any).
 */
bool atom_find_operation(const struct stmt *in, enum type t, enum atom *a);
/* Returns the new value for old and b (and c, for cas). Bits above the type are undefined. */
u64 atom_new_value(enum atom a, enum type t, u64 old, u64 b, u64 c);
/* Returns true if a host address is in the shared memory of a block of the cluster. */
bool atom_is_in_shared(const struct warp *w, const uint8_t *at);
/* Returns the new value in global memory, where a sum of f32 flushes subnormal numbers; else like atom_new_value(). */
u64 atom_global_value(enum atom a, enum type t, u64 old, u64 b, u64 c);
/* Returns true if the next two functions execute the operation on the type. */
bool atom_is_applied_to_lanes(enum atom a, enum type t);
/*
 * Execute an operation on an element of 32 or 64 bits for each lane of m, at host address at[i], with the operands b[i]
 * and (for cas) c[i]. Store the old elements in `before`, which may be b or c. flush: a sum of f32 flushes subnormal
 * numbers. Return a value other than 0 if an element has changed.
 */
u32 atom_apply_to_words(u32 *before, const u32 *b, const u32 *c, uint32_t m, uint8_t *const *at, enum atom a,
	enum type t, bool flush);
bool atom_apply_to_pairs(
	u64 *before, const u64 *b, const u64 *c, uint32_t m, uint8_t *const *at, enum atom a, enum type t);
/* Returns true if asynchronous reductions support the operation on the type, in global memory or in a cluster. */
bool atom_is_supported_async(enum atom a, enum type t, bool global);
/* Returns the bits of frame.order for an operation whose old value is unused. */
uint32_t atom_order_bits(enum atom a, enum type t);

#endif
