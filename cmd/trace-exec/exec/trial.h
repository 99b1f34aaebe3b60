/* SPDX-License-Identifier: BSD-2-Clause */
/* Ops that are executed on trial, to find the results that depend on undefined sources. */
#ifndef TRIAL_H
#define TRIAL_H

#include "exec/operands.h"

#define TRIAL_RESULTS 40u /* largest number of results and sources of an op on trial */
#define TRIAL_SOURCES 3u  /* largest number of undefined sources of an op on trial */

/* The undefined sources of an op. */
struct undefined_sources {
	uint32_t lanes; /* lanes in which a source is undefined */
	unsigned n;     /* number of registers that are undefined in some lane that executes */
	uint32_t word[TRIAL_SOURCES];
	unsigned origin;
};

/*
 * Sets lanes[] to the lanes in which each result depends on the undefined sources: executes the op for the lanes of m
 * with all zeros and with all ones in each of these sources. If `whole` is true, a result depends on them only if all
 * of its bytes change when all of these sources change. Returns false if the op has too many registers.
 */
bool trial_logic(struct warp *w, const struct op *o, const struct operand_list *l, uint32_t m, bool whole,
	const struct undefined_sources *s, uint32_t lanes[TRIAL_RESULTS]);
/* Returns the lanes of m that get an undefined value from a shuffle. Executes it with all ones for undefined values. */
uint32_t trial_shuffle(struct warp *w, const struct op *o, const struct operand_list *l, uint32_t m);

#endif
