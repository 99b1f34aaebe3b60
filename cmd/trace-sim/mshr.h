/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Miss status holding registers (part 3 section 17): outstanding misses by MSHR address, each with the ordered
 * list of requests that wait for it, and the FIFO of addresses whose data has come. Internal to the cache files.
 * Always true: an entry is found by open addressing in a table twice as large as the entries; lists are linked
 * through req.miss[level].next; a ready entry keeps its place until its last request has left.
 */
#ifndef MSHR_H
#define MSHR_H

#include "req.h"
#include "ring.h"

struct mshr_entry { uint64_t addr; uint32_t first, last, n; bool atomic; };

struct mshr {
	struct mshr_entry *entry;
	uint32_t *free;
	uint32_t n_free, entries, merge;
	unsigned level;			/* which of a request's links: 0 L1, 1 L2 */
	uint32_t *table;		/* entry + 1, 0: empty */
	uint32_t mask;
	struct ring ready;		/* entry numbers */
	uint32_t *ready_slots;
};

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merge, unsigned level);
void mshr_free(struct mshr *m);
/* Entry of addr, or NULL. */
struct mshr_entry *mshr_find(const struct mshr *m, uint64_t addr);
static inline bool mshr_available(const struct mshr *m, const struct mshr_entry *e) { return e ? e->n < m->merge : m->n_free != 0; }
void mshr_add(struct mshr *m, struct req_pool *pool, uint64_t addr, uint32_t r);
/* Data for addr is there; reports whether an atomic waits. */
bool mshr_mark_ready(struct mshr *m, uint64_t addr);
static inline bool mshr_has_ready(const struct mshr *m) { return !ring_empty(&m->ready); }
uint32_t mshr_peek_ready(const struct mshr *m);
uint32_t mshr_pop_ready(struct mshr *m, struct req_pool *pool);

#endif
