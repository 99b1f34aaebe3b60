/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversions of several numbers at once. */
#ifndef NARROW_H
#define NARROW_H

#include "exec/exec.h"
#include "lang/small.h"

/* Is it a type of two or four numbers of few bits? */
bool narrow_type(enum type t);
/* cvt to or from such a type; round: what the suffix says, ROUND_RN without one. */
int bind_narrow(struct bind *b, struct op *o, enum rounding round);
int bind_pack(struct bind *b, struct op *o);

#endif
