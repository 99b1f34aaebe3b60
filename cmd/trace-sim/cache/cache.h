/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cache model of L1D, L1C, L1I and L2 (trace-sim-cache(7)). Implemented in cache.c (accesses and fills), tag.c (tag
 * array), mshr.c and write.c (write policies).
 *
 * Always true: an access with the result RESERVATION_FAIL has changed only statistics. After the result MISS the cache
 * owns the request (it is in an MSHR entry and, if it is sent, in the miss queue) until the request is popped as ready.
 */
#ifndef CACHE_H
#define CACHE_H

#include "params.h"
#include "request/req.h"

/* Result of an access or of a lookup. Statistics are printed in this order. */
enum cache_status {
	STATUS_HIT,
	STATUS_HIT_RESERVED,
	STATUS_MISS,
	STATUS_RESERVATION_FAIL,
	STATUS_SECTOR_MISS,
	STATUS_MSHR_HIT,
	N_STATUS
};
enum cache_fail {
	FAIL_LINE_ALLOC,
	FAIL_MISS_QUEUE_FULL,
	FAIL_MSHR_ENTRY,
	FAIL_MSHR_MERGE_ENTRY,
	FAIL_MSHR_RW_PENDING,
	N_FAILS
};
extern const char *const cache_status_names[N_STATUS];
extern const char *const cache_fail_names[N_FAILS];

#define MAX_STREAMS 256

struct cache_counts {
	uint64_t status[N_ACC_TYPES][N_STATUS];
	uint64_t fail[N_ACC_TYPES][N_FAILS];
};

/* Reasons why a cache will never accept an access that it rejected (CACHE-conf-3). */
enum cache_never {
	NEVER_SAID,   /* the cache may accept the access later */
	NEVER_QUEUED, /* even an empty miss queue is too small for the access */
	/* a write that is not sent to the level below, although the cache waits for acknowledgements of all writes */
	NEVER_ANSWERED,
	NEVER_READABLE, /* a read of a partly written line in a cache that cannot fetch the rest */
	NEVER_FILLED,   /* a read that waits for more replies than the level below sends */
	NEVER_PLACED,   /* an L2 set in which all lines wait for sectors that are never requested (Q4-11) */
	N_NEVERS
};

/* Kinds of requests that an access sent to the level below (LSU-store-3, MEM-ack), or why it is never accepted. */
struct cache_events {
	_Alignas(8) bool read_sent;
	bool write_sent, alloc_sent, write_back_sent;
	uint8_t never_reason; /* enum cache_never */
};

/* Text of the expected configuration for the end of a message, "(expected ...)"; none for NEVER_SAID. */
extern const char *const cache_never_wanted[N_NEVERS];

struct cache;

struct addrdec;

/* Makes a cache. dec: address decoder, for the set index of an L2 (CACHE-index-7); NULL for other caches. */
struct cache *cache_new(
	const struct cache_params *p, enum cache_role role, const struct addrdec *dec, struct req_pool *pool);
void cache_delete(struct cache *c);
/*
 * Sets a function that is called for every request that the cache makes. It sets bank and row of the request. With
 * RANDOM indexing it draws a random number (MEM-addr-7). The partition (channel, sub) is copied afterwards from the
 * request that caused the new one.
 */
void cache_set_decode_hook(struct cache *c, void (*decode)(void *ctx, struct req *r), void *ctx);

/*
 * Accesses the cache with request r (its addr, type, flags, sectors, bytes). now: time stamp, truncated to 32 bits.
 * Returns STATUS_HIT, STATUS_MISS or STATUS_RESERVATION_FAIL. If probe is not NULL, *probe is set to the result of the
 * lookup.
 *
 * The caller still owns r after STATUS_RESERVATION_FAIL, after STATUS_HIT without write_sent, and after the STATUS_MISS
 * of a write with neither write_sent nor alloc_sent, which is done. Otherwise the cache owns r: a read is in its MSHR
 * entry, a sent write in the miss queue. A write with alloc_sent alone is the parent of the allocate-read
 * (REQ_PARENT_WRITE), and is returned with it.
 */
enum cache_status cache_access(
	struct cache *c, uint32_t r, uint64_t now, struct cache_events *ev, enum cache_status *probe);
/* Accesses a read-only cache (L1I, L1C), like cache_access(). The data port is not used (CACHE-ro). */
enum cache_status cache_read_only_access(struct cache *c, uint32_t r, uint64_t now);

/* Handles a reply from the level below (CACHE-fill). The cache owns r: it frees pieces, and keeps the whole request. */
void cache_fill(struct cache *c, uint32_t r, uint64_t now);
bool cache_waits_for_fill(const struct cache *c, uint32_t r);
bool cache_fill_port_free(const struct cache *c);
bool cache_data_port_free(const struct cache *c);

