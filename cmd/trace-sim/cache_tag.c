/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tag array: lookup, victim choice and line state. See cache_tag.h for what is always true.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cache_tag.h"
#include "mem.h"

void tags_init(struct tags *t, const struct cache_params *p, const struct addrdec *dec)
{
	size_t n = (size_t)p->sets * (p->ways_max > p->ways ? p->ways_max : p->ways);

	*t = (struct tags){.p = *p, .dec = dec};
	t->tag = xcalloc(n, sizeof *t->tag);
	t->last = xcalloc(n, sizeof *t->last);
	t->alloc = xcalloc(n, sizeof *t->alloc);
	t->reserved = xcalloc(n, 1);
	t->valid = xcalloc(n, 1);
	t->modified = xcalloc(n, 1);
	t->readable = xcalloc(n, 1);
	t->mod_on_fill = xcalloc(n, 1);
	t->read_on_fill = xcalloc(n, 1);
	t->bytes_on_fill = xcalloc(n, sizeof *t->bytes_on_fill);
	t->dirty_bytes = xcalloc(n, sizeof *t->dirty_bytes);
	memset(t->readable, 0xf, n);
}

void tags_free(struct tags *t)
{
	free(t->tag);
	free(t->last);
	free(t->alloc);
	free(t->reserved);
	free(t->valid);
	free(t->modified);
	free(t->readable);
	free(t->mod_on_fill);
	free(t->read_on_fill);
	free(t->bytes_on_fill);
	free(t->dirty_bytes);
}

static uint32_t set_of(const struct tags *t, uint64_t block)
{
	uint64_t a = t->dec ? addrdec_partition_address(t->dec, block) : block;

	return hash_index(t->p.index, a, t->p.sets, t->p.line_log2);
}

static bool any_state(const struct tags *t, uint32_t i) { return t->reserved[i] | t->valid[i] | t->modified[i]; }

static enum cache_status match(const struct tags *t, uint32_t i, uint8_t sector, bool write)
{
	if (t->reserved[i] & sector)
		return STATUS_HIT_RESERVED;
	if (t->valid[i] & sector)
		return STATUS_HIT;
	if (t->modified[i] & sector)
		return write || t->readable[i] & sector ? STATUS_HIT : STATUS_SECTOR_MISS;
	return STATUS_SECTOR_MISS;
}

/* Modified lines may be evicted only from the write ratio on (section 15; single precision as the original). */
static bool may_evict_modified(const struct tags *t)
{
	float share = ((float)t->dirty / (float)(t->p.sets * t->p.ways)) * 100;

	return share >= (float)t->p.write_ratio;
}

/* Section 15: the last invalid way, else the least recent, the lowest way on ties. */
static struct probe victim(const struct tags *t, uint32_t first)
{
	const uint32_t *time = (t->p.replacement == REPLACE_LRU ? t->last : t->alloc) + first;
	bool modified_too = may_evict_modified(t);
	uint32_t best = UINT32_MAX, way = UINT32_MAX, invalid = UINT32_MAX;

	for (uint32_t w = 0; w < t->p.ways; w++) {
		uint32_t i = first + w;

		if (t->reserved[i] || (t->modified[i] && !modified_too))
			continue;
		if (!(t->valid[i] | t->modified[i])) {
			invalid = w;
		} else if (time[w] < best) {
			best = time[w];
			way = w;
		}
	}
	if (invalid != UINT32_MAX)
		way = invalid;
	if (way == UINT32_MAX)
		return (struct probe){STATUS_RESERVATION_FAIL, 0};
	return (struct probe){STATUS_MISS, first + way};
}

struct probe tags_probe(const struct tags *t, uint64_t block, uint8_t sector, bool write)
{
	uint32_t first = set_of(t, block) * t->p.ways;
	const uint64_t *tag = t->tag + first;

	for (uint32_t w = 0; w < t->p.ways; w++)
		if (tag[w] == block && any_state(t, first + w))
			return (struct probe){match(t, first + w, sector, write), first + w};
	return victim(t, first);
}

/* A new tenant. A line cache keeps readable and the dirty bytes of the old one (quirk 16). */
static void allocate_line(struct tags *t, uint32_t i, uint64_t block, uint8_t sector, uint32_t time)
{
	t->tag[i] = block;
	t->alloc[i] = t->last[i] = time;
	t->reserved[i] = sector;
	t->valid[i] = t->modified[i] = 0;
	t->mod_on_fill[i] = t->read_on_fill[i] = 0;
	t->bytes_on_fill[i] = false;
	if (t->p.kind == CACHE_SECTOR) {
		t->readable[i] = 0xf;
		t->dirty_bytes[i][0] = t->dirty_bytes[i][1] = 0;
	}
}

static void allocate_sector(struct tags *t, uint32_t i, uint8_t sector, uint32_t time)
{
	bool was = t->modified[i] != 0;

	t->mod_on_fill[i] = (uint8_t)((t->mod_on_fill[i] & ~sector) | (t->modified[i] & sector));
	t->read_on_fill[i] &= (uint8_t)~sector;
	t->valid[i] &= (uint8_t)~sector;
	t->modified[i] &= (uint8_t)~sector;
	t->reserved[i] |= sector;
	t->readable[i] |= sector;
	t->last[i] = time;
	if (was && !t->modified[i])
		t->dirty--;
}

