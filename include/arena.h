/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three kinds of memory allocation. No function here returns NULL: out of memory ends the program with
 * EXIT_TROUBLE.
 *
 *   xmalloc ...   start-up and input buffers
 *   struct arena  many small objects that are freed together
 *   reserve()     arrays whose bound is known before cycle 0 and that stay mostly unused. The address space
 *                 is reserved at once, and pages are used when touched, so a cycle loop allocates nothing.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include <stdint.h>

/* Return memory that the caller frees with free(). If n * size overflows, the functions act as when out of memory. */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);

/* Grows the array *(T **)p from *cap elements of size bytes to at least need; new elements are not initialised. */
void grow(void *p, uint32_t *cap, uint32_t need, size_t size);

struct arena {
	struct arena_block *block; /* newest first */
	char *next;                /* start of the free part of the newest block */
	char *end;                 /* end of the newest block */
	size_t used_bytes;         /* number of bytes allocated since the last reset */
};

/*
 * Returns zeroed memory for n elements of size bytes, aligned to 16 bytes. It is valid until arena_reset() or
 * arena_free().
 */
void *arena_alloc(struct arena *a, size_t n, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void arena_reset(struct arena *a); /* frees all but the largest block, which is reused */
void arena_free(struct arena *a);

/*
 * Returns zeroed address space for n elements of size bytes, aligned to a cache line. reserve_free() takes the same n
 * and size. The space of small arrays is reused only if they are freed in reverse order.
 */
void *reserve(size_t n, size_t size);
void reserve_free(void *p, size_t n, size_t size);

#endif
