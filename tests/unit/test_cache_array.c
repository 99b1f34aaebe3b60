/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of replacement, the write ratio, changes of the whole array, and the cache part of the worked examples
 * of trace-sim-lsu(7). The expected values were derived by hand. test_cache_tag.c checks every choice of a line
 * against a slow tag array.
 */
#include "cache_fixture.h"

/* ---- replacement ----------------------------------------------------------------------------- */

static uint32_t way_of(struct cache *c, uint64_t addr)
{
	struct lookup l;

	tag_lookup(&c->tags, &l, addr, 1, false);
	return l.slot ? (l.slot - 1) % c->tags.ways : 99;
}

static void test_replacement(void)
{
	struct cache *c = new_l2();
	struct cache_params p = sector_cache_params(WRITE_BACK, WALLOC_LAZY);

	for (unsigned i = 0; i < 4; i++) {
		load_sector(c, line_of_set_0(i), 5);
		is_number(way_of(c, line_of_set_0(i)), 3 - i, "a new line takes the highest invalid way");
	}
	load_sector(c, line_of_set_0(4), 6);
	is_number(
		way_of(c, line_of_set_0(4)), 0, "LRU replaces the lowest way if all lines have the same age");
	is_number(way_of(c, line_of_set_0(3)), 99, "the line that LRU replaced is not present");
	access_text(c, new_load(line_of_set_0(2)), 7);
	load_sector(c, line_of_set_0(5), 8);
	is_number(way_of(c, line_of_set_0(5)), 2, "LRU replaces the lowest way of the oldest lines");
	load_sector(c, line_of_set_0(6), 9);
	is_number(way_of(c, line_of_set_0(6)), 3, "LRU replaces the last way of the oldest lines");
	load_sector(c, line_of_set_0(7), 10);
	is_number(way_of(c, line_of_set_0(7)), 0, "LRU replaces the line with the oldest access");
	cache_delete(c);
	p.replacement = REPLACE_FIFO;
	c = new_cache(p, ROLE_L2);
	for (unsigned i = 0; i < 4; i++)
		load_sector(c, line_of_set_0(i), i);
	access_text(c, new_load(line_of_set_0(0)), 20);
	load_sector(c, line_of_set_0(4), 21);
	is_number(way_of(c, line_of_set_0(0)), 99, "FIFO replaces the oldest line although it was hit");
	cache_delete(c);
}

/*
 * The cache has 16 lines. With a ratio of 25 percent, modified lines can be evicted once four lines are
 * modified.
 */
static void test_write_ratio(void)
{
	struct cache_params p = sector_cache_params(WRITE_THROUGH, WALLOC_LAZY);
	struct cache *c;

	p.write_ratio = 25;
	c = new_cache(p, ROLE_L1D);
	for (unsigned i = 0; i < 3; i++) {
		access_text(c, new_store(line_of_set_0(i), 32), i);
		drop_miss_queue(c);
	}
	load_sector(c, line_of_set_0(3), 10);
	load_sector(c, line_of_set_0(4), 11);
	is_number(way_of(c, line_of_set_0(3)), 99, "below the write ratio the only clean line is replaced");
	is_number(way_of(c, line_of_set_0(0)), 3, "below the write ratio the modified lines stay");
	access_text(c, new_store(line_of_set_0(4), 32), 12);
	drop_miss_queue(c);
	is_number(c->tags.n_modified, 4, "four of sixteen lines are modified");
	load_sector(c, line_of_set_0(5), 13);
	is_number(way_of(c, line_of_set_0(0)), 99, "at the write ratio the oldest modified line is replaced");
	is_number(c->tags.n_modified, 3, "a replaced modified line is not counted as modified");
	cache_delete(c);
	p.write_ratio = 26;
	c = new_cache(p, ROLE_L1D);
	for (unsigned i = 0; i < 4; i++) {
		access_text(c, new_store(line_of_set_0(i), 32), i);
		drop_miss_queue(c);
	}
	is_text(access_text(c, new_load(line_of_set_0(4)), 9), "RESERVATION_FAIL/RESERVATION_FAIL ",
		"a read is rejected if the set is modified and the ratio is not reached");
	cache_delete(c);
}

