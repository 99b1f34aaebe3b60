/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of static instructions that all SMs share; written between cycles only (launch.c). */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "arena.h"
#include "core/core.h"
#include "table.h"

#define KIND_SOURCES 4u /* told apart; the last stands for those behind it, too */

/* What an opcode's text, a width and a micro-operation say of all instructions that have them. */
struct core_kind {
	const char *opcode;
	uint16_t size, uop_flags;
	uint8_t space;
	bool has_addr;
	uint8_t regs[KIND_SOURCES], read[KIND_SOURCES]; /* of sources: how many; enum sass_operand */
	uint8_t read_uniform;                           /* of uniform ones */
	struct core_inst inst;                          /* but for PC, groups and operands */
};

struct core_code {
	const struct params *params;
	struct core_inst *inst; /* reserved; by code handle */
	struct arena arena;     /* operands */
	struct core_kind *kind;
	uint32_t n_kinds, cap_kinds;
	struct table kinds; /* by opcode */
	struct sass_latency latency;
	uint8_t distance[N_SASS_CLASSES][N_SASS_OPERANDS + 1]; /* of latency: after, then overwrite */
	uint32_t longest;
	bool warned;
};

#endif
