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
	ok(columns, "ipoly: the columns of every degree are powers of x");
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
	ok(spread, "ipoly: no stride of a power of two meets a set twice");
	is_number(hash_index(INDEX_IPOLY, 0x12345680, 1, 7), 0, "ipoly of one set");
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
	ok(same, "ipoly is the parity under its masks");
	is_number(hash_index(INDEX_LINEAR, 0x12345680, 64, 7), 0x2d, "linear: bits 7 to 12");
	is_number(hash_index(INDEX_XOR, 0x12345680, 64, 7), 0x2d ^ 0x22, "xor with bits 13 to 18");
	is_number(hash_index(INDEX_IPOLY, 1ull << 12, 32, 7), 5, "ipoly of 32: first bit above the index");
	/* Bits 13 and 17 add 1 and 8 to the index. Bit 7 is index 1. Bit 12 is used only with 64 sets. */
	test_ipoly();
	is_number(hash_index(INDEX_FERMI, 0x23080, 32, 7), 1 ^ 9, "Fermi of 32 sets");
	is_number(hash_index(INDEX_FERMI, 0x23080, 64, 7), (1 ^ 9) | 32, "Fermi of 64 sets");
	is_number(hash_index(INDEX_CUSTOM, 0x23080, 64, 7), 0, "custom");
	is_number(hash_index(INDEX_LINEAR, 0x60, 3, 5), 2, "three banks are masked, not divided");
	is_number(hash_index(INDEX_MODULO, 128 * (3 * 405 + 7), 405, 7), 7, "405 sets by a remainder");
}

/* ---- L1D T:m:L (CACHE-example-1) ------------------------------------------------------------- */

static void test_l1d_reads(void)
{
	struct cache *c = new_l1d();
	uint32_t h;

	is_text(access_text(c, new_load(line_of_set_0(0)), 1), "MISS/MISS r", "T:m:L read of nothing");
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 1), "MISS/SECTOR_MISS r",
		"read of another sector");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "MISS/HIT_RESERVED ",
		"read of a sector in flight merges");
	is_text(access_text(c, new_load(line_of_set_0(0)), 3), "RESERVATION_FAIL/HIT_RESERVED ",
		"third of an entry of two");
	check_rejected(c, GLOBAL_ACC_R, FAIL_MSHR_MERGE_ENTRY, 1, "its reason");
	access_text(c, new_load(line_of_set_0(1)), 4);
	access_text(c, new_load(line_of_set_0(1) + 32), 4);
	access_text(c, new_load(line_of_set_0(1) + 64), 4);
	is_text(access_text(c, new_load(line_of_set_0(1) + 96), 4), "RESERVATION_FAIL/SECTOR_MISS ",
		"five queued of six: no read");
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 4), "RESERVATION_FAIL/HIT_RESERVED ",
		"not even a merge");
	check_rejected(c, GLOBAL_ACC_R, FAIL_MISS_QUEUE_FULL, 2, "their reason");
	is_text(access_text(c, new_store(line_of_set_0(2), 32), 4), "MISS/MISS w", "but a write still fits");
	is_text(access_text(c, new_store(line_of_set_0(2), 32), 4), "RESERVATION_FAIL/HIT ",
		"six queued: no write hit either");
	h = cache_miss_queue_front(c);
	is_number((long long)at(h)->addr, (long long)line_of_set_0(0),
		"the first in the queue is the first miss");
	answer_reads(c, 9);
	is_text(access_text(c, new_load(line_of_set_0(0)), 10), "HIT/HIT ", "read of what came back");
	check_count(c, GLOBAL_ACC_R, STATUS_HIT, 1, "HIT counted");
	check_count(c, GLOBAL_ACC_R, STATUS_MISS, 2, "MISS counted");
	check_count(c, GLOBAL_ACC_R, STATUS_SECTOR_MISS, 3, "SECTOR_MISS counted");
	check_count(c, GLOBAL_ACC_R, STATUS_HIT_RESERVED, 1, "HIT_RESERVED counted");
	check_count(c, GLOBAL_ACC_R, STATUS_MSHR_HIT, 1, "MSHR_HIT counted as well");
	check_count(c, GLOBAL_ACC_R, STATUS_RESERVATION_FAIL, 3, "fails counted as such only");
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
		"third entry of two");
	check_rejected(c, GLOBAL_ACC_R, FAIL_MSHR_ENTRY, 1, "MSHR_ENRTY_FAIL");
	is_text(access_text(c, new_load(line_of_set_0(0)), 1), "MISS/HIT_RESERVED ",
		"merging needs no entry");
	cache_delete(c);
}

