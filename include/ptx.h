/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PTX instructions in the timing model: the rows of libcommon/arch/ptx-ops.def, and the type, space, cache operator
 * and vector width from an opcode's text.
 *
 * Always true: the table is constant; a row is found by whole words of the opcode, the longest stem first.
 */
#ifndef PTX_H
#define PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "isa.h"

/* Rules for the class and latency of an opcode. */
enum ptx_rule {
	PTX_RULE_PLAIN,    /* class ALU with latency 1 */
	PTX_RULE_ARITH,    /* class SP for f32, DP for f64, else INT; latency from that type's list */
	PTX_RULE_INT_NEXT, /* class INT; latency from the integer list plus 1 */
	PTX_RULE_DIVIDE,   /* class SFU; latency from the type's list */
	PTX_RULE_SFU,
	PTX_RULE_TENSOR,
	PTX_RULE_SHFL, /* class ALU; latency from the integer list */
	PTX_RULE_LOAD,
	PTX_RULE_STORE,
	PTX_RULE_BRANCH,
	PTX_RULE_CALL,
	PTX_RULE_RET,
	PTX_RULE_BARRIER,
	PTX_RULE_MEMBAR,
};

/* Effect of an instruction in the timing model, in addition to occupying its unit. */
enum ptx_kind {
	PTX_KIND_PLAIN,
	PTX_KIND_LD,
	PTX_KIND_ST,
	PTX_KIND_ATOM, /* atomic; the original neither checks nor reads its address register */
	PTX_KIND_TEX,
	PTX_KIND_BAR,
	PTX_KIND_VOTE, /* vote; the original counts its destination as a source */
};

struct ptx_op {
	const char *stem; /* first words of the opcode: "wmma.load" */
	uint8_t rule;     /* one of enum ptx_rule */
	uint8_t entry;    /* index in the list of latencies */
	uint8_t kind;     /* one of enum ptx_kind */
	/* Reason for the choice of rule; "": the original has the instruction. */
	const char *reason;
};

/* Returns the row of an opcode of n bytes; NULL if there is none. */
const struct ptx_op *ptx_op_find(const char *opcode, size_t n);
/* Returns row i of the table; NULL after the last. */
const struct ptx_op *ptx_op_at(unsigned i);
/* Print tables of trace-sim-ptx(7): stems by rule, and, by reason, the stems that the original lacks. */
void ptx_man_rules(FILE *out);
void ptx_man_approximated(FILE *out);

/* Lists of latencies. With PTX_LIST_NONE the latency is one cycle. */
enum ptx_list {
	PTX_LIST_NONE,
	PTX_LIST_INT,
	PTX_LIST_FP,
	PTX_LIST_DP,
	PTX_LIST_SFU,
	PTX_LIST_TENSOR,
	N_PTX_LISTS
};
#define PTX_ENTRIES 6 /* number of entries of the longest list */

/* Properties of a PTX opcode, found from its words. */
struct ptx_form {
	const struct ptx_op *op; /* row of the opcode; NULL: it has none and is treated as PLAIN */
	uint8_t class;           /* one of enum isa_class */
	uint8_t list;            /* list of the latency (enum ptx_list) */
	uint8_t entry;           /* index of the latency in the list */
	uint8_t extra_cycles;    /* cycles added to the latency of the list's entry */
	uint8_t space;           /* one of enum space; NONE: no memory access */
	uint8_t elements;        /* number of vector elements: 1, 2, 4 or 8 */
	uint8_t bytes;           /* size of the element type in bytes; 0: the opcode names none */
	bool bypasses_l1;        /* true for the cache operator .cg, which bypasses the L1 */
	bool nc;                 /* true for the cache operator .nc */
	bool arrive;             /* true for a barrier that does not wait */
};

/*
 * Sets *f from an opcode of n bytes in the form of "-code" lines (ld.global.u32). Properties that it does not name
 * are 0.
 */
void ptx_form_of(struct ptx_form *f, const char *opcode, size_t n);

const char *ptx_space_name(enum space s); /* returns the name of a space: "shared" */

#endif
