/* SPDX-License-Identifier: BSD-2-Clause */
/* Warpgroups: four warps of a thread block that execute matrix products together; see warpgroup.c. */
#ifndef WARPGROUP_H
#define WARPGROUP_H

#include "exec/exec.h"

#define WARPGROUP_WARPS 4u

/* Counts a product of the warp's warpgroup, of which the warp has computed its part. */
void warpgroup_count_product(struct warp *w);
/* Executes an instruction that ends a group of products. */
void warpgroup_commit(struct warp *w, const struct op *o, uint32_t m);
/*
 * Executes an instruction that waits for products of the warpgroup, in the lanes of m. The warp waits until all other
 * warps of its warpgroup have issued as many products or have ended. o->imm: number of groups that may be incomplete.
 */
void warpgroup_wait(struct warp *w, const struct op *o, uint32_t m);
/* Returns true if the warp can execute. Ends its wait for products if the other warps have issued as many. */
bool warpgroup_is_ready(struct warp *w);
#define WARPGROUP_PIECE 16u /* bytes of shared memory with one mark of reads by products */

/*
 * Returns the marks of the pieces of shared memory that products of the warp's warpgroup read. The mark of a product is
 * w->products + 1 while the warp executes it. Returns NULL if accesses are not checked.
 */
uint32_t *warpgroup_read_marks(struct warp *w);
/* Reports a write to bytes of shared memory of a block that products read, if no warp has waited for them. */
void warpgroup_check_write(struct warp *w, const struct op *o, uint32_t lane, const struct cta *owner,
	uint32_t off, uint64_t bytes);
/* Forgets the reads of the earlier thread block. */
void warpgroup_start_cta(struct cta *c);
void warpgroup_free_cta(struct cta *c);

/* Lets all warps of the cluster that wait for their warpgroups continue. Returns false if there are none. */
bool warpgroup_release(struct cluster *c);

#endif