static void test_l1d_writes(void)
{
	struct cache *c = new_l1d();

	is_text(access_text(c, new_store(line_of_set_0(0), 32), 1), "MISS/MISS w",
		"T:m:L full write of nothing");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "HIT/HIT ", "is readable");
	is_text(access_text(c, new_store(line_of_set_0(0) + 32, 4), 2), "MISS/SECTOR_MISS w",
		"partial write of a new sector");
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 3), "MISS/SECTOR_MISS r",
		"is not readable: read goes down");
	is_text(access_text(c, new_store(line_of_set_0(0) + 36, 28), 3), "MISS/HIT_RESERVED w",
		"write of a sector in flight");
	is_text(access_text(c, new_store(line_of_set_0(0) + 32, 32), 4), "HIT/HIT w", "full write hit");
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 5), "HIT/HIT ",
		"readable before the data came");
	is_number(c->tags.n_modified, 1, "one line with modified sectors");
	answer_reads(c, 6);
	is_text(access_text(c, new_load(line_of_set_0(0) + 32), 7), "HIT/HIT ",
		"still modified and readable after the fill");
	is_text(access_text(c, new_store(line_of_set_0(1), 16), 8), "MISS/MISS w", "half a sector");
	is_text(access_text(c, new_store(line_of_set_0(1) + 16, 16), 8), "HIT/HIT w", "the other half");
	is_text(access_text(c, new_load(line_of_set_0(1)), 8), "HIT/HIT ", "both make it readable");
	check_count(c, GLOBAL_ACC_W, STATUS_MISS, 2, "write MISS counted");
	check_count(c, GLOBAL_ACC_W, STATUS_HIT_RESERVED, 1, "write HIT_RESERVED counted");
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
		"read: all ways reserved");
	is_text(access_text(c, new_store(line_of_set_0(4), 32), 9), "RESERVATION_FAIL/RESERVATION_FAIL ",
		"write: the same");
	check_rejected(c, GLOBAL_ACC_R, FAIL_LINE_ALLOC, 1, "LINE_ALLOC_FAIL of a read");
	check_rejected(c, GLOBAL_ACC_W, FAIL_LINE_ALLOC, 1, "LINE_ALLOC_FAIL of a write");
	cache_delete(c);
	p.walloc = WALLOC_NONE;
	c = new_cache(p, ROLE_L1D);
	for (unsigned i = 0; i < 4; i++)
		access_text(c, new_load(line_of_set_0(i)), i);
	is_text(access_text(c, new_store(line_of_set_0(4), 32), 9), "MISS/RESERVATION_FAIL w",
		"no allocation: the write goes by");
	check_count(c, GLOBAL_ACC_W, STATUS_MISS, 1, "and counts as MISS");
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
	is_text(access_text(c, new_load(line_of_set_0(0)), 1), "MISS/MISS r", "L:s:N read reserves nothing");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "MISS/MISS ",
		"the next one merges and counts as MISS");
	check_count(c, GLOBAL_ACC_R, STATUS_MSHR_HIT, 1, "and as MSHR_HIT");
	is_text(access_text(c, new_store(line_of_set_0(0), 32), 3), "MISS/MISS w",
		"write miss only goes down");
	answer_reads(c, 5);
	is_text(access_text(c, new_load(line_of_set_0(0)), 6), "HIT/HIT ", "filled by address");
	is_text(access_text(c, new_store(line_of_set_0(0), 32), 7), "HIT/HIT w",
		"global write hit goes down");
	is_text(access_text(c, new_load(line_of_set_0(0)), 8), "MISS/MISS r", "and takes the sector out");
	answer_reads(c, 9);
	is_text(access_text(c, new_request(LOCAL_ACC_W, line_of_set_0(0), 32), 10), "HIT/HIT ",
		"local write hit stays");
	is_number(c->tags.n_modified, 1, "and is modified");
	for (unsigned i = 1; i < 5; i++)
		load_sector(c, line_of_set_0(i), 10 + i);
	is_number(c->tags.n_modified, 0, "a fill drops the modified line");
	is_text(access_text(c, new_load(line_of_set_0(0)), 20), "MISS/MISS r", "without a write-back");
	cache_delete(c);
}