/*
 * Functions for requests whose data has arrived. cache_pop_ready() returns one of them, in MSHR order; REQ_NONE: there
 * is none.
 */
bool cache_has_ready(const struct cache *c);
uint32_t cache_pop_ready(struct cache *c);
/* Returns the next result of cache_pop_ready() without a change. */
uint32_t cache_peek_ready(const struct cache *c);

/* Functions of the miss queue, which has the requests to the level below. */
bool cache_miss_queue_empty(const struct cache *c);
uint32_t cache_miss_queue_front(const struct cache *c);
uint32_t cache_miss_queue_pop(struct cache *c);

/* Ends a cycle of the cache. Called after the miss queue was served (CACHE-queue-3). */
void cache_end_cycle(struct cache *c);
/* Adds n cycles without work; cache_set_cycles() sets the number of cycles for a caller that counts them. */
void cache_add_idle_cycles(struct cache *c, uint64_t n);
void cache_set_cycles(struct cache *c, uint64_t n);
bool cache_ports_idle(const struct cache *c);

void cache_invalidate(struct cache *c); /* makes all lines invalid (CACHE-flush) */
void cache_flush(struct cache *c);      /* makes the modified lines of an L2 invalid */
void cache_set_ways(struct cache *c, uint32_t ways, enum alloc_policy alloc); /* CACHE-size-2 */
/*
 * Sets the number of sets of an L1 with INDEX_MODULO, which is at most the number at its creation. A change of the
 * number empties the cache (CACHE-size-3).
 */
void cache_resize_sets(struct cache *c, uint32_t sets, enum alloc_policy alloc);
/* Fills one sector of the line of addr for a copy by the host (MEM-copy). */
void cache_fill_for_copy(struct cache *c, uint64_t addr, uint32_t sector, uint64_t now);

/*
 * Copies of lines whose home is another cache, for an L2 of two sides (mem/sides.c). A copy is clean and never
 * reserved. addr: any address of the line.
 */
/* Returns true if a read of all of these sectors would hit. */
bool cache_has_sectors(const struct cache *c, uint64_t addr, uint32_t sectors);
/*
 * Inserts the sectors of the read r as the youngest of their set, unless the miss queue or the set is full.
 * Returns true if a modified line was evicted, and its write-back is in the miss queue.
 */
bool cache_put_copy(struct cache *c, const struct req *r, uint64_t now);
void cache_drop_copy(struct cache *c, uint64_t addr, uint32_t sectors);
/* Reads a copy like cache_warm_sectors(). Misses are counted in the home cache, not here. */
uint32_t cache_warm_copy(struct cache *c, uint64_t addr, uint32_t sectors, uint64_t now);
/*
 * Number of accesses by cache_warm_sectors(), and of the sectors that were missing or were evicted for them. A cache
 * without sectors counts lines.
 */
struct cache_warm_counts {
	uint32_t n;
	uint64_t misses, read_misses, written_back;
};
struct cache_warm_counts cache_warm_counts(const struct cache *c);
/*
 * Accesses sectors of a line outside the cycle loop, for --warm. Only struct cache_warm_counts counts the access.
 * Afterwards the sectors are valid or, with `modify`, modified, and the youngest of their set. Returns the mask of the
 * sectors that were missing.
 */
uint32_t cache_warm_sectors(struct cache *c, uint64_t addr, uint32_t sectors, bool modify, uint64_t now);
/*
 * Writes whole sectors like cache_warm_sectors(), by the write policy. The caller makes the accesses that the cache
 * would send to the level below.
 */
void cache_warm_write(struct cache *c, uint64_t addr, uint32_t sectors, uint64_t now);

/* Returns the counts of a stream; NULL if the stream has none. */
const struct cache_counts *cache_counts_of(const struct cache *c, unsigned stream);
/* Adds the counts of a stream to *sum; stream < 0: of all streams. */
void cache_add_counts(const struct cache *c, int stream, struct cache_counts *sum);
/* Adds the accesses and misses of all streams, as defined for the total miss rates in trace-stats(5). */
void cache_add_lookups(const struct cache *c, uint64_t *accesses, uint64_t *misses);
uint32_t cache_capacity_lines(const struct cache *c); /* returns the capacity in lines */
struct cache_ports {
	uint64_t cycles, data_busy, fill_busy;
};
struct cache_ports cache_port_counts(const struct cache *c);
/* Sets the numbers of used MSHR entries and of requests in the miss queue, for the deadlock report. */
void cache_get_occupancy(const struct cache *c, uint32_t *mshr_entries, uint32_t *miss_queue);

#endif
