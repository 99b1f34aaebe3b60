/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SASS opcodes in the modern SM core: the scheduling class of a stem, and the fixed distances in cycles from
 * a producer of a class to its readers. Tables: libcommon/arch/sass.def and latency.def.
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
	SASS_FE,   /* NOP, DEPBAR: no unit; distances as FXU */
	SASS_FMAI, /* single precision, and others that use its multiplier */
	SASS_IMAD,
	SASS_HALF,
	SASS_FP64,
	SASS_HFMA2_MMA, /* half-precision multiply-add that the double-precision pipe executes */
	SASS_CLMAD,
	SASS_HMMA,
	SASS_IMMA,
	SASS_DMMA,
	SASS_FAST,
	SASS_SLOW, /* instructions of memory and special functions */
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

/* Uses of a source register, which differ in the time of the read. */
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
	READ_ADDRESS, /* address of a memory instruction; without forwarding as READ_SLOW */
	READ_HALF_C,  /* accumulator of HFMA2; without forwarding as READ_HALF */
	READ_UDP,
	READ_UMATH,
	READ_UMEMORY,
	READ_ULDC,
	READ_UMOV,
	READ_TMA, /* from READ_UDP on: uniform registers */
	N_SASS_OPERANDS
};

struct sass_latency {
	uint8_t after[N_SASS_CLASSES][N_SASS_OPERANDS]; /* cycles to a reader; 0: no fixed distance */
	uint8_t overwrite[N_SASS_CLASSES];              /* cycles to a later writer, at least 1 */
	uint8_t predicate_math[N_SASS_CLASSES], predicate[N_SASS_CLASSES]; /* 0: no fixed distance */
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
/* Sets the distances for compute capability sm from table family 90 or 100; forwarding: with FORWARD rows. */
void sass_latency(struct sass_latency *l, unsigned family, unsigned sm, bool forwarding);
/* Returns how an instruction of the class uses an ordinary source register (READ_SLOW for memory). */
enum sass_operand sass_operand_of(enum sass_class c);
/* Returns how an instruction of the class uses a uniform register. */
enum sass_operand sass_uniform_operand_of(enum sass_class c);
const char *sass_class_name(enum sass_class c);

#endif
