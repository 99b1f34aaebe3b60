/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations of atomics, for all that have them: atom, red, sured, reductions of copies; sem/atom.c. */
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

/* Does the type have the operation? */
bool atom_fits(enum atom a, enum type t);
/* The operation among the suffixes; false: none, several, or none of type t (T_NONE: of any). */
bool atom_find(const struct stmt *in, enum type t, enum atom *a);
/* What old becomes with b (c: of cas), as bits of type t, cut to them by who stores it. */
u64 atom_value(enum atom a, enum type t, u64 old, u64 b, u64 c);
/* The same in global memory, where a sum of f32 takes subnormal numbers for zeros. */
u64 atom_global(enum atom a, enum type t, u64 old, u64 b, u64 c);
/* Do reductions that go on by themselves have the operation for the type, in global memory or a cluster's? */
bool atom_fits_async(enum atom a, enum type t, bool global);
/* frame.order of an operation whose old value is unused. */
uint32_t atom_order(enum atom a, enum type t);

#endif
