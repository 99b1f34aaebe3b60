/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hints about managed memory: prefetches, advice and attachment to streams.
 *
 * Always true: host and device share managed memory. A hint is checked as in the real runtime and has no
 * effect.
 */
#include "cudart/cudart.h"

/* Location of memory. Before release 13 `type` is the number of the device, or CPU. */
struct location {
	int type, id;
};
enum { ON_DEVICE = 1, ON_HOST, ON_NODE, ON_OWN_NODE };
enum { CPU = -1, ADVICE_FIRST = 1, PREFERRED_LOCATION = 3, ACCESSED_BY = 5, ADVICE_LAST = 6 };

static int check_memory_location(struct location l, bool number)
{
	if (number)
		return !l.type || l.type == CPU ? cudaSuccess : cudaErrorInvalidDevice;
	if (l.type == ON_DEVICE)
		return l.id ? cudaErrorInvalidDevice : cudaSuccess;
	return l.type >= ON_HOST && l.type <= ON_OWN_NODE ? cudaSuccess : cudaErrorInvalidValue;
}

/* Checks that n bytes are in one allocation of managed memory. Returns 0 or a status. */
static int check_managed_range(const void *base, size_t n)
{
	const struct grant *g = cudart_find_grant((uintptr_t)base);

	return g && g->kind == GRANT_MANAGED && n && cudart_host_address(base, n) ? cudaSuccess
										  : cudaErrorInvalidValue;
}

static int prefetch_managed(
	const void *base, size_t n, struct location l, bool number, uintptr_t flags, const struct stream *s)
{
	int e = cudart_enter(true);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		e = flags ? cudaErrorInvalidValue : check_memory_location(l, number);
	return cudart_leave(e ? e : check_managed_range(base, n));
}

API(int, cudaMemPrefetchAsync_v2, const void *base, size_t n, struct location l, unsigned flags,
	const struct stream *s)
{
	return prefetch_managed(base, n, l, false, flags, s);
}

/* Before release 13 the stream is the fourth argument. */
API(int, cudaMemPrefetchAsync, const void *base, size_t n, struct location l, uintptr_t fourth,
	const struct stream *fifth)
{
	if (cudart_runtime_release() < 13)
		return prefetch_managed(base, n, l, true, 0, (const struct stream *)fourth);
	return prefetch_managed(base, n, l, false, fourth & UINT32_MAX, fifth);
}
ALSO(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);

static int advise_managed(const void *base, size_t n, int advice, struct location l, bool number)
{
	int e = cudart_enter(true);

	if (!e && (advice < ADVICE_FIRST || advice > ADVICE_LAST))
		e = cudaErrorInvalidValue;
	if (!e && (advice == PREFERRED_LOCATION || advice >= ACCESSED_BY))
		e = check_memory_location(l, number);
	return cudart_leave(e ? e : check_managed_range(base, n));
}

API(int, cudaMemAdvise_v2, const void *base, size_t n, int advice, struct location l)
{
	return advise_managed(base, n, advice, l, false);
}

API(int, cudaMemAdvise, const void *base, size_t n, int advice, struct location l)
{
	return advise_managed(base, n, advice, l, cudart_runtime_release() < 13);
}

enum { ATTACH_LAST = 4 };

/* 0 bytes mean the whole allocation. */
API(int, cudaStreamAttachMemAsync, const struct stream *s, const void *base, size_t n, unsigned flags)
{
	int e = cudart_enter(false);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e && (!flags || flags > ATTACH_LAST || flags & (flags - 1)))
		e = cudaErrorInvalidValue;
	return cudart_leave(e ? e : check_managed_range(base, n ? n : 1));
}
ALSO(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);
