/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of index functions and of the effect of each policy on an access: outcomes, events, counts, fills,
 * write-backs. The expected values were derived by hand from trace-sim-cache(7).
 */
#include "cache_fixture.h"
#include "request/hash.h"

/* ---- index functions (CACHE-index) ----------------------------------------------------------- */

static uint32_t slow_ipoly(uint64_t high, uint32_t index, uint32_t n)
{
	static const uint32_t m16[] = {0xF59, 0x11EB, 0x3D6, 0x7AC};
	static const uint32_t m32[] = {0x3E69, 0x7CD2, 0x47CD, 0xF9A, 0x1F34};
	static const uint32_t m64[] = {0x79461, 0xBCA3, 0x17946, 0x2F28C, 0x5E518, 0x3CA30};
	const uint32_t *m = n == 16 ? m16 : n == 32 ? m32 : m64;
	uint32_t v = 0;

	for (unsigned j = 0; j < log2_floor(n); j++)
		v |= ((index >> j & 1) ^ parity64(high & m[j])) << j;
	return v;
}

/* Returns x^e modulo the polynomial p of degree k. */
static uint32_t power_of_x(unsigned e, unsigned k, uint32_t p)
{
	uint32_t v = 1;

	while (e--) {
		v <<= 1;
		v ^= v >> k & 1 ? p : 0;
	}
	return v;
}

/*
 * Tests that each address bit above the index adds its power of x to the index. A block of n lines with any
 * power-of-two stride is mapped to n different sets.
 */
static void test_ipoly(void)
{
	static const uint32_t p[17] = {1, 3, 7, 0xb, 0x13, 0x25, 0x43, 0x83, 0x11d, 0x211, 0x409, 0x805,
		0x1053, 0x201b, 0x4443, 0x8003, 0x1100b};
	static unsigned char seen[65536];
	bool columns = true, spread = true;

	for (unsigned k = 1; k <= 16; k++)
		for (unsigned i = 0; i < (k == 4 ? 13u : k == 5 ? 15u : k == 6 ? 19u : 20u); i++)
			columns &= hash_ipoly(1ull << i, 0, 1u << k) == power_of_x(k + i, k, p[k]);
	ok(columns, "the columns of the ipoly hash of every degree are powers of x");
	for (unsigned k = 7; k <= 16; k++)
		for (unsigned stride = 0; stride <= 20; stride++) {
			uint32_t n = 1u << k, sets = 0;

			memset(seen, 0, n);
			for (uint64_t i = 0; i < n; i++) {
				uint32_t set = hash_index(INDEX_IPOLY, i << stride << 7, n, 7);

				sets += set < n && !seen[set];
				seen[set & (n - 1)] = 1;
			}
			spread &= sets == n;
		}
	ok(spread, "the ipoly hash maps a power-of-two stride to all sets once");
	is_number(hash_index(INDEX_IPOLY, 0x12345680, 1, 7), 0, "the ipoly hash of one set is 0");
}

static void test_index_functions(void)
{
	uint64_t seed = 1;
	bool same = true;

	for (unsigned i = 0; i < 30000; i++) {
		uint32_t n = 16u << i % 3;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		if (hash_ipoly(seed >> 7, (uint32_t)seed, n) != slow_ipoly(seed >> 7, (uint32_t)seed, n))
			same = false;
	}
	ok(same, "the ipoly hash is the parity of the masked address bits");
	is_number(hash_index(INDEX_LINEAR, 0x12345680, 64, 7), 0x2d,
		"the linear index of 64 sets is address bits 7 to 12");
	is_number(hash_index(INDEX_XOR, 0x12345680, 64, 7), 0x2d ^ 0x22,
		"the xor index of 64 sets combines bits 7 to 12 with bits 13 to 18");
	is_number(hash_index(INDEX_IPOLY, 1ull << 12, 32, 7), 5,
		"the ipoly hash of 32 sets maps address bit 12 to index 5");
	/* Bits 13 and 17 add 1 and 8 to the index. Bit 7 is index 1. Bit 12 is used only with 64 sets. */
	test_ipoly();
	is_number(hash_index(INDEX_FERMI, 0x23080, 32, 7), 1 ^ 9,
		"the Fermi index of 32 sets adds the bits above the index");
	is_number(hash_index(INDEX_FERMI, 0x23080, 64, 7), (1 ^ 9) | 32,
		"the Fermi index of 64 sets also uses address bit 12");
	is_number(hash_index(INDEX_CUSTOM, 0x23080, 64, 7), 0, "the custom index is 0");
	is_number(hash_index(INDEX_LINEAR, 0x60, 3, 5), 2,
		"the linear index of three banks is masked, not divided");
	is_number(hash_index(INDEX_MODULO, 128 * (3 * 405 + 7), 405, 7), 7,
		"the modulo index of 405 sets is a remainder");
}

