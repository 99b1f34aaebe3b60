/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Common code of the cache tests: small caches, requests, and the result of an access as text. The text is
 * "RESULT/PROBE" and a letter for each request that was sent: r read, w write, a allocating read, b
 * write-back.
 */
#ifndef CACHE_FIXTURE_H
#define CACHE_FIXTURE_H

#include "bits.h"
#include "cache/cache_int.h"
#include "tap.h"

#define KERNEL 0x7f0000000000ull

static struct req_pool pool;

/* ---- caches and requests ---------------------------------------------------------------------- */

/*
 * Returns the parameters of the cache S:4:128:4,L:?:m:?:L,A:8:2,6:0,32, in which `write` and `walloc` replace
 * the question marks.
 */
static inline struct cache_params sector_cache_params(enum write_policy write, enum write_alloc walloc)
{
	return (struct cache_params){.present = true,
		.kind = CACHE_SECTOR,
		.sets = 4,
		.line_bytes = 128,
		.ways = 4,
		.ways_max = 16,
		.atom_bytes = 32,
		.write = write,
		.walloc = walloc,
		.mshr_entries = 8,
		.mshr_merge = 2,
		.miss_queue = 6,
		.port_bytes = 32,
		.line_log2 = 7,
		.sets_log2 = 2};
}

static inline struct cache *new_cache(struct cache_params p, enum cache_role role)
{
	req_pool_free(&pool);
	req_pool_init(&pool, 4096);
	return cache_new(&p, role, NULL, &pool);
}

static inline struct cache *new_l1d(void)
{
	return new_cache(sector_cache_params(WRITE_THROUGH, WALLOC_LAZY), ROLE_L1D);
}
static inline struct cache *new_l2(void)
{
	return new_cache(sector_cache_params(WRITE_BACK, WALLOC_LAZY), ROLE_L2);
}

/* Returns a new request. A size of 32 bytes is a whole sector. */
static inline uint32_t new_request(enum acc_type type, uint64_t addr, unsigned bytes)
{
	uint32_t h = req_new(&pool), off = addr % 128;
	struct req *r = &pool.req[h];

	r->addr = r->orig_addr = addr;
	r->type = (uint8_t)type;
	r->size = 32;
	r->sectors = (uint8_t)(1u << off / 32);
	r->bytes[off / 64] = (bytes < 64 ? (1ull << bytes) - 1 : ~0ull) << off % 64;
	r->flags = type == GLOBAL_ACC_W || type == LOCAL_ACC_W || type == L1_WRBK_ACC ? REQ_WRITE : 0;
	r->sm = 3;
	r->cluster = 2;
	r->warp = 5;
	r->channel = 7;
	r->sub = 15;
	r->lanes = 0xff;
	return h;
}

static inline uint32_t new_load(uint64_t addr) { return new_request(GLOBAL_ACC_R, addr, 32); }
static inline uint32_t new_store(uint64_t addr, unsigned bytes)
{
	return new_request(GLOBAL_ACC_W, addr, bytes);
}
static inline struct req *at(uint32_t h) { return &pool.req[h]; }

static inline const char *access_text(struct cache *c, uint32_t h, uint64_t now)
{
	static char text[64];
	struct cache_events ev;
	enum cache_status probe, st = cache_access(c, h, now, &ev, &probe);

	snprintf(text, sizeof(text), "%s/%s %s%s%s%s", cache_status_names[st], cache_status_names[probe],
		ev.read_sent ? "r" : "", ev.write_sent ? "w" : "", ev.alloc_sent ? "a" : "",
		ev.write_back_sent ? "b" : "");
	return text;
}

static inline void drop_miss_queue(struct cache *c)
{
	while (!cache_miss_queue_empty(c))
		cache_miss_queue_pop(c);
}

static inline void run_cycles(struct cache *c, unsigned n)
{
	while (n--)
		cache_end_cycle(c);
}

/* Empties the miss queue, answers all reads, and pops the answered requests. */
static inline void answer_reads(struct cache *c, uint64_t now)
{
	while (!cache_miss_queue_empty(c)) {
		uint32_t h = cache_miss_queue_pop(c);

		if (cache_waits_for_fill(c, h))
			cache_fill(c, h, now);
	}
	while (cache_has_ready(c))
		cache_pop_ready(c);
	run_cycles(c, 64);
}

/* Loads a sector into the cache, with `now` as its time of last use. */
static inline void load_sector(struct cache *c, uint64_t addr, uint64_t now)
{
	access_text(c, new_load(addr), now);
	answer_reads(c, now);
}

static inline uint64_t status_count(const struct cache *c, enum acc_type t, enum cache_status s)
{
	return cache_counts_of(c, 0) ? cache_counts_of(c, 0)->status[t][s] : 0;
}

static inline uint64_t rejection_count(const struct cache *c, enum acc_type t, enum cache_fail f)
{
	return cache_counts_of(c, 0) ? cache_counts_of(c, 0)->fail[t][f] : 0;
}

static inline void check_count(
	const struct cache *c, enum acc_type t, enum cache_status s, int want, const char *name)
{
	is_number((long long)status_count(c, t, s), want, name);
}

static inline void check_rejected(
	const struct cache *c, enum acc_type t, enum cache_fail f, int want, const char *name)
{
	is_number((long long)rejection_count(c, t, f), want, name);
}

/* Returns the address of the i-th line that is mapped to set 0 of four sets. */
static inline uint64_t line_of_set_0(unsigned i) { return KERNEL + i * 512ull; }

#endif
