/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tag array of a cache (CACHE-line, CACHE-tag): lines, states of sectors, lookup, victim choice.
 *
 * A slot is 1 + set * ways + way, with the current number of ways; slot 0 means none. A change of the number of ways
 * does not move lines: a slot is then in another set, or in none. A slot is in a row, its current set; a line has a
 * set, that of its tag. A lookup finds a line only if the row of its slot is the set of the line.
 *
 * Always true, so that lookups and choices of victims need no loop over the ways:
 *  - A line is present if it is not invalid. All present lines are in the chains of the hash table, by tag.
 *  - A present line of a row is of class 1 if it has a modified sector and the cache has a write ratio, else of class
 *    0. The replacement policy (replace.h) has a list of the lines of each class.
 *  - A row has the number of its present lines and, for each class, of those without a reserved sector.
 * A cache without sectors uses only sector 0.
 */
#ifndef CACHE_TAG_H
#define CACHE_TAG_H

#include "inlining.h"
#include "cache.h"

/*
 * State of a line: four bits of each kind, one per sector. A sector that is not reserved, valid or modified is invalid.
 */
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
#define LINE_PRESENT      0xfffu /* state bits of a present line: some sector is not invalid */

struct cache_line {
	uint64_t tag;             /* address of the line's first byte */
	uint32_t set;             /* number of the set to which the tag belongs */
	uint32_t state;           /* mask of enum line_bit */
	uint32_t stamp;           /* state of the replacement policy; set to the time of the allocation */
	uint32_t chain;           /* slot of the next line in the bucket */
	uint32_t policy_state[2]; /* state of the replacement policy */
};

struct tag_row {
	uint32_t policy_state[4]; /* state of the replacement policy */
	uint32_t idle_lines[2];   /* by class: number of present lines without a reserved sector */
	uint32_t present;         /* number of lines that are not invalid */
};

struct tags {
	struct cache_line *line; /* lines, indexed by slot; most are never used */
	uint64_t (*bytes)[2];    /* masks of written bytes, indexed by slot; allocated after the lines */
	struct tag_row *row;
	uint64_t *present; /* bit set of the slots with a present line */
	uint32_t *bucket;
	uint32_t hash_shift;
	/* number of sets and ways, their maxima, and number of lines: sets * ways */
	uint32_t sets, ways, sets_max, ways_max, lines;
	uint32_t n_modified; /* number of modified lines; quirk Q3-18: drifts as in the original (CACHE-tag-4) */
	float write_ratio; /* write ratio in percent */
	uint32_t line_log2;
	enum set_index index;
	const struct addrdec *dec; /* L2: address decoder; the index is that of the partition-local address */
	uint32_t class_1_bits;     /* state bits that put a line into class 1 */
	const struct replacement_policy *replace;
	bool on_miss, sectored, accessed;
};

/* Result of a lookup. After a miss, tag_access() sets the slot to that of the victim. */
struct lookup {
	enum cache_status status; /* HIT, HIT_RESERVED, MISS, SECTOR_MISS or RESERVATION_FAIL */
	uint32_t slot, set;
	uint32_t sector; /* bit of the accessed sector */
	uint64_t tag;
};

/* An evicted line that was modified. */
struct evicted {
	uint64_t tag, bytes[2];
	uint32_t size, sectors;
	bool needs_write_back; /* true if the evicted line must be written back */
};

void tag_init(struct tags *t, const struct cache_params *p, const struct addrdec *dec);
void tag_free(struct tags *t);
static inline uint64_t tag_of(const struct tags *t, uint64_t addr)
{
	return addr >> t->line_log2 << t->line_log2;
}
/* Returns the bucket of a tag, which is the head of a chain of lines. */
static inline uint32_t *tag_bucket(const struct tags *t, uint64_t tag)
{
	return &t->bucket[(tag >> t->line_log2) * 0x9E3779B97F4A7C15ull >> t->hash_shift];
}
/* Returns the sector bits of this cache for the sector mask of a request. */
static inline uint32_t tag_sector_bits(const struct tags *t, uint32_t mask) { return t->sectored ? mask : 1; }

/* Looks up a sector of the line of addr (CACHE-probe). `sector` is a result of tag_sector_bits(). */
void tag_lookup(const struct tags *t, struct lookup *l, uint64_t addr, uint32_t sector, bool write);
/*
 * Accesses the line of a lookup (CACHE-tag-1). No tag may have changed since the lookup, and its result must not be
 * RESERVATION_FAIL. The eviction of a modified line sets *out.
 */
void tag_access(struct tags *t, struct lookup *l, uint32_t now, struct evicted *out);
/* Fills a sector of the line in a slot, or of the line of addr (CACHE-tag-2, CACHE-tag-3). */
void tag_fill_slot(struct tags *t, uint32_t slot, uint32_t sector, const uint64_t bytes[2]);
NOINLINE void tag_fill_addr(
	struct tags *t, uint64_t addr, uint32_t sector, bool write, const uint64_t bytes[2], uint32_t now);
/* Makes a sector modified by a write of the bytes in the mask `bytes`. */
void tag_modify_sector(struct tags *t, uint32_t slot, uint32_t sector, const uint64_t bytes[2]);
/*
 * Makes whole sectors valid or, with `modify`, modified, and the youngest of their set, as if they had been requested
 * and filled. Returns the mask of the sectors that were missing. If the set is full, changes nothing and returns
 * `sectors`. The eviction of a modified line sets *out.
 */
uint32_t tag_warm_sectors(
	struct tags *t, uint64_t addr, uint32_t sectors, bool modify, uint32_t now, struct evicted *out);
uint32_t tag_readable_sectors(
	const struct tags *t, uint32_t slot); /* returns the mask of the sectors that a read would hit */
/* Makes a sector invalid. quirk Q3-18: does not decrement tags.n_modified. */
void tag_drop_sector(struct tags *t, uint32_t slot, uint32_t sector);
/* Clears some state bits of a line, then sets others. Only LINE_UNREADABLE and the on-fill bits are allowed. */
void tag_change_flags(struct tags *t, uint32_t slot, uint32_t clear, uint32_t set);
/* Makes those sectors of the mask `sectors` readable whose bytes have all been written (CACHE-whit-1). */
void tag_update_readable(struct tags *t, uint32_t slot, uint32_t sectors);
void tag_invalidate(struct tags *t);
void tag_flush(struct tags *t);
void tag_set_ways(struct tags *t, uint32_t ways);
void tag_resize_sets(struct tags *t, uint32_t sets);

#endif
