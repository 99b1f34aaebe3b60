/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of static instructions as streams: one for each operand of each form. Internal to libcommon.
 *
 * A stream holds the registers, their differences, or their ranks in the order of last use, where 0 is the register
 * that was used last. Compilers use registers in regular sequences, or again soon, so the bytes are small.
 */
#ifndef PACK_REGISTERS_H
#define PACK_REGISTERS_H

#include "buf.h"

/* Static instructions and their registers. */
struct operands {
	const uint8_t (*count)[2]; /* numbers of destinations and sources of each form */
	uint32_t n_forms;
	const uint32_t *form; /* form of each instruction */
	uint32_t n;           /* number of instructions */
	struct cur kinds; /* kinds of the destinations and sources of each instruction; empty: all are R */
};

/* Converts registers in the order of instructions to streams, and appends the codings of the streams. */
void registers_pack(const struct operands *o, struct buf *dst, struct buf *src, struct buf *coding);
/*
 * Reverses registers_pack(): appends the registers in the order of instructions. Returns false if the streams are
 * damaged.
 */
bool registers_unpack(const struct operands *o, struct cur *dst, struct cur *src, struct cur *coding,
	struct buf *to_dst, struct buf *to_src);

#endif
