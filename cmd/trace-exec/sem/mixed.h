/* SPDX-License-Identifier: BSD-2-Clause */
/* Arithmetic of f32 with sources of 16 bits. */
#ifndef MIXED_H
#define MIXED_H

#include "sem/sem.h"

/* Binds add, sub or fma with two types. */
int bind_mixed(struct bind *b, struct op *o);

#endif
