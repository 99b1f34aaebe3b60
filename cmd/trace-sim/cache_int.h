/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache object, shared by cache.c and cache_write.c. */
#ifndef CACHE_INT_H
#define CACHE_INT_H

#include "cache.h"
#include "cache_tag.h"
#include "mshr.h"

struct cache {
	struct tags tags;
	struct mshr mshr;
	struct req_pool *pool;
	enum cache_role role;
	unsigned level;			/* 0: L1, 1: L2; which of a request's miss records */
	struct ring miss_queue;
	uint32_t *queue_slots;
	uint32_t data_port, fill_port;	/* cycles still busy */
	struct cache_ports ports;
	struct cache_counts *counts;	/* by stream, reserved */
	uint64_t seen[MAX_STREAMS / 64];
	void (*decode)(void *ctx, struct req *r);
	void *decode_ctx;
};

/* Section 18: "queue full for x". */
static inline bool queue_full(const struct cache *c, uint32_t x) { return c->miss_queue.count + x >= c->tags.p.miss_queue; }
static inline uint64_t mshr_addr(const struct cache *c, uint64_t addr) { return addr & ~(uint64_t)(c->tags.p.atom_bytes - 1); }

/* One access under way. */
struct access_ctx {
	struct cache_events *ev;
	struct evicted evicted;
	uint32_t time;
	uint32_t write_back_size;	/* of the write-back event; charges the data port after a write miss */
};

void cache_count_fail(struct cache *c, const struct req *r, enum cache_fail reason);
/* Section 20.2; accepted or not. *line gets the line of the tag access. */
bool cache_send_read(struct cache *c, uint32_t r, struct access_ctx *a, bool alloc, uint32_t *line);
/* The write-back that an access wants (section 20.1), behind whatever the access queued. */
void cache_emit_write_back(struct cache *c, const struct req *cause, struct access_ctx *a, bool charges);
void cache_queue(struct cache *c, uint32_t r);

enum cache_status cache_write_hit(struct cache *c, uint32_t r, struct access_ctx *a);
enum cache_status cache_write_miss(struct cache *c, uint32_t r, struct access_ctx *a);

#endif