static void test_write_evict(void)
{
	struct cache *c = new_cache(sector_cache_params(WRITE_EVICT, WALLOC_LAZY), ROLE_L1D);

	is_text(access_text(c, new_store(line_of_set_0(0), 32), 1), "MISS/MISS ",
		"E:m:L write miss sends nothing");
	is_number(c->tags.n_modified, 1, "modified line");
	is_text(access_text(c, new_store(line_of_set_0(0), 32), 2), "HIT/HIT w", "write hit goes down");
	is_number(c->tags.n_modified, 1, "quirk Q3-18: the count stays");
	is_text(access_text(c, new_load(line_of_set_0(0)), 3), "MISS/MISS r",
		"the only sector is gone, so is the line");
	cache_delete(c);
}

static void test_naive_allocate(void)
{
	struct cache *c = new_cache(sector_cache_params(WRITE_BACK, WALLOC_NAIVE), ROLE_L2);
	uint32_t w = new_store(line_of_set_0(0), 4), r;

	is_text(access_text(c, w, 1), "MISS/MISS wa", "B:m:W write miss sends write and read");
	is_number(cache_miss_queue_pop(c), w, "the write first");
	r = cache_miss_queue_pop(c);
	is_number(at(r)->type, L2_WR_ALLOC_R, "then the allocate-read");
	ok(at(r)->flags == REQ_BLANK && at(r)->size == 32, "it is blank and of an atom");
	ok(at(r)->warp == 5 && at(r)->sm == 3 && at(r)->chip == 7, "and the write's");
	is_text(access_text(c, new_store(line_of_set_0(0), 4), 2), "MISS/HIT_RESERVED wa",
		"a second one merges its read");
	check_count(c, L2_WR_ALLOC_R, STATUS_MSHR_HIT, 1, "MSHR_HIT under the read's type");
	cache_fill(c, r, 3);
	is_number(cache_pop_ready(c), r, "the read comes out after the fill");
	is_text(access_text(c, new_load(line_of_set_0(0)), 4), "HIT/HIT ", "valid");
	is_number(c->tags.n_modified, 0, "not modified");
	access_text(c, new_load(line_of_set_0(1)), 5);
	access_text(c, new_load(line_of_set_0(2)), 5);
	access_text(c, new_load(line_of_set_0(3)), 5);
	is_text(access_text(c, new_store(line_of_set_0(1) + 32, 4), 6), "RESERVATION_FAIL/SECTOR_MISS ",
		"asks for three places");
	cache_delete(c);
}

static void test_fetch_on_write(void)
{
	struct cache *c = new_cache(sector_cache_params(WRITE_BACK, WALLOC_FETCH), ROLE_L2);
	uint32_t w = new_store(line_of_set_0(1), 4), r;

	is_text(access_text(c, new_store(line_of_set_0(0), 32), 1), "MISS/MISS ",
		"B:m:F full write miss sends nothing");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "HIT/HIT ", "it is there");
	is_text(access_text(c, w, 3), "MISS/MISS a", "partial write miss fetches");
	r = cache_miss_queue_pop(c);
	ok(at(r)->flags == (REQ_BLANK | REQ_PARENT_WRITE) && at(r)->parent == w, "the read holds the write");
	is_number(c->tags.n_modified, 1, "not yet modified");
	cache_fill(c, r, 4);
	is_number(c->tags.n_modified, 2, "modified on fill");
	is_text(access_text(c, new_load(line_of_set_0(1)), 5), "HIT/HIT ", "and readable");
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
	is_text(access_text(c, h, 1), "MISS/MISS r", "line cache: read");
	ok(at(h)->addr == line_of_set_0(0) && at(h)->size == 128, "asks for its line");
	is_text(access_text(c, new_load(line_of_set_0(0)), 2), "MISS/HIT_RESERVED ",
		"another part of it is in flight");
	cache_miss_queue_pop(c);
	cache_fill(c, h, 3);
	ok(at(h)->addr == line_of_set_0(0) + 64 && at(h)->size == 32, "address and size are restored");
	ok(!cache_fill_port_free(c), "the fill occupies the port");
	run_cycles(c, 3);
	ok(!cache_fill_port_free(c), "for atom over port: four cycles");
	run_cycles(c, 1);
	ok(cache_fill_port_free(c), "and no longer");
	answer_reads(c, 3);
	is_text(access_text(c, new_store(line_of_set_0(0), 4), 4), "HIT/HIT ", "write hit");
	for (unsigned i = 1; i < 4; i++)
		load_sector(c, line_of_set_0(i), 4 + i);
	is_text(access_text(c, new_load(line_of_set_0(4)), 9), "MISS/MISS rb",
		"its eviction is a write-back");
	cache_miss_queue_pop(c);
	h = cache_miss_queue_pop(c);
	ok(at(h)->size == 128 && at(h)->sectors == 15 && at(h)->bytes[0] == 15, "of always 128 bytes");
	cache_delete(c);
}