/* ---- L1D T:m:L (CACHE-example-1) ------------------------------------------------------------- */

static void test_l1d_reads(void)
{
	struct cache *c = new_l1d();
	uint32_t h;

	is_text(access_text(c, new_load(line_of_set_0(0)), 1), "MISS/MISS r",
		"a read of a missing line of a T:m:L cache sends a read");
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 1), "MISS/SECTOR_MISS r",
		"a read of a missing sector of a present line sends a read");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "MISS/HIT_RESERVED ",
		"a read of a sector in flight is merged and sends nothing");
	is_text(access_text(c, new_load(line_of_set_0(0)), 3), "RESERVATION_FAIL/HIT_RESERVED ",
		"a third read of a sector is rejected if an MSHR entry merges two");
	check_rejected(c, GLOBAL_ACC_R, FAIL_MSHR_MERGE_ENTRY, 1,
		"the reason of the rejection is FAIL_MSHR_MERGE_ENTRY");
	access_text(c, new_load(line_of_set_0(1)), 4);
	access_text(c, new_load(line_of_set_0(1) + 32), 4);
	access_text(c, new_load(line_of_set_0(1) + 64), 4);
	is_text(access_text(c, new_load(line_of_set_0(1) + 96), 4), "RESERVATION_FAIL/SECTOR_MISS ",
		"a read miss is rejected if the miss queue has one free entry");
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 4), "RESERVATION_FAIL/HIT_RESERVED ",
		"a read of a sector in flight is rejected if the miss queue has one free entry");
	check_rejected(c, GLOBAL_ACC_R, FAIL_MISS_QUEUE_FULL, 2,
		"the reason of the two rejections is FAIL_MISS_QUEUE_FULL");
	is_text(access_text(c, new_store(line_of_set_0(2), 32), 4), "MISS/MISS w",
		"a write miss is accepted if the miss queue has one free entry");
	is_text(access_text(c, new_store(line_of_set_0(2), 32), 4), "RESERVATION_FAIL/HIT ",
		"a write hit is rejected if the miss queue is full");
	h = cache_miss_queue_front(c);
	is_number((long long)at(h)->addr, (long long)line_of_set_0(0),
		"the front of the miss queue is the first miss");
	answer_reads(c, 9);
	is_text(access_text(c, new_load(line_of_set_0(0)), 10), "HIT/HIT ", "a read of a filled sector hits");
	check_count(c, GLOBAL_ACC_R, STATUS_HIT, 1, "one read is counted as HIT");
	check_count(c, GLOBAL_ACC_R, STATUS_MISS, 2, "two reads are counted as MISS");
	check_count(c, GLOBAL_ACC_R, STATUS_SECTOR_MISS, 3, "three reads are counted as SECTOR_MISS");
	check_count(c, GLOBAL_ACC_R, STATUS_HIT_RESERVED, 1, "one read is counted as HIT_RESERVED");
	check_count(c, GLOBAL_ACC_R, STATUS_MSHR_HIT, 1, "a merged read is also counted as MSHR_HIT");
	check_count(c, GLOBAL_ACC_R, STATUS_RESERVATION_FAIL, 3,
		"three rejected reads are counted as RESERVATION_FAIL only");
	cache_delete(c);
}

