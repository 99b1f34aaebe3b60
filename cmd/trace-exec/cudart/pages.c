/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of the program that kernels access: host memory that it registered and whose device address it asked for.
 *
 * The contents of the pages move to pinned memory, which then also replaces the pages at the program's addresses, so
 * that host and device see each other's writes. Kernels use the address of the pinned memory. Always true: shared
 * ranges fill whole pages and do not overlap. A write of another thread while its page is replaced may be lost. A child
 * process does not get the pages: two processes must not have one stack.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "arena.h"
#include "cudart/cudart.h"

#define PAGE 4096u

struct shared_range {
	uint64_t host, device, bytes;
	uint32_t users; /* registered ranges in these pages */
};
static struct {
	struct shared_range *range;
	uint32_t n, cap;
} shared;

/* Returns true if every page of [start, end) can be read and is neither of a file nor shared with another process. */
static bool are_pages_private(uint64_t start, uint64_t end)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long long first, last;
	char line[512], mode[8];

	while (f && start < end && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx %7s", &first, &last, mode) == 3 && first <= start &&
			start < last) {
			if (mode[0] != 'r' || mode[3] != 'p')
				break;
			start = last;
		}
	if (f)
		fclose(f);
	return start >= end;
}

struct exchange {
	void *pages; /* the program's pages */
	void *other; /* the memory that replaces them */
	size_t bytes,
		moved; /* moved: bytes of `other` that move away; 0: the pages become a second view of `other` */
	bool done;
};

/* Copies the pages to the other memory, and makes that memory the pages. */
static void *exchange_pages(void *arg)
{
	struct exchange *x = arg;

	memcpy(x->other, x->pages, x->bytes);
	x->done = mremap(x->other, x->moved, x->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, x->pages) == x->pages;
	return NULL;
}

/* Exchanges pages in another thread, because they may contain the stack of this one. Returns 0 or a status. */
static int exchange_in_thread(struct exchange *x)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, exchange_pages, x))
		return cudaErrorMemoryAllocation;
	pthread_join(thread, NULL);
	return x->done ? cudaSuccess : cudaErrorMemoryAllocation;
}

static struct shared_range *find_shared_pages(uint64_t first, uint64_t end)
{
	for (uint32_t i = 0; i < shared.n; i++)
		if (shared.range[i].host < end && first < shared.range[i].host + shared.range[i].bytes)
			return &shared.range[i];
	return NULL;
}

/* Shares pages that are not shared yet. */
static int share_new_pages(uint64_t first, uint64_t n, const char *function)
{
	struct shared_range r = {.host = first, .bytes = n};
	struct exchange x = {.pages = (void *)(uintptr_t)first, .bytes = n};
	int e = are_pages_private(first, first + n)
			? cudart_allocate(&r.device, n, GRANT_PINNED, 0, "cudaHostRegister")
			: cudart_unsupported(function, "memory of a file or of several processes");

	if (e)
		return e;
	x.other = cudart.mem.heap + (r.device - HEAP_BASE);
	e = exchange_in_thread(&x);
	if (e) {
		cudart_release_pinned(r.device);
		return e;
	}
	madvise(x.pages, n, MADV_DONTFORK);
	cudart_find_grant(r.device)->is_variable = true; /* the program cannot free it */
	grow(&shared.range, &shared.cap, shared.n + 1, sizeof(*shared.range));
	shared.range[shared.n++] = r;
	return cudaSuccess;
}

int pages_share(uint64_t start, uint64_t n, uint64_t *addr, const char *function)
{
	uint64_t first = start / PAGE * PAGE, end = (start + n + PAGE - 1) / PAGE * PAGE;
	struct shared_range *r = find_shared_pages(first, end);
	int e = r ? cudaSuccess : share_new_pages(first, end - first, function);

	if (e)
		return e;
	r = find_shared_pages(first, end);
	if (first < r->host || end > r->host + r->bytes)
		return cudart_unsupported(function,
			"memory of cudaHostRegister that begins or ends in a page of other such memory");
	r->users++;
	*addr = r->device + (start - r->host);
	return cudaSuccess;
}

void pages_unshare(uint64_t start)
{
	struct shared_range *r = find_shared_pages(start, start + 1);
	struct exchange x;

	if (!r || --r->users)
		return;
	x = (struct exchange){.pages = (void *)(uintptr_t)r->host, .bytes = r->bytes, .moved = r->bytes};
	x.other = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (x.other == MAP_FAILED || exchange_in_thread(&x)) {
		r->users++; /* without memory for the exchange the pages stay shared */
		return;
	}
	cudart_find_grant(r->device)->is_variable = false;
	cudart_release_pinned(r->device);
	*r = shared.range[--shared.n];
}
