/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tag array (tag.h). Only set_line_state() and allocate_line() change the state of a line between invalid,
 * reserved, clean and modified. They update the hash chains and the counts of the row, and call the replacement policy
 * (replace.h).
 */
#include <assert.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "inlining.h"
#include "replace.h"
#include "tag.h"
#include "request/addrdec.h"
#include "fifo.h"
#include "request/hash.h"

void tag_init(struct tags *t, const struct cache_params *p, const struct addrdec *dec)
{
	/* Only an L1D can have more ways than its option says; other caches need buckets only for p->ways. */
	uint32_t slots = p->sets * p->ways_max, buckets = fifo_capacity(p->sets * p->ways * 2);

	*t = (struct tags){
		.sets = p->sets,
		.ways = p->ways,
		.sets_max = p->sets,
		.ways_max = p->ways_max,
		.lines = p->sets * p->ways,
		.write_ratio = (float)p->write_ratio,
		.line_log2 = p->line_log2,
		.index = p->index,
		.dec = dec,
		.hash_shift = 64 - log2_floor(buckets),
		.on_miss = p->alloc == ALLOC_ON_MISS,
		.class_1_bits = p->write_ratio > 0 ? LINE_ALL_MODIFIED : 0,
		.replace = replace_policies[p->replacement],
		.sectored = p->kind == CACHE_SECTOR,
	};
	t->line = reserve((size_t)slots + 1, sizeof(*t->line) + sizeof(*t->bytes));
	t->bytes = (void *)(t->line + slots + 1);
	t->row = reserve(p->sets, sizeof(*t->row));
	t->present = reserve(BITSET_WORDS(slots + 1), sizeof(*t->present));
	t->bucket = reserve(buckets, sizeof(*t->bucket));
}

void tag_free(struct tags *t)
{
	uint32_t slots = t->sets_max * t->ways_max;

	reserve_free(t->line, (size_t)slots + 1, sizeof(*t->line) + sizeof(*t->bytes));
	reserve_free(t->row, t->sets_max, sizeof(*t->row));
	reserve_free(t->present, BITSET_WORDS(slots + 1), sizeof(*t->present));
	reserve_free(t->bucket, (size_t)1 << (64 - t->hash_shift), sizeof(*t->bucket));
}

/* Returns the row of a slot, which is usually that of the line's set; NULL: the slot is in no row. */
static inline struct tag_row *tag_row_of(const struct tags *t, uint32_t slot)
{
	uint32_t set = t->line[slot].set;

	if (slot - 1 - set * t->ways < t->ways)
		return &t->row[set];
	return slot - 1 < t->lines ? &t->row[(slot - 1) / t->ways] : NULL;
}

static bool is_line_modified(const struct tags *t, uint32_t slot)
{
	return t->line[slot].state & LINE_ALL_MODIFIED;
}

/* ---- chains -------------------------------------------------------------------------------------------- */

static void add_line_to_bucket(struct tags *t, uint32_t slot)
{
	uint32_t *bucket = tag_bucket(t, t->line[slot].tag);

	t->line[slot].chain = *bucket;
	*bucket = slot;
}

static void remove_line_from_bucket(struct tags *t, uint32_t slot)
{
	uint32_t *link = tag_bucket(t, t->line[slot].tag);

	while (*link != slot)
		link = &t->line[*link].chain;
	*link = t->line[slot].chain;
}

/* ---- states ---------------------------------------------------------------------------------- */

/* Bits of a line's class: the properties of a state on which policies and counts depend. */
enum { PRESENT = 1, LISTED_1 = 2, IDLE = 4 };

static inline unsigned line_class(const struct tags *t, uint32_t state)
{
	if (!(state & LINE_PRESENT))
		return 0;
	return PRESENT | (state & t->class_1_bits ? LISTED_1 : 0) | (state & LINE_ALL_RESERVED ? 0 : IDLE);
}

static inline unsigned list_of_class(unsigned class) { return (class & LISTED_1) / LISTED_1; }

/* Updates chains, counts and the policy after a line has changed from class `was` to `is`. Rare, so not inlined. */
static NOINLINE void move_to_class_list(
	struct tags *t, struct tag_row *row, uint32_t slot, unsigned was, unsigned is)
{
	bool moves = (was ^ is) & (PRESENT | LISTED_1);
	unsigned from = list_of_class(was), to = list_of_class(is);

