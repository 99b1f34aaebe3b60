/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data bus of a channel as a pipeline of places, most of them empty (MEM-bus). Only places with a burst
 * are stored; an empty place is a gap between their numbers.
 *
 * Always true after dram_bus_see in tick t: t < at of every stored place <= t + length; min <= length <= max.
 */
#include <assert.h>
#include "arena.h"
#include "dram.h"
#include "fifo.h"

void dram_bus_init(struct dram_bus *b, uint32_t latency)
{
	uint32_t room = fifo_capacity(latency + 2);

	*b = (struct dram_bus){
		.mask = room - 1, .length = latency, .min = latency, .max = latency + 1, .next = UINT64_MAX};
	b->slot = xcalloc(room, sizeof(*b->slot));
}

static uint64_t last_place(const struct dram_bus *b)
{
	return b->slot[(b->first + b->used - 1) & b->mask].at;
}

void dram_bus_push(struct dram_bus *b, uint32_t req, uint64_t t)
{
	uint64_t end;
	bool last_empty;

	dram_bus_see(b, t);
	end = t + 1 + b->length;
	last_empty = b->length && (!b->used || last_place(b) != end - 1);
	assert(b->length < b->max);
	if (last_empty && b->length >= b->min)
		end--;
	else
		b->length++;
	b->next = b->used ? b->next : end;
	b->slot[(b->first + b->used++) & b->mask] = (struct bus_slot){end, req};
}

uint32_t dram_bus_take(struct dram_bus *b)
{
	uint32_t req = b->slot[b->first++ & b->mask].req;

	b->next = --b->used ? b->slot[b->first & b->mask].at : UINT64_MAX;
	return req;
}

void dram_bus_stall(struct dram_bus *b)
{
	for (uint32_t i = 0; i < b->used; i++)
		b->slot[(b->first + i) & b->mask].at++;
	b->next += b->used != 0;
	b->seen++;
}

void dram_bus_set_min(struct dram_bus *b, uint32_t min, uint64_t t)
{
	uint32_t needed = b->used ? (uint32_t)(last_place(b) - t) : 0;

	dram_bus_see(b, t);
	b->min = min;
	if (b->length < min)
		b->length = min;
	else if (b->length > min)
		b->length = needed > min ? needed : min;
}
