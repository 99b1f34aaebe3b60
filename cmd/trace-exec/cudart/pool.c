/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory pools, from which programs allocate in the order of a stream.
 *
 * Freed memory is returned to the system at once, so a pool contains only the bytes in use. Its release
 * threshold and reuse policies are stored and returned, without effect. Pools of managed memory and pools
 * shared with other processes are not supported. A destroyed pool exists until all of its memory is freed.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "cudart/graph.h"

struct pool {
	struct pool *next;
	bool destroyed;
	int reuse[3];
	uint64_t threshold, used, most_used, most_reserved;
	uint64_t capacity; /* capacity in bytes; 0: unlimited */
};

struct pool_properties {
	int type, handles, location, device;
	void *security;
	size_t capacity;
	unsigned char rest[56];
};

enum { REUSE_FIRST = 1, REUSE_LAST = 3, THRESHOLD, RESERVED, RESERVED_MOST, USED, USED_MOST };
enum { PINNED = 1, ON_DEVICE = 1, MAY_READ_AND_WRITE = 3 };

static struct pool standard = {.reuse = {1, 1, 1}}, *pools = &standard, *current = &standard;

static bool is_pool(const struct pool *p)
{
	const struct pool *i = pools;

	while (i && i != p)
		i = i->next;
	return i && !i->destroyed;
}

void cudart_pool_add_used(struct pool *p, uint64_t bytes)
{
	p->used += bytes;
	p->most_used = max_u64(p->used, p->most_used);
	p->most_reserved = max_u64(p->used, p->most_reserved);
}

void cudart_pool_subtract_used(struct pool *p, uint64_t bytes) { p->used -= bytes; }

/* ---- memory ---- */

/* Adds an allocation node to the graph that the stream records. */
static int record_pool_allocation(void **to, size_t n, const struct stream *s)
{
	struct graph_work w;
	int e = graph_make_allocation(&w, n);

	if (!e)
		e = capture_add_work(s, &w);
	if (!e)
		*to = (void *)(uintptr_t)w.memory.addr;
	return e;
}

static int allocate_from_pool(void **to, size_t n, struct pool *p, const struct stream *s, const char *what)
{
	uint64_t addr = 0;
	int e = cudart_enter(true);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && (!to || !is_pool(p)))
		e = cudaErrorInvalidValue;
	if (!e && capture_blocks_work(s, &e))
		return cudart_leave(e ? e : record_pool_allocation(to, n, s));
	if (!e && p->capacity && n > p->capacity - p->used)
		e = cudaErrorMemoryAllocation;
	if (!e)
		e = cudart_allocate(&addr, n, GRANT_DEVICE, 0, what);
	if (!e) {
		struct grant *g = cudart_find_grant(addr);

		*to = (void *)(uintptr_t)addr;
		if (g) {
			g->pool = p;
			cudart_pool_add_used(p, n);
		}
	}
	return cudart_leave(e);
}

API(int, cudaMallocAsync, void **to, size_t n, struct stream *s)
{
	return allocate_from_pool(to, n, current, s, "cudaMallocAsync");
}
ALSO(cudaMallocAsync_ptsz, cudaMallocAsync);

