/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory: what the program asks for, frees and asks about.
 *
 * Always true: addresses ascend and are never given twice, so that a use after cudaFree is found; the pages
 * of freed memory go back to the system. Managed and pinned memory fills whole pages, which the host may
 * touch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "arena.h"
#include "cudart/graph.h"

#define PAGE       4096u
#define ROW        512u /* rows of one allocation begin at its multiples */
#define HOST_FLAGS 7u   /* portable, mapped, write-combined */

static uint64_t page_up(uint64_t n) { return (n + PAGE - 1) / PAGE * PAGE; }

int cudart_allocate(uint64_t *addr, size_t n, enum grant_kind kind, unsigned flags, const char *what)
{
	struct memory *m = &cudart.mem;
	char name[64];

	*addr = 0;
	if (!n)
		return cudaSuccess;
	if (kind != GRANT_DEVICE && !cudart.shown)
		return cudart_refuse(what, "the addresses from 0xc0000000 on are in use in this process");
	if (n > m->heap_cap || (kind != GRANT_PINNED && n > cudart.wire.memory_bytes - cudart.live_bytes))
		return cudaErrorMemoryAllocation;
	if (kind != GRANT_DEVICE)
		m->heap_bytes = page_up(m->heap_bytes);
	snprintf(name, sizeof(name), "%s %u", what, cudart.n_grants + 1);
	*addr = memory_alloc(m, diag_keep(name), n);
	if (!*addr)
		return cudaErrorMemoryAllocation;
	if (kind != GRANT_DEVICE) {
		m->heap_bytes = page_up(m->heap_bytes);
		if (mprotect((void *)(uintptr_t)*addr, page_up(n), PROT_READ | PROT_WRITE))
			return cudaErrorMemoryAllocation;
	}
	if (kind != GRANT_PINNED)
		cudart.live_bytes += n;
	/* What the host may write is not followed. */
	if (kind == GRANT_DEVICE && cudart.exec.check)
		memory_unset(m, *addr, n);
	grow(&cudart.grant, &cudart.cap_grants, cudart.n_grants + 1, sizeof(*cudart.grant));
	cudart.grant[cudart.n_grants++] = (struct grant){
		.addr = *addr, .bytes = n, .kind = (uint8_t)kind, .live = true, .flags = flags};
	return cudaSuccess;
}

