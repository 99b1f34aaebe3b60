/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warpgroups: warps 4k to 4k + 3 of a thread block, which execute matrix products together.
 *
 * Each warp computes its part of a product when it issues the instruction. On a GPU the part of a warp is complete when
 * the product of the whole group is. So a warp that waits for products waits until each warp of its group has issued as
 * many products as itself: after the wait, the program may overwrite the matrices in shared memory.
 *
 * Always true: a warp that has ended is not waited for. If no warp of the cluster can continue, those that wait here
 * continue, and do not wait again: other warps of their groups execute fewer products.
 */
#include "exec/warpgroup.h"

/* Returns true if a warp of the group of w has issued fewer products than w, and has not ended. */
static bool is_warpgroup_behind(const struct warp *w)
{
	const struct cta *c = w->cta;
	uint32_t first = w->index - w->index % WARPGROUP_WARPS;

	for (uint32_t i = first; i < first + WARPGROUP_WARPS && i < c->n_warps; i++)
		if (c->warp[i].state != WARP_DONE && c->warp[i].products < w->products)
			return true;
	return false;
}

void warpgroup_count_product(struct warp *w) { w->products++; }

void warpgroup_wait(struct warp *w, const struct op *o, uint32_t m)
{
	(void)o;
	if (w->leaves_warpgroup || m != (w->lanes & ~w->ended) || !is_warpgroup_behind(w))
		return;
	w->state = WARP_PRODUCTS;
	w->stop |= WARP_YIELD;
}

bool warpgroup_is_ready(struct warp *w)
{
	if (w->state == WARP_PRODUCTS && !is_warpgroup_behind(w))
		w->state = WARP_READY;
	return w->state == WARP_READY;
}

bool warpgroup_release(struct cluster *c)
{
	bool released = false;

	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t k = 0; k < c->cta[i]->n_warps; k++) {
			struct warp *w = &c->cta[i]->warp[k];

			if (w->state != WARP_PRODUCTS)
				continue;
			w->leaves_warpgroup = is_warpgroup_behind(w);
			w->state = WARP_READY;
			released = true;
		}
	return released;
}
