/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversions of packed types. */
#ifndef NARROW_H
#define NARROW_H

#include "exec/exec.h"
#include "lang/small.h"

/* Returns true if t is a packed type of two or four elements. */
bool narrow_is_packed_type(enum type t);
/* Returns the random bits of r that round element i of n to format d. i counts from the uppermost element. */
struct rounds narrow_random_bits(enum small d, unsigned n, uint32_t r, unsigned i);
/* Binds cvt to or from a packed type. round: rounding of the suffix; ROUND_RN without one. */
int bind_narrow(struct bind *b, struct op *o, enum rounding round);
int bind_pack(struct bind *b, struct op *o);

#endif
