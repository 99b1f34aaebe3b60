/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tag array of a cache (part 3 sections 13 to 16): lines as structures of arrays, probe, access, fill.
 * Internal to the cache files. Line number = set * ways + way with the ways of the moment; the arrays are laid
 * out for ways_max and lines never move when ways changes (quirk 12).
 * Always true: a sector is in at most one of reserved, valid, modified; a line cache uses sector 0 only.
 */
#ifndef CACHE_TAG_H
#define CACHE_TAG_H

#include "cache.h"

struct tags {
	struct cache_params p;
	const struct addrdec *dec;	/* L2: set index on partition-local addresses */
	uint64_t *tag;
	uint32_t *last, *alloc;		/* time stamps; the line's last access, its allocation */
	uint8_t *reserved, *valid, *modified;	/* sector masks; none set: invalid */
	uint8_t *readable, *mod_on_fill, *read_on_fill;
	bool *bytes_on_fill;
	uint64_t (*dirty_bytes)[2];
	uint32_t dirty;			/* the array's own count of modified lines (section 16.4) */
	bool used;			/* accessed since the last invalidate or flush */
};

/* A line that an access pushed out modified. */
struct evicted { bool wanted; uint64_t addr, bytes[2]; uint32_t size; uint8_t sectors; };

struct probe { enum cache_status status; uint32_t line; };

void tags_init(struct tags *t, const struct cache_params *p, const struct addrdec *dec);
void tags_free(struct tags *t);
static inline uint64_t tags_block(const struct tags *t, uint64_t addr) { return addr & ~(uint64_t)(t->p.line_bytes - 1); }
/* The sector bit of a request: bit 0 in a line cache. */
static inline uint8_t tags_sector(const struct tags *t, const struct req *r) { return t->p.kind == CACHE_SECTOR ? r->sectors : 1; }
struct probe tags_probe(const struct tags *t, uint64_t block, uint8_t sector, bool write);
/* Section 16.1; ev->wanted when a modified victim must be written back. */
struct probe tags_access(struct tags *t, uint64_t block, uint8_t sector, bool write, uint32_t time, struct evicted *ev);
void tags_fill_line(struct tags *t, uint32_t line, uint8_t sector, const uint64_t bytes[2]);
void tags_fill_addr(struct tags *t, uint64_t block, uint8_t sector, const uint64_t bytes[2], bool write, uint32_t time);
/* The sector becomes modified by a write or an atomic; counts the line when it was not modified. */
void tags_modify(struct tags *t, uint32_t line, uint8_t sector, const uint64_t bytes[2]);
/* Sectors whose 32 bytes are all dirty become readable (section 20.5). */
void tags_update_readable(struct tags *t, uint32_t line, uint8_t sector);
void tags_invalidate(struct tags *t);
void tags_flush(struct tags *t);

#endif