	if (!is) {
		remove_line_from_bucket(t, slot);
		bitset_clear(t->present, slot);
	} else if (!was) { /* a read that was sent before an invalidation fills the line */
		add_line_to_bucket(t, slot);
		bitset_set(t->present, slot);
	}
	if (!row)
		return;
	row->idle_lines[from] -= was / IDLE;
	row->idle_lines[to] += is / IDLE;
	row->present += (is & PRESENT) - (was & PRESENT);
	if (moves && was)
		t->replace->leave(t, row, from, slot);
	if (moves && is)
		t->replace->enter(t, row, to, slot);
}

static inline void set_line_state(struct tags *t, uint32_t slot, uint32_t state)
{
	uint32_t old = t->line[slot].state;
	bool listed = state & t->class_1_bits;
	struct tag_row *row;

	t->line[slot].state = state;
	/*
	 * In the usual case, sectors of the line are reserved before and after the change, which does not affect the
	 * row.
	 */
	if (old & state & LINE_ALL_RESERVED && !((old ^ state) & t->class_1_bits))
		return;
	row = tag_row_of(t, slot);
	/*
	 * The line stays in its list if only its first sector becomes reserved, or its last reserved sector is filled.
	 */
	if (old & LINE_PRESENT && state & LINE_PRESENT && listed == !!(old & t->class_1_bits) && row)
		row->idle_lines[listed] +=
			!(state & LINE_ALL_RESERVED) - (uint32_t) !(old & LINE_ALL_RESERVED);
	else if (line_class(t, old) != line_class(t, state))
		move_to_class_list(t, row, slot, line_class(t, old), line_class(t, state));
}

/* Returns `state` after `sector` has changed to LINE_RESERVED, LINE_VALID or LINE_MODIFIED, or to 0, invalid. */
static uint32_t set_sector_state(uint32_t state, uint32_t sector, uint32_t to)
{
	return (state & ~(sector * (LINE_RESERVED | LINE_VALID | LINE_MODIFIED))) | sector * to;
}

/* ---- lookup (CACHE-probe) -------------------------------------------------------------------- */

/*
 * Returns true if a modified line may be evicted. quirk Q3-7: it may not while the share of modified lines is below
 * the ratio.
 */
static bool may_evict_modified(const struct tags *t)
{
	return (float)t->n_modified / (float)t->lines * 100.0f >= t->write_ratio;
}

static bool victim_exists(const struct tags *t, const struct tag_row *row)
{
	return row->present < t->ways || row->idle_lines[0] || (row->idle_lines[1] && may_evict_modified(t));
}

static uint32_t tag_set_of(const struct tags *t, uint64_t tag)
{
	uint64_t addr = t->dec ? addrdec_partition_address(t->dec, tag) : tag;

	return hash_index(t->index, addr, t->sets, t->line_log2);
}

static enum cache_status status_of_access(uint32_t state, uint32_t sector, bool write)
{
	if (state & sector * LINE_RESERVED)
		return STATUS_HIT_RESERVED;
	if (state & sector * LINE_VALID)
		return STATUS_HIT;
	if (state & sector * LINE_MODIFIED && (write || !(state & sector * LINE_UNREADABLE)))
		return STATUS_HIT;
	return STATUS_SECTOR_MISS;
}

/*
 * Looks up a sector. If an invalidation came before a fill, or the number of ways changed, a line may be present
 * twice. The lookup then returns the lowest way.
 */
void tag_lookup(const struct tags *t, struct lookup *l, uint64_t addr, uint32_t sector, bool write)
{
	uint64_t tag = tag_of(t, addr);
	uint32_t found = 0, ways = t->ways;

	for (uint32_t slot = *tag_bucket(t, tag); slot; slot = t->line[slot].chain) {
		const struct cache_line *at = &t->line[slot];

		if (at->tag == tag && slot - 1 - at->set * ways < ways && (!found || slot < found))
			found = slot;
	}
	l->tag = tag;
	l->sector = sector;
	l->slot = found;
	if (found) {
		l->set = t->line[found].set;
		l->status = status_of_access(t->line[found].state, sector, write);
	} else {
		l->set = tag_set_of(t, tag);
		l->status = victim_exists(t, &t->row[l->set]) ? STATUS_MISS : STATUS_RESERVATION_FAIL;
	}
}