static void test_full_mshr(void)
{
	struct cache_params p = sector_cache_params(WRITE_THROUGH, WALLOC_LAZY);
	struct cache *c;

	p.mshr_entries = 2;
	c = new_cache(p, ROLE_L1D);
	access_text(c, new_load(line_of_set_0(0)), 1);
	access_text(c, new_load(line_of_set_0(0) + 32), 1);
	is_text(access_text(c, new_load(line_of_set_0(0) + 64), 1), "RESERVATION_FAIL/SECTOR_MISS ",
		"a read is rejected if all MSHR entries are in use");
	check_rejected(c, GLOBAL_ACC_R, FAIL_MSHR_ENTRY, 1, "the reason of the rejection is FAIL_MSHR_ENTRY");
	is_text(access_text(c, new_load(line_of_set_0(0)), 1), "MISS/HIT_RESERVED ",
		"a read of a sector in flight is merged if all MSHR entries are in use");
	cache_delete(c);
}

static void test_l1d_writes(void)
{
	struct cache *c = new_l1d();

	is_text(access_text(c, new_store(line_of_set_0(0), 32), 1), "MISS/MISS w",
		"a write of a missing sector of a T:m:L cache sends a write");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "HIT/HIT ",
		"a read of a sector that was written completely hits");
	is_text(access_text(c, new_store(line_of_set_0(0) + 32, 4), 2), "MISS/SECTOR_MISS w",
		"a partial write of a missing sector sends a write");
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 3), "MISS/SECTOR_MISS r",
		"a read of a partially written sector sends a read");
	is_text(access_text(c, new_store(line_of_set_0(0) + 36, 28), 3), "MISS/HIT_RESERVED w",
		"a write of a sector in flight sends a write");
	is_text(access_text(c, new_store(line_of_set_0(0) + 32, 32), 4), "HIT/HIT w",
		"a complete write of a present sector hits and sends a write");
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 5), "HIT/HIT ",
		"a read of a sector written during its fetch hits before the fill");
	is_number(c->tags.n_modified, 1, "one line with two modified sectors is counted once as modified");
	answer_reads(c, 6);
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 7), "HIT/HIT ",
		"a read of a written sector hits after the fill");
	is_text(access_text(c, new_store(line_of_set_0(1), 16), 8), "MISS/MISS w",
		"a write of half a missing sector sends a write");
	is_text(access_text(c, new_store(line_of_set_0(1) + 16, 16), 8), "HIT/HIT w",
		"a write of the other half of a sector hits and sends a write");
	is_text(access_text(c, new_load(line_of_set_0(1)), 8), "HIT/HIT ",
		"a read of a sector whose two halves were written hits");
	check_count(c, GLOBAL_ACC_W, STATUS_MISS, 2, "two writes are counted as MISS");
	check_count(c, GLOBAL_ACC_W, STATUS_HIT_RESERVED, 1, "one write is counted as HIT_RESERVED");
	cache_delete(c);
}

