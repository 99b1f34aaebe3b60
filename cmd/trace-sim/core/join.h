/* SPDX-License-Identifier: BSD-2-Clause */
/* Control codes of kernels, by function. A zeroed struct core_joins has none. */
#ifndef CORE_JOIN_H
#define CORE_JOIN_H

#include "modern.h"
#include "sm/kernel.h"

struct core_join;

struct core_joins {
	struct cubins *cubins;   /* files of --cubin; NULL: none */
	struct core_join *first; /* list of the kernels that were searched */
	uint64_t insts;          /* number of instructions of kernels with control codes */
	uint64_t mismatches;     /* number of instructions that differ from the function of the cubin */
};

/*
 * Sets k->codes to the control codes of the kernel, if there are any; tb is the kernel's first thread block. Ends the
 * run if `by` requires control codes and there are none. Called between cycles.
 */
void core_join(struct core_joins *all, enum core_dependence by, const struct code *code, struct kernel *k,
	const struct tblock *tb);
void core_joins_free(struct core_joins *all);

#endif