/* Returns the last slot of the set with an invalid line; there must be one. quirk Q3-6: the last, not the first. */
static uint32_t last_invalid_slot(const struct tags *t, uint32_t set)
{
	uint32_t first = set * t->ways + 1, last = first + t->ways - 1, w = last / 64;
	uint64_t absent = ~t->present[w] & ~0ull >> (63 - last % 64);

	while (!absent) {
		assert(w * 64 > first);
		absent = ~t->present[--w];
	}
	return w * 64 + 63 - (uint32_t)__builtin_clzll(absent);
}

static uint32_t choose_victim(const struct tags *t, uint32_t set)
{
	const struct tag_row *row = &t->row[set];

	if (row->present < t->ways)
		return last_invalid_slot(t, set);
	return t->replace->victim(t, row, row->idle_lines[1] && may_evict_modified(t));
}

/* ---- access and fill (CACHE-tag) ------------------------------------------------------------- */

/*
 * Returns the state of a line before its allocation. The memory of a line that was never used is not read: a page that
 * is read before it is written costs two page faults, and the second one interrupts every thread.
 */
static uint32_t state_before_allocation(const struct tags *t, uint32_t slot)
{
	return t->sectored && !bitset_test(t->present, slot) ? 0 : t->line[slot].state;
}

/*
 * Allocates the line of a lookup in its slot. quirk Q3-16: in a cache without sectors, the readability and the written
 * bytes of the slot's previous line remain.
 */
static void allocate_line(struct tags *t, const struct lookup *l, uint32_t now)
{
	struct cache_line *line = &t->line[l->slot];
	struct tag_row *row = &t->row[l->set];
	uint32_t old = state_before_allocation(t, l->slot), kept = t->sectored ? 0 : old & LINE_UNREADABLE;
	unsigned was = line_class(t, old);

	if (was) {
		remove_line_from_bucket(t, l->slot);
		t->replace->leave(t, row, list_of_class(was), l->slot);
		row->idle_lines[list_of_class(was)] -= was / IDLE;
	} else {
		bitset_set(t->present, l->slot);
		row->present++;
	}
	line->tag = l->tag;
	line->set = l->set;
	line->stamp = now;
	line->state = kept | l->sector * LINE_RESERVED;
	if (t->sectored)
		t->bytes[l->slot][0] = t->bytes[l->slot][1] = 0;
	add_line_to_bucket(t, l->slot);
	t->replace->enter(t, row, 0, l->slot);
}

static void allocate_sector(struct tags *t, const struct lookup *l, uint32_t now)
{
	uint32_t state = t->line[l->slot].state, sector = l->sector;
	uint32_t filled = state & sector * LINE_MODIFIED ? sector * LINE_MOD_ON_FILL : 0;

	state = set_sector_state(state, sector, LINE_RESERVED);
	state &= ~(sector * (LINE_UNREADABLE | LINE_MOD_ON_FILL | LINE_READ_ON_FILL));
	set_line_state(t, l->slot, state | filled);
	t->replace->touch(t, l->slot, now);
}

/* Fills *out with a modified line. quirk Q3-16: a line of a cache without sectors always has 128 modified bytes. */
static void describe_evicted(const struct tags *t, uint32_t slot, struct evicted *out)
{
	uint32_t state = t->line[slot].state;

	out->needs_write_back = true;
	out->tag = t->line[slot].tag;
	out->bytes[0] = t->bytes[slot][0];
	out->bytes[1] = t->bytes[slot][1];
	out->sectors = t->sectored ? state / LINE_MODIFIED & 15 : 15;
	out->size = 32 * bit_count32(out->sectors);
}

