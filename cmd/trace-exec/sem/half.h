/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of the arithmetic of f16 and bf16; sem/half.c. */
#ifndef SEM_HALF_H
#define SEM_HALF_H

#include "sem/sem.h"

enum small_op { SO_ADD, SO_SUB, SO_MUL, SO_FMA, SO_MIN, SO_MAX, SO_NEG, SO_ABS, SO_EX2, SO_TANH, SO_RCP };

/* Returns true if t is f16, bf16 or a pair of one of them. */
bool half_is_type(enum type t);
/* Binds an operation on `sources` operands of f16, bf16 or pairs. Returns 0, or -1 with the fault set. */
int half_bind(struct bind *b, struct op *o, enum small_op op, unsigned sources);

#endif
