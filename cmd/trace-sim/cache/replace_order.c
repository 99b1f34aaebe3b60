/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LRU and FIFO: the victim is the line with the oldest time stamp, ties lowest way first. A stamp is the time
 * of the last access (LRU) or of the allocation (FIFO).
 *
 * Always true: each row has its present lines in two lists, oldest first: list 1 has those that a write ratio
 * can protect, list 0 all others. A stamp changes in touch and before enter only, which give the line its
 * place; time hardly ever runs backwards (it is a 32-bit number that wraps), so that place is found from the
 * newest end.
 */
#include "replace.h"

#define OLDEST(row, which) (row)->kept[which]
#define NEWEST(row, which) (row)->kept[2 + (which)]
#define OLDER(t, slot)     (t)->line[slot].kept[0]
#define NEWER(t, slot)     (t)->line[slot].kept[1]

static bool is_older(const struct tags *t, uint32_t a, uint32_t b)
{
	return t->line[a].stamp != t->line[b].stamp ? t->line[a].stamp < t->line[b].stamp : a < b;
}

static void enter(struct tags *t, struct tag_row *row, unsigned which, uint32_t slot)
{
	uint32_t older = NEWEST(row, which), newer = 0;

	while (older && is_older(t, slot, older)) {
		newer = older;
		older = OLDER(t, older);
	}
	OLDER(t, slot) = older;
	NEWER(t, slot) = newer;
	*(older ? &NEWER(t, older) : &OLDEST(row, which)) = slot;
	*(newer ? &OLDER(t, newer) : &NEWEST(row, which)) = slot;
}

static void leave(struct tags *t, struct tag_row *row, unsigned which, uint32_t slot)
{
	uint32_t older = OLDER(t, slot), newer = NEWER(t, slot);

	*(older ? &NEWER(t, older) : &OLDEST(row, which)) = newer;
	*(newer ? &OLDER(t, newer) : &NEWEST(row, which)) = older;
}

static void touch_lru(struct tags *t, uint32_t slot, uint32_t now)
{
	struct cache_line *l = &t->line[slot];
	struct tag_row *row = &t->row[l->set];
	unsigned which = (l->state & t->listed_1) != 0;

	if (l->stamp == now)
		return;
	if (NEWEST(row, which) == slot && l->stamp < now) {
		l->stamp = now;
		return;
	}
	leave(t, row, which, slot);
	l->stamp = now;
	enter(t, row, which, slot);
}

static void touch_fifo(struct tags *t, uint32_t slot, uint32_t now)
{
	(void)t;
	(void)slot;
	(void)now;
}

static uint32_t oldest_idle(const struct tags *t, const struct tag_row *row, unsigned which)
{
	uint32_t slot = OLDEST(row, which);

	while (t->line[slot].state & LINE_ALL_RESERVED)
		slot = NEWER(t, slot);
	return slot;
}

static uint32_t victim(const struct tags *t, const struct tag_row *row, bool modified_too)
{
	uint32_t a, b;

	if (!modified_too)
		return oldest_idle(t, row, 0);
	b = oldest_idle(t, row, 1);
	if (!row->idle[0])
		return b;
	a = oldest_idle(t, row, 0);
	return is_older(t, a, b) ? a : b;
}

const struct replacement_policy replace_LRU = {enter, leave, touch_lru, victim};
const struct replacement_policy replace_FIFO = {enter, leave, touch_fifo, victim};