void tag_access(struct tags *t, struct lookup *l, uint32_t now, struct evicted *out)
{
	bool was;

	assert(l->status != STATUS_RESERVATION_FAIL);
	t->accessed = true;
	if (l->status == STATUS_HIT || l->status == STATUS_HIT_RESERVED) {
		t->replace->touch(t, l->slot, now);
		return;
	}
	if (l->status == STATUS_MISS)
		l->slot = choose_victim(t, l->set);
	if (!t->on_miss)
		return;
	was = state_before_allocation(t, l->slot) & LINE_ALL_MODIFIED;
	if (l->status == STATUS_SECTOR_MISS) {
		allocate_sector(t, l, now);
		t->n_modified -= was && !is_line_modified(t, l->slot);
		return;
	}
	if (was) {
		describe_evicted(t, l->slot, out);
		t->n_modified--;
	}
	allocate_line(t, l, now);
}

/* Fills a sector of the line in a slot. quirk Q3-19: with LINE_BYTES_ON_FILL, the bytes of a read count as written. */
void tag_fill_slot(struct tags *t, uint32_t slot, uint32_t sector, const uint64_t bytes[2])
{
	uint32_t state = t->line[slot].state;
	bool was = state & LINE_ALL_MODIFIED;

	if (!(state & LINE_ALL_ON_FILL)) { /* usual case: no write since the sector was reserved */
		set_line_state(t, slot, set_sector_state(state, sector, LINE_VALID));
		return;
	}
	state = set_sector_state(
		state, sector, state & sector * LINE_MOD_ON_FILL ? LINE_MODIFIED : LINE_VALID);
	if (state & sector * LINE_READ_ON_FILL) {
		state &= ~(sector * LINE_UNREADABLE);
		if (t->sectored)
			state &= ~(sector * LINE_READ_ON_FILL);
	}
	if (state & LINE_BYTES_ON_FILL) {
		t->bytes[slot][0] |= bytes[0];
		t->bytes[slot][1] |= bytes[1];
	}
	set_line_state(t, slot, state);
	t->n_modified += !was && state & LINE_ALL_MODIFIED;
}

/* Fills a sector of the line of addr. quirk Q3-20: a modified victim is evicted without a write-back. */
void tag_fill_addr(
	struct tags *t, uint64_t addr, uint32_t sector, bool write, const uint64_t bytes[2], uint32_t now)
{
	struct lookup l;
	bool was;

	tag_lookup(t, &l, addr, sector, write);
	if (l.status == STATUS_RESERVATION_FAIL)
		return;
	if (l.status == STATUS_MISS)
		l.slot = choose_victim(t, l.set);
	was = state_before_allocation(t, l.slot) & LINE_ALL_MODIFIED;
	if (l.status == STATUS_MISS)
		allocate_line(t, &l, now);
	else if (l.status == STATUS_SECTOR_MISS)
		allocate_sector(t, &l, now);
	t->n_modified -= was && !is_line_modified(t, l.slot);
	tag_fill_slot(t, l.slot, sector, bytes);
}

void tag_modify_sector(struct tags *t, uint32_t slot, uint32_t sector, const uint64_t bytes[2])
{
	t->n_modified += !is_line_modified(t, slot);
	set_line_state(t, slot, set_sector_state(t->line[slot].state, sector, LINE_MODIFIED));
	t->bytes[slot][0] |= bytes[0];
	t->bytes[slot][1] |= bytes[1];
}

/* Returns the mask of the sectors that a read would hit. */
static uint32_t readable_sectors(uint32_t state)
{
	return (state / LINE_VALID | (state / LINE_MODIFIED & ~(state / LINE_UNREADABLE))) & 15;
}

uint32_t tag_warm_sectors(
	struct tags *t, uint64_t addr, uint32_t sectors, bool modify, uint32_t now, struct evicted *out)
{
	struct lookup l;

	tag_lookup(t, &l, addr, sectors & -sectors, false);
	if (l.status == STATUS_RESERVATION_FAIL)
		return sectors;
	if (l.status == STATUS_MISS) {
		l.slot = choose_victim(t, l.set);
		l.sector = sectors;
		if (is_line_modified(t, l.slot)) {
			describe_evicted(t, l.slot, out);
			t->n_modified--;
		}
		allocate_line(t, &l, now);
	}
	uint32_t state = t->line[l.slot].state, lack = sectors & ~readable_sectors(state);