/* ---- changes of the whole array --------------------------------------------------------------- */

static uint32_t hits_of(struct cache *c, unsigned n)
{
	static uint64_t now;
	uint32_t hits = 0;

	for (unsigned i = 0; i < n; i++) {
		hits += !strcmp(access_text(c, new_load(i * 128), ++now), "HIT/HIT ");
		answer_reads(c, now);
	}
	return hits;
}

/*
 * Tests a number of sets that is not a power of two. All lines of the cache can be filled. One more line
 * evicts a line of its set. A change of the size empties the cache.
 */
static void test_odd_set_numbers(void)
{
	struct cache_params p = sector_cache_params(WRITE_THROUGH, WALLOC_LAZY);
	struct cache *c;

	p.sets = 5;
	p.ways = p.ways_max = 3;
	p.index = INDEX_MODULO;
	c = new_cache(p, ROLE_L1D);
	is_number(hits_of(c, 15), 0, "a new cache of 5 sets of 3 ways is empty");
	is_number(hits_of(c, 15), 15, "a cache of 5 sets of 3 ways stores 15 lines");
	hits_of(c, 16);
	is_number(hits_of(c, 16), 12, "of 16 lines read in order, the four lines of one set miss");
	cache_resize_sets(c, 4, ALLOC_ON_MISS);
	is_number(hits_of(c, 12), 0, "cache_resize_sets() to 4 sets empties the cache");
	is_number(hits_of(c, 12), 12, "a cache of 4 sets of 3 ways stores 12 lines");
	hits_of(c, 13);
	is_number(hits_of(c, 13), 9, "of 13 lines read in order, the four lines of one set miss");
	cache_resize_sets(c, 5, ALLOC_ON_MISS);
	is_number(hits_of(c, 15), 0, "cache_resize_sets() back to 5 sets empties the cache");
	is_number(hits_of(c, 15), 15, "a cache that is resized to 5 sets of 3 ways stores 15 lines");
	cache_delete(c);
}

static void test_adaptive_size(void)
{
	struct cache *c = new_l1d();
	const uint64_t a = line_of_set_0(0), b = line_of_set_0(0) + 128; /* sets 0 and 1 */

	load_sector(c, a, 1);
	load_sector(c, b, 1);
	is_number(way_of(c, b), 3, "the first line of set 1 is in way 3");
	cache_set_ways(c, 7, ALLOC_ON_MISS);
	is_number(way_of(c, b), 0, "line 7 is way 0 of set 1 when the cache has 7 ways");
	cache_set_ways(c, 6, ALLOC_ON_MISS);
	is_number(way_of(c, b), 1, "line 7 is way 1 of set 1 when the cache has 6 ways");
	is_number(way_of(c, a), 3, "line 3 is way 3 of set 0 when the cache has 6 ways");
	cache_set_ways(c, 2, ALLOC_ON_MISS);
	is_text(access_text(c, new_load(a), 2), "MISS/MISS r",
		"a read of a set 0 address misses if line 3 belongs to set 1");
	answer_reads(c, 2);
	is_number(way_of(c, a), 1, "two lines can have the same tag after a change of the ways");
	cache_invalidate(c);
	cache_set_ways(c, 4, ALLOC_ON_MISS);
	is_text(access_text(c, new_load(a), 3), "MISS/MISS r",
		"a read of line 3 misses after cache_invalidate()");
	answer_reads(c, 3);
	cache_set_ways(c, 2, ALLOC_ON_FILL);
	is_text(access_text(c, new_load(a), 4), "MISS/MISS r",
		"a read misses after a change to allocation on fill");
	is_text(access_text(c, new_load(a), 4), "MISS/MISS ",
		"a second read is merged without a reservation if lines allocate on fill");
	cache_delete(c);
}

