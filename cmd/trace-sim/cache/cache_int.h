/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internal state of a cache, shared by cache.c (accesses, reads, fills), write.c (write policies) and texture.c.
 *
 * Always true: cache_new() allocates all memory of the tag array, the MSHRs and the miss queue. An access makes one
 * lookup, because no tag changes between the lookup and the tag access. (The original makes two.)
 */
#ifndef CACHE_INT_H
#define CACHE_INT_H

#include "inlining.h"
#include "tag.h"
#include "mshr.h"

struct texture_cache;

struct cache {
	struct tags tags;
	struct mshr mshr;
	struct ring queue; /* miss queue */
	struct req_pool *pool;
	/* limit of the miss queue; quirk Q3-5: callers test it, but pushes may exceed it */
	uint32_t queue_max;
	uint32_t fill_bytes;  /* number of bytes of a fill */
	uint32_t port_bytes;  /* bytes per cycle of the data port */
	uint32_t fill_cycles; /* cycles for which a fill occupies the fill port */
	enum write_policy write;
	enum write_alloc walloc;
	struct cache_warm_counts warmed;
	uint64_t data_free;            /* first cycle in which the data port is free */
	uint64_t fill_free;            /* first cycle in which the fill port is free */
	struct cache_ports ports;      /* busy cycles, including future ones up to data_free and fill_free */
	struct cache_counts *counts;   /* counts of each stream */
	bool stream_used[MAX_STREAMS]; /* true for each stream that has counts */
	void (*decode)(void *ctx, struct req *r);
	void *decode_ctx;
	uint8_t write_back_type, alloc_type;
	uint8_t pieces; /* number of sector replies to a read; 0: one reply for the line */
	bool is_l2;
	bool fetches_pairs;            /* true if a read miss fetches a pair of sectors (pair.c) */
	struct texture_cache *texture; /* state of a texture cache; NULL: the cache is another one */
};

void texture_delete(struct texture_cache *t);

/* State of one access. */
struct cache_visit {
	struct cache *cache;
	struct req *req;
	uint32_t handle; /* handle of `req` */
	uint32_t now;
	struct lookup lookup;
	struct evicted evicted;
	struct cache_events events;
	uint32_t evicted_bytes; /* number of evicted modified bytes that passed through the data port */
};

/* Returns true if at most x entries of the miss queue are free (CACHE-queue-1). */
static inline bool miss_queue_full_for(const struct cache *c, uint32_t x)
{
	return c->queue.count + x >= c->queue_max;
}

/* cache.c */
/* Counts a rejected access; returns STATUS_RESERVATION_FAIL. */
enum cache_status cache_reject(struct cache_visit *a, enum cache_fail why);
/*
 * Sends read r to the level below, or merges it into an MSHR entry (CACHE-mshr-2). r is the request of the access or an
 * allocate-read. Returns false if the read was rejected, and counts this.
 */
bool cache_send_read(struct cache_visit *a, uint32_t r);
/* Sends the write-back of an evicted line, if there is one (CACHE-wb-1). Returns its size or 0. */
uint32_t cache_emit_write_back(struct cache_visit *a);
/*
 * Makes a request that belongs to no instruction. Its SM, cluster, stream and memory location are those of the access.
 */
NOINLINE uint32_t cache_make_request(struct cache_visit *a, uint8_t type, unsigned flags, uint64_t addr);

/* pair.c */
/* Returns true if the read miss of an access must also fetch the other sector of its pair. */
bool pair_is_incomplete(const struct cache_visit *a);
/*
 * Fetches the other sector of the pair. Requires that pair_is_incomplete() was true before the read was sent, and that
 * an MSHR entry is free.
 */
void pair_fetch_other(const struct cache_visit *a);

/* write.c */
enum cache_status cache_write_hit(struct cache_visit *a);
enum cache_status cache_write_miss(struct cache_visit *a);

#endif
