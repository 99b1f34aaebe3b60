/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CUDA binaries: reads the machine code of kernels from cubins, fat binaries and programs that contain them,
 * without NVIDIA's tools, and decodes the control code of an instruction. libcommon/arch/cubin.c describes
 * the formats.
 *
 * Input may be hostile: every offset and size of its tables is checked against the file.
 */
#ifndef CUBIN_H
#define CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"

struct cubins; /* functions of several files */

struct cubin_function {
	const char *name;    /* mangled name */
	const uint8_t *code; /* instructions of 16 bytes each; owned by the cubins */
	uint32_t bytes;      /* size of the code, a multiple of 16 */
	unsigned sm;         /* compute capability, 70 .. 121 */
	unsigned regs;       /* number of registers of a thread, from the assembler; 0: unknown */
};

/* Id of the fault for a file without a cubin, or with cubins that have no function. */
#define CUBINS_NONE "no-cubin"

struct cubins *cubins_new(void); /* returns an empty set, which the caller frees */
void cubins_free(struct cubins *c);
/*
 * Adds the functions of a file (a cubin, a fat binary, or any file that contains them). Returns 0, or -1 and sets
 * *f.
 */
int cubins_add(struct cubins *c, const char *path, struct fault *f);
/* Does the same as cubins_add() for n bytes in memory, which are copied. Messages show name. */
int cubins_add_bytes(struct cubins *c, const void *bytes, size_t n, const char *name, struct fault *f);
/* Adds a function of n instructions of 16 bytes each. The instructions are copied. */
void cubins_add_code(struct cubins *c, const char *name, unsigned sm, const uint8_t *code, uint32_t n);
/* Returns the function with that name for compute capability sm; NULL if there is none. */
const struct cubin_function *cubins_find(const struct cubins *c, const char *name, unsigned sm);
uint32_t cubins_count(const struct cubins *c);

/* A whole cubin, decompressed. */
struct cubin_image {
	const uint8_t *bytes; /* contents of the cubin; owned by the cubins */
	size_t n;             /* size of the cubin in bytes */
	unsigned sm;          /* compute capability; 0: the GPU is not supported */
	uint32_t functions;   /* number of functions with code */
};
/* Returns the compute capability in the flags of a cubin's ELF header, 70 .. 121; 0 for an unsupported GPU. */
unsigned cubin_sm(uint64_t flags);
/* Returns the number of cubins, including cubins without functions. They are in the order of the files. */
uint32_t cubins_image_count(const struct cubins *c);
const struct cubin_image *cubins_image(const struct cubins *c, uint32_t i);
const struct cubin_function *cubins_function_at(const struct cubins *c, uint32_t i);

/* Scheduling fields that the assembler writes into an instruction, with its opcode and guard. */
struct control_code {
	uint16_t opcode;        /* opcode number, 12 bits */
	uint8_t guard;          /* number of the guard predicate; 7: none */
	uint8_t stall;          /* stall count, 0 to 15 */
	bool yield;             /* true if the yield bit of the code is 0 */
	uint8_t write;          /* dependence counter for the results; 7: none */
	uint8_t read;           /* dependence counter for the reads of the sources; 7: none */
	uint8_t wait;           /* mask of counters that must be 0 before issue */
	uint8_t reuse;          /* mask of source slots that the reuse cache keeps */
	uint8_t slot[3];        /* registers of the source slots a, b and c, where these exist */
	uint8_t depbar_counter; /* DEPBAR.LE: counter to wait for */
	uint8_t depbar_limit;   /* DEPBAR.LE: largest value of that counter that ends the wait */
	uint8_t depbar_list;    /* DEPBAR.LE: mask of further counters that must be 0 */
};

/*
 * Sets all fields of k from the 16 bytes of an instruction (compute capability 7.0 and later). Never fails.
 */
void control_decode(struct control_code *k, const uint8_t instruction[16]);
/*
 * Writes all fields of k into the instruction. The fields of DEPBAR are written only if the opcode is CONTROL_DEPBAR.
 */
void control_encode(const struct control_code *k, uint8_t instruction[16]);

#define CONTROL_DEPBAR 0x91au /* opcode of DEPBAR.LE */

/*
 * Match of a trace with a function by PC. Machine code has opcode numbers, a trace has opcode texts: the first
 * instruction with a number binds the number to the stem of its text. The control codes of a function apply to a
 * kernel only if all instructions of the kernel match.
 */
enum cubin_match { CUBIN_MATCHES, CUBIN_NO_CODE, CUBIN_OTHER_OPCODE };

struct cubin_join;
struct cubin_join *cubin_join_new(
	const struct cubin_function *f); /* f must remain valid until the join is freed */
void cubin_join_free(struct cubin_join *j);
/*
 * Compares an instruction of the trace with the function. CUBIN_NO_CODE: pc is beyond the function's end or not a
 * multiple of 16. CUBIN_OTHER_OPCODE: the opcode number is bound to another stem; *bound is the opcode text that
 * bound it. opcode must remain valid until j is freed.
 */
enum cubin_match cubin_join_compare(
	struct cubin_join *j, uint32_t pc, const char *opcode, const char **bound);

#endif
