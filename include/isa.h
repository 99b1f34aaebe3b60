/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opcodes: unit class on each architecture, and effect in the timing model.
 *
 * libcommon/arch/isa.def has a row for each opcode stem (the part before the first '.') with its effect (enum isa_kind)
 * and its class on each architecture. A user's file (--isa FILE) is plain text: "stem arch[,arch...] class".
 */
#ifndef ISA_H
#define ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"

/* Unit classes (SM-inst-1). CLASS_TMA: bulk and tensor copies. */
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

/* Effect of an opcode in the timing model, in addition to occupying its unit (SM-inst-6). */
enum isa_kind {
	KIND_PLAIN,
	KIND_LDC,
	KIND_LDG,
	KIND_LDL,
	KIND_LDGSTS,
	KIND_STG,
	KIND_STL,
	KIND_ATOM, /* opcodes ATOM, ATOMG and RED */
	KIND_ATOMS,
	KIND_LDS,
	KIND_STS,
	KIND_LDSM,
	KIND_LD,
	KIND_ST, /* LD and ST are generic: the first active lane's address selects the space */
	KIND_BAR,
	KIND_LDGDEPBAR,
	KIND_DEPBAR,
	KIND_GMMA,      /* matrix product of a warpgroup */
	KIND_WARPGROUP, /* opcode WARPGROUP: its DEPBAR waits for matrix products */
	KIND_SYNCS,     /* operation on an mbarrier */
	KIND_ARRIVES,   /* arrival of LDGSTS at an mbarrier */
	KIND_STAS,      /* store to the shared memory of the cluster; it completes its bytes on an mbarrier */
	KIND_BULK,      /* bulk copy */
	KIND_FLUSH,     /* opcode UTMACMDFLUSH: ends a group of bulk copies */
	KIND_FENCE,     /* opcode FENCE: orders accesses to shared memory and bulk copies */
	KIND_MAXREG,    /* opcode USETMAXREG: changes the number of registers of a warp */
	KIND_MARK,      /* mark that the tracer writes between instructions */
	KIND_MEM_OTHER, /* other opcode of class LOAD or STORE */
	N_KINDS
};

/* Address space of an access. Traces of machine code have no CONST, PARAM and TEX accesses. */
enum space {
	SPACE_NONE,
	SPACE_GLOBAL,
	SPACE_LOCAL,
	SPACE_SHARED,
	SPACE_GENERIC, /* the address selects the space */
	SPACE_CONST,   /* accessed through the constant cache */
	SPACE_TEX,
	SPACE_PARAM,       /* kernel parameters: treated as CONST, but counted separately */
	SPACE_LOCAL_PARAM, /* arguments and results of calls: treated as LOCAL, but counted separately */
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
	const char *stem;       /* first word of the opcode: "LDGSTS" */
	uint8_t kind;           /* one of enum isa_kind */
	uint8_t class[N_ARCHS]; /* enum isa_class on each architecture */
	bool half_rate;         /* half rate: the initiation interval is halved (SM-inst-5) */
};

struct isa; /* the built-in rows plus the user's */

struct isa *isa_new(void); /* returns the built-in rows, which the caller frees */
/* Adds or replaces rows; returns 0, or -1 and sets *f. */
int isa_load(struct isa *isa, const char *path, struct fault *f);
struct input;
/* Does the same as isa_load(), from an open input. */
int isa_parse(struct isa *isa, struct input *in, struct fault *f);
void isa_free(struct isa *isa);

/*
 * Returns the enum isa_arch of a "-binary version" number (35, 60, 61, 70, 75, 80, 86, 87, 89, 90, 100, 120), or -1.
 */
int isa_arch_of(int binary_version);
const char *isa_arch_name(enum isa_arch a);

/*
 * Returns the index of the row for the stem of an opcode of n bytes, or -1. An opcode is unknown on an architecture
 * where its row has the class CLASS_NONE.
 */
int isa_find(const struct isa *isa, const char *opcode, size_t n);
const struct isa_op *isa_row(const struct isa *isa, int row);
int isa_rows(const struct isa *isa);

/*
 * Guesses the class of an opcode without a row for arch, from the class of its stem on another architecture, else
 * from its prefix.
 */
enum isa_class isa_guess(const struct isa *isa, enum isa_arch arch, const char *opcode, size_t n);

const char *isa_class_name(enum isa_class c);    /* returns the name of a class: "SPEC3" */
int isa_class_parse(const char *text, size_t n); /* returns the class with that name, or -1 */
void isa_man(FILE *out);                         /* prints the table of opcodes of trace-sim-sm(7) */

/*
 * Returns the size of the access per lane in bytes, from the opcode's suffixes (SM-inst-3, quirk Q1-6): 4 without a
 * numeric suffix, 0 for an impossible size.
 */
unsigned isa_width(const char *opcode, size_t n);
/* Returns true if the opcode has the suffixes STRONG and GPU, with which its accesses bypass the L1 (SM-inst-6). */
bool isa_strong_gpu(const char *opcode, size_t n);

#endif