/* ---- L2 B:m:L: write-backs and ports --------------------------------------------------------- */

static void decode_address(void *ctx, struct req *r)
{
	(*(unsigned *)ctx)++;
	r->chip = r->sub = 1;
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
		"B:m:L write miss sends nothing");
	is_text(access_text(c, new_store(line_of_set_0(0) + 96, 4), 1), "MISS/SECTOR_MISS ",
		"nor in another sector");
	is_text(access_text(c, new_store(line_of_set_0(0), 8), 2), "HIT/HIT ", "write hit needs no queue");
	for (unsigned i = 1; i < 4; i++)
		access_text(c, new_store(line_of_set_0(i), 32), 2 + i);
	run_cycles(c, 64);
	h = new_load(line_of_set_0(4));
	at(h)->stream = 6;
	is_text(access_text(c, h, 9), "MISS/MISS rb", "read miss evicts a modified line");
	is_number(cache_miss_queue_pop(c), h, "the read first");
	h = cache_miss_queue_pop(c);
	ok(at(h)->type == L2_WRBK_ACC && at(h)->flags == (REQ_WRITE | REQ_BLANK), "then the write-back");
	ok(at(h)->addr == line_of_set_0(0) && at(h)->size == 64 && at(h)->sectors == 9,
		"of the modified sectors");
	ok(at(h)->bytes[0] == 0xffffffff && at(h)->bytes[1] == 0xfull << 32, "with their bytes");
	ok(at(h)->warp == NO_WARP && at(h)->sm == NO_SM && at(h)->cluster == NO_SM, "of nobody");
	ok(at(h)->lanes == 0xff && at(h)->stream == 6, "lanes and stream of its cause");
	ok(at(h)->chip == 7 && at(h)->sub == 15, "chip and sub partition of its cause");
	ok(decoded == 1 && at(h)->bank == 9 && at(h)->row == 77, "bank and row of its own");
	ok(cache_data_port_free(c), "quirk Q3-3: a read miss charges no port for it");
	is_text(access_text(c, new_store(line_of_set_0(5), 32), 10), "MISS/MISS b",
		"write miss evicts the next");
	ok(!cache_data_port_free(c), "and charges the port");
	run_cycles(c, 1);
	ok(cache_data_port_free(c), "for one sector");
	cache_delete(c);
	c = new_cache(sector_cache_params(WRITE_BACK, WALLOC_LAZY), ROLE_L1D);
	for (unsigned i = 0; i < 4; i++)
		access_text(c, new_store(line_of_set_0(i), 32), i);
	access_text(c, new_store(line_of_set_0(4), 32), 9);
	h = cache_miss_queue_pop(c);
	ok(at(h)->type == L1_WRBK_ACC && at(h)->warp == NO_WARP && at(h)->sm == 3 && at(h)->cluster == 2,
		"an L1 write-back is of its core, but of no warp");
	cache_delete(c);
}

