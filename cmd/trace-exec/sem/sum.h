/* SPDX-License-Identifier: BSD-2-Clause */
/* A register plus a constant as a source: see sum.c. */
#ifndef SEM_SUM_H
#define SEM_SUM_H

#include "sem/sem.h"

/* Returns the slot of operand o: the sum of o->value and the register of `bytes` bytes in slot `from`. */
uint32_t sum_slot(struct bind *b, const struct operand *o, uint32_t from, unsigned bytes);
/*
 * Makes op o compute its sums, from number `first` on. Returns -1 with the fault set if the op cannot have
 * sums.
 */
int sum_finish(struct bind *b, struct op *o, uint32_t first);

#endif
