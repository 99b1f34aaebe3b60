/* SPDX-License-Identifier: BSD-2-Clause */
/* What all matrix products share: elements of registers and of memory as numbers, and back; sem/mma.c. */
#ifndef MMA_H
#define MMA_H

#include "sem/sem.h"

/* Element i of a register's (or a memory word's) bits. */
double mma_element(u64 bits, unsigned i, enum type t);
/* A sum as the bits of type t: rounded to the nearest, integers cut. */
u64 mma_bits(double v, enum type t);
/* Elements of a type that share a 32-bit register; 1 for 32 bits and more. */
static inline unsigned mma_per_reg(enum type t) { return types[t].bits >= 32 ? 1 : 32u / types[t].bits; }

#endif
