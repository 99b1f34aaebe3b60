/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is there or ends the program.
 *
 * Always true: sizes are multiplied with an overflow check; what an arena or reserve() hands out is
 * zeroed; an arena's blocks double up to BLOCK_MAX, so that its waste stays below its use. Leaves out:
 * freeing single pieces of an arena, shrinking.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arena.h"
#include "diag.h"

#define ALIGNMENT 16u
#define BLOCK_MIN 4096u
#define BLOCK_MAX (1u << 20)	/* a larger single piece gets a block of its own size */

/* The pieces of a block follow its header at once; sizeof is a multiple of the alignment. */
struct arena_block {
	struct arena_block *older;
	size_t size;		/* bytes behind the header */
};

_Static_assert(sizeof(struct arena_block) % ALIGNMENT == 0, "pieces of an arena are aligned");

static _Noreturn void out_of_memory(size_t n, size_t size)
{
	if (size == 1)
		die("out of memory: %zu bytes wanted", n);
	die("out of memory: %zu times %zu bytes wanted", n, size);
}

static size_t product(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX - BLOCK_MAX)
		out_of_memory(n, size);
	return bytes;
}

void *xmalloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		out_of_memory(n, 1);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	size_t bytes = product(n, size);
	void *p = calloc(bytes ? bytes : 1, 1);

	if (!p)
		out_of_memory(n, size);
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	size_t bytes = product(n, size);

	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		out_of_memory(n, size);
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = xmalloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void grow(void *p, uint32_t *cap, uint32_t need, size_t size)
{
	uint32_t want;
	void *array;

	if (need <= *cap)
		return;
	want = *cap > UINT32_MAX / 2 ? UINT32_MAX : *cap * 2;
	if (want < need)
		want = need;
	if (want < 16)
		want = 16;
	memcpy(&array, p, sizeof(array));
	array = xrealloc(array, want, size);
	memcpy(p, &array, sizeof(array));
	*cap = want;
}

/* ---- arena -------------------------------------------------------------------------------- */

static void use_block(struct arena *a, struct arena_block *b)
{
	b->older = a->block;
	a->block = b;
	a->next = (char *)(b + 1);
	a->end = a->next + b->size;
}

static void add_block(struct arena *a, size_t bytes)
{
	size_t size = a->block ? a->block->size * 2 : BLOCK_MIN;
	struct arena_block *b;

	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < bytes)
		size = bytes;
	b = xmalloc(sizeof(*b) + size);
	b->size = size;
	use_block(a, b);
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes = (product(n, size) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	char *p;

	if (!bytes)
		bytes = ALIGNMENT;
	if (!a->block || bytes > (size_t)(a->end - a->next))
		add_block(a, bytes);
	p = a->next;
	a->next += bytes;
	a->used += bytes;
	return memset(p, 0, bytes);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = arena_alloc(a, len + 1, 1);

	memcpy(copy, s, len);
	return copy;
}

void arena_reset(struct arena *a)
{
	struct arena_block *keep = a->block;

	for (struct arena_block *b = a->block; b; b = b->older) {
		if (b->size > keep->size)
			keep = b;
	}
	for (struct arena_block *b = a->block, *older; b; b = older) {
		older = b->older;
		if (b != keep)
			free(b);
	}
	*a = (struct arena){0};
	if (keep)
		use_block(a, keep);
}

void arena_free(struct arena *a)
{
	for (struct arena_block *b = a->block, *older; b; b = older) {
		older = b->older;
		free(b);
	}
	*a = (struct arena){0};
}

/* ---- reserved address space --------------------------------------------------------------- */

static size_t whole_pages(size_t n, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = product(n, size);

	return bytes ? (bytes + page - 1) / page * page : page;
}

/*
 * The leak checker looks for pointers in the heap, not in mappings; without this, what hangs from a reserved
 * structure counts as lost when a message ends the program. Large areas hold no pointers and are left out.
 */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#define POINTERS_MAX (64u << 20)
static void show_leak_checker(const void *p, size_t bytes)
{
	if (bytes <= POINTERS_MAX)
		__lsan_register_root_region(p, bytes);
}
static void hide_leak_checker(const void *p, size_t bytes)
{
	if (bytes <= POINTERS_MAX)
		__lsan_unregister_root_region(p, bytes);
}
#else
static void show_leak_checker(const void *p, size_t bytes) { (void)p, (void)bytes; }
static void hide_leak_checker(const void *p, size_t bytes) { (void)p, (void)bytes; }
#endif

void *reserve(size_t n, size_t size)
{
	void *p = mmap(NULL, whole_pages(n, size), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		out_of_memory(n, size);
	show_leak_checker(p, whole_pages(n, size));
	return p;
}

void reserve_free(void *p, size_t n, size_t size)
{
	if (!p)
		return;
	hide_leak_checker(p, whole_pages(n, size));
	munmap(p, whole_pages(n, size));
}