static void note_evicted(struct tags *t, uint32_t i, struct evicted *ev)
{
	ev->wanted = true;
	ev->addr = t->tag[i];
	ev->bytes[0] = t->dirty_bytes[i][0];
	ev->bytes[1] = t->dirty_bytes[i][1];
	ev->sectors = t->p.kind == CACHE_SECTOR ? t->modified[i] : 0xf;
	ev->size = t->p.kind == CACHE_SECTOR ? 32u * (uint32_t)__builtin_popcount(t->modified[i]) : t->p.line_bytes;
	t->dirty--;
}

struct probe tags_access(struct tags *t, uint64_t block, uint8_t sector, bool write, uint32_t time, struct evicted *ev)
{
	struct probe p = tags_probe(t, block, sector, write);

	t->used = true;
	switch (p.status) {
	case STATUS_HIT:
	case STATUS_HIT_RESERVED:
		t->last[p.line] = time;
		break;
	case STATUS_MISS:
		if (t->p.alloc == ALLOC_ON_MISS) {
			if (t->modified[p.line])
				note_evicted(t, p.line, ev);
			allocate_line(t, p.line, block, sector, time);
		}
		break;
	case STATUS_SECTOR_MISS:
		if (t->p.alloc == ALLOC_ON_MISS)
			allocate_sector(t, p.line, sector, time);
		break;
	default:
		break;
	}
	return p;
}

void tags_fill_line(struct tags *t, uint32_t i, uint8_t sector, const uint64_t bytes[2])
{
	bool was = t->modified[i] != 0;

	t->reserved[i] &= (uint8_t)~sector;
	t->valid[i] &= (uint8_t)~sector;
	t->modified[i] &= (uint8_t)~sector;
	if (t->mod_on_fill[i] & sector)
		t->modified[i] |= sector;
	else
		t->valid[i] |= sector;
	if (t->read_on_fill[i] & sector) {
		t->readable[i] |= sector;
		if (t->p.kind == CACHE_SECTOR)
			t->read_on_fill[i] &= (uint8_t)~sector;
	}
	if (t->bytes_on_fill[i]) {
		t->dirty_bytes[i][0] |= bytes[0];
		t->dirty_bytes[i][1] |= bytes[1];
	}
	if (t->modified[i] && !was)
		t->dirty++;
}

/* Section 16.3. quirk 20: a modified victim vanishes without a write-back. */
void tags_fill_addr(struct tags *t, uint64_t block, uint8_t sector, const uint64_t bytes[2], bool write, uint32_t time)
{
	struct probe p = tags_probe(t, block, sector, write);
	bool hit = p.status == STATUS_HIT || p.status == STATUS_HIT_RESERVED;

	if (p.status == STATUS_RESERVATION_FAIL)
		return;
	if (p.status == STATUS_MISS) {
		if (t->modified[p.line])
			t->dirty--;
		allocate_line(t, p.line, block, sector, time);
	} else if (p.status == STATUS_SECTOR_MISS) {
		allocate_sector(t, p.line, sector, time);
	}
	if (hit) {
		/* quirk 18: a modified sector that turns valid does not lower the count. */
		uint32_t count = t->dirty;
		bool was = t->modified[p.line] != 0;

		tags_fill_line(t, p.line, sector, bytes);
		t->dirty = count + (t->modified[p.line] && !was);
		return;
	}
	tags_fill_line(t, p.line, sector, bytes);
}

void tags_modify(struct tags *t, uint32_t i, uint8_t sector, const uint64_t bytes[2])
{
	if (!t->modified[i])
		t->dirty++;
	t->reserved[i] &= (uint8_t)~sector;
	t->valid[i] &= (uint8_t)~sector;
	t->modified[i] |= sector;
	t->dirty_bytes[i][0] |= bytes[0];
	t->dirty_bytes[i][1] |= bytes[1];
}

void tags_update_readable(struct tags *t, uint32_t i, uint8_t sectors)
{
	for (unsigned s = 0; s < 4; s++) {
		uint32_t bytes = (uint32_t)(t->dirty_bytes[i][s / 2] >> (32 * (s % 2)));

		if (sectors >> s & 1 && bytes == UINT32_MAX)
			t->readable[i] |= t->p.kind == CACHE_SECTOR ? (uint8_t)(1u << s) : 1;
	}
}

void tags_invalidate(struct tags *t)
{
	size_t n = (size_t)t->p.sets * t->p.ways;

	if (!t->used)
		return;
	memset(t->reserved, 0, n);
	memset(t->valid, 0, n);
	memset(t->modified, 0, n);
	t->dirty = 0;
	t->used = false;
}

void tags_flush(struct tags *t)
{
	size_t n = (size_t)t->p.sets * t->p.ways;

	if (!t->used)
		return;
	for (size_t i = 0; i < n; i++)
		if (t->modified[i])
			t->reserved[i] = t->valid[i] = t->modified[i] = 0;
	t->dirty = 0;
	t->used = false;
}
