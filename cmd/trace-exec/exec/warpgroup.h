/* SPDX-License-Identifier: BSD-2-Clause */
/* Warpgroups: four warps of a thread block that execute matrix products together; see warpgroup.c. */
#ifndef WARPGROUP_H
#define WARPGROUP_H

#include "exec/exec.h"

#define WARPGROUP_WARPS 4u

/* Counts a product of the warp's warpgroup, of which the warp has computed its part. */
void warpgroup_count_product(struct warp *w);
/*
 * Executes an instruction that waits for products of the warpgroup, in the lanes of m. The warp waits until all other warps
 * of its warpgroup have issued as many products or have ended.
 */
void warpgroup_wait(struct warp *w, const struct op *o, uint32_t m);
/* Returns true if the warp can execute. Ends its wait for products if the other warps have issued as many. */
bool warpgroup_is_ready(struct warp *w);
/* Lets all warps of the cluster that wait for their warpgroups continue. Returns false if there are none. */
bool warpgroup_release(struct cluster *c);

#endif
