/* SPDX-License-Identifier: BSD-2-Clause */
/* Example of a replacement policy: the victim is the way with the lowest number that may be replaced. */
#include "cache/replace.h"

static void ignore_list_change(struct tags *t, struct tag_row *row, unsigned class, uint32_t slot)
{
	(void)t;
	(void)row;
	(void)class;
	(void)slot;
}

static void ignore_touch(struct tags *t, uint32_t slot, uint32_t now)
{
	(void)t;
	(void)slot;
	(void)now;
}

static uint32_t lowest_victim(const struct tags *t, const struct tag_row *row, bool modified_too)
{
	uint32_t slot = (uint32_t)(row - t->row) * t->ways + 1;

	while (t->line[slot].state & (LINE_ALL_RESERVED | (modified_too ? 0 : t->class_1_bits)))
		slot++;
	return slot;
}

const struct replacement_policy replace_lowest = {
	ignore_list_change, ignore_list_change, ignore_touch, lowest_victim};
