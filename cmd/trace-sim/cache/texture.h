/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texture cache: misses are sent in order, hits wait for earlier misses, and all requests return in order.
 * Only kernels from PTX have texture accesses.
 *
 * A texture cache is a struct cache. Its tags, counts and miss queue, and cache_delete(), are used like those of any
 * other cache. The functions below replace the other functions of cache.h.
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include "cache/cache.h"

struct cache *texture_new(const struct cache_params *p, struct req_pool *pool);
/*
 * Accesses the cache with request r. Returns HIT_RESERVED or MISS if the cache has accepted r. Returns RESERVATION_FAIL
 * if the cache is full; the caller then still owns r.
 */
enum cache_status texture_access(struct cache *c, uint32_t r, uint64_t now);
/* Handles a reply from the level below; always accepts it. */
void texture_fill(struct cache *c, uint32_t r);
/* Runs a cycle, which makes at most one request ready. Called after the miss queue was served. */
void texture_cycle(struct cache *c);
/* Returns true if a cycle would change more than counters without a new access or reply. */
bool texture_has_work(const struct cache *c);
bool texture_has_ready(const struct cache *c);
uint32_t texture_pop_ready(struct cache *c);

#endif
