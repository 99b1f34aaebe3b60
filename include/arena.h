/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory, three ways. Used by every program; nothing here returns NULL: out of memory ends the
 * program with EXIT_TROUBLE.
 *
 *   xmalloc ...   start-up and input buffers
 *   struct arena  many small things that die together
 *   reserve()     arrays whose bound is known before cycle 0 but mostly unused: address space is taken
 *                 at once, pages only when touched, so nothing is allocated in a cycle loop
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include <stdint.h>

/* Memory for the caller to free(); without any left the program ends, exit 2. */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);           /* overflow checked */
void *xrealloc(void *p, size_t n, size_t size); /* n * size bytes, overflow checked */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);

/* Grow *(T **)p (cap elements of size bytes) so that need elements fit; at least doubles, new ones unset. */
void grow(void *p, uint32_t *cap, uint32_t need, size_t size);

struct arena {
	struct arena_block *block; /* newest first */
	char *next, *end;
	size_t used; /* bytes handed out since the last reset */
};

/* Zeroed memory, aligned to 16 bytes; lives until arena_reset or arena_free. */
void *arena_alloc(struct arena *a, size_t n, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void arena_reset(struct arena *a); /* keeps the largest block for reuse */
void arena_free(struct arena *a);

/*
 * Zeroed address space for n elements of size bytes, aligned to a cache line. Release with the same numbers,
 * in the opposite order if much of it comes and goes: the room of small arrays is used anew only then.
 */
void *reserve(size_t n, size_t size);
void reserve_free(void *p, size_t n, size_t size);

#endif