/* Tests that no line can be allocated after reads have filled a set with reserved lines. */
static void test_reserved_set(void)
{
	struct cache_params p = sector_cache_params(WRITE_THROUGH, WALLOC_LAZY);
	struct cache *c;

	p.miss_queue = 20;
	c = new_cache(p, ROLE_L1D);
	for (unsigned i = 0; i < 4; i++)
		access_text(c, new_load(line_of_set_0(i)), i);
	is_text(access_text(c, new_load(line_of_set_0(4)), 9), "RESERVATION_FAIL/RESERVATION_FAIL ",
		"a read miss is rejected if all ways of the set are reserved");
	is_text(access_text(c, new_store(line_of_set_0(4), 32), 9), "RESERVATION_FAIL/RESERVATION_FAIL ",
		"a write miss is rejected if all ways of the set are reserved");
	check_rejected(
		c, GLOBAL_ACC_R, FAIL_LINE_ALLOC, 1, "the reason of the rejected read is FAIL_LINE_ALLOC");
	check_rejected(
		c, GLOBAL_ACC_W, FAIL_LINE_ALLOC, 1, "the reason of the rejected write is FAIL_LINE_ALLOC");
	cache_delete(c);
	p.walloc = WALLOC_NONE;
	c = new_cache(p, ROLE_L1D);
	for (unsigned i = 0; i < 4; i++)
		access_text(c, new_load(line_of_set_0(i)), i);
	is_text(access_text(c, new_store(line_of_set_0(4), 32), 9), "MISS/RESERVATION_FAIL w",
		"a write that does not allocate is sent although all ways are reserved");
	check_count(c, GLOBAL_ACC_W, STATUS_MISS, 1, "a write that does not allocate is counted as MISS");
	cache_delete(c);
}

/* ---- other policies (CACHE-whit, CACHE-wmiss) ------------------------------------------------ */

static void test_streaming(void)
{
	struct cache_params p = sector_cache_params(WRITE_LOCAL_BACK_GLOBAL_EVICT, WALLOC_NONE);
	struct cache *c;

	p.alloc = ALLOC_ON_FILL;
	p.streaming = true;
	c = new_cache(p, ROLE_L1D);
	is_text(access_text(c, new_load(line_of_set_0(0)), 1), "MISS/MISS r",
		"a read miss of an L:s:N cache sends a read");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "MISS/MISS ",
		"a merged read of an L:s:N cache results in MISS");
	check_count(c, GLOBAL_ACC_R, STATUS_MSHR_HIT, 1,
		"a merged read of an L:s:N cache is counted as MSHR_HIT");
	is_text(access_text(c, new_store(line_of_set_0(0), 32), 3), "MISS/MISS w",
		"a write miss of an L:s:N cache sends a write");
	answer_reads(c, 5);
	is_text(access_text(c, new_load(line_of_set_0(0)), 6), "HIT/HIT ",
		"a read of an L:s:N cache hits after the fill");
	is_text(access_text(c, new_store(line_of_set_0(0), 32), 7), "HIT/HIT w",
		"a global write hit of an L:s:N cache sends a write");
	is_text(access_text(c, new_load(line_of_set_0(0)), 8), "MISS/MISS r",
		"a global write hit of an L:s:N cache removes the sector");
	answer_reads(c, 9);
	is_text(access_text(c, new_request(LOCAL_ACC_W, line_of_set_0(0), 32), 10), "HIT/HIT ",
		"a local write hit of an L:s:N cache sends nothing");
	is_number(c->tags.n_modified, 1, "a local write hit of an L:s:N cache makes the line modified");
	for (unsigned i = 1; i < 5; i++)
		load_sector(c, line_of_set_0(i), 10 + i);
	is_number(c->tags.n_modified, 0, "a fill of an L:s:N cache drops the modified line");
	is_text(access_text(c, new_load(line_of_set_0(0)), 20), "MISS/MISS r",
		"a read of the dropped line sends a read and no write-back");
	cache_delete(c);
}

static void test_write_evict(void)
{
	struct cache *c = new_cache(sector_cache_params(WRITE_EVICT, WALLOC_LAZY), ROLE_L1D);

	is_text(access_text(c, new_store(line_of_set_0(0), 32), 1), "MISS/MISS ",
		"a write miss of an E:m:L cache sends nothing");
	is_number(c->tags.n_modified, 1, "a write miss of an E:m:L cache makes the line modified");
	is_text(access_text(c, new_store(line_of_set_0(0), 32), 2), "HIT/HIT w",
		"a write hit of an E:m:L cache sends a write");
	is_number(c->tags.n_modified, 1,
		"a write hit that evicts leaves the modified count unchanged (quirk Q3-18)");
	is_text(access_text(c, new_load(line_of_set_0(0)), 3), "MISS/MISS r",
		"a read misses the line whose only sector was evicted by a write");
	cache_delete(c);
}

