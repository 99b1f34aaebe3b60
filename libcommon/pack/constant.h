/* SPDX-License-Identifier: BSD-2-Clause */
/* Constant texts of the lines of instructions (struct pack_inst); see constant.c. Internal to libcommon. */
#ifndef PACK_CONSTANT_H
#define PACK_CONSTANT_H

#include "buf.h"
#include "pack.h"

static inline unsigned decimal_digits(uint64_t v)
{
	unsigned n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

static inline unsigned signed_length(int64_t v)
{
	return (unsigned)(v < 0) + decimal_digits(v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* Returns the length of the constant text of an instruction's lines. */
unsigned constant_length(const struct pack_inst *x);
/*
 * Appends the constant text of x, which has columns and this opcode. Returns the number of bytes before the addresses.
 */
size_t constant_append(struct buf *b, const struct pack_inst *x, const char *opcode);

#endif
