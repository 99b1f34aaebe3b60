/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LRU and FIFO: the victim is the line with the oldest time stamp; of lines with equal stamps, the line in the lowest
 * way. A stamp is the time of the last access (LRU) or of the allocation (FIFO).
 *
 * Always true: each row has its present lines in two lists, one for each class, ordered from the oldest line to the
 * newest. A stamp changes only in touch() and before enter(), which move the line to its position. The position is
 * searched from the newest line on, because time decreases only when its 32 bits wrap.
 */
#include "replace.h"

#define OLDEST(row, which) (row)->policy_state[which]
#define NEWEST(row, which) (row)->policy_state[2 + (which)]
#define OLDER(t, slot)     (t)->line[slot].policy_state[0]
#define NEWER(t, slot)     (t)->line[slot].policy_state[1]

static bool is_older(const struct tags *t, uint32_t a, uint32_t b)
{
	return t->line[a].stamp != t->line[b].stamp ? t->line[a].stamp < t->line[b].stamp : a < b;
}

static void insert_by_age(struct tags *t, struct tag_row *row, unsigned which, uint32_t slot)
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

static void remove_from_age_list(struct tags *t, struct tag_row *row, unsigned which, uint32_t slot)
{
	uint32_t older = OLDER(t, slot), newer = NEWER(t, slot);

	*(older ? &NEWER(t, older) : &OLDEST(row, which)) = newer;
	*(newer ? &OLDER(t, newer) : &NEWEST(row, which)) = older;
}

static void touch_lru(struct tags *t, uint32_t slot, uint32_t now)
{
	struct cache_line *l = &t->line[slot];
	struct tag_row *row = &t->row[l->set];
	unsigned which = (l->state & t->class_1_bits) != 0;

	if (l->stamp == now)
		return;
	if (NEWEST(row, which) == slot && l->stamp < now) {
		l->stamp = now;
		return;
	}
	remove_from_age_list(t, row, which, slot);
	l->stamp = now;
	insert_by_age(t, row, which, slot);
}

static void touch_fifo(struct tags *t, uint32_t slot, uint32_t now)
{
	(void)t;
	(void)slot;
	(void)now;
}

static uint32_t oldest_unreserved_line(const struct tags *t, const struct tag_row *row, unsigned which)
{
	uint32_t slot = OLDEST(row, which);

	while (t->line[slot].state & LINE_ALL_RESERVED)
		slot = NEWER(t, slot);
	return slot;
}

static uint32_t oldest_victim(const struct tags *t, const struct tag_row *row, bool modified_too)
{
	uint32_t a, b;

	if (!modified_too)
		return oldest_unreserved_line(t, row, 0);
	b = oldest_unreserved_line(t, row, 1);
	if (!row->idle_lines[0])
		return b;
	a = oldest_unreserved_line(t, row, 0);
	return is_older(t, a, b) ? a : b;
}

const struct replacement_policy replace_LRU = {insert_by_age, remove_from_age_list, touch_lru, oldest_victim};
const struct replacement_policy replace_FIFO = {
	insert_by_age, remove_from_age_list, touch_fifo, oldest_victim};
