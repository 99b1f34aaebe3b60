/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CUDA binaries: the machine code of kernels out of cubins, fat binaries and programs that carry them,
 * without any tool of NVIDIA, and the control code of an instruction. Formats are described in
 * libcommon/arch/cubin.c.
 *
 * Input is hostile: nothing outside of the file is read, whatever its tables say.
 */
#ifndef CUBIN_H
#define CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"

struct cubins; /* what was found in any number of files */

struct cubin_function {
	const char *name;    /* as the linker knows it, mangled */
	const uint8_t *code; /* instructions of 16 bytes; lives as long as the cubins */
	uint32_t bytes;      /* a multiple of 16 */
	unsigned sm;         /* 70 .. 121 */
	unsigned regs;       /* that a thread has, as the assembler said; 0: not known */
};

struct cubins *cubins_new(void); /* empty; the caller's */
void cubins_free(struct cubins *c);
/* Read a file (a cubin, a fat binary, or any file with them inside). 0, or -1 and *f. */
int cubins_add(struct cubins *c, const char *path, struct fault *f);
/* The same from memory, which is copied; name stands in messages. */
int cubins_add_bytes(struct cubins *c, const void *bytes, size_t n, const char *name, struct fault *f);
/* A function made elsewhere: n instructions of 16 bytes each, which are copied. */
void cubins_add_code(struct cubins *c, const char *name, unsigned sm, const uint8_t *code, uint32_t n);
/* A function by name for a machine; NULL: there is none. */
const struct cubin_function *cubins_find(const struct cubins *c, const char *name, unsigned sm);
uint32_t cubins_count(const struct cubins *c);
const struct cubin_function *cubins_at(const struct cubins *c, uint32_t i);

/* What the assembler wrote into an instruction beside the operation. */
struct control_code {
	uint16_t opcode;     /* 12 bits */
	uint8_t guard;       /* predicate, 7: none */
	uint8_t stall;       /* 0 .. 15 */
	bool yield;          /* the bit is 0 in the code */
	uint8_t write, read; /* dependence counter that is raised, 7: none */
	uint8_t wait;        /* mask of counters that must be 0 */
	uint8_t reuse;       /* mask of source slots */
	uint8_t slot[3];     /* registers in the source slots a, b, c, if there are any in them */
	/* DEPBAR.LE: counter, how many it may have, mask of those that must be 0 */
	uint8_t depbar_counter, depbar_most, depbar_list;
};

/* All fields of k from the 16 bytes of an instruction (7.0 and later); any bytes will do. */
void control_decode(struct control_code *k, const uint8_t instruction[16]);
/* The other way: all fields of k, DEPBAR's only where its opcode is CONTROL_DEPBAR, and nothing else. */
void control_encode(const struct control_code *k, uint8_t instruction[16]);

#define CONTROL_DEPBAR 0x91au /* opcode of DEPBAR.LE */

/*
 * The join of a trace with a function, by PC. Which stem of an opcode's text a number stands for is learnt
 * from the trace itself: the first instruction with a number binds it. A kernel is to run by the codes of its
 * function only where all of its instructions match.
 */
enum cubin_match { CUBIN_MATCHES, CUBIN_NO_CODE, CUBIN_OTHER_OPCODE };

struct cubin_join;
struct cubin_join *cubin_join_new(const struct cubin_function *f); /* which must outlive it */
void cubin_join_free(struct cubin_join *j);
/*
 * Does the function have the instruction? CUBIN_NO_CODE: pc is beyond it or no multiple of 16.
 * CUBIN_OTHER_OPCODE: its number was bound to another stem, *bound then being the text of the instruction
 * that did. opcode lives as long as j.
 */
enum cubin_match cubin_join_look(struct cubin_join *j, uint32_t pc, const char *opcode, const char **bound);

#endif