	if (lack) {
		uint32_t written = lack & state / LINE_MODIFIED;

		state = set_sector_state(state, lack & ~written, LINE_VALID);
		set_line_state(t, l.slot,
			state & ~(lack * (LINE_UNREADABLE | LINE_MOD_ON_FILL | LINE_READ_ON_FILL)));
	}
	t->accessed = true;
	t->replace->touch(t, l.slot, now);
	if (modify) {
		uint64_t bytes[2] = {0, 0};

		FOR_BITS32 (s, sectors)
			bytes[s / 2] |= 0xffffffffull << s % 2 * 32;
		tag_modify_sector(t, l.slot, sectors, bytes);
	}
	return lack;
}

uint32_t tag_readable_sectors(const struct tags *t, uint32_t slot)
{
	return readable_sectors(t->line[slot].state);
}

void tag_drop_sector(struct tags *t, uint32_t slot, uint32_t sector)
{
	set_line_state(t, slot, set_sector_state(t->line[slot].state, sector, 0));
}

void tag_change_flags(struct tags *t, uint32_t slot, uint32_t clear, uint32_t set)
{
	assert(!((clear | set) & LINE_PRESENT));
	t->line[slot].state = (t->line[slot].state & ~clear) | set;
}

void tag_update_readable(struct tags *t, uint32_t slot, uint32_t sectors)
{
	FOR_BITS32 (s, sectors) {
		if ((uint32_t)(t->bytes[slot][s / 2] >> s % 2 * 32) == UINT32_MAX)
			tag_change_flags(t, slot, tag_sector_bits(t, 1u << s) * LINE_UNREADABLE, 0);
	}
}

/* ---- the whole array ------------------------------------------------------------------------- */

/* Rebuilds the counts of all rows and the lists of the policy. */
static void rebuild_rows(struct tags *t)
{
	memset(t->row, 0, t->sets * sizeof(*t->row));
	for (uint32_t w = 0; w <= t->lines / 64; w++) {
		FOR_BITS64 (b, t->present[w]) {
			uint32_t slot = w * 64 + (uint32_t)b;
			struct tag_row *row = tag_row_of(t, slot);
			unsigned class = line_class(t, t->line[slot].state);
			unsigned which = list_of_class(class);

			if (!row)
				continue;
			row->present++;
			row->idle_lines[which] += class / IDLE;
			t->replace->enter(t, row, which, slot);
		}
	}
}

/*
 * Makes all lines that are in a row invalid. Lines beyond the current number of ways keep their state, and are put into
 * the chains again. quirk Q3-14: does nothing if the cache was not accessed since the last invalidation or flush.
 */
void tag_invalidate(struct tags *t)
{
	uint32_t words = BITSET_WORDS(t->sets_max * t->ways_max + 1);

	if (!t->accessed)
		return;
	t->accessed = false;
	t->n_modified = 0;
	memset(t->row, 0, t->sets * sizeof(*t->row));
	memset(t->bucket, 0, sizeof(*t->bucket) << (64 - t->hash_shift));
	for (uint32_t w = 0; w < words; w++) {
		FOR_BITS64 (b, t->present[w]) {
			uint32_t slot = w * 64 + (uint32_t)b;

			if (slot - 1 < t->lines) {
				t->line[slot].state &= ~LINE_PRESENT;
				bitset_clear(t->present, slot);
			} else {
				add_line_to_bucket(t, slot);
			}
		}
	}
}

/* Makes modified lines invalid. quirk Q4-20: clean lines remain. */
void tag_flush(struct tags *t)
{
	if (!t->accessed)
		return;
	for (uint32_t slot = 1; slot <= t->lines; slot++)
		if (is_line_modified(t, slot))
			set_line_state(t, slot, t->line[slot].state & ~LINE_PRESENT);
	t->n_modified = 0;
	t->accessed = false;
}

void tag_set_ways(struct tags *t, uint32_t ways)
{
	if (ways == t->ways)
		return;
	assert(ways && ways <= t->ways_max);
	t->ways = ways;
	t->lines = t->sets * ways;
	rebuild_rows(t);
}

void tag_resize_sets(struct tags *t, uint32_t sets)
{
	if (sets == t->sets)
		return;
	assert(sets && sets <= t->sets_max && t->ways == t->ways_max);
	tag_invalidate(t);
	t->sets = sets;
	t->lines = sets * t->ways;
}