static void test_naive_allocate(void)
{
	struct cache *c = new_cache(sector_cache_params(WRITE_BACK, WALLOC_NAIVE), ROLE_L2);
	uint32_t w = new_store(line_of_set_0(0), 4), r;

	is_text(access_text(c, w, 1), "MISS/MISS wa",
		"a write miss of a B:m:W cache sends a write and an allocating read");
	is_number(cache_miss_queue_pop(c), w, "the write of the miss is sent first");
	r = cache_miss_queue_pop(c);
	is_number(at(r)->type, L2_WR_ALLOC_R, "the allocating read of the miss is sent second");
	ok(at(r)->flags == REQ_BLANK && at(r)->size == 32,
		"the allocating read has REQ_BLANK and the size of an atom");
	ok(at(r)->warp == 5 && at(r)->sm == 3 && at(r)->channel == 7,
		"the allocating read has the warp, the SM and the channel of the write");
	is_text(access_text(c, new_store(line_of_set_0(0), 4), 2), "MISS/HIT_RESERVED wa",
		"a second write miss of a B:m:W cache merges its allocating read");
	check_count(c, L2_WR_ALLOC_R, STATUS_MSHR_HIT, 1,
		"the merged read is counted as MSHR_HIT of L2_WR_ALLOC_R");
	cache_fill(c, r, 3);
	is_number(cache_pop_ready(c), r, "cache_pop_ready() returns the allocating read after the fill");
	is_text(access_text(c, new_load(line_of_set_0(0)), 4), "HIT/HIT ",
		"a read hits the sector that the allocating read filled");
	is_number(c->tags.n_modified, 0, "the fill of an allocating read does not make the line modified");
	access_text(c, new_load(line_of_set_0(1)), 5);
	access_text(c, new_load(line_of_set_0(2)), 5);
	access_text(c, new_load(line_of_set_0(3)), 5);
	is_text(access_text(c, new_store(line_of_set_0(1) + 32, 4), 6), "RESERVATION_FAIL/SECTOR_MISS ",
		"a write miss of a B:m:W cache needs three free miss queue entries");
	cache_delete(c);
}

static void test_fetch_on_write(void)
{
	struct cache *c = new_cache(sector_cache_params(WRITE_BACK, WALLOC_FETCH), ROLE_L2);
	uint32_t w = new_store(line_of_set_0(1), 4), r;

	is_text(access_text(c, new_store(line_of_set_0(0), 32), 1), "MISS/MISS ",
		"a complete write miss of a B:m:F cache sends nothing");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "HIT/HIT ",
		"a read hits the sector after a complete write miss");
	is_text(access_text(c, w, 3), "MISS/MISS a",
		"a partial write miss of a B:m:F cache sends an allocating read");
	r = cache_miss_queue_pop(c);
	ok(at(r)->flags == (REQ_BLANK | REQ_PARENT_WRITE) && at(r)->parent == w,
		"the allocating read refers to the write as its parent");
	is_number(c->tags.n_modified, 1,
		"a partial write miss of a B:m:F cache is not modified before the fill");
	cache_fill(c, r, 4);
	is_number(c->tags.n_modified, 2, "a partial write miss of a B:m:F cache is modified after the fill");
	is_text(access_text(c, new_load(line_of_set_0(1)), 5), "HIT/HIT ",
		"a read hits the partially written sector after the fill");
	cache_delete(c);
}

