/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory pools, from which programs allocate in the order of a stream.
 *
 * Freed memory is returned to the system at once, so a pool contains only the bytes in use. Its release
 * threshold and reuse policies are stored and returned, without effect. Kernels may access memory of the host's
 * pools even if the program has not allowed it. Pools shared with other processes are not supported. A
 * destroyed pool exists until all of its memory is freed.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "cudart/graph.h"

struct pool {
	struct pool *next;
	enum grant_kind kind; /* memory of the device, pinned memory of the host, or managed memory */
	bool destroyed;
	int reuse[3];
	int device_access; /* access of the device to a pool of the host: 0 or MAY_READ_AND_WRITE */
	uint64_t threshold, used, most_used, most_reserved;
	uint64_t capacity; /* capacity in bytes; 0: unlimited */
};

struct pool_place {
	int type;
	int id; /* number of the device or of the host's NUMA node */
};

struct pool_properties {
	int type, handles;
	struct pool_place place;
	void *security;
	size_t capacity;
	unsigned char rest[56];
};

enum { REUSE_FIRST = 1, REUSE_LAST = 3, THRESHOLD, RESERVED, RESERVED_MOST, USED, USED_MOST };
enum { PINNED = 1, MANAGED, MAY_READ_AND_WRITE = 3 };
enum { ANYWHERE, ON_DEVICE, ON_HOST, ON_NUMA_NODE, ON_CURRENT_NUMA_NODE };
enum { POOL_KINDS = GRANT_MANAGED + 1 };

/* The default pool of each kind of memory, and the pool that the program has set in its place. */
static struct pool standard[POOL_KINDS] = {
	{.next = &standard[1], .kind = GRANT_DEVICE, .reuse = {1, 1, 1}},
	{.next = &standard[2], .kind = GRANT_PINNED, .reuse = {1, 1, 1}},
	{.kind = GRANT_MANAGED, .reuse = {1, 1, 1}},
};
static struct pool *current[POOL_KINDS] = {&standard[0], &standard[1], &standard[2]}, *pools = standard;

static bool is_pool(const struct pool *p)
{
	const struct pool *i = pools;

	while (i && i != p)
		i = i->next;
	return i && !i->destroyed;
}

/* Sets *kind to the kind of memory that a pool of this type has at a place. Returns 0 or a status. */
static int find_pool_kind(int type, const struct pool_place *place, enum grant_kind *kind)
{
	bool on_host = place && place->type >= ON_HOST && place->type <= ON_CURRENT_NUMA_NODE;

	if (place && place->type == ON_DEVICE && place->id)
		return cudaErrorInvalidDevice;
	if (!place || (place->type == ON_NUMA_NODE && place->id))
		return cudaErrorInvalidValue;
	if (type == PINNED && (place->type == ON_DEVICE || on_host))
		*kind = on_host ? GRANT_PINNED : GRANT_DEVICE;
	else if (type == MANAGED && (place->type == ANYWHERE || place->type == ON_DEVICE || on_host))
		*kind = GRANT_MANAGED;
	else
		return cudaErrorInvalidValue;
	return cudaSuccess;
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
	if (!e && capture_blocks_work(s, &e)) {
		if (!e && p->kind != GRANT_DEVICE)
			e = cudart_unsupported(
				what, "a graph that allocates managed memory or memory of the host");
		return cudart_leave(e ? e : record_pool_allocation(to, n, s));
	}
	if (!e && p->capacity && n > p->capacity - p->used)
		e = cudaErrorMemoryAllocation;
	if (!e)
		e = cudart_allocate(&addr, n, p->kind, 0, what);
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
	return allocate_from_pool(to, n, current[GRANT_DEVICE], s, "cudaMallocAsync");
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
	enum grant_kind kind = GRANT_DEVICE;

	if (!e && (!to || !x))
		e = cudaErrorInvalidValue;
	if (!e)
		e = find_pool_kind(x->type, &x->place, &kind);
	if (!e && x->handles)
		e = cudart_unsupported("cudaMemPoolCreate", "a pool that is shared with other processes");
	if (!e) {
		*to = xcalloc(1, sizeof(**to));
		**to = (struct pool){
			.next = pools, .kind = kind, .reuse = {1, 1, 1}, .capacity = x->capacity};
		pools = *to;
	}
	return cudart_leave(e);
}

