/* SPDX-License-Identifier: BSD-2-Clause */
/* Control codes for kernels, by function. Zeroed: none yet. */
#ifndef CORE_JOIN_H
#define CORE_JOIN_H

#include "modern.h"
#include "sm/kernel.h"

struct core_join;

struct core_joins {
	struct cubins *cubins;      /* files of --cubin; NULL: none */
	struct core_join *first;    /* kernels looked up */
	uint64_t insts, mismatches; /* instructions of joined kernels; instructions without a match */
};

/*
 * Attaches its control codes, if any, to k, whose first thread block is tb. Called between cycles. Ends the run
 * if they are required and missing.
 */
void core_join(struct core_joins *all, enum core_dependence by, const struct code *code, struct kernel *k,
	const struct tblock *tb);
void core_joins_free(struct core_joins *all);

#endif
