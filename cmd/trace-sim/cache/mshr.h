/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Miss status holding registers: requests waiting for data, by MSHR address (CACHE-mshr).
 *
 * Always true: an entry in use holds at least one request. Its first request is sent to the level below and is not
 * linked, so it can be in other queues. Merged requests are linked through req.next. The entry keeps the fields of the
 * first request that the level below may overwrite, since the next cache below keeps fields of the same
 * request.
 */
#ifndef MSHR_H
#define MSHR_H

#include "request/req.h"
#include "fifo.h"

struct mshr_entry {
	uint64_t addr;       /* MSHR address */
	uint64_t made_addr;  /* the first request's own address and size */
	uint32_t first;      /* first request; REQ_NONE after it was returned */
	uint32_t head, tail; /* merged requests */
	uint32_t count;      /* requests held */
	uint32_t chain;      /* next entry of the bucket, or of the free ones */
	uint32_t slot;       /* tag array slot of the data */
	uint16_t made_size;
	uint8_t pieces; /* outstanding sector replies */
	bool waiting;   /* the first request has not been answered */
	bool atomic;    /* one of the requests is atomic */
};

struct mshr {
	struct mshr_entry *entry; /* [0] unused: 0 ends a chain */
	uint32_t *bucket;
	uint32_t shift;        /* hash bits are the uppermost 64 - shift */
	uint32_t limit, merge; /* entries, requests of an entry */
	uint32_t used, made, free;
	struct ring ready; /* entries whose data is there */
};

/* Head of the chain of entries of the address; MSHR addresses end in at least four zero bits. */
static inline uint32_t *mshr_bucket(const struct mshr *m, uint64_t addr)
{
	return &m->bucket[(addr >> 4) * 0x9E3779B97F4A7C15ull >> m->shift];
}

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merge);
void mshr_free(struct mshr *m);
/* Returns the entry of addr or NULL. bucket: mshr_bucket() of addr. */
struct mshr_entry *mshr_find(const struct mshr *m, const uint32_t *bucket, uint64_t addr);
/* Opens an entry for addr with the first request r. The table is not full and has no entry of addr. */
struct mshr_entry *mshr_open(
	struct mshr *m, uint32_t *bucket, uint64_t addr, uint32_t r, struct req_pool *pool);
void mshr_merge(struct mshr *m, struct mshr_entry *e, uint32_t r, struct req_pool *pool);
void mshr_ready(struct mshr *m, const struct mshr_entry *e);
uint32_t mshr_peek(const struct mshr *m); /* REQ_NONE: nothing is ready */
uint32_t mshr_pop(struct mshr *m, const struct req_pool *pool);

#endif
