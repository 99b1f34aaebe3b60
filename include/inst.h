/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static instructions: what all executions of an instruction have in common, as its trace tells it (SM-inst).
 * Readers of traces make them (struct code, trace.h), uop.h joins them with a machine.
 */
#ifndef INST_H
#define INST_H

#include <stdbool.h>
#include <stdint.h>
#include "isa.h"
#include "ptx.h"

/*
 * Registers are numbered as the scoreboard sees them (SM-inst-2): R<n> is n + 1, RZ is one like any other
 * (quirk Q1-27), uniform registers UR<n> follow in a name space of their own; predicates are left out.
 */
#define REG_R0    1u
#define REG_UR0   257u
#define REG_LIMIT 513u /* all register numbers of machine code are below */

/*
 * What an instruction of a trace from PTX has more. Its registers have two numbers: what inst.reg begins with
 * are those by which instructions wait for each other (from 1 on, below kernel_header.registers); guard and
 * address registers are among the sources. Behind them stand those that name register banks.
 */
struct ptx_inst {
	struct ptx_form form; /* space: GENERIC for a generic access to global memory */
	const char *text;     /* its line in the header, from the opcode on */
	uint32_t file;        /* number of its source file, 0: unknown */
	uint8_t n_operands;   /* of the sources, the first, without guard and address */
	uint8_t n_bank_dst, n_bank_src;
	uint8_t barrier;       /* which one */
	uint8_t barrier_warps; /* that it waits for; 0: all of the block */
	bool issue_mask;       /* its records say for which lanes it issued, rec_issue_mask() */
	bool ends;             /* lanes that execute it end */
};

struct inst {
	const char *opcode;         /* full text, "LDG.E.128" */
	const uint16_t *reg;        /* n_dst destinations, then n_src sources, in trace order */
	const struct ptx_inst *ptx; /* NULL: machine code */
	uint64_t imm;               /* first immediate; 0 where the line has none */
	uint32_t pc;
	uint32_t lineno; /* source line where the trace has line information */
	uint16_t row;    /* isa_row(); 0xffff: no row, class was guessed */
	uint16_t size;   /* bytes per lane recomputed from the opcode; 0 when the width field is 0 */
	uint8_t n_dst, n_src;
	uint8_t class; /* enum isa_class on this kernel's architecture, never CLASS_NONE */
	uint8_t kind;  /* enum isa_kind */
	uint8_t arch;  /* enum isa_arch */
	bool has_addr; /* the width field is not 0: records carry addresses */
	bool strong_gpu;
	bool half_rate;
};

#endif
