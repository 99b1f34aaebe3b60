/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PTX instructions as the timing model sees them: the rows of libcommon/arch/ptx-ops.def, and what an
 * opcode's text says about type, space, cache operator and vector width.
 *
 * Always true: the table is constant; a row is found by whole words of the opcode, the longest stem first.
 * What an instruction computes is not known here.
 */
#ifndef PTX_H
#define PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "isa.h"

/* How class and latency follow from an opcode. */
enum ptx_rule {
	PTX_RULE_PLAIN,    /* ALU, latency 1 */
	PTX_RULE_ARITH,    /* f32: SP, f64: DP, else INT; from that type's list */
	PTX_RULE_INT_NEXT, /* INT, one more than in the integer list */
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

/* What an instruction does besides occupying its unit. */
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
	const char *stem; /* "wmma.load" */
	uint8_t rule;     /* enum ptx_rule */
	uint8_t entry;    /* in the list of latencies */
	uint8_t kind;     /* enum ptx_kind */
	const char *
		reason; /* why the rule was taken for an instruction that the original lacks; "": it has it */
};

/* Row of an opcode (n bytes); NULL: none. */
const struct ptx_op *ptx_op_find(const char *opcode, size_t n);
/* The table, to list it: row i, NULL behind the last. */
const struct ptx_op *ptx_op_at(unsigned i);
/* Tables of trace-sim-ptx(7): stems by rule, and those that the original lacks by reason. */
void ptx_man_rules(FILE *out);
void ptx_man_approximated(FILE *out);

/* Lists of latencies; NONE: one cycle. */
enum ptx_list {
	PTX_LIST_NONE,
	PTX_LIST_INT,
	PTX_LIST_FP,
	PTX_LIST_DP,
	PTX_LIST_SFU,
	PTX_LIST_TENSOR,
	N_PTX_LISTS
};
#define PTX_ENTRIES 6 /* of the longest list */

/* What the words of an opcode say. */
struct ptx_form {
	const struct ptx_op *op; /* NULL: no row, taken as PLAIN */
	uint8_t class;           /* enum isa_class */
	uint8_t list, entry;     /* enum ptx_list and the place in it; more: added to what stands there */
	uint8_t more;
	uint8_t space;    /* enum space; NONE for what accesses no memory */
	uint8_t elements; /* of the vector, 1, 2, 4 or 8 */
	uint8_t bytes;    /* of the element type, 0: the opcode names none */
	bool bypass;      /* cache operator .cg: past the L1 */
	bool nc;          /* cache operator .nc */
	bool arrive;      /* a barrier that is not waited for */
};

/*
 * The form of an opcode of n bytes as a line "-code" spells it (ld.global.u32); what it does not name is 0.
 */
void ptx_form_of(struct ptx_form *f, const char *opcode, size_t n);

const char *ptx_space_name(enum space s); /* "shared" */

#endif
