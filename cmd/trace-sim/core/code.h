/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of static instructions that all SMs share; written only between cycles (launch.c). */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "arena.h"
#include "core/core.h"
#include "table.h"

#define KIND_SOURCES 4u /* distinguished sources; the last entry is for all later sources */

/* Properties common to all instructions with the same opcode text, width and micro-operation flags. */
struct core_kind {
	const char *opcode;
	uint32_t uop_flags;
	uint16_t size;
	uint8_t space;
	bool has_addr;
	uint8_t regs[KIND_SOURCES],
		read[KIND_SOURCES]; /* by source: number of registers; enum sass_operand */
	uint8_t read_uniform;       /* enum sass_operand of uniform registers */
	struct core_inst inst;      /* instruction without PC, groups and operands */
};

struct core_code {
	const struct params *params;
	struct core_inst *inst; /* reserved; by code handle */
	struct arena arena;     /* operands */
	struct core_kind *kind;
	uint32_t n_kinds, cap_kinds;
	struct table kinds; /* by opcode */
	struct sass_latency latency;
	uint8_t distance[N_SASS_CLASSES][N_SASS_OPERANDS + 1]; /* distance by latency: after, then overwrite */
	uint32_t longest;
	bool warned;
};

#endif
