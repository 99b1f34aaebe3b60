/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of static instructions that all SMs share. Only launch.c writes it, between cycles. */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "arena.h"
#include "core/core.h"
#include "table.h"

#define KIND_SOURCES 4u /* entries of core_kind.regs and .read; the last one is for all later sources */

/* Properties of all instructions that have the same opcode text, width and flags of the uop. */
struct core_kind {
	const char *opcode;
	uint32_t uop_flags;
	uint16_t size;
	uint8_t space;
	bool has_addr;
	uint8_t regs[KIND_SOURCES]; /* number of registers, by source */
	uint8_t read[KIND_SOURCES]; /* enum sass_operand, by source */
	uint8_t read_uniform;       /* enum sass_operand of uniform registers */
	struct core_inst inst;      /* the instruction without PC, groups and operands */
};

struct core_code {
	const struct params *params;
	struct core_inst *inst; /* instructions by code handle, in reserved address space */
	struct arena arena;     /* operands */
	struct core_kind *kind;
	uint32_t n_kinds, cap_kinds;
	struct table kinds; /* by opcode */
	struct sass_latency latency;
	/* cycles from a writer of a class to a reader in a role, or to an overwriting instruction (READ_OVERWRITE) */
	uint8_t distance[N_SASS_CLASSES][N_SASS_OPERANDS + 1];
	uint32_t longest_distance; /* longest distance */
	bool warned;               /* the warning about an unknown opcode has been printed */
};

#endif