/* Tests copies of lines that belong to the L2 slice of the other side (MEM-sides-4, MEM-sides-5). */
static void test_copies_of_other_side(void)
{
	struct cache *c = new_l2();

	for (unsigned i = 0; i < 4; i++)
		access_text(c, new_store(line_of_set_0(i), 32), 1 + i);
	run_cycles(c, 64);
	ok(!cache_has_sectors(c, line_of_set_0(4), 1), "no copy yet");
	ok(cache_put_copy(c, at(new_load(line_of_set_0(4))), 9), "a copy drives out a modified line");
	is_number((long long)at(cache_miss_queue_pop(c))->addr, (long long)line_of_set_0(0),
		"which is written back");
	ok(cache_has_sectors(c, line_of_set_0(4), 1), "a copy serves reads");
	ok(!cache_has_sectors(c, line_of_set_0(4), 3), "but not of the sector next to it");
	ok(!cache_put_copy(c, at(new_load(line_of_set_0(4) + 32)), 10), "that finds room in the same line");
	ok(cache_has_sectors(c, line_of_set_0(4), 3), "now both are there");
	cache_drop_copy(c, line_of_set_0(4), 1);
	ok(!cache_has_sectors(c, line_of_set_0(4), 1) && cache_has_sectors(c, line_of_set_0(4), 2),
		"what the home writes is dropped alone");
	is_text(access_text(c, new_load(line_of_set_0(4) + 32), 11), "HIT/HIT ", "the other is as any line");
	is_number(cache_warm_copy(c, line_of_set_0(4), 3, 12), 1, "a read in no time lacks what was dropped");
	ok(cache_has_sectors(c, line_of_set_0(4), 3), "and leaves it there");
	cache_drop_copy(c, line_of_set_0(9), 1);
	ok(!cache_has_sectors(c, line_of_set_0(9), 1), "a copy that is not there is dropped in vain");
	cache_delete(c);
}

static void test_l2_atomics(void)
{
	struct cache *c = new_l2();
	uint32_t h = new_load(line_of_set_0(0)), merged = new_load(line_of_set_0(0));
	struct cache_ports n;

	at(merged)->flags |= REQ_ATOMIC;
	access_text(c, h, 1);
	is_text(access_text(c, merged, 2), "MISS/HIT_RESERVED ", "an atomic merges");
	cache_miss_queue_pop(c);
	cache_fill(c, h, 3);
	is_number(c->tags.n_modified, 1, "the fill makes the sector modified");
	is_number(cache_peek_ready(c), h, "the first comes out first");
	is_number(cache_pop_ready(c), h, "and is popped");
	is_number(cache_pop_ready(c), merged, "then the merged one");
	ok(!cache_has_ready(c) && cache_pop_ready(c) == REQ_NONE, "then none");
	load_sector(c, line_of_set_0(1), 4);
	h = new_load(line_of_set_0(1));
	at(h)->flags |= REQ_ATOMIC;
	is_text(access_text(c, h, 5), "HIT/HIT ", "an atomic hit");
	is_number(c->tags.n_modified, 2, "makes its sector modified too");
	cache_end_cycle(c);
	cache_add_idle_cycles(c, 10);
	n = cache_port_counts(c);
	ok(n.cycles == 75 && n.data_busy == 1 && n.fill_busy == 2, "port samples");
	cache_delete(c);
}

/* Tests that a reply of four sectors occupies the port once. */
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
	is_number(cache_read_only_access(c, h, 1), STATUS_MISS, "instruction miss");
	is_number(cache_read_only_access(c, two, 2), STATUS_MISS, "a second access merges");
	check_count(c, INST_ACC_R, STATUS_MISS, 2, "both count as MISS");
	live = (unsigned)req_count_live(&pool);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t piece = req_new(&pool);

		at(piece)->flags = REQ_PIECE | REQ_BLANK;
		at(piece)->parent = h;
		ok(!cache_has_ready(c) && cache_fill_port_free(c), "piece %u awaited", i);
		cache_fill(c, piece, 3);
	}
	ok(cache_has_ready(c) && !cache_fill_port_free(c), "whole");
	is_number((long long)req_count_live(&pool), live, "the pieces are gone");
	is_number(cache_pop_ready(c), h, "first");
	is_number(cache_pop_ready(c), two, "second");
	is_number(cache_read_only_access(c, h, 4), STATUS_HIT, "instruction hit");
	ok(cache_data_port_free(c), "never charges the data port");
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
