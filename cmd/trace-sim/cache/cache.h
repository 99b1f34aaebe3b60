/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cache model: one object for L1D, L1C, L1I and L2 (trace-sim-cache(7)). Implemented in cache.c (access
 * flow), tag.c (tag array), mshr.c and write.c (write policies).
 *
 * Always true: an access with the result RESERVATION_FAIL has changed only statistics. A request with the
 * result MISS is held by the cache (in its MSHR and, if it is sent, in the miss queue) until it is popped as
 * ready.
 */
#ifndef CACHE_H
#define CACHE_H

#include "params.h"
#include "request/req.h"

/* Printed in this order. */
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

/* Why a cache will never take an access that it refused (CACHE-conf-3). */
enum cache_never {
	NEVER_SAID,     /* the cache may accept the access later */
	NEVER_QUEUED,   /* the miss queue is too small for it even when empty */
	NEVER_ANSWERED, /* a write that is sent nowhere, where all writes are answered from below */
	NEVER_READABLE, /* a read of a line that was written in part and has no sectors to read the rest by */
	NEVER_FILLED,   /* a read that waits for more replies than come from the level below */
	NEVER_PLACED,   /* all lines of the set of an L2 wait for sectors without a request (Q4-11) */
	N_NEVERS
};

/* Requests that one access sent towards memory (LSU-store-3, MEM-ack), or the reason why it never will. */
struct cache_events {
	_Alignas(8) bool read_sent;
	bool write_sent, alloc_sent, write_back_sent;
	uint8_t never; /* enum cache_never */
};

/* Expected configuration, for a message after "expected"; none for NEVER_SAID. */
extern const char *const cache_never_wanted[N_NEVERS];

struct cache;

/* Source of partition-local addresses for the set index of an L2; NULL elsewhere (CACHE-index-7). */
struct addrdec;

struct cache *cache_new(
	const struct cache_params *p, enum cache_role role, const struct addrdec *dec, struct req_pool *pool);
void cache_delete(struct cache *c);
/*
 * Sets a hook that is called for every request of the cache before chip and sub are copied from its cause.
 * The hook fills bank and row, and draws a random number if the decoder does (MEM-addr-7).
 */
void cache_set_decode_hook(struct cache *c, void (*decode)(void *ctx, struct req *r), void *ctx);

/*
 * Access by request handle r (its addr, type, flags, sectors, bytes). now: time stamp, truncated to 32 bits.
 * Returns STATUS_HIT, STATUS_MISS or STATUS_RESERVATION_FAIL; *probe (may be NULL) gets the probe's outcome.
 * The caller keeps r on HIT without write_sent, on FAIL, and on the MISS of a write of which nothing was sent
 * (neither write_sent nor alloc_sent): that one is done, hit or miss. Otherwise the cache holds it: a read in
 * its MSHR, a sent write in the miss queue; a write with alloc_sent alone is the parent of the allocate-read
 * (REQ_PARENT_WRITE) and comes back with it.
 */
enum cache_status cache_access(
	struct cache *c, uint32_t r, uint64_t now, struct cache_events *ev, enum cache_status *probe);
/* Read-only access (L1I). Same contract; writes and data port play no part (CACHE-ro). */
enum cache_status cache_read_only_access(struct cache *c, uint32_t r, uint64_t now);

/*
 * Handles a reply of the level below (CACHE-fill). The cache owns r: it frees pieces and keeps the request.
 */
void cache_fill(struct cache *c, uint32_t r, uint64_t now);
bool cache_waiting_for_fill(const struct cache *c, uint32_t r);
bool cache_fill_port_free(const struct cache *c);
bool cache_data_port_free(const struct cache *c);

/* Requests whose data is there, one per call in MSHR order; REQ_NONE when there is none. */
bool cache_has_ready(const struct cache *c);
uint32_t cache_pop_ready(struct cache *c);
uint32_t cache_peek_ready(const struct cache *c); /* the request cache_pop_ready would give */

