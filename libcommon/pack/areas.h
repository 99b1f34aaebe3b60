/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Areas: the ranges of memory, such as buffers, that a part's memory instructions access. Constants of recipes are
 * relative to the beginning of an area. So if an allocator moves a buffer between two launches, their data differ in
 * one number only. Internal to libcommon.
 */
#ifndef PACK_AREAS_H
#define PACK_AREAS_H

#include "addr.h"

/* Lowest and highest address of a memory instruction. */
struct mem_reach {
	uint64_t lowest;  /* lowest address */
	uint64_t highest; /* highest address */
	bool has_address; /* true if the instruction has accessed an address */
};

/* Extends the reach to the first and the last active lane. */
static inline void reach_add(struct mem_reach *r, const struct recorded *g)
{
	const unsigned lanes = log2_floor(g->mask) -
			       bit_lowest32(g->mask); /* distance of the last active lane from the first */
	uint64_t a = g->words[0] + g->addend,
		 b = g->line ? a + lanes * g->words[1] : g->words[recorded_lanes(g) - 1] + g->addend;
	uint64_t least = a < b ? a : b, most = a < b ? b : a;

	r->lowest = !r->has_address || least < r->lowest ? least : r->lowest;
	r->highest = !r->has_address || most > r->highest ? most : r->highest;
	r->has_address = true;
}

/*
 * Sets the areas of the part from the reach of each memory instruction. Areas are numbered in the order of the
 * memory instructions.
 */
void areas_find(struct pcode *c, const struct mem_reach *reach);
/* Returns the number that is subtracted from the constant of recipe r of memory instruction m. */
uint64_t area_origin(const struct pcode *c, uint32_t m, const struct recipe *r);
void areas_pack(struct buf *out, const struct pcode *c);
/* Reads the areas. c->mem must be allocated. Returns false if they are damaged. */
bool areas_unpack(struct cur *in, struct pcode *c);

#endif
