/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Miss status holding registers: requests that wait for data, by MSHR address (CACHE-mshr).
 *
 * Always true: an entry in use has at least one request. The first request is sent to the level below. It is not in the
 * entry's list, so it can be in other queues. Merged requests are linked by req.next. The entry has copies of those
 * fields of the first request that the cache overwrites when it sends the request.
 */
#ifndef MSHR_H
#define MSHR_H

#include "request/req.h"
#include "fifo.h"

struct mshr_entry {
	uint64_t addr;               /* MSHR address */
	uint64_t first_request_addr; /* req.addr of the first request before it was sent */
	uint32_t first_request;      /* handle of the first request; REQ_NONE after its return */
	uint32_t head;               /* first merged request */
	uint32_t tail;               /* last merged request */
	uint32_t count;              /* number of requests */
	uint32_t chain;              /* next entry in the bucket, or in the list of free entries */
	uint32_t slot;               /* slot of the line in the tag array */
	uint16_t first_request_size; /* req.size of the first request before it was sent */
	uint8_t pieces;              /* number of outstanding sector replies */
	bool waiting;                /* true until the reply to the first request has arrived */
	bool atomic;                 /* true if one of the requests is an atomic */
	/* true if the first request is a fetch that no requester waits for (pair.c), until it is popped */
	bool fetched_ahead;
};

struct mshr {
	struct mshr_entry *entry; /* entries; [0] is unused, because 0 ends a chain */
	uint32_t *bucket;
	uint32_t shift;      /* 64 minus the number of hash bits */
	uint32_t limit;      /* maximum number of entries */
	uint32_t max_merged; /* maximum number of requests of an entry that requesters wait for */
	uint32_t n_used;     /* number of entries in use */
	uint32_t n_made;     /* number of entries that were ever used */
	uint32_t first_free; /* first element of the list of free entries */
	struct ring ready;   /* entries whose data has arrived */
};

/* Returns the bucket of an MSHR address, whose lowest four bits are 0. */
static inline uint32_t *mshr_bucket(const struct mshr *m, uint64_t addr)
{
	return &m->bucket[(addr >> 4) * 0x9E3779B97F4A7C15ull >> m->shift];
}

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merge);
void mshr_free(struct mshr *m);
/* Returns the entry of addr, or NULL. `bucket` is the result of mshr_bucket() for addr. */
struct mshr_entry *mshr_find(const struct mshr *m, const uint32_t *bucket, uint64_t addr);
/* Adds an entry for addr with the first request r. The table must not be full, and must have no entry for addr. */
struct mshr_entry *mshr_add_entry(
	struct mshr *m, uint32_t *bucket, uint64_t addr, uint32_t r, struct req_pool *pool);
/* Returns true if no further request can be merged into the entry. */
static inline bool mshr_entry_is_full(const struct mshr *m, const struct mshr_entry *e)
{
	return e->count >= m->max_merged + e->fetched_ahead;
}
/* Adds a request to an entry that is not full. */
void mshr_merge(struct mshr *m, struct mshr_entry *e, uint32_t r, struct req_pool *pool);
void mshr_mark_ready(struct mshr *m, const struct mshr_entry *e);
/* Returns the next result of mshr_pop_ready() without a change; REQ_NONE: none is ready. */
uint32_t mshr_peek_ready(const struct mshr *m);
uint32_t mshr_pop_ready(struct mshr *m, const struct req_pool *pool);

#endif