static void test_line_cache(void)
{
	struct cache_params p = sector_cache_params(WRITE_BACK, WALLOC_NONE);
	struct cache *c;
	uint32_t h;

	p.kind = CACHE_LINE;
	p.atom_bytes = 128;
	c = new_cache(p, ROLE_L2);
	h = new_load(line_of_set_0(0) + 64);
	is_text(access_text(c, h, 1), "MISS/MISS r", "a read miss of a line cache sends a read");
	ok(at(h)->addr == line_of_set_0(0) && at(h)->size == 128,
		"a read miss of a line cache requests the whole line");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "MISS/HIT_RESERVED ",
		"a read of another part of a line in flight is merged");
	cache_miss_queue_pop(c);
	cache_fill(c, h, 3);
	ok(at(h)->addr == line_of_set_0(0) + 64 && at(h)->size == 32,
		"the fill of a line restores the address and the size of the request");
	ok(!cache_fill_port_free(c), "the fill of a line occupies the fill port");
	run_cycles(c, 3);
	ok(!cache_fill_port_free(c), "the fill port is occupied in the fourth cycle of a line's fill");
	run_cycles(c, 1);
	ok(cache_fill_port_free(c), "the fill port is free after four cycles");
	answer_reads(c, 3);
	is_text(access_text(c, new_store(line_of_set_0(0), 4), 4), "HIT/HIT ",
		"a write hit of a line cache sends nothing");
	for (unsigned i = 1; i < 4; i++)
		load_sector(c, line_of_set_0(i), 4 + i);
	is_text(access_text(c, new_load(line_of_set_0(4)), 9), "MISS/MISS rb",
		"a read miss of a line cache that evicts a modified line sends a write-back");
	cache_miss_queue_pop(c);
	h = cache_miss_queue_pop(c);
	ok(at(h)->size == 128 && at(h)->sectors == 15 && at(h)->bytes[0] == 15,
		"the write-back of a line cache has always 128 bytes");
	cache_delete(c);
}

/* ---- L2 B:m:L: write-backs and ports --------------------------------------------------------- */

static void decode_address(void *ctx, struct req *r)
{
	(*(unsigned *)ctx)++;
	r->channel = r->sub = 1;
	r->bank = 9;
	r->row = 77;
}

static void test_write_backs(void)
{
	struct cache *c = new_l2();
	unsigned decoded = 0;
	uint32_t h;

	cache_set_decode_hook(c, decode_address, &decoded);
	is_text(access_text(c, new_store(line_of_set_0(0), 32), 1), "MISS/MISS ",
		"a write miss of a B:m:L cache sends nothing");
	is_text(access_text(c, new_store(line_of_set_0(0) + 96, 4), 1), "MISS/SECTOR_MISS ",
		"a write miss of another sector of the line sends nothing");
	is_text(access_text(c, new_store(line_of_set_0(0), 8), 2), "HIT/HIT ",
		"a write hit of a B:m:L cache sends nothing");
	for (unsigned i = 1; i < 4; i++)
		access_text(c, new_store(line_of_set_0(i), 32), 2 + i);
	run_cycles(c, 64);
	h = new_load(line_of_set_0(4));
	at(h)->stream = 6;
	is_text(access_text(c, h, 9), "MISS/MISS rb",
		"a read miss that evicts a modified line sends a write-back");
	is_number(cache_miss_queue_pop(c), h, "the read of the miss is sent before the write-back");
	h = cache_miss_queue_pop(c);
	ok(at(h)->type == L2_WRBK_ACC && at(h)->flags == (REQ_WRITE | REQ_BLANK),
		"the write-back has type L2_WRBK_ACC, REQ_WRITE and REQ_BLANK");
	ok(at(h)->addr == line_of_set_0(0) && at(h)->size == 64 && at(h)->sectors == 9,
		"the write-back has the address and the sectors of the modified line");
	ok(at(h)->bytes[0] == 0xffffffff && at(h)->bytes[1] == 0xfull << 32,
		"the write-back has the byte mask of the modified sectors");
	ok(at(h)->warp == NO_WARP && at(h)->sm == NO_SM && at(h)->cluster == NO_SM,
		"an L2 write-back has no warp, no SM and no cluster");
	ok(at(h)->lanes == 0xff && at(h)->stream == 6,
		"the write-back has the lanes and the stream of the read that caused it");
	ok(at(h)->channel == 7 && at(h)->sub == 15,
		"the write-back has the channel and sub partition of the read that caused it");
	ok(decoded == 1 && at(h)->bank == 9 && at(h)->row == 77,
		"the write-back has the bank and row of its own address");
	ok(cache_data_port_free(c),
		"a write-back caused by a read miss leaves the data port free (quirk Q3-3)");
	is_text(access_text(c, new_store(line_of_set_0(5), 32), 10), "MISS/MISS b",
		"a write miss that evicts a modified line sends a write-back");
	ok(!cache_data_port_free(c), "a write-back caused by a write miss occupies the data port");
	run_cycles(c, 1);
	ok(cache_data_port_free(c), "the data port is free one cycle after the write-back of one sector");
	cache_delete(c);
	c = new_cache(sector_cache_params(WRITE_BACK, WALLOC_LAZY), ROLE_L1D);
	for (unsigned i = 0; i < 4; i++)
		access_text(c, new_store(line_of_set_0(i), 32), i);
	access_text(c, new_store(line_of_set_0(4), 32), 9);
	h = cache_miss_queue_pop(c);
	ok(at(h)->type == L1_WRBK_ACC && at(h)->warp == NO_WARP && at(h)->sm == 3 && at(h)->cluster == 2,
		"an L1 write-back has the SM and the cluster of its cache but no warp");
	cache_delete(c);
}

