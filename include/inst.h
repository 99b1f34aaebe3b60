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
 * Register numbers of the scoreboard (SM-inst-2): R<n> is n + 1, RZ counts like any other register
 * (quirk Q1-27), uniform registers UR<n> follow from REG_UR0; predicates have no number.
 */
#define REG_R0    1u
#define REG_UR0   257u
#define REG_LIMIT 513u /* above all register numbers of machine code */

/*
 * Additional properties of an instruction of a trace from PTX. Its registers have two numbers. inst.reg
 * begins with the dependence numbers (from 1 on, below kernel_header.registers; guard and address registers
 * are among the sources). The numbers that select register banks follow.
 */
struct ptx_inst {
	struct ptx_form form; /* space: GENERIC for a generic access to global memory */
	const char *text;     /* line in the header, from the opcode on */
	uint8_t n_operands;   /* number of leading sources without guard and address */
	uint8_t n_bank_dst, n_bank_src;
	uint8_t barrier;       /* number of the barrier that BAR names */
	uint8_t barrier_warps; /* warps that the barrier waits for; 0: all of the thread block */
	bool issue_mask;       /* records have the mask of issued lanes, rec_issue_mask() */
	bool ends;             /* the lanes that execute it end */
};

/* A matrix product of a warpgroup ends a group or does not; only version 6 of the format records which. */
enum inst_commit { COMMIT_UNKNOWN, COMMIT_NO, COMMIT_YES };

/* Additional columns of the records of some instructions: rec_copy() and rec_value() (trace.h). */
enum inst_extra { EXTRA_NONE, EXTRA_COPY, EXTRA_VALUES };

struct inst {
	const char *opcode;         /* full text: "LDG.E.128" */
	const uint16_t *reg;        /* n_dst destinations, then n_src sources, in trace order */
	const struct ptx_inst *ptx; /* NULL: the instruction is machine code */
	const char *file;           /* name of the source file; NULL: unknown */
	uint64_t imm;               /* first immediate; 0 where the line has none */
	uint64_t imm2;              /* second immediate; 0 where the line has none */
	uint32_t pc;
	uint32_t lineno;      /* source line where the trace has line information */
	uint32_t file_number; /* number of the source file in the kernel's header; 0: unknown */
	uint16_t row;         /* index for isa_row(); 0xffff: no row, the class was guessed */
	uint16_t size;        /* bytes per lane, from the opcode; 0 if the width field is 0 */
	uint8_t n_dst, n_src;
	uint8_t class; /* enum isa_class on this kernel's architecture, never CLASS_NONE */
	uint8_t kind;  /* one of enum isa_kind */
	uint8_t arch;  /* one of enum isa_arch */
	bool has_addr; /* records have addresses: the width field is not 0 */
	bool strong_gpu;
	bool half_rate;
	uint8_t commit; /* one of enum inst_commit */
	uint8_t extra;  /* one of enum inst_extra */
	bool two_imms;  /* BAR whose line has two immediates: number and threads */
};

#endif
