/* SPDX-License-Identifier: BSD-2-Clause */
/* Warpgroups: four warps of a thread block that execute matrix products together; see warpgroup.c. */
#ifndef WARPGROUP_H
#define WARPGROUP_H

#include "exec/exec.h"

#define WARPGROUP_WARPS 4u

/* Counts a product of the warp's warpgroup, of which the warp has computed its part. */
void warpgroup_count_product(struct warp *w);
/* Executes a wait for the products of the warpgroup, in the lanes of m. The warp waits if its group is behind. */
void warpgroup_wait(struct warp *w, const struct op *o, uint32_t m);
/* Returns true if the warp is ready. Lets it continue if it waits for its warpgroup and the group is not behind. */
bool warpgroup_is_ready(struct warp *w);
/* Lets all warps of the cluster that wait for their warpgroups continue. Returns false if there are none. */
bool warpgroup_release(struct cluster *c);

#endif