API(int, cudaMallocFromPoolAsync, void **to, size_t n, struct pool *p, struct stream *s)
{
	return allocate_from_pool(to, n, p, s, "cudaMallocFromPoolAsync");
}
ALSO(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

/* ---- pools ---- */

API(int, cudaMemPoolCreate, struct pool **to, const struct pool_properties *x)
{
	int e = cudart_enter(false);

	if (!e && (!to || !x))
		e = cudaErrorInvalidValue;
	if (!e && (x->type != PINNED || x->location != ON_DEVICE || x->handles))
		e = cudart_unsupported("cudaMemPoolCreate", "a pool that is shared or not on the device");
	if (!e && x->device)
		e = cudaErrorInvalidDevice;
	if (!e) {
		*to = xcalloc(1, sizeof(**to));
		**to = (struct pool){.next = standard.next, .reuse = {1, 1, 1}, .capacity = x->capacity};
		standard.next = *to;
	}
	return cudart_leave(e);
}

API(int, cudaMemPoolDestroy, struct pool *p)
{
	int e = cudart_enter(true);

	if (!e && (!is_pool(p) || p == &standard))
		e = cudaErrorInvalidValue;
	if (!e) {
		p->destroyed = true; /* the pool is kept, because it counts its live allocations */
		current = current == p ? &standard : current;
	}
	return cudart_leave(e);
}

/* Begins a call for pool p. Fails if `value` is NULL. Returns 0 or a status. */
static int check_pool(const struct pool *p, const void *value)
{
	int e = cudart_enter(false);

	return e ? e : value && is_pool(p) ? cudaSuccess : cudaErrorInvalidValue;
}

API(int, cudaMemPoolSetAttribute, struct pool *p, int attribute, void *value)
{
	int e = check_pool(p, value);

	if (!e && attribute >= REUSE_FIRST && attribute <= REUSE_LAST)
		p->reuse[attribute - REUSE_FIRST] = *(const int *)value != 0;
	else if (!e && attribute == THRESHOLD)
		p->threshold = *(const uint64_t *)value;
	else if (!e && (attribute == USED_MOST || attribute == RESERVED_MOST) && !*(const uint64_t *)value)
		*(attribute == USED_MOST ? &p->most_used : &p->most_reserved) = p->used;
	else if (!e)
		e = cudaErrorInvalidValue;
	return cudart_leave(e);
}

API(int, cudaMemPoolGetAttribute, struct pool *p, int attribute, void *value)
{
	int e = check_pool(p, value);

	if (!e && attribute >= REUSE_FIRST && attribute <= REUSE_LAST)
		*(int *)value = p->reuse[attribute - REUSE_FIRST];
	else if (!e && attribute >= THRESHOLD && attribute <= USED_MOST)
		*(uint64_t *)value = attribute == THRESHOLD       ? p->threshold
				     : attribute == USED_MOST     ? p->most_used
				     : attribute == RESERVED_MOST ? p->most_reserved
								  : p->used;
	else if (!e)
		e = cudaErrorInvalidValue;
	return cudart_leave(e);
}

API(int, cudaMemPoolTrimTo, struct pool *p, size_t keep)
{
	(void)keep;
	return cudart_leave(check_pool(p, p));
}

/* ---- pools of the device ---- */

static int store_pool(struct pool **to, int device, struct pool *p)
{
	int e = cudart_enter(false);

	if (!e)
		e = device ? cudaErrorInvalidDevice : to ? cudaSuccess : cudaErrorInvalidValue;
	if (!e)
		*to = p;
	return cudart_leave(e);
}

API(int, cudaDeviceGetDefaultMemPool, struct pool **to, int device)
{
	return store_pool(to, device, &standard);
}
API(int, cudaDeviceGetMemPool, struct pool **to, int device) { return store_pool(to, device, current); }

API(int, cudaDeviceSetMemPool, int device, struct pool *p)
{
	int e = check_pool(p, p);

	if (!e && device)
		e = cudaErrorInvalidDevice;
	if (!e)
		current = p;
	return cudart_leave(e);
}

struct pool_place {
	int type, device;
};
struct pool_access {
	struct pool_place place;
	int flags;
};

API(int, cudaMemPoolSetAccess, struct pool *p, const struct pool_access *x, size_t n)
{
	int e = check_pool(p, x);

	for (size_t i = 0; !e && i < n; i++)
		if (x[i].place.type != ON_DEVICE || x[i].place.device || x[i].flags != MAY_READ_AND_WRITE)
			e = cudaErrorInvalidValue;
	return cudart_leave(e);
}

API(int, cudaMemPoolGetAccess, int *flags, struct pool *p, const struct pool_place *x)
{
	int e = check_pool(p, flags);

	if (!e && !x)
		e = cudaErrorInvalidValue;
	if (!e)
		*flags = x->type == ON_DEVICE && !x->device ? MAY_READ_AND_WRITE : 0;
	return cudart_leave(e);
}
