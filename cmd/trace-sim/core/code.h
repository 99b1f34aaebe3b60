/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of static instructions that all SMs share. Only launch.c writes it, between cycles. */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "arena.h"
#include "core/core.h"
#include "table.h"

#define KIND_SOURCES 4u /* entries of core_kind.regs and .read; the last is for all later sources */

/* Properties shared by all instructions with equal opcode text, access width and uop flags. */
struct core_kind {
	const char *opcode;
	uint32_t uop_flags;
	uint16_t size;
	uint8_t space;
	bool has_addr;
	uint8_t regs[KIND_SOURCES]; /* number of registers of each source operand */
	uint8_t read[KIND_SOURCES]; /* role of each source operand: enum sass_operand */
	uint8_t read_uniform;       /* role of uniform source registers: enum sass_operand */
	struct core_inst inst;      /* template of the instruction, without PC, groups and operands */
};

struct core_code {
	const struct params *params;
	struct core_inst *inst; /* decoded instructions by code handle, in reserved address space */
	struct arena arena;     /* operands */
	struct core_kind *kind;
	uint32_t n_kinds, cap_kinds;
	struct table kinds; /* numbers of `kind`, by opcode */
	struct sass_latency latency;
	/* cycles from a writer of a class to a reader of a role; role READ_OVERWRITE: to the next writer */
	uint8_t issue_distance[N_SASS_CLASSES][N_SASS_OPERANDS + 1];
	uint32_t longest_distance; /* longest distance */
	bool warned;               /* true after the warning about an unknown opcode */
};

#endif