/* Miss queue towards memory. */
bool cache_miss_queue_empty(const struct cache *c);
uint32_t cache_miss_queue_front(const struct cache *c);
uint32_t cache_miss_queue_pop(struct cache *c);

/* Ends a cache cycle; called after the miss queue was served (CACHE-queue-3). */
void cache_cycle(struct cache *c);
/* Adds n cycles without work, or sets the number of cycles for a caller that counts them itself. */
void cache_idle_cycles(struct cache *c, uint64_t n);
void cache_set_cycles(struct cache *c, uint64_t n);
bool cache_ports_idle(const struct cache *c);

void cache_invalidate(struct cache *c); /* CACHE-flush */
void cache_flush(struct cache *c);      /* L2: drops modified lines only */
void cache_set_ways(struct cache *c, uint32_t ways, enum alloc_policy alloc); /* CACHE-size-2 */
/*
 * Sets the number of sets of an L1 with INDEX_MODULO, at most the number at its creation. Another number than
 * before empties it (CACHE-size-3).
 */
void cache_set_sets(struct cache *c, uint32_t sets, enum alloc_policy alloc);
/* Fills tags by a host copy (MEM-copy): one sector of address addr. */
void cache_memcpy_touch(struct cache *c, uint64_t addr, uint32_t sector, uint64_t now);

/*
 * Copies of lines whose home is another cache, for an L2 of two sides (mem/sides.c): clean, and never
 * reserved. addr: any address of the line.
 */
/* Returns true if a read of all of these sectors would hit. */
bool cache_holds(const struct cache *c, uint64_t addr, uint32_t sectors);
/*
 * Inserts the sectors of the read r as the youngest of their set, unless the miss queue or the set is full.
 * Returns true if a modified line was evicted and its write-back, on behalf of r, is in the miss queue.
 */
bool cache_put_copy(struct cache *c, const struct req *r, uint64_t now);
void cache_drop_copy(struct cache *c, uint64_t addr, uint32_t sectors);
/* Reads a copy without time. Like cache_touch(), but misses count in the home cache and not here. */
uint32_t cache_touch_copy(struct cache *c, uint64_t addr, uint32_t sectors, uint64_t now);
/*
 * Accesses without time, and the sectors (of a cache without sectors: lines) that were missing or were evicted
 * for them.
 */
struct cache_touches {
	uint32_t n;
	uint64_t misses, read_misses, written_back;
};
struct cache_touches cache_touches(const struct cache *c);
/*
 * Accesses sectors of a line without time, counted among the touches only: afterwards they are valid or
 * modified, the youngest of their set. Returns the sectors that were missing.
 */
uint32_t cache_touch(struct cache *c, uint64_t addr, uint32_t sectors, bool modify, uint64_t now);
/*
 * Like cache_touch(), for sectors that are written as a whole, under the write policy. The caller handles the
 * accesses that the cache sends below.
 */
void cache_touch_written(struct cache *c, uint64_t addr, uint32_t sectors, uint64_t now);

/* Statistics. counts: of one stream index, or NULL when that stream never counted. */
const struct cache_counts *cache_counts_of(const struct cache *c, unsigned stream);
void cache_add_counts(const struct cache *c, int stream, struct cache_counts *sum); /* stream < 0: all */
/* Adds accesses and misses of all streams, as in the total miss rates of trace-stats(5). */
void cache_add_lookups(const struct cache *c, uint64_t *accesses, uint64_t *misses);
uint32_t cache_lines(const struct cache *c); /* capacity */
struct cache_ports {
	uint64_t cycles, data_busy, fill_busy;
};
struct cache_ports cache_port_counts(const struct cache *c);
/* MSHR entries in use and miss queue length, for the deadlock report. */
void cache_occupancy(const struct cache *c, uint32_t *mshr_entries, uint32_t *miss_queue);

#endif
