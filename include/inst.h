/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static instructions: the properties that all executions of an instruction in a trace share (SM-inst).
 * Trace readers make them (struct code, trace.h); uop.h combines them with a configuration.
 */
#ifndef INST_H
#define INST_H

#include <stdbool.h>
#include <stdint.h>
#include "isa.h"
#include "ptx.h"

/*
 * Register numbers of the scoreboard (SM-inst-2): R<n> is n + 1, RZ is treated as any other register (quirk Q1-27),
 * UR<n> (uniform) is REG_UR0 + n; predicates have no number.
 */
#define REG_R0    1u
#define REG_UR0   257u
#define REG_LIMIT 513u /* first number above the registers of machine code */

/*
 * Additional properties of an instruction in a trace from PTX. Each of its registers has two numbers. inst.reg begins
 * with the dependence numbers (from 1 on, below kernel_header.registers; guard and address registers are among the
 * sources). The numbers that select register banks follow.
 */
struct ptx_inst {
	struct ptx_form form;  /* type, space and so on; GENERIC: generic access to global memory */
	const char *text;      /* text of the line in the header, from the opcode on */
	uint8_t n_operands;    /* number of sources at the start of the list, without guard and address */
	uint8_t n_bank_dst;    /* number of destinations with bank numbers */
	uint8_t n_bank_src;    /* number of sources with bank numbers */
	uint8_t barrier;       /* number of the barrier of BAR */
	uint8_t barrier_warps; /* number of warps that the barrier waits for; 0: all of the thread block */
	bool issue_mask;       /* records have the mask of issued lanes, for rec_issue_mask() */
	bool ends;             /* true if the instruction ends the lanes that execute it */
};

/* Whether a matrix product of a warpgroup ends a group; only version 6 of the format records this. */
enum inst_commit { COMMIT_UNKNOWN, COMMIT_NO, COMMIT_YES };

/* Additional columns in the records of some instructions, for rec_copy() and rec_value() (trace.h). */
enum inst_extra { EXTRA_NONE, EXTRA_COPY, EXTRA_VALUES };

struct inst {
	const char *opcode;         /* full text of the opcode: "LDG.E.128" */
	const uint16_t *reg;        /* registers: n_dst destinations, then n_src sources, in trace order */
	const struct ptx_inst *ptx; /* properties of an instruction from PTX; NULL: machine code */
	const char *file;           /* name of the source file; NULL: unknown */
	uint64_t imm;               /* first immediate; 0 if the line has none */
	uint64_t imm2;              /* second immediate; 0 if the line has none */
	uint32_t pc;
	uint32_t lineno;      /* source line, if the trace has line information */
	uint32_t file_number; /* number of the source file in the kernel's header; 0: unknown */
	uint16_t row;  /* index for isa_row(); 0xffff: the opcode has no row, and its class is a guess */
	uint16_t size; /* bytes accessed per lane, from the opcode; 0 if the width field is 0 */
	uint8_t n_dst; /* number of destinations */
	uint8_t n_src; /* number of sources */
	uint8_t class; /* enum isa_class on the kernel's architecture, never CLASS_NONE */
	uint8_t kind;  /* one of enum isa_kind */
	uint8_t arch;  /* one of enum isa_arch */
	bool has_addr; /* records have addresses, because the width field is not 0 */
	bool strong_gpu;
	bool half_rate;
	uint8_t commit; /* one of enum inst_commit */
	uint8_t extra;  /* one of enum inst_extra */
	bool two_imms;  /* true for a BAR whose line has two immediates: number and threads */
};

#endif
