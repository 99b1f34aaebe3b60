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
 *
 * The checks report writes to matrices in shared memory before any warp of the group has waited for the products that
 * read them. Products of a warpgroup complete in order.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/warpgroup.h"

#define WARPGROUPS_MOST (1024u / LANES / WARPGROUP_WARPS)
#define GROUPS_KEPT     8u /* groups of products whose ends are kept: a wait leaves at most 7 incomplete */

struct product_reads { /* type of c->product_reads */
	/* for each warpgroup and piece, the number of the last product that reads it; NULL: none does */
	uint32_t *last[WARPGROUPS_MOST];
	uint64_t complete[WARPGROUPS_MOST]; /* number of products for which a warp has waited */
	struct {
		uint64_t n;                /* number of groups that the warp has ended */
		uint64_t end[GROUPS_KEPT]; /* number of products at the end of group i, at i modulo GROUPS_KEPT */
		uint64_t left; /* number of groups that may be incomplete after the warp's last wait */
	} groups[WARPGROUPS_MOST * WARPGROUP_WARPS];
};

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

/* Number of pieces of a block's shared memory. */
static size_t number_of_pieces(const struct cta *c) { return c->shared_bytes / WARPGROUP_PIECE + 1; }

uint32_t *warpgroup_read_marks(struct warp *w)
{
	struct cta *c = w->cta;
	uint32_t group = w->index / WARPGROUP_WARPS;

	if (!c->check || group >= WARPGROUPS_MOST)
		return NULL;
	if (!c->product_reads)
		c->product_reads = xcalloc(1, sizeof(*c->product_reads));
	if (!c->product_reads->last[group])
		c->product_reads->last[group] =
			xcalloc(number_of_pieces(c), sizeof(*c->product_reads->last[group]));
	return c->product_reads->last[group];
}

void warpgroup_start_cta(struct cta *c)
{
	struct product_reads *r = c->product_reads;

	if (!r)
		return;
	for (unsigned i = 0; i < WARPGROUPS_MOST; i++)
		if (r->last[i])
			memset(r->last[i], 0, number_of_pieces(c) * sizeof(*r->last[i]));
	memset(r->complete, 0, sizeof(r->complete));
	memset(r->groups, 0, sizeof(r->groups));
}

void warpgroup_free_cta(struct cta *c)
{
	for (unsigned i = 0; c->product_reads && i < WARPGROUPS_MOST; i++)
		free(c->product_reads->last[i]);
	free(c->product_reads);
	c->product_reads = NULL;
}

void warpgroup_check_write(struct warp *w, const struct op *o, uint32_t lane, const struct cta *owner,
	uint32_t off, uint64_t bytes)
{
	const struct product_reads *r = owner->product_reads;

	for (uint32_t i = 0; r && i < WARPGROUPS_MOST; i++)
		for (uint64_t p = off / WARPGROUP_PIECE;
			r->last[i] && p <= (off + bytes - 1) / WARPGROUP_PIECE; p++) {
			if (r->last[i][p] <= r->complete[i])
				continue;
			exec_note_finding(w, o, 1u << lane, "race",
				"race: %s at byte %llu of .shared, which a matrix product of warps %u to %u reads (expected wgmma.wait_group before it)",
				checker_access_noun(o),
				(unsigned long long)(p * WARPGROUP_PIECE > off ? p * WARPGROUP_PIECE : off),
				i * WARPGROUP_WARPS, i * WARPGROUP_WARPS + WARPGROUP_WARPS - 1);
			return;
		}
}

/* Returns true if reads by the products of the warp are noted. */
static bool are_reads_noted(const struct warp *w)
{
	return w->cta->product_reads && w->index < WARPGROUPS_MOST * WARPGROUP_WARPS;
}

void warpgroup_commit(struct warp *w, const struct op *o, uint32_t m)
{
	struct product_reads *r = w->cta->product_reads;

	(void)o;
	(void)m;
	if (!are_reads_noted(w))
		return;
	r->groups[w->index].end[r->groups[w->index].n++ % GROUPS_KEPT] = w->products;
}

/* Notes the products that are complete when a wait of the warp ends. */
static void note_complete_products(struct warp *w)
{
	struct product_reads *r = w->cta->product_reads;
	uint64_t n = are_reads_noted(w) ? r->groups[w->index].n : 0, left = n ? r->groups[w->index].left : 0,
		 end;

	if (n <= left || left >= GROUPS_KEPT)
		return;
	end = r->groups[w->index].end[(n - left - 1) % GROUPS_KEPT];
	if (r->complete[w->index / WARPGROUP_WARPS] < end)
		r->complete[w->index / WARPGROUP_WARPS] = end;
}

void warpgroup_wait(struct warp *w, const struct op *o, uint32_t m)
{
	if (are_reads_noted(w))
		w->cta->product_reads->groups[w->index].left = (uint64_t)o->imm;
	if (w->leaves_warpgroup || m != (w->lanes & ~w->ended) || !is_warpgroup_behind(w)) {
		note_complete_products(w);
		return;
	}
	w->state = WARP_PRODUCTS;
	w->stop |= WARP_YIELD;
}

bool warpgroup_is_ready(struct warp *w)
{
	if (w->state == WARP_PRODUCTS && !is_warpgroup_behind(w)) {
		w->state = WARP_READY;
		note_complete_products(w);
	}
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
			note_complete_products(w);
			released = true;
		}
	return released;
}
