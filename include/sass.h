/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SASS opcodes in the modern SM core: the scheduling class of a stem, and the fixed distances in cycles from a
 * producer of a class to its readers. The tables are libcommon/arch/sass.def and latency.def.
 *
 * Always true: a class has distances for every operand or for none. Instructions of classes without distances
 * (memory, special functions, branches) end with an event.
 */
#ifndef SASS_H
#define SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sass_class {
	SASS_NONE,
	SASS_FXU,  /* integer, logic, conversion between integers, comparisons */
	SASS_FE,   /* NOP, DEPBAR: no unit; distances of SASS_FXU */
	SASS_FMAI, /* single precision, and other instructions that use its multiplier */
	SASS_IMAD,
	SASS_IMAD_LOW, /* no class of an opcode: producer of the low result register of IMAD.WIDE */
	SASS_HALF,
	SASS_FP64,
	SASS_HFMA2_MMA, /* half-precision multiply-add in the double-precision pipe */
	SASS_CLMAD,
	SASS_HMMA,
	SASS_IMMA,
	SASS_DMMA,
	SASS_FAST,
	SASS_SLOW, /* memory and special functions */
	SASS_BRU,
	SASS_R2UR,
	SASS_S2UR,
	SASS_UDP,
	SASS_ULDC,
	SASS_UMOV,
	SASS_LDCU,
	SASS_TMA,
	SASS_TMEM,
	N_SASS_CLASSES
};

/* Uses of a source register. They differ in the time of the read. */
enum sass_operand {
	READ_FXU,
	READ_FMAI,
	READ_IMAD,
	READ_HALF,
	READ_FP64,
	READ_HFMA2_MMA,
	READ_FAST,
	READ_SLOW,
	READ_BRU,
	READ_R2UR,
	READ_MMA,
	READ_MMA_C,
	READ_CLMAD,
	READ_UDP,
	READ_UMATH,
	READ_UMEMORY,
	READ_ULDC,
	READ_UMOV,
	READ_TMA, /* last of the uses of uniform registers, which begin with READ_UDP */
	N_SASS_OPERANDS
};

struct sass_latency {
	uint8_t after[N_SASS_CLASSES][N_SASS_OPERANDS]; /* distance to a reader in cycles; 0: not fixed */
	uint8_t overwrite[N_SASS_CLASSES];              /* distance to a later writer in cycles, at least 1 */
	uint8_t predicate[N_SASS_CLASSES];              /* distance to a guard in cycles; 0: not fixed */
};

/*
 * Returns the length of the stem of an opcode of n bytes: up to the first dot, or up to the second for HFMA2.MMA and
 * similar opcodes.
 */
size_t sass_stem(const char *opcode, size_t n);
/*
 * Returns the class of an opcode for compute capability sm (70 .. 121). Sets *known, unless known is NULL, to false
 * if the class is a guess.
 */
enum sass_class sass_class_of(const char *opcode, size_t n, unsigned sm, bool *known);
/*
 * Sets *l to the distances for compute capability sm from table family 90 or 100. forwarding: use FORWARD rows, too.
 */
void sass_latency(struct sass_latency *l, unsigned family, unsigned sm, bool forwarding);
/* Returns the use of an ordinary source register by an instruction of class c (READ_SLOW for memory). */
enum sass_operand sass_operand_of(enum sass_class c);
/* Returns the use of a uniform register by an instruction of the class. */
enum sass_operand sass_uniform_operand_of(enum sass_class c);
const char *sass_class_name(enum sass_class c);

#endif
