/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of sectors in an L2 (-l2_fetch_pairs, MEM-l2-6): a read that misses on one sector also fetches the other sector
 * of the aligned 64 bytes.
 *
 * Always true: the fetch is a request that the L2 made, like the read of a write-allocation, and gets no reply.
 */
#include "bits.h"
#include "cache_int.h"

/* Returns the sector bit of the other sector of the pair. */
static uint32_t other_sector_of_pair(uint32_t sector) { return (sector & 5) << 1 | (sector & 10) >> 1; }

static uint64_t address_of_other_sector(const struct lookup *l)
{
	return l->tag + 32 * bit_lowest32(other_sector_of_pair(l->sector));
}

bool pair_is_incomplete(const struct cache_visit *a)
{
	const struct cache *c = a->cache;
	const struct lookup *l = &a->lookup;
	uint64_t addr = address_of_other_sector(l);

	if (l->status == STATUS_HIT_RESERVED)
		return false;
	if (l->status == STATUS_SECTOR_MISS &&
		c->tags.line[l->slot].state &
			other_sector_of_pair(l->sector) * (LINE_RESERVED | LINE_VALID | LINE_MODIFIED))
		return false;
	return !mshr_find(&c->mshr, mshr_bucket(&c->mshr, addr), addr);
}

void pair_fetch_other(const struct cache_visit *a)
{
	struct cache *c = a->cache;
	struct cache_visit other = {.cache = c, .req = a->req, .now = a->now};
	uint64_t addr = address_of_other_sector(&a->lookup);
	struct req *n;

	tag_lookup(&c->tags, &other.lookup, addr, other_sector_of_pair(a->lookup.sector), false);
	other.handle = cache_make_request(&other, c->alloc_type, 0, addr);
	n = &c->pool->req[other.handle];
	n->size = n->orig_size = (uint16_t)c->fill_bytes;
	n->sectors = (uint8_t)other.lookup.sector;
	cache_send_read(&other, other.handle); /* pair_is_incomplete() was true, and entries are free */
	mshr_find(&c->mshr, mshr_bucket(&c->mshr, addr), addr)->fetched_ahead = true;
}
