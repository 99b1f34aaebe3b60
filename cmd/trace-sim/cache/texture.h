/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texture cache: misses are sent in order, hits wait for earlier misses, and all requests return in order.
 * Only kernels from PTX have texture accesses.
 *
 * A texture cache is a struct cache. Tags, counts, miss queue and cache_delete() are used like those of any
 * other cache. Only the functions below differ.
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include "cache/cache.h"

struct cache *texture_new(const struct cache_params *p, struct req_pool *pool);
/*
 * Returns HIT_RESERVED or MISS if the cache holds r now, RESERVATION_FAIL if it is full and the caller keeps r.
 */
enum cache_status texture_access(struct cache *c, uint32_t r, uint64_t now);
void texture_fill(struct cache *c, uint32_t r); /* takes a response from below; never full */
void texture_cycle(struct cache *c); /* returns at most one request; called after the miss queue was served */
bool texture_moves(const struct cache *c); /* a cycle would do something without a new access or response */
bool texture_has_ready(const struct cache *c);
uint32_t texture_pop_ready(struct cache *c);

#endif
