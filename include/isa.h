/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opcodes: which unit class an opcode has on each architecture, and what a memory opcode does.
 *
 * One row file (libcommon/arch/isa.def) serves all architectures: a row names an opcode stem (the part
 * before the first '.'), its memory behaviour, and its class per architecture, '-' where it does not exist. A
 * user's file (--isa FILE) has the same form as plain text: "stem arch[,arch...] class".
 */
#ifndef ISA_H
#define ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"

/* Unit classes (SM-inst-1). CLASS_TMA, _SYNCS and _FENCE are known but not modelled. */
enum isa_class {
	CLASS_NONE, /* the architecture lacks the opcode */
	CLASS_ALU,
	CLASS_INT,
	CLASS_SP,
	CLASS_DP,
	CLASS_SFU,
	CLASS_TENSOR,
	CLASS_LOAD,
	CLASS_STORE,
	CLASS_MEMBAR,
	CLASS_BARRIER,
	CLASS_BRANCH,
	CLASS_CALL,
	CLASS_RET,
	CLASS_EXIT,
	CLASS_SPEC1,
	CLASS_SPEC2,
	CLASS_SPEC3,
	CLASS_SPEC4,
	CLASS_SPEC5,
	CLASS_SPEC6,
	CLASS_SPEC7,
	CLASS_SPEC8,
	CLASS_TMA,
	CLASS_SYNCS,
	CLASS_FENCE,
	N_CLASSES
};

/* What the timing model does with the opcode besides occupying its unit (SM-inst-6). */
enum isa_kind {
	KIND_PLAIN,
	KIND_LDC,
	KIND_LDG,
	KIND_LDL,
	KIND_LDGSTS,
	KIND_STG,
	KIND_STL,
	KIND_ATOM, /* ATOM, ATOMG, RED */
	KIND_ATOMS,
	KIND_LDS,
	KIND_STS,
	KIND_LDSM,
	KIND_LD,
	KIND_ST, /* generic: the space comes from the first active lane's address */
	KIND_BAR,
	KIND_LDGDEPBAR,
	KIND_DEPBAR,
	KIND_MEM_OTHER, /* a LOAD/STORE class opcode without a rule of its own */
	N_KINDS
};

/* Where an access goes. Traces of machine code have no CONST, PARAM and TEX accesses. */
enum space {
	SPACE_NONE,
	SPACE_GLOBAL,
	SPACE_LOCAL,
	SPACE_SHARED,
	SPACE_GENERIC, /* decided by the address */
	SPACE_CONST,   /* through the constant cache */
	SPACE_TEX,
	SPACE_PARAM,       /* a kernel's parameters: as CONST, counted apart */
	SPACE_LOCAL_PARAM, /* arguments and results of calls: as LOCAL, counted apart */
	N_SPACES
};

enum isa_arch {
	ARCH_KEPLER,
	ARCH_PASCAL,
	ARCH_VOLTA,
	ARCH_TURING,
	ARCH_AMPERE,
	ARCH_ADA,
	ARCH_HOPPER,
	ARCH_BLACKWELL,
	N_ARCHS
};

struct isa_op {
	const char *stem;       /* "LDGSTS" */
	uint8_t kind;           /* enum isa_kind */
	uint8_t class[N_ARCHS]; /* enum isa_class */
	bool half_rate;         /* initiation interval halved (SM-inst-5) */
};

struct isa; /* the built-in rows plus the user's */

struct isa *isa_new(void);                                        /* the built-in rows; the caller's */
int isa_load(struct isa *isa, const char *path, struct fault *f); /* adds or overrides rows; 0 or -1 */
struct input;
int isa_parse(struct isa *isa, struct input *in, struct fault *f); /* the same from an open input */
void isa_free(struct isa *isa);

/* Architecture of a "-binary version" number (35, 60, 61, 70, 75, 80, 86, 87, 89, 90, 100, 120), or -1. */
int isa_arch_of(int binary_version);
const char *isa_arch_name(enum isa_arch a);

/*
 * Row index of the stem of opcode text (n bytes, up to the first '.'), or -1.
 * A row whose class is CLASS_NONE on the architecture counts as unknown there.
 */
int isa_find(const struct isa *isa, const char *opcode, size_t n);
const struct isa_op *isa_row(const struct isa *isa, int row);
int isa_rows(const struct isa *isa);

/*
 * Class guessed for an opcode that has no row on arch: from the same stem elsewhere, else from its beginning.
 */
enum isa_class isa_guess(const struct isa *isa, enum isa_arch arch, const char *opcode, size_t n);

const char *isa_class_name(enum isa_class c);    /* "SPEC3" */
int isa_class_parse(const char *text, size_t n); /* -1: not a class */
void isa_man(FILE *out);                         /* the opcodes of trace-sim-sm(7) */

/*
 * Bytes per lane from the opcode's suffixes (SM-inst-3, quirk Q1-6); 4 when none is numeric. 0: impossible
 * width.
 */
unsigned isa_width(const char *opcode, size_t n);
/* Both pieces STRONG and GPU occur (SM-inst-6): the L1 is bypassed. */
bool isa_strong_gpu(const char *opcode, size_t n);

#endif