struct grant *cudart_grant(uint64_t addr)
{
	uint32_t low = 0, high = cudart.n_grants;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (cudart.grant[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	struct grant *g = low ? &cudart.grant[low - 1] : NULL;
	return g && g->live && addr - g->addr < g->bytes ? g : NULL;
}

static void forget(struct grant *g)
{
	struct memory *m = &cudart.mem;
	uint64_t first = page_up(g->addr), end = (g->addr + g->bytes) / PAGE * PAGE;

	for (uint32_t i = 0; i < m->n_buffers; i++)
		if (m->buffer[i].addr == g->addr)
			m->buffer[i].live = false;
	g->live = false;
	if (g->pool)
		cudart_pool_give(g->pool, g->bytes);
	if (g->kind != GRANT_PINNED)
		cudart.live_bytes -= g->bytes;
	if (g->kind != GRANT_DEVICE)
		mprotect((void *)(uintptr_t)g->addr, page_up(g->bytes), PROT_NONE);
	if (end > first)
		madvise(m->heap + (first - HEAP_BASE), end - first, MADV_REMOVE);
}

static int release(uint64_t addr, bool pinned)
{
	struct grant *g = cudart_grant(addr);

	if (!addr)
		return cudaSuccess;
	if (!g || g->addr != addr || g->lasting || (g->kind == GRANT_PINNED) != pinned)
		return cudaErrorInvalidValue;
	forget(g);
	return cudaSuccess;
}

int cudart_release(uint64_t addr) { return release(addr, false); }

void cudart_leaks(void)
{
	uint64_t bytes = 0;
	uint32_t n = 0;

	if (memory_leaks(&cudart.mem))
		cudart_tell(WIRE_FOUND, NULL, 0);
	for (uint32_t i = 0; i < cudart.n_grants; i++)
		if (cudart.grant[i].live && !cudart.grant[i].lasting) {
			bytes += cudart.grant[i].bytes;
			n++;
		}
	if (!n)
		return;
	diag_error(NOWHERE, "found %u allocations of %llu bytes at the end of the program, wanted them freed",
		n, (unsigned long long)bytes);
	cudart_tell(WIRE_FOUND, NULL, 0);
}

void *cudart_at(const void *p, size_t n)
{
	uint64_t addr = (uintptr_t)p;
	struct grant *g = cudart_grant(addr);

	if (g)
		return g->bytes - (addr - g->addr) >= n ? cudart.mem.heap + (addr - HEAP_BASE) : NULL;
	if (addr < STATIC_LIMIT)
		return memory_at(&cudart.mem, addr, n);
	if (addr >= HEAP_BASE && addr - HEAP_BASE < cudart.mem.heap_cap)
		return NULL;
	return (void *)(uintptr_t)p;
}

bool cudart_is_device(const void *p)
{
	uint64_t addr = (uintptr_t)p;
	struct grant *g = cudart_grant(addr);

	return g ? g->kind != GRANT_PINNED : addr >= STATIC_BASE && addr < STATIC_LIMIT;
}

/* ---- the interface ---- */

static int give(void **to, size_t n, enum grant_kind kind, unsigned flags, const char *what)
{
	uint64_t addr = 0;
	int e = cudart_enter(true);

	if (!e)
		e = capture_forbids();
	if (!e)
		e = to ? cudart_allocate(&addr, n, kind, flags, what) : cudaErrorInvalidValue;
	if (!e)
		*to = (void *)(uintptr_t)addr;
	return cudart_leave(e);
}

API(int, cudaMalloc, void **to, size_t n) { return give(to, n, GRANT_DEVICE, 0, "cudaMalloc"); }

API(int, cudaMallocManaged, void **to, size_t n, unsigned flags)
{
	if (!n || (flags != 1 && flags != 2))
		return cudart_leave((cudart_enter(false), cudaErrorInvalidValue));
	return give(to, n, GRANT_MANAGED, flags, "cudaMallocManaged");
}

API(int, cudaHostAlloc, void **to, size_t n, unsigned flags)
{
	if (flags > HOST_FLAGS)
		return cudart_leave((cudart_enter(false), cudaErrorInvalidValue));
	return give(to, n, GRANT_PINNED, flags, "cudaHostAlloc");
}

API(int, cudaMallocHost, void **to, size_t n) { return give(to, n, GRANT_PINNED, 0, "cudaMallocHost"); }

static size_t row_bytes(size_t width)
{
	return width > SIZE_MAX - ROW ? SIZE_MAX : (width + ROW - 1) / ROW * ROW;
}

/* More than there can be where it is too large. */
static size_t product(size_t a, size_t b) { return b && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

API(int, cudaMallocPitch, void **to, size_t *pitch, size_t width, size_t height)
{
	size_t p = row_bytes(width);

	if (!pitch)
		to = NULL;
	else
		*pitch = p;
	return give(to, product(p, height), GRANT_DEVICE, 0, "cudaMallocPitch");
}

API(int, cudaMalloc3D, struct pitched *to, struct extent e)
{
	void *at = NULL;
	size_t pitch = row_bytes(e.width), n = product(pitch, product(e.height, e.depth));
	int status = give(to ? &at : NULL, n, GRANT_DEVICE, 0, "cudaMalloc3D");

	if (!status)
		*to = (struct pitched){at, pitch, e.width, e.height};
	return status;
}

static int take(void *p, bool pinned)
{
	int e = cudart_enter(true);

	if (!e)
		e = capture_forbids();
	if (!e)
		e = release((uintptr_t)p, pinned);
	return cudart_leave(e);
}

API(int, cudaFree, void *p) { return take(p, false); }

API(int, cudaFreeAsync, void *p, struct stream *s)
{
	int e = cudart_enter(true);

	if (!e && cudart_stream_number(s) < 0)
		e = cudaErrorInvalidResourceHandle;
	if (!e)
		e = capture_refuses(s, "cudaFreeAsync");
	return cudart_leave(e ? e : release((uintptr_t)p, false));
}
ALSO(cudaFreeAsync_ptsz, cudaFreeAsync);

API(int, cudaFreeHost, void *p) { return take(p, true); }

API(int, cudaMemGetInfo, size_t *unused, size_t *all)
{
	int e = cudart_enter(false);

	if (!e && unused)
		*unused = cudart.wire.memory_bytes - cudart.live_bytes;
	if (!e && all)
		*all = cudart.wire.memory_bytes;
	return cudart_leave(e);
}
