/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of asynchronous copies: LDGSTS, LDGDEPBAR, DEPBAR (SM-async). Always true: entries are in the order of groups,
 * and all entries below first_open_entry are done. The waiting warps are in dep_wait. Counts have 32 bits and wrap like
 * those of the original. The entries of a warp are allocated when its thread block is placed.
 */
#include "sm/mbarrier.h"

void ldgsts_reset(struct warp *w)
{
	w->n_entries = w->n_groups = w->closed = w->first_open_entry = 0;
	w->depbar_group = w->depbar_open = 0;
}

static void skip_completed_groups(struct warp *w)
{
	while (w->first_open_entry < w->n_entries && w->entry[w->first_open_entry].done)
		w->first_open_entry++;
}

/* Returns true if a group with a number below `bound` has an entry that is not done. */
static bool has_open_group_below(const struct warp *w, uint32_t bound)
{
	return w->first_open_entry < w->n_entries && w->entry[w->first_open_entry].group < bound;
}

uint32_t ldgsts_add_entry(struct sm *s, unsigned warp, const struct winst *in, uint64_t lane0)
{
	struct warp *w = &s->warp[warp];
	uint32_t i = w->n_entries++;

	w->entry[i] = (struct ldgsts_entry){
		.lane0 = lane0, .pc = in->uop->pc, .group = w->closed, .done = !in->mask};
	if (w->n_groups == w->closed)
		w->n_groups++;
	skip_completed_groups(w);
	return i;
}

void ldgsts_close_group(struct sm *s, unsigned warp)
{
	struct warp *w = &s->warp[warp];

	w->closed++;
	w->sync.last_group_is_bulk = false;
	if (w->n_groups < w->closed)
		w->n_groups = w->closed;
}

/*
 * Makes a warp wait until at most n groups are open. If n is more than the number of closed groups, there is nothing to
 * wait for; the original reads beyond its list. quirk Q3-10: with one closed group and an open entry, the warp waits
 * for all groups.
 */
void ldgsts_start_wait(struct sm *s, unsigned warp, uint32_t n)
{
	struct warp *w = &s->warp[warp];
	uint32_t bound = w->closed - n;

	if (n > w->closed && w->closed != 1)
		bound = 0;
	w->depbar_group = w->closed - 1;
	w->depbar_open = n;
	if (has_open_group_below(w, bound))
		s->dep_wait |= 1ull << warp;
}

/* Ends one LDGSTS. quirk Q3-10: a DEPBAR after the first group (depbar_group 0) waits until every entry is done. */
void ldgsts_end_one(struct sm *s, unsigned warp, uint32_t pc, uint64_t lane0)
{
	struct warp *w = &s->warp[warp];
	uint32_t bound = w->depbar_group ? w->depbar_group - w->depbar_open + 1 : w->n_groups;

	for (uint32_t i = w->first_open_entry; i < w->n_entries; i++)
		if (!w->entry[i].done && w->entry[i].pc == pc && w->entry[i].lane0 == lane0) {
			w->entry[i].done = true;
			break;
		}
	skip_completed_groups(w);
	if (!has_open_group_below(w, bound) &&
		!((s->gmma_wait | s->sync_wait | s->gang_wait | s->grid_wait) >> warp & 1))
		s->dep_wait &= ~(1ull << warp);
	if (w->sync.n_arrivals)
		mbarrier_note_copies_done(s, warp, w->first_open_entry);
}
