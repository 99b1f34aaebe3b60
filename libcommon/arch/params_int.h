/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the params*.c files only. Each part fills its share of *p; 0, or -1 and *f. */
#ifndef PARAMS_INT_H
#define PARAMS_INT_H

#include "bits.h"
#include "params.h"

int params_core(struct params *p, const struct gpuconf *c, struct fault *f);
int params_memory(struct params *p, const struct gpuconf *c, struct fault *f);
/* After params_core: the -core_* options. */
int params_modern(struct params *p, const struct gpuconf *c, struct fault *f);
/* With the modern core, whose instruction cache takes the place of the other; after the L2. */
int params_modern_l1i(struct params *p, const struct gpuconf *c, struct fault *f);
/* Of a memory whose partitions and DRAM are known. */
int params_addresses(struct memory_params *m, const struct gpuconf *c, struct fault *f);
/* After the two others: caches have rules with the coalescer and with each other. */
int params_caches(struct params *p, const struct gpuconf *c, struct fault *f);

/*
 * All numbers of "N<sep>N<sep>...", at most cap of them. The count, or -1 when text is not such a list,
 * holds a number of more than 32 bits, or more than cap numbers. Blanks before a number are skipped.
 */
int param_numbers(const char *text, char sep, uint32_t *out, int cap);
/* One number at *text, which moves behind it. */
bool param_number(const char **text, uint32_t *out);

#endif
