/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internal state of a cache, shared by cache.c (flow, reads, fills), write.c (write policies) and texture.c.
 *
 * Always true: the tag array, the MSHRs and the miss queue get all their memory in cache_new(). An access makes one
 * lookup, since no tag changes between the lookup and the tag access (the original looks up twice).
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
	uint32_t queue_max;   /* quirk Q3-5: callers test for a full queue, pushes are not bounded */
	uint32_t atom, port;  /* bytes */
	uint32_t fill_cycles; /* cycles of the fill port for an atom */
	enum write_policy write;
	enum write_alloc walloc;
	struct cache_touches touched;
	uint64_t data_free, fill_free; /* cycle from which on the port is free */
	struct cache_ports ports; /* the busy counts include future cycles, up to data_free and fill_free */
	struct cache_counts *counts;   /* by stream */
	bool stream_used[MAX_STREAMS]; /* the stream has counts */
	void (*decode)(void *ctx, struct req *r);
	void *decode_ctx;
	uint8_t write_back_type, alloc_type;
	uint8_t pieces; /* number of sector replies to a read; 0: one reply for the line */
	bool l2;
	struct texture_cache *texture; /* NULL: no texture cache */
};

void texture_delete(struct texture_cache *t);

/* State of one access. */
struct cache_visit {
	struct cache *c;
	struct req *q;
	uint32_t r; /* q's handle */
	uint32_t now;
	struct lookup at;
	struct evicted out;
	struct cache_events ev;
	uint32_t evicted_bytes; /* modified bytes that passed the data port on the way out */
};

/* Returns true if the queue is "full for x" (CACHE-queue-1). */
static inline bool queue_full(const struct cache *c, uint32_t x)
{
	return c->queue.count + x >= c->queue_max;
}

/* cache.c */
/* Counts a rejected access; returns STATUS_RESERVATION_FAIL. */
enum cache_status cache_reject(struct cache_visit *a, enum cache_fail why);
/*
 * Sends or merges a read (CACHE-mshr-2). r: the access's own request, or an allocate-read. Returns false if it was
 * rejected and counted.
 */
bool cache_send_read(struct cache_visit *a, uint32_t r);
/* Sends the write-back of an evicted line, if there is one (CACHE-wb-1). Returns its size or 0. */
uint32_t cache_emit_write_back(struct cache_visit *a);
/* Makes a request without an instruction, with the core, cluster, stream and memory location of the access. */
NOINLINE uint32_t cache_make_request(struct cache_visit *a, uint8_t type, unsigned flags, uint64_t addr);

/* write.c */
enum cache_status cache_write_hit(struct cache_visit *a);
enum cache_status cache_write_miss(struct cache_visit *a);

#endif