static void test_invalidate(void)
{
	struct cache *c = new_l1d();
	uint32_t h = new_load(line_of_set_0(0));

	access_text(c, h, 1);
	cache_invalidate(c);
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "MISS/MISS ",
		"a read merges with a read in flight whose line was invalidated");
	cache_miss_queue_pop(c);
	cache_invalidate(c);
	cache_fill(c, h, 3);
	cache_invalidate(c);
	is_text(access_text(c, new_load(line_of_set_0(0)), 4), "HIT/HIT ",
		"cache_invalidate() has no effect if only a fill came after the last access");
	cache_invalidate(c);
	is_text(access_text(c, new_load(line_of_set_0(0)), 5), "RESERVATION_FAIL/MISS ",
		"cache_invalidate() after an access removes the line; the MSHR entry is full");
	cache_pop_ready(c);
	is_text(access_text(c, new_load(line_of_set_0(0)), 6), "MISS/MISS ",
		"a read merges with an MSHR entry that has a ready request");
	cache_delete(c);
}

static void test_flush(void)
{
	struct cache *c = new_l2();

	load_sector(c, line_of_set_0(0), 1);
	load_sector(c, line_of_set_0(1), 2);
	access_text(c, new_store(line_of_set_0(1) + 32, 32), 3);
	cache_flush(c);
	is_text(access_text(c, new_load(line_of_set_0(0)), 4), "HIT/HIT ", "cache_flush() keeps clean lines");
	is_text(access_text(c, new_load(line_of_set_0(1)), 5), "MISS/MISS r",
		"cache_flush() drops all sectors of modified lines");
	ok(c->tags.n_modified == 0 && c->queue.count == 1, "cache_flush() sends no write-back");
	cache_delete(c);
}

static void test_host_copy(void)
{
	struct cache *c = new_l2();

	cache_fill_for_copy(c, 0x1000, 1, 5);
	is_text(access_text(c, new_load(0x1020), 6), "HIT/HIT ",
		"a sector that a host copy filled is present");
	is_text(access_text(c, new_load(0x1000), 6), "MISS/SECTOR_MISS r",
		"the sector next to a copied sector is missing");
	cache_fill_for_copy(c, 0x1000, 0, 7);
	is_text(access_text(c, new_load(0x1000), 8), "HIT/HIT ",
		"a host copy makes a sector in flight valid");
	access_text(c, new_store(0x1040, 32), 9);
	is_number(c->tags.n_modified, 1, "a write makes the line modified");
	cache_fill_for_copy(c, 0x1000, 2, 10);
	is_number(c->tags.n_modified, 1, "a host copy over a modified sector keeps the count (quirk Q3-18)");
	ok(!(c->tags.line[way_of(c, 0x1000) + 1].state & LINE_ALL_MODIFIED),
		"a host copy over a modified sector clears the state modified");
	check_count(c, GLOBAL_ACC_R, STATUS_MISS, 0, "host copies are not counted as accesses");
	cache_delete(c);
	c = new_l2();
	cache_fill_for_copy(c, 0x1000, 0, 5);
	cache_flush(c);
	cache_invalidate(c);
	is_text(access_text(c, new_load(0x1000), 6), "HIT/HIT ",
		"cache_invalidate() has no effect if only a host copy came before it");
	cache_delete(c);
}

static void test_cache_streams(void)
{
	struct cache *c = new_l1d();
	struct cache_counts all = {0};
	uint32_t h = new_load(line_of_set_0(0)), entries, queued;

	at(h)->stream = 9;
	access_text(c, h, 1);
	access_text(c, new_load(line_of_set_0(1)), 2);
	ok(!cache_counts_of(c, 1) && cache_counts_of(c, 0) && cache_counts_of(c, 9),
		"counts exist for the streams that had an access");
	cache_add_counts(c, -1, &all);
	cache_add_counts(c, 9, &all);
	is_number((long long)all.status[GLOBAL_ACC_R][STATUS_MISS], 3,
		"cache_add_counts() adds the counts of all streams or of one stream");
	cache_get_occupancy(c, &entries, &queued);
	ok(entries == 2 && queued == 2, "cache_get_occupancy() returns the used MSHR and miss queue entries");
	cache_delete(c);
}

/* ---- worked examples (LSU-example, LSU-time) ------------------------------------------------- */

static struct cache *qv100_l1d(uint32_t miss_queue)
{
	struct cache_params p = sector_cache_params(WRITE_THROUGH, WALLOC_LAZY);

	p.ways = 64;
	p.ways_max = 256;
	p.mshr_entries = 512;
	p.mshr_merge = 8;
	p.miss_queue = miss_queue;
	p.write_ratio = 25;
	return new_cache(p, ROLE_L1D);
}

