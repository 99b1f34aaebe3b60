/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface between params*.c. Each function sets its part of *p. Returns 0, or -1 and sets *f. */
#ifndef PARAMS_INT_H
#define PARAMS_INT_H

#include "bits.h"
#include "params.h"

/* Set and check the parameters of the SM, and of the memory side. Return 0, or -1 and set *f. */
int params_set_core(struct params *p, const struct gpuconf *c, struct fault *f);
int params_set_memory(struct params *p, const struct gpuconf *c, struct fault *f);
/* Sets the -core_* options. Called before params_set_core(). */
int params_set_modern(struct params *p, const struct gpuconf *c, struct fault *f);
/* Sets the instruction cache of the modern core. Called after the L2 is set. */
int params_set_modern_l1i(struct params *p, const struct gpuconf *c, struct fault *f);
/* Sets the address mapping. Requires the partitions and the DRAM. */
int params_set_addresses(struct memory_params *m, const struct gpuconf *c, struct fault *f);
/* Sets the caches. Called last, because rules relate them to the coalescer and to each other. */
int params_set_caches(struct params *p, const struct gpuconf *c, struct fault *f);

/*
 * Reads a list "N<sep>N<sep>..." of at most cap 32-bit numbers, with optional blanks before a number. Returns their
 * count, or -1 for other text.
 */
int param_numbers(const char *text, char sep, uint32_t *out, int cap);
/* Reads one 32-bit number at *text and moves *text past it. */
bool param_number(const char **text, uint32_t *out);

#endif