/* Tests copies of lines that belong to the L2 slice of the other side (MEM-sides-4, MEM-sides-5). */
static void test_copies_of_other_side(void)
{
	struct cache *c = new_l2();

	for (unsigned i = 0; i < 4; i++)
		access_text(c, new_store(line_of_set_0(i), 32), 1 + i);
	run_cycles(c, 64);
	ok(!cache_has_sectors(c, line_of_set_0(4), 1),
		"a line that was not copied has no sector in the slice");
	ok(cache_put_copy(c, at(new_load(line_of_set_0(4))), 9), "cache_put_copy() evicts a modified line");
	is_number((long long)at(cache_miss_queue_pop(c))->addr, (long long)line_of_set_0(0),
		"the modified line that a copy evicts is written back");
	ok(cache_has_sectors(c, line_of_set_0(4), 1), "a copied sector is present");
	ok(!cache_has_sectors(c, line_of_set_0(4), 3), "the sector next to a copied sector is not present");
	ok(!cache_put_copy(c, at(new_load(line_of_set_0(4) + 32)), 10),
		"a copy of another sector of the same line evicts nothing");
	ok(cache_has_sectors(c, line_of_set_0(4), 3), "two copied sectors of a line are both present");
	cache_drop_copy(c, line_of_set_0(4), 1);
	ok(!cache_has_sectors(c, line_of_set_0(4), 1) && cache_has_sectors(c, line_of_set_0(4), 2),
		"cache_drop_copy() removes only the sector that it names");
	is_text(access_text(c, new_load(line_of_set_0(4) + 32), 11), "HIT/HIT ",
		"a read of the other copied sector hits");
	is_number(cache_warm_copy(c, line_of_set_0(4), 3, 12), 1,
		"cache_warm_copy() returns the dropped sector as missing");
	ok(cache_has_sectors(c, line_of_set_0(4), 3), "cache_warm_copy() leaves both sectors present");
	cache_drop_copy(c, line_of_set_0(9), 1);
	ok(!cache_has_sectors(c, line_of_set_0(9), 1), "cache_drop_copy() of a missing line has no effect");
	cache_delete(c);
}