static void test_lsu_example_a(void)
{
	struct cache *c = qv100_l1d(16);
	uint32_t w = new_store(KERNEL, 4), r = new_load(KERNEL);
	struct cache_line *l;

	is_text(access_text(c, w, 26), "MISS/MISS w", "example A: the store misses and sends a write");
	l = &c->tags.line[64];
	ok(l->state == (LINE_MODIFIED | LINE_UNREADABLE) && c->tags.bytes[64][0] == 15 &&
			c->tags.n_modified == 1,
		"example A: the store makes 4 bytes modified and not readable");
	is_number(cache_miss_queue_pop(c), w, "example A: the store is in the miss queue");
	is_text(access_text(c, r, 27), "MISS/SECTOR_MISS r",
		"example A: the load is a sector miss and sends a read");
	ok(l->state == (LINE_RESERVED | LINE_MOD_ON_FILL) && c->tags.n_modified == 0,
		"example A: the sector becomes modified when it is filled");
	is_number(cache_miss_queue_pop(c), r, "example A: the load is in the miss queue");
	cache_fill(c, r, 333);
	ok(l->state == (LINE_MODIFIED | LINE_MOD_ON_FILL) && c->tags.n_modified == 1,
		"example A: the sector is modified and readable after the fill");
	ok(!cache_fill_port_free(c), "example A: the fill occupies the fill port");
	cache_end_cycle(c);
	ok(cache_fill_port_free(c) && cache_port_counts(c).fill_busy == 1,
		"example A: the fill port is free one cycle later and its use is counted");
	is_number(cache_pop_ready(c), r, "example A: the load is ready after the fill");
	is_text(access_text(c, new_load(KERNEL), 360), "HIT/HIT ", "example A: the second load hits");
	ok(status_count(c, GLOBAL_ACC_R, STATUS_HIT) == 1 &&
			status_count(c, GLOBAL_ACC_R, STATUS_SECTOR_MISS) == 1 &&
			status_count(c, GLOBAL_ACC_W, STATUS_MISS) == 1,
		"example A: a read HIT, a read SECTOR_MISS and a write MISS are counted");
	cache_delete(c);
}

static void test_lsu_example_b(void)
{
	struct cache *c = qv100_l1d(16);
	uint32_t one = new_load(KERNEL), zero = new_load(KERNEL);

	is_text(access_text(c, one, 26), "MISS/MISS r",
		"example B: the load of warp 1 misses and sends a read");
	cache_miss_queue_pop(c);
	is_text(access_text(c, zero, 27), "MISS/HIT_RESERVED ", "example B: the load of warp 0 is merged");
	ok(cache_miss_queue_empty(c), "example B: the merged load sends no request");
	cache_fill(c, one, 331);
	is_number(cache_pop_ready(c), one, "example B: the load of warp 1 is ready first");
	is_number(cache_pop_ready(c), zero, "example B: the load of warp 0 is ready second");
	check_count(c, GLOBAL_ACC_R, STATUS_MISS, 1, "example B: one load is counted as MISS");
	check_count(
		c, GLOBAL_ACC_R, STATUS_HIT_RESERVED, 1, "example B: one load is counted as HIT_RESERVED");
	check_count(c, GLOBAL_ACC_R, STATUS_MSHR_HIT, 1, "example B: one load is counted as MSHR_HIT");
	cache_delete(c);
}

/*
 * Tests 32 sectors in descending order and four banks. The next head of a queue arrives one tick after the
 * previous one has left.
 */
