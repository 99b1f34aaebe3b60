/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attributes of addresses; host memory that the program registered.
 *
 * Always true: registered ranges do not overlap each other or the library's allocations. Registration does not
 * pin pages. A kernel can access registered memory once the program has asked for its device address.
 */
#include <string.h>
#include "arena.h"
#include "cudart/pause.h"

struct registered_range {
	uint64_t start, bytes;
	uint64_t device; /* device address of `start`; 0: the program did not ask for it */
	unsigned flags;
};

static struct {
	struct registered_range *range;
	uint32_t n, cap;
} registered;

enum { REGISTER_IO = 4, REGISTER_FLAGS = 15 };
enum { NO_DEVICE = -2 };

static struct registered_range *find_registered_range(uint64_t addr)
{
	for (uint32_t i = 0; i < registered.n; i++)
		if (addr - registered.range[i].start < registered.range[i].bytes)
			return &registered.range[i];
	return NULL;
}

bool cudart_is_registered(const void *p) { return find_registered_range((uintptr_t)p); }

/*
 * Returns true if n bytes at start begin or end in an allocation of the library, or overlap a registered range.
 */
static bool overlaps_known_memory(uint64_t start, uint64_t n)
{
	if (cudart_find_grant(start) || cudart_find_grant(start + n - 1))
		return true;
	for (uint32_t i = 0; i < registered.n; i++)
		if (registered.range[i].start < start + n &&
			start < registered.range[i].start + registered.range[i].bytes)
			return true;
	return false;
}

API(int, cudaHostRegister, void *p, size_t n, unsigned flags)
{
	int e = cudart_enter(true);
	uint64_t start = (uintptr_t)p;
	const struct grant *g = cudart_find_grant(start);
	bool device = g ? g->kind == GRANT_DEVICE : cudart_is_device_memory(p);

	if (!e && (!p || !n || n > UINT64_MAX - start || flags > REGISTER_FLAGS || device))
		e = cudaErrorInvalidValue;
	if (!e && flags & REGISTER_IO)
		e = cudart_unsupported("cudaHostRegister", "memory of another device");
	if (!e && overlaps_known_memory(start, n))
		e = cudaErrorHostMemoryAlreadyRegistered;
	if (!e) {
		grow(&registered.range, &registered.cap, registered.n + 1, sizeof(*registered.range));
		registered.range[registered.n++] =
			(struct registered_range){.start = start, .bytes = n, .flags = flags};
	}
	return cudart_leave(e);
}

API(int, cudaHostUnregister, void *p)
{
	int e = cudart_enter(true);
	struct registered_range *r = find_registered_range((uintptr_t)p);

	if (!e && !p)
		e = cudaErrorInvalidValue;
	if (!e && (!r || r->start != (uintptr_t)p))
		e = cudaErrorHostMemoryNotRegistered;
	if (!e && r->device && !(e = pause_wait_all()))
		pages_unshare(r->start);
	if (!e)
		*r = registered.range[--registered.n];
	return cudart_leave(e);
}

API(int, cudaHostGetDevicePointer, void **to, void *p, unsigned flags)
{
	int e = cudart_enter(false);
	const struct grant *g = cudart_find_grant((uintptr_t)p);
	struct registered_range *r = find_registered_range((uintptr_t)p);

	if (!e && (!to || flags || (!r && (!g || g->kind == GRANT_DEVICE))))
		e = cudaErrorInvalidValue;
	if (!e && !g && !r->device)
		e = pages_share(r->start, r->bytes, &r->device, "cudaHostGetDevicePointer");
	if (!e)
		*to = g ? p : (void *)(uintptr_t)(r->device + ((uintptr_t)p - r->start));
	return cudart_leave(e);
}

API(int, cudaHostGetFlags, unsigned *flags, void *p)
{
	int e = cudart_enter(false);
	const struct grant *g = cudart_find_grant((uintptr_t)p);
	const struct registered_range *r = find_registered_range((uintptr_t)p);

	if (!e && (!flags || (!r && (!g || g->kind != GRANT_PINNED))))
		e = cudaErrorInvalidValue;
	if (!e)
		*flags = r ? r->flags : g->flags;
	return cudart_leave(e);
}

enum pointer_type { POINTER_UNKNOWN, POINTER_HOST, POINTER_DEVICE, POINTER_MANAGED };

struct pointer_attributes {
	int type, device;
	void *on_device, *on_host;
};

API(int, cudaPointerGetAttributes, struct pointer_attributes *to, const void *p)
{
	static const uint8_t known[] = {[GRANT_DEVICE] = POINTER_DEVICE,
		[GRANT_PINNED] = POINTER_HOST,
		[GRANT_MANAGED] = POINTER_MANAGED};
	int e = cudart_enter(false);
	const struct grant *g = cudart_find_grant((uintptr_t)p);
	const struct registered_range *r = find_registered_range((uintptr_t)p);
	void *same = (void *)(uintptr_t)p;

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
	if (g)
		*to = (struct pointer_attributes){
			known[g->kind], 0, same, g->kind == GRANT_DEVICE ? NULL : same};
	else if (cudart_is_device_memory(p))
		*to = (struct pointer_attributes){POINTER_DEVICE, 0, same, NULL};
	else if (r)
		*to = (struct pointer_attributes){POINTER_HOST, 0,
			r->device ? (void *)(uintptr_t)(r->device + ((uintptr_t)p - r->start)) : NULL, same};
	else
		*to = (struct pointer_attributes){POINTER_UNKNOWN, NO_DEVICE, NULL, same};
	return cudart_leave(cudaSuccess);
}