API(int, cudaMemPoolDestroy, struct pool *p)
{
	int e = cudart_enter(true);

	if (!e && (!is_pool(p) || p == &standard[p->kind]))
		e = cudaErrorInvalidValue;
	if (!e) {
		p->destroyed = true; /* the pool is kept, because it counts its live allocations */
		if (current[p->kind] == p)
			current[p->kind] = &standard[p->kind];
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

/* ---- default and current pools ---- */

static int store_pool(struct pool **to, int type, const struct pool_place *place, struct pool *const *from)
{
	enum grant_kind kind = GRANT_DEVICE;
	int e = cudart_enter(false);

	if (!e)
		e = find_pool_kind(type, place, &kind);
	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (!e)
		*to = from[kind];
	return cudart_leave(e);
}

static struct pool *const defaults[POOL_KINDS] = {&standard[0], &standard[1], &standard[2]};

API(int, cudaMemGetDefaultMemPool, struct pool **to, const struct pool_place *place, int type)
{
	return store_pool(to, type, place, defaults);
}

API(int, cudaMemGetMemPool, struct pool **to, const struct pool_place *place, int type)
{
	return store_pool(to, type, place, current);
}

API(int, cudaMemSetMemPool, const struct pool_place *place, int type, struct pool *p)
{
	enum grant_kind kind = GRANT_DEVICE;
	int e = check_pool(p, p);

	if (!e)
		e = find_pool_kind(type, place, &kind);
	if (!e && p->kind != kind)
		e = cudaErrorInvalidValue;
	if (!e)
		current[kind] = p;
	return cudart_leave(e);
}

API(int, cudaDeviceGetDefaultMemPool, struct pool **to, int device)
{
	return cudaMemGetDefaultMemPool(to, &(struct pool_place){ON_DEVICE, device}, PINNED);
}

API(int, cudaDeviceGetMemPool, struct pool **to, int device)
{
	return cudaMemGetMemPool(to, &(struct pool_place){ON_DEVICE, device}, PINNED);
}

API(int, cudaDeviceSetMemPool, int device, struct pool *p)
{
	return cudaMemSetMemPool(&(struct pool_place){ON_DEVICE, device}, PINNED, p);
}

/* ---- access ---- */

struct pool_access {
	struct pool_place place;
	int flags;
};

/* The device always has access to its own memory; its access to memory of the host can be switched. */
API(int, cudaMemPoolSetAccess, struct pool *p, const struct pool_access *x, size_t n)
{
	int e = check_pool(p, x);

	for (size_t i = 0; !e && i < n; i++) {
		bool good = x[i].flags == MAY_READ_AND_WRITE || (!x[i].flags && p->kind == GRANT_PINNED);

		if (x[i].place.type != ON_DEVICE || x[i].place.id || !good)
			e = cudaErrorInvalidValue;
		else
			p->device_access = x[i].flags;
	}
	return cudart_leave(e);
}

API(int, cudaMemPoolGetAccess, int *flags, struct pool *p, const struct pool_place *place)
{
	int e = check_pool(p, flags);

	if (!e && !place)
		e = cudaErrorInvalidValue;
	if (!e && place->type == ON_DEVICE && !place->id)
		*flags = p->kind == GRANT_PINNED ? p->device_access : MAY_READ_AND_WRITE;
	else if (!e)
		*flags = place->type >= ON_HOST && p->kind != GRANT_DEVICE ? MAY_READ_AND_WRITE : 0;
	return cudart_leave(e);
}
