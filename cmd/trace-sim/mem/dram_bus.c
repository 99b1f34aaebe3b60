/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data bus of a channel as a pipeline of slots, most of which are empty (MEM-bus). Only slots with a
 * burst are stored. The slots of the ticks between them are empty.
 *
 * Always true after dram_bus_sync() in tick t: t < tick <= t + length for every stored slot, and min <=
 * length <= max.
 */
#include <assert.h>
#include "arena.h"
#include "dram.h"
#include "fifo.h"

void dram_bus_init(struct dram_bus *b, uint32_t latency)
{
	uint32_t slots = fifo_capacity(latency + 2);

	*b = (struct dram_bus){.mask = slots - 1,
		.length = latency,
		.min = latency,
		.max = latency + 1,
		.next_pop = UINT64_MAX};
	b->slot = xcalloc(slots, sizeof(*b->slot));
}

void dram_bus_push(struct dram_bus *b, uint32_t req, uint64_t t)
{
	uint64_t end;

	dram_bus_sync(b, t);
	end = t + b->length;
	assert(b->length < b->max);
	/* the burst uses the last slot if that is empty and remains last; otherwise a slot is appended */
	if (!b->length || b->last_pop == end || b->length < b->min) {
		b->length++;
		end++;
	}
	if (!b->n_slots_used)
		b->next_pop = end;
	b->last_pop = end;
	b->slot[(b->first_slot + b->n_slots_used++) & b->mask] = (struct bus_slot){end, req};
}

uint32_t dram_bus_pop(struct dram_bus *b)
{
	uint32_t req = b->slot[b->first_slot++ & b->mask].req;

	b->next_pop = --b->n_slots_used ? b->slot[b->first_slot & b->mask].tick : UINT64_MAX;
	return req;
}

void dram_bus_stall(struct dram_bus *b)
{
	for (uint32_t i = 0; i < b->n_slots_used; i++)
		b->slot[(b->first_slot + i) & b->mask].tick++;
	if (b->n_slots_used) {
		b->next_pop++;
		b->last_pop++;
	}
	b->synced_at++;
}

void dram_bus_set_min(struct dram_bus *b, uint32_t min, uint64_t t)
{
	uint32_t needed = b->n_slots_used ? (uint32_t)(b->last_pop - t) : 0;

	dram_bus_sync(b, t);
	b->min = min;
	if (b->length < min)
		b->length = min;
	else if (b->length > min)
		b->length = needed > min ? needed : min;
}
