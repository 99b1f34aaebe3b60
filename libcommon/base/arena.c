/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory allocation that ends the program on failure.
 *
 * Always true: sizes are multiplied with an overflow check; memory of an arena or of reserve() is zeroed; the blocks
 * of an arena double in size up to BLOCK_MAX, so less memory is wasted than used. Not supported: freeing single
 * pieces of an arena, shrinking.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arena.h"
#include "diag.h"

#define ALIGNMENT 16u
#define BLOCK_MIN 4096u
#define BLOCK_MAX (1u << 20) /* largest size of a block; larger pieces get blocks of their own */

/* Header of a block; the block's pieces follow. The size of the header is a multiple of the alignment. */
struct arena_block {
	struct arena_block *older; /* previous block of the arena */
	size_t size;               /* size of the block without its header */
};

_Static_assert(sizeof(struct arena_block) % ALIGNMENT == 0, "pieces of an arena are aligned");

static _Noreturn void out_of_memory(size_t n, size_t size)
{
	if (size == 1)
		die("out of memory (%zu bytes requested)", n);
	die("out of memory (%zu * %zu bytes requested)", n, size);
}

static size_t checked_product(size_t n, size_t size)
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
	size_t bytes = checked_product(n, size);
	void *p = calloc(bytes ? bytes : 1, 1);

	if (!p)
		out_of_memory(n, size);
	return p;
}

void *xrealloc(void *p, size_t n, size_t size)
{
	size_t bytes = checked_product(n, size);

	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		out_of_memory(n, size);
	return p;
}

char *xstrdup(const char *s) { return xstrndup(s, strlen(s)); }

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

static void use_arena_block(struct arena *a, struct arena_block *b)
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
	use_arena_block(a, b);
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes = (checked_product(n, size) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	char *p;

	if (!bytes)
		bytes = ALIGNMENT;
	if (!a->block || bytes > (size_t)(a->end - a->next))
		add_block(a, bytes);
	p = a->next;
	a->next += bytes;
	a->used_bytes += bytes;
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
		use_arena_block(a, keep);
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

/*
 * A piece of PIECE_MAX bytes or more is a separate mapping. Smaller pieces share areas, so that thousands of small
 * arrays need neither separate mappings nor separate pages. When the last piece is freed, all areas are unmapped. Only
 * the newest one is cleared and kept if its used part is at most CLEAR_MAX bytes: a program that launches 1.1 million
 * empty kernels, with one small piece each, takes 1.6 s instead of 11.3 s.
 */
#define PIECE_MAX ((size_t)1 << 20)
#define AREA      ((size_t)32 << 20)
#define CLEAR_MAX ((size_t)64 << 10)
#define LINE      64u

static size_t round_up_product(size_t n, size_t size, size_t unit)
{
	size_t bytes = checked_product(n, size);

	return bytes ? (bytes + unit - 1) / unit * unit : unit;
}

/* Maps zeroed pages. Returns NULL on failure. */
static void *map_pages(size_t bytes)
{
	void *p =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

#ifdef __SANITIZE_ADDRESS__
/*
 * Small pieces come from the heap, where AddressSanitizer checks their bounds. The leak checker searches the heap for
 * pointers, but not mappings. Mappings are registered with it, so that it does not report memory that only they refer
 * to when an error ends the program. Very large mappings contain no pointers and are not registered.
 */
#include <sanitizer/lsan_interface.h>
#define POINTERS_MAX (64u << 20)

static void *small_piece(size_t bytes)
{
	void *p = aligned_alloc(LINE, bytes);

	if (!p)
		out_of_memory(bytes, 1);
	return memset(p, 0, bytes);
}

static void free_small(void *p, size_t bytes)
{
	(void)bytes;
	free(p);
}

static void *large_piece(size_t bytes)
{
	void *p = map_pages(bytes);

	if (!p)
		out_of_memory(bytes, 1);
	if (bytes <= POINTERS_MAX)
		__lsan_register_root_region(p, bytes);
	return p;
}

static void free_large(void *p, size_t bytes)
{
	if (bytes <= POINTERS_MAX)
		__lsan_unregister_root_region(p, bytes);
	munmap(p, bytes);
}
#else
struct area {
	struct area *older; /* previous area */
};

static struct {
	pthread_mutex_t lock;
	struct area *newest;
	char *next;    /* start of the free part of the newest block */
	char *end;     /* end of the newest block */
	size_t pieces; /* number of pieces in use */
} areas = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *small_piece(size_t bytes)
{
	char *p;

	pthread_mutex_lock(&areas.lock);
	if (!areas.newest || bytes > (size_t)(areas.end - areas.next)) {
		struct area *a = map_pages(AREA);

		if (!a) {
			pthread_mutex_unlock(&areas.lock);
			out_of_memory(AREA, 1);
		}
		a->older = areas.newest;
		areas.newest = a;
		areas.next = (char *)a + LINE;
		areas.end = (char *)a + AREA;
	}
	p = areas.next;
	areas.next += bytes;
	areas.pieces++;
	pthread_mutex_unlock(&areas.lock);
	return p;
}

/* Clears the newest area if its used part is small, and unmaps all other areas. */
static void empty_areas(void)
{
	char *first = (char *)areas.newest + LINE;
	size_t used = (size_t)(areas.next - first);
	struct area *keep = used <= CLEAR_MAX ? areas.newest : NULL;

	for (struct area *a = areas.newest, *older; a; a = older) {
		older = a->older;
		if (a != keep)
			munmap(a, AREA);
	}
	if (keep) {
		keep->older = NULL;
		areas.next = memset(first, 0, used);
	}
	areas.newest = keep;
}

/*
 * Frees a piece. If it is the newest one, its memory can be reused at once; the memory of other pieces is unmapped
 * together with the last piece.
 */
static void free_small(void *p, size_t bytes)
{
	pthread_mutex_lock(&areas.lock);
	if (--areas.pieces == 0) {
		empty_areas();
	} else if ((char *)p + bytes == areas.next) {
		areas.next = memset(p, 0, bytes);
	}
	pthread_mutex_unlock(&areas.lock);
}

static void *large_piece(size_t bytes)
{
	void *p = map_pages(bytes);

	if (!p)
		out_of_memory(bytes, 1);
	return p;
}
static void free_large(void *p, size_t bytes) { munmap(p, bytes); }
#endif

void *reserve(size_t n, size_t size)
{
	size_t small = round_up_product(n, size, LINE);

	return small < PIECE_MAX ? small_piece(small)
				 : large_piece(round_up_product(n, size, (size_t)sysconf(_SC_PAGESIZE)));
}

void reserve_free(void *p, size_t n, size_t size)
{
	size_t small = round_up_product(n, size, LINE);

	if (!p)
		return;
	if (small < PIECE_MAX)
		free_small(p, small);
	else
		free_large(p, round_up_product(n, size, (size_t)sysconf(_SC_PAGESIZE)));
}
