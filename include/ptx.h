/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PTX instructions in the timing model: the rows of libcommon/arch/ptx-ops.def, and type, space, cache
 * operator and vector width from an opcode's text.
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

/* Rules for class and latency of an opcode. */
enum ptx_rule {
	PTX_RULE_PLAIN,    /* class ALU with latency 1 */
	PTX_RULE_ARITH,    /* f32: SP, f64: DP, else INT; latency from that type's list */
	PTX_RULE_INT_NEXT, /* INT, latency from the integer list plus 1 */
	PTX_RULE_DIVIDE,   /* SFU, latency from the type's list */
	PTX_RULE_SFU,
	PTX_RULE_TENSOR,
	PTX_RULE_SHFL, /* ALU, latency from the integer list */
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
	PTX_KIND_ATOM, /* the original neither checks nor reads its address register */
	PTX_KIND_TEX,
	PTX_KIND_BAR,
	PTX_KIND_VOTE, /* the original counts its destination as a source */
};

struct ptx_op {
	const char *stem; /* first words of the opcode: "wmma.load" */
	uint8_t rule;     /* one of enum ptx_rule */
	uint8_t entry;    /* index in the list of latencies */
	uint8_t kind;     /* one of enum ptx_kind */
	/* Reason for the choice of rule if the original lacks the instruction; "": the original has it. */
	const char *reason;
};

/* Returns the row of an opcode of n bytes; NULL if there is none. */
const struct ptx_op *ptx_op_find(const char *opcode, size_t n);
/* Returns row i of the table; NULL after the last. */
const struct ptx_op *ptx_op_at(unsigned i);
/* Print tables of trace-sim-ptx(7): stems by rule, and stems that the original lacks by reason. */
void ptx_man_rules(FILE *out);
void ptx_man_approximated(FILE *out);

/* Lists of latencies. PTX_LIST_NONE: the latency is one cycle. */
enum ptx_list {
	PTX_LIST_NONE,
	PTX_LIST_INT,
	PTX_LIST_FP,
	PTX_LIST_DP,
	PTX_LIST_SFU,
	PTX_LIST_TENSOR,
	N_PTX_LISTS
};
#define PTX_ENTRIES 6 /* entries of the longest list */

/* Properties of a PTX opcode, found from its words. */
struct ptx_form {
	const struct ptx_op *op; /* NULL: no row; treated as PLAIN */
	uint8_t class;           /* one of enum isa_class */
	uint8_t list, entry;     /* enum ptx_list and index in it */
	uint8_t more;            /* cycles added to the latency of the list's entry */
	uint8_t space;           /* enum space; NONE without memory access */
	uint8_t elements;        /* vector elements: 1, 2, 4 or 8 */
	uint8_t bytes;           /* size of the element type; 0 if the opcode names none */
	bool bypass;             /* cache operator .cg: bypasses the L1 */
	bool nc;                 /* the opcode has the cache operator .nc */
	bool arrive;             /* the opcode is a barrier that does not wait */
};

/*
 * Sets *f from an opcode of n bytes in the form of "-code" lines (ld.global.u32); properties that it does not name
 * are 0.
 */
void ptx_form_of(struct ptx_form *f, const char *opcode, size_t n);

const char *ptx_space_name(enum space s); /* returns the name of a space: "shared" */

#endif
