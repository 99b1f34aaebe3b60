/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hints about managed memory: prefetches, advice and attachment to streams.
 *
 * Always true: host and device share managed memory. A hint is checked as in the real runtime, and has no effect
 * except on queries.
 */
#include "cudart/advice.h"

enum {
	CPU = -1,
	READ_MOSTLY = 1,
	NOT_READ_MOSTLY,
	PREFERRED_LOCATION,
	NO_PREFERRED_LOCATION,
	ACCESSED_BY,
	NOT_ACCESSED_BY
};

static int check_memory_location(struct location l, bool number)
{
	if (number)
		return !l.type || l.type == CPU ? cudaSuccess : cudaErrorInvalidDevice;
	if (l.type == ON_DEVICE)
		return l.id ? cudaErrorInvalidDevice : cudaSuccess;
	return l.type >= ON_HOST && l.type <= ON_OWN_NODE ? cudaSuccess : cudaErrorInvalidValue;
}

/* Returns a location in the form of release 13. */
static struct location convert_location(struct location l, bool number)
{
	if (!number)
		return l;
	return l.type == CPU ? (struct location){ON_HOST, 0} : (struct location){ON_DEVICE, l.type};
}

int advice_check_range(const void *base, size_t n)
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
	if (!e)
		e = advice_check_range(base, n);
	if (!e)
		advice_note(base, n, HINT_PREFETCHED, convert_location(l, number));
	return cudart_leave(e);
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

static void note_advice(const void *base, size_t n, int advice, struct location l)
{
	const struct location set = {1, 0}, unset = {0};
	enum hint_kind user = l.type == ON_DEVICE ? HINT_USED_BY_DEVICE : HINT_USED_BY_HOST;

	switch (advice) {
	case READ_MOSTLY: advice_note(base, n, HINT_READ_MOSTLY, set); break;
	case NOT_READ_MOSTLY: advice_note(base, n, HINT_READ_MOSTLY, unset); break;
	case PREFERRED_LOCATION: advice_note(base, n, HINT_PREFERRED, l); break;
	case NO_PREFERRED_LOCATION: advice_note(base, n, HINT_PREFERRED, unset); break;
	case ACCESSED_BY: advice_note(base, n, user, set); break;
	default: advice_note(base, n, user, unset);
	}
}

static int advise_managed(const void *base, size_t n, int advice, struct location l, bool number)
{
	int e = cudart_enter(true);

	if (!e && (advice < READ_MOSTLY || advice > NOT_ACCESSED_BY))
		e = cudaErrorInvalidValue;
	if (!e && (advice == PREFERRED_LOCATION || advice >= ACCESSED_BY))
		e = check_memory_location(l, number);
	if (!e)
		e = advice_check_range(base, n);
	if (!e)
		note_advice(base, n, advice, convert_location(l, number));
	return cudart_leave(e);
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
	return cudart_leave(e ? e : advice_check_range(base, n ? n : 1));
}
ALSO(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync);