static void test_l2_atomics(void)
{
	struct cache *c = new_l2();
	uint32_t h = new_load(line_of_set_0(0)), merged = new_load(line_of_set_0(0));
	struct cache_ports n;

	at(merged)->flags |= REQ_ATOMIC;
	access_text(c, h, 1);
	is_text(access_text(c, merged, 2), "MISS/HIT_RESERVED ",
		"an atomic access of a sector in flight is merged");
	cache_miss_queue_pop(c);
	cache_fill(c, h, 3);
	is_number(c->tags.n_modified, 1, "the fill of a merged atomic access makes the sector modified");
	is_number(cache_peek_ready(c), h, "cache_peek_ready() returns the first of two merged requests");
	is_number(cache_pop_ready(c), h, "cache_pop_ready() returns the first of two merged requests first");
	is_number(cache_pop_ready(c), merged, "cache_pop_ready() returns the merged atomic access second");
	ok(!cache_has_ready(c) && cache_pop_ready(c) == REQ_NONE,
		"cache_pop_ready() returns REQ_NONE after the last request");
	load_sector(c, line_of_set_0(1), 4);
	h = new_load(line_of_set_0(1));
	at(h)->flags |= REQ_ATOMIC;
	is_text(access_text(c, h, 5), "HIT/HIT ", "an atomic access of a present sector hits");
	is_number(c->tags.n_modified, 2, "an atomic hit makes its sector modified");
	cache_end_cycle(c);
	cache_add_idle_cycles(c, 10);
	n = cache_port_counts(c);
	ok(n.cycles == 75 && n.data_busy == 1 && n.fill_busy == 2,
		"the port counts include idle cycles, data accesses and fills");
	cache_delete(c);
}

/* Tests that a reply that arrives as four pieces of a sector occupies the fill port once. */
static void test_sector_replies(void)
{
	struct cache_params p = sector_cache_params(WRITE_READ_ONLY, WALLOC_NONE);
	struct cache *c;
	uint32_t h, two, live;

	p.kind = CACHE_LINE;
	p.atom_bytes = 128;
	p.alloc = ALLOC_ON_FILL;
	p.mshr = MSHR_SECTOR_ASSOC;
	p.port_bytes = 128;
	c = new_cache(p, ROLE_L1I);
	h = new_request(INST_ACC_R, line_of_set_0(0) + 16, 16);
	two = new_request(INST_ACC_R, line_of_set_0(0) + 48, 16);
	is_number(cache_read_only_access(c, h, 1), STATUS_MISS,
		"an instruction access of a missing line is a miss");
	is_number(cache_read_only_access(c, two, 2), STATUS_MISS,
		"a second instruction access of the line is a miss");
	check_count(c, INST_ACC_R, STATUS_MISS, 2, "the two instruction accesses are counted as MISS");
	live = (unsigned)req_count_live(&pool);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t piece = req_new(&pool);

		at(piece)->flags = REQ_PIECE | REQ_BLANK;
		at(piece)->parent = h;
		ok(!cache_has_ready(c) && cache_fill_port_free(c),
			"the fill of the line is not complete before piece %u", i);
		cache_fill(c, piece, 3);
	}
	ok(cache_has_ready(c) && !cache_fill_port_free(c),
		"the fill of the line is complete after four pieces");
	is_number((long long)req_count_live(&pool), live, "the requests of the pieces are freed");
	is_number(cache_pop_ready(c), h, "the first instruction access is ready first");
	is_number(cache_pop_ready(c), two, "the merged instruction access is ready second");
	is_number(cache_read_only_access(c, h, 4), STATUS_HIT, "an instruction access of a filled line hits");
	ok(cache_data_port_free(c), "an instruction hit leaves the data port free");
	cache_delete(c);
}

int main(void)
{
	req_pool_init(&pool, 4095);
	test_index_functions();
	test_l1d_reads();
	test_full_mshr();
	test_l1d_writes();
	test_reserved_set();
	test_streaming();
	test_write_evict();
	test_naive_allocate();
	test_fetch_on_write();
	test_line_cache();
	test_write_backs();
	test_copies_of_other_side();
	test_l2_atomics();
	test_sector_replies();
	req_pool_free(&pool);
	return tap_done();
}
