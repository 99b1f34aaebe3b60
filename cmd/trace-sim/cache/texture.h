/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The texture cache: misses are sent for in order, hits wait behind them, all come back in order. Only
 * kernels from PTX have texture accesses.
 *
 * A texture cache is a struct cache whose tags, counts and miss queue are used as those of any other: create
 * it with texture_new(), delete it with cache_delete(), send what is in its miss queue; only these differ:
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include "cache/cache.h"

struct cache *texture_new(const struct cache_params *p, struct req_pool *pool);
/* HIT_RESERVED or MISS: the cache holds r; RESERVATION_FAIL: full, and the caller keeps it. */
enum cache_status texture_access(struct cache *c, uint32_t r, uint64_t now);
void texture_fill(struct cache *c, uint32_t r); /* response from below; there is always room for it */
void texture_cycle(struct cache *c);       /* behind the miss queue's turn: one request is done, or none */
bool texture_moves(const struct cache *c); /* a cycle would do something without news */
bool texture_has_ready(const struct cache *c);
uint32_t texture_pop_ready(struct cache *c);

#endif
