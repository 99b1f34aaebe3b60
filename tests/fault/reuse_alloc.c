/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library for LD_PRELOAD with an allocator that reuses freed memory immediately: an allocation, even by
 * calloc(), gets the address of the last freed block of the same size. The library thus reveals programs that
 * identify an object by its address, because another object soon has the same address.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GRAIN   16u
#define CLASSES 4096u /* number of classes, for sizes up to 64 KiB */

void *__libc_malloc(size_t n);

/* Header that precedes each block. */
struct header {
	struct header *next; /* next free block of the same class */
	size_t size;
};

static struct header *freed[CLASSES];
static atomic_flag lock = ATOMIC_FLAG_INIT;

static size_t rounded_size(size_t n) { return n ? (n + GRAIN - 1) / GRAIN * GRAIN : GRAIN; }

static struct header *header_of(void *p) { return (struct header *)p - 1; }

static void *take_freed(size_t size)
{
	struct header *h = NULL;

	if (size / GRAIN >= CLASSES)
		return NULL;
	while (atomic_flag_test_and_set(&lock))
		;
	if ((h = freed[size / GRAIN]))
		freed[size / GRAIN] = h->next;
	atomic_flag_clear(&lock);
	return h ? h + 1 : NULL;
}

static void *allocate(size_t alignment, size_t n)
{
	size_t size = rounded_size(n);
	void *p = alignment <= GRAIN ? take_freed(size) : NULL;
	uintptr_t at;

	if (p)
		return p;
	if (n > PTRDIFF_MAX / 2 || !(p = __libc_malloc(size + sizeof(struct header) + alignment))) {
		errno = ENOMEM;
		return NULL;
	}
	at = ((uintptr_t)p + sizeof(struct header) + alignment - 1) / alignment * alignment;
	header_of((void *)at)->size = size;
	return (void *)at;
}

void *malloc(size_t n) { return allocate(GRAIN, n); }

void *calloc(size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	p = allocate(GRAIN, bytes);
	return p ? memset(p, 0, bytes) : NULL;
}

void free(void *p)
{
	struct header *h;

	if (!p || (h = header_of(p))->size / GRAIN >= CLASSES)
		return; /* large blocks are never reused */
	while (atomic_flag_test_and_set(&lock))
		;
	h->next = freed[h->size / GRAIN];
	freed[h->size / GRAIN] = h;
	atomic_flag_clear(&lock);
}

void *realloc(void *p, size_t n)
{
	void *to;

	if (!p || (n && header_of(p)->size >= n && header_of(p)->size < 2 * n + GRAIN))
		return p ? p : malloc(n);
	if (n && !(to = malloc(n)))
		return NULL;
	if (n)
		memcpy(to, p, header_of(p)->size < n ? header_of(p)->size : n);
	free(p);
	return n ? to : NULL;
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

void *aligned_alloc(size_t alignment, size_t n) { return allocate(alignment < GRAIN ? GRAIN : alignment, n); }

int posix_memalign(void **p, size_t alignment, size_t n)
{
	return (*p = aligned_alloc(alignment, n)) ? 0 : ENOMEM;
}
