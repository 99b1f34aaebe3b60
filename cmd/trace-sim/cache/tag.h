/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tag array of a cache (CACHE-line, CACHE-tag): lines, states of sectors, lookup, victim choice.
 *
 * A slot is 1 + line number. The line number is set * ways + way for the current number of ways. Slot 0 means
 * none. A change of the number of ways moves nothing: a slot becomes part of another set, or of none. A slot
 * has a row (its current set) and its line a set (that of its tag). A lookup finds the line only if both agree.
 *
 * Always true, so that neither a lookup nor a victim costs a scan over the ways:
 *  - the chains of the hash table hold the lines that are not invalid, each under its tag;
 *  - a line of a row in range that is not invalid is of class 1 if it has a modified sector and a write ratio can
 *    protect it, else of class 0; the replacement policy (replace.h) knows all of them;
 *  - a row counts its valid lines, and per class those without a reserved sector.
 * A line cache uses sector 0 only.
 */
#ifndef CACHE_TAG_H
#define CACHE_TAG_H

#include "inlining.h"
#include "cache.h"

/* A line's state: four bits of each kind, one a sector. Neither reserved, valid nor modified: invalid. */
enum line_bit {
	LINE_RESERVED = 0x1,
	LINE_VALID = 0x10,
	LINE_MODIFIED = 0x100,
	LINE_UNREADABLE = 0x1000,
	LINE_MOD_ON_FILL = 0x10000,
	LINE_READ_ON_FILL = 0x100000,
	LINE_BYTES_ON_FILL = 0x1000000
};
#define LINE_ALL_RESERVED 0xfu
#define LINE_ALL_MODIFIED 0xf00u
#define LINE_ALL_ON_FILL  0xfff0000u
#define LINE_PRESENT      0xfffu /* any sector that is not invalid */

struct cache_line {
	uint64_t tag;     /* address of the line */
	uint32_t set;     /* index of the tag */
	uint32_t state;   /* enum line_bit */
	uint32_t stamp;   /* state of the replacement policy, set at an allocation */
	uint32_t chain;   /* next slot of the bucket */
	uint32_t kept[2]; /* state of the replacement policy */
};

struct tag_row {
	uint32_t kept[4]; /* state of the replacement policy */
	uint32_t idle[2]; /* lines of the class without a reserved sector */
	uint32_t present; /* lines that are not invalid */
};

struct tags {
	struct cache_line *line; /* lines by slot; most are never used */
	uint64_t (*bytes)[2];    /* by slot: bytes written; allocated after the lines */
	struct tag_row *row;
	uint64_t *present; /* a bit a slot: not invalid */
	uint32_t *bucket;
	uint32_t hash_shift;
	uint32_t sets, ways, sets_max, ways_max, lines; /* lines = sets * ways */
	uint32_t dirty; /* quirk Q3-18: the original's own count, which drifts (CACHE-tag-4) */
	float ratio;    /* write ratio in percent */
	uint32_t line_log2;
	enum set_index index;
	const struct addrdec *dec; /* L2: the index is that of the partition-local address */
	uint32_t listed_1;         /* state bits that put a line in class 1 */
	const struct replacement_policy *replace;
	bool on_miss, sectored, used;
};

/* Result of a lookup; tag_access() fills in the victim's slot. */
struct lookup {
	enum cache_status status; /* HIT, HIT_RESERVED, MISS, SECTOR_MISS or RESERVATION_FAIL */
	uint32_t slot, set;
	uint32_t sector; /* one bit of four */
	uint64_t tag;
};

/* A modified line that was evicted. */
struct evicted {
	uint64_t tag, bytes[2];
	uint32_t size, sectors;
	bool wanted; /* the evicted line must be written back */
};

void tag_init(struct tags *t, const struct cache_params *p, const struct addrdec *dec);
void tag_free(struct tags *t);
static inline uint64_t tag_of(const struct tags *t, uint64_t addr)
{
	return addr >> t->line_log2 << t->line_log2;
}
/* Head of the chain of lines under the tag. */
static inline uint32_t *tag_bucket(const struct tags *t, uint64_t tag)
{
	return &t->bucket[(tag >> t->line_log2) * 0x9E3779B97F4A7C15ull >> t->hash_shift];
}
/* Sector bits of a request's sector mask in this cache. */
static inline uint32_t tag_sector(const struct tags *t, uint32_t mask) { return t->sectored ? mask : 1; }

/* CACHE-probe. sector: as tag_sector gives it. */
void tag_lookup(const struct tags *t, struct lookup *l, uint64_t addr, uint32_t sector, bool write);
/*
 * Accesses the line of a lookup made just before (CACHE-tag-1), unless its result is RESERVATION_FAIL. An
 * eviction sets out->wanted.
 */
void tag_access(struct tags *t, struct lookup *l, uint32_t now, struct evicted *out);
/* Fill a sector (CACHE-tag-2, CACHE-tag-3). */
void tag_fill_slot(struct tags *t, uint32_t slot, uint32_t sector, const uint64_t bytes[2]);
NOINLINE void tag_fill_addr(
	struct tags *t, uint64_t addr, uint32_t sector, bool write, const uint64_t bytes[2], uint32_t now);
/* The sector becomes modified, by these bytes. */
void tag_modify(struct tags *t, uint32_t slot, uint32_t sector, const uint64_t bytes[2]);
/*
 * Makes sectors valid or modified as a whole, the youngest of their set, as if they had been requested and
 * filled. Returns the sectors that were missing; all of them if the set is full. An eviction sets out->wanted.
 */
uint32_t tag_touch(
	struct tags *t, uint64_t addr, uint32_t sectors, bool modify, uint32_t now, struct evicted *out);
uint32_t tag_readable(const struct tags *t, uint32_t slot);           /* sectors that a read would hit */
void tag_drop_sector(struct tags *t, uint32_t slot, uint32_t sector); /* quirk Q3-18: does not lower dirty */
/* Clears and sets LINE_UNREADABLE and the on-fill bits. */
void tag_flags(struct tags *t, uint32_t slot, uint32_t clear, uint32_t set);
/* Makes the sectors readable whose bytes were all written (CACHE-whit-1). */
void tag_update_readable(struct tags *t, uint32_t slot, uint32_t sectors);
void tag_invalidate(struct tags *t);
void tag_flush(struct tags *t);
void tag_set_ways(struct tags *t, uint32_t ways);
void tag_set_sets(struct tags *t, uint32_t sets);

#endif
