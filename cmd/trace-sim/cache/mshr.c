/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Miss status holding registers (mshr.h): a chained hash table of entries, and a FIFO of the ready entries. Each call
 * of mshr_pop_ready() removes one request from an entry. The entry is in use until the last request has left. Until
 * then further requests may be merged into it (quirk Q3-40).
 */
#include <assert.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "mshr.h"

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merge)
{
	uint32_t buckets = fifo_capacity(entries * 2 + 2), ready = fifo_capacity(entries);

	*m = (struct mshr){.limit = entries, .max_merged = merge, .shift = 64 - log2_floor(buckets)};
	m->entry = reserve((size_t)entries + 1, sizeof(*m->entry));
	m->bucket = reserve(buckets, sizeof(*m->bucket));
	ring_init(&m->ready, reserve(ready, sizeof(*m->ready.slot)), ready);
}

void mshr_free(struct mshr *m)
{
	reserve_free(m->entry, (size_t)m->limit + 1, sizeof(*m->entry));
	reserve_free(m->bucket, (size_t)1 << (64 - m->shift), sizeof(*m->bucket));
	reserve_free(m->ready.slot, m->ready.mask + 1, sizeof(*m->ready.slot));
}

struct mshr_entry *mshr_find(const struct mshr *m, const uint32_t *bucket, uint64_t addr)
{
	if (!m->n_used)
		return NULL;
	for (uint32_t i = *bucket; i; i = m->entry[i].chain)
		if (m->entry[i].addr == addr)
			return &m->entry[i];
	return NULL;
}

/*
 * Writes all buckets before the first read. A page that is read before it is written costs two page faults, and the
 * second one interrupts every thread.
 */
static void touch_buckets(struct mshr *m) { memset(m->bucket, 0, sizeof(*m->bucket) << (64 - m->shift)); }

struct mshr_entry *mshr_add_entry(
	struct mshr *m, uint32_t *bucket, uint64_t addr, uint32_t r, struct req_pool *pool)
{
	uint32_t i = m->first_free;
	struct mshr_entry *e;

	assert(m->n_used < m->limit);
	if (!m->n_made)
		touch_buckets(m);
	if (i)
		m->first_free = m->entry[i].chain;
	else
		i = ++m->n_made;
	e = &m->entry[i];
	*e = (struct mshr_entry){
		.addr = addr, .first_request = r, .count = 1, .chain = *bucket, .waiting = true};
	e->atomic = pool->req[r].flags & REQ_ATOMIC;
	*bucket = i;
	m->n_used++;
	return e;
}

void mshr_merge(struct mshr *m, struct mshr_entry *e, uint32_t r, struct req_pool *pool)
{
	assert(!mshr_entry_is_full(m, e));
	pool->req[r].next = REQ_NONE;
	if (e->head == REQ_NONE)
		e->head = r;
	else
		pool->req[e->tail].next = r;
	e->tail = r;
	e->count++;
	if (pool->req[r].flags & REQ_ATOMIC)
		e->atomic = true;
}

void mshr_mark_ready(struct mshr *m, const struct mshr_entry *e)
{
	ring_push(&m->ready, (uint32_t)(e - m->entry));
}

uint32_t mshr_peek_ready(const struct mshr *m)
{
	const struct mshr_entry *e;

	if (ring_empty(&m->ready))
		return REQ_NONE;
	e = &m->entry[ring_front(&m->ready)];
	return e->first_request != REQ_NONE ? e->first_request : e->head;
}

static void free_mshr_entry(struct mshr *m, uint32_t i)
{
	uint32_t *link = mshr_bucket(m, m->entry[i].addr);

	while (*link != i)
		link = &m->entry[*link].chain;
	*link = m->entry[i].chain;
	m->entry[i].chain = m->first_free;
	m->first_free = i;
	m->n_used--;
}

uint32_t mshr_pop_ready(struct mshr *m, const struct req_pool *pool)
{
	uint32_t r = mshr_peek_ready(m);
	struct mshr_entry *e;

	if (r == REQ_NONE)
		return r;
	e = &m->entry[ring_front(&m->ready)];
	if (e->first_request != REQ_NONE) {
		e->first_request = REQ_NONE;
		e->fetched_ahead = false;
	} else {
		e->head = pool->req[r].next;
	}
	if (!--e->count)
		free_mshr_entry(m, ring_pop(&m->ready));
	return r;
}
