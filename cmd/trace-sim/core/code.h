/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of static instructions that all SMs share; written between cycles only (launch.c). */
#ifndef CORE_CODE_H
#define CORE_CODE_H

#include "arena.h"
#include "core/core.h"

struct core_code {
	const struct params *params;
	struct core_inst *inst; /* reserved; by code handle */
	struct arena arena;     /* operands */
	struct sass_latency latency;
	uint32_t longest; /* of its distances */
	bool warned;
};

#endif