static void test_lsu_example_c(void)
{
	struct cache *c = qv100_l1d(6);
	unsigned done[4] = {0}, due[4] = {26, 26, 26, 26}, tick = 26;

	for (; done[0] + done[1] + done[2] + done[3] < 32 && tick < 200; tick++) {
		if (!cache_miss_queue_empty(c))
			cache_miss_queue_pop(c);
		for (unsigned b = 0; b < 4; b++) {
			uint64_t addr = KERNEL + (7 - done[b]) * 128 + b * 32;

			if (done[b] == 8 || due[b] > tick ||
				cache_access(c, new_load(addr), tick, NULL, NULL) != STATUS_MISS)
				continue;
			done[b]++;
			due[b] = tick + 1;
		}
		if (tick == 27)
			ok(done[0] == 2 && done[1] == 2 && done[2] == 1 && done[3] == 1,
				"example C: banks 2 and 3 are rejected in tick 27");
		if (tick == 28)
			ok(done[0] == 3 && done[1] == 2, "example C: only bank 0 is accepted in tick 28");
	}
	check_count(c, GLOBAL_ACC_R, STATUS_RESERVATION_FAIL, 39,
		"example C: 39 accesses are counted as RESERVATION_FAIL");
	check_rejected(c, GLOBAL_ACC_R, FAIL_MISS_QUEUE_FULL, 39,
		"example C: the reason of all rejections is FAIL_MISS_QUEUE_FULL");
	check_count(c, GLOBAL_ACC_R, STATUS_MISS, 8, "example C: 8 accesses are counted as MISS");
	check_count(
		c, GLOBAL_ACC_R, STATUS_SECTOR_MISS, 24, "example C: 24 accesses are counted as SECTOR_MISS");
	cache_delete(c);
}

/* ---- accesses that take no time --------------------------------------------------------------- */

static void test_untimed_accesses(void)
{
	struct cache *c = new_l2();

	is_number(cache_warm_sectors(c, line_of_set_0(0), 5, false, 9), 5,
		"cache_warm_sectors() returns the sectors that were missing");
	is_number(cache_warm_sectors(c, line_of_set_0(0), 7, false, 9), 2,
		"a second cache_warm_sectors() returns only the sectors that are new");
	is_text(access_text(c, new_load(line_of_set_0(0) + 64), 9), "HIT/HIT ",
		"a read of a sector that cache_warm_sectors() added hits");
	is_text(access_text(c, new_load(line_of_set_0(0) + 96), 9), "MISS/SECTOR_MISS r",
		"a read of a sector that cache_warm_sectors() did not add misses");
	cache_delete(c);
	c = new_l2();
	for (unsigned i = 0; i < 4; i++)
		cache_warm_sectors(c, line_of_set_0(i), 15, false, 9);
	cache_warm_sectors(c, line_of_set_0(0), 1, false, 9);
	cache_warm_sectors(c, line_of_set_0(4), 1, true, 9);
	is_number(way_of(c, line_of_set_0(1)), 99,
		"of lines warmed in one cycle, the line warmed first is replaced");
	is_number(
		way_of(c, line_of_set_0(0)), 3, "a line that was warmed twice in one cycle is not replaced");
	load_sector(c, line_of_set_0(5), 9);
	is_number(way_of(c, line_of_set_0(2)), 99,
		"an access replaces the oldest of the lines warmed in the same cycle");
	ok(c->tags.line[1 + way_of(c, line_of_set_0(4))].state & LINE_MODIFIED,
		"a sector that cache_warm_sectors() writes is modified");
	is_number(c->tags.n_modified, 1, "a sector that cache_warm_sectors() writes is counted as modified");
	cache_delete(c);
	c = new_cache(sector_cache_params(WRITE_EVICT, WALLOC_NONE), ROLE_L1D);
	cache_warm_write(c, line_of_set_0(0), 1, 9);
	ok(!cache_has_sectors(c, line_of_set_0(0), 2),
		"cache_warm_write() of a missing line allocates nothing without allocation");
	cache_warm_sectors(c, line_of_set_0(0), 3, false, 9);
	cache_warm_write(c, line_of_set_0(0), 1, 9);
	is_number(cache_warm_sectors(c, line_of_set_0(0), 3, false, 9), 1,
		"cache_warm_write() of a present sector evicts it with WRITE_EVICT");
	cache_delete(c);
}

int main(void)
{
	req_pool_init(&pool, 4095);
	test_replacement();
	test_write_ratio();
	test_adaptive_size();
	test_odd_set_numbers();
	test_invalidate();
	test_flush();
	test_host_copy();
	test_untimed_accesses();
	test_cache_streams();
	test_lsu_example_a();
	test_lsu_example_b();
	test_lsu_example_c();
	req_pool_free(&pool);
	return tap_done();
}
