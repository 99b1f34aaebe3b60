/* SPDX-License-Identifier: BSD-2-Clause */
/* A register plus a constant as a source: see sum.c. */
#ifndef SEM_SUM_H
#define SEM_SUM_H

#include "sem/sem.h"

/* Returns the slot of operand o, a register of `bytes` in slot `from` plus o->value. */
uint32_t sum_slot(struct bind *b, const struct operand *o, uint32_t from, unsigned bytes);
/* Makes op o compute its sums, from number `first` on. -1 and the fault where the op cannot have one. */
int sum_finish(struct bind *b, struct op *o, uint32_t first);

#endif
