/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks of uninitialised bytes of the heap. See unset.h.
 *
 * Always true: the marks of a page are 0 unless its count is from 1 to UNSET_PAGE, and the count is then the number of
 * marks that are 1.
 */
#include <string.h>
#include <sys/mman.h>
#include "arena.h"
#include "exec/unset.h"

#define GROUP      16u        /* pages of marks that are released together */
#define RANGE_MOST (1u << 20) /* ranges of at least this many bytes release the pages of their marks */

typedef uint64_t marks_of_8 __attribute__((may_alias));
typedef uint32_t marks_of_4 __attribute__((may_alias));

/* Protects the marks of pages that come into use or are released. */
static pthread_mutex_t page_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t number_of_pages(const struct memory *m) { return m->heap_cap / UNSET_PAGE + 1; }

void unset_open(struct memory *m)
{
	m->unset = reserve(m->heap_cap, 1);
	m->unset_count = reserve(number_of_pages(m), sizeof(*m->unset_count));
}

void unset_free(struct memory *m)
{
	if (!m->unset)
		return;
	reserve_free(m->unset, m->heap_cap, 1);
	reserve_free(m->unset_count, number_of_pages(m), sizeof(*m->unset_count));
	m->unset = NULL;
}

/* Gives memory of marks that are all 0 back to the system. */
static void release_marks(uint8_t *at, uint64_t n)
{
	if ((uintptr_t)at % UNSET_PAGE == 0)
		madvise(at, n, MADV_DONTNEED);
}

/* Releases the marks of the page's group if none of its pages uses its marks. */
static void release_group(const struct memory *m, uint64_t page)
{
	uint64_t first = page - page % GROUP;
	bool used = (first + GROUP) * UNSET_PAGE > m->heap_cap;

	pthread_mutex_lock(&page_lock);
	for (uint64_t i = first; !used && i < first + GROUP; i++) {
		uint16_t count = __atomic_load_n(&m->unset_count[i], __ATOMIC_RELAXED);

		used = count && count != ALL_UNSET;
	}
	if (!used)
		release_marks(m->unset + first * UNSET_PAGE, GROUP * UNSET_PAGE);
	pthread_mutex_unlock(&page_lock);
}

/* Makes the marks of a page valid if it has no initialised byte. */
static void use_marks_of_page(const struct memory *m, uint64_t page)
{
	uint64_t at = page * UNSET_PAGE;

	pthread_mutex_lock(&page_lock);
	if (__atomic_load_n(&m->unset_count[page], __ATOMIC_RELAXED) == ALL_UNSET) {
		memset(m->unset + at, 1, min_u64(UNSET_PAGE, m->heap_cap - at));
		__atomic_store_n(&m->unset_count[page], UNSET_PAGE, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&page_lock);
}

static uint32_t clear_mark(uint8_t *mark)
{
	return __atomic_load_n(mark, __ATOMIC_RELAXED) ? __atomic_exchange_n(mark, 0, __ATOMIC_RELAXED) : 0;
}

/* Clears the marks of an aligned word. Returns how many were 1. */
static uint32_t clear_marks_of_word(uint8_t *mark)
{
	marks_of_4 *four = (marks_of_4 *)(void *)mark;

	return __atomic_load_n(four, __ATOMIC_RELAXED)
		       ? __atomic_exchange_n(four, 0, __ATOMIC_RELAXED) * 0x01010101u >> 24
		       : 0;
}

/* Sets marks to 0. Returns how many were 1: each one is counted by one of several threads. */
static uint32_t clear_shared_marks(uint8_t *mark, uint64_t n)
{
	uint64_t sum = 0;

	if (n == 4 && (uintptr_t)mark % 4 == 0) /* a lane of a strided access */
		return clear_marks_of_word(mark);
	for (; n && (uintptr_t)mark % 8; mark++, n--)
		sum += clear_mark(mark);
	for (; n >= 8; mark += 8, n -= 8) {
		marks_of_8 *eight = (marks_of_8 *)(void *)mark;

		if (__atomic_load_n(eight, __ATOMIC_RELAXED))
			sum += __atomic_exchange_n(eight, 0, __ATOMIC_RELAXED) * 0x0101010101010101u >> 56;
	}
	for (; n; mark++, n--)
		sum += clear_mark(mark);
	return (uint32_t)sum;
}

/* Like clear_shared_marks(), but without atomic exchanges, for marks that no other thread uses. */
static uint32_t clear_own_marks(uint8_t *mark, uint64_t n)
{
	uint64_t sum = 0;

	for (; n >= 8; mark += 8, n -= 8) {
		uint64_t eight;

		memcpy(&eight, mark, 8);
		if (eight) {
			sum += eight * 0x0101010101010101u >> 56;
			memset(mark, 0, 8);
		}
	}
	if (n >= 4) { /* a lane of a strided access */
		uint32_t four;

		memcpy(&four, mark, 4);
		if (four) {
			sum += four * 0x01010101u >> 24;
			memset(mark, 0, 4);
		}
		mark += 4;
		n -= 4;
	}
	for (; n; mark++, n--) {
		sum += *mark;
		*mark = 0;
	}
	return (uint32_t)sum;
}

/* Clears marks of a page whose marks are in use. Returns true if it has no uninitialised byte left. */
static bool clear_marks_of_page(const struct memory *m, uint16_t *count, uint64_t off, uint64_t n)
{
	uint32_t cleared;

	if (m->has_threads) {
		cleared = clear_shared_marks(m->unset + off, n);
		return cleared && !__atomic_sub_fetch(count, (uint16_t)cleared, __ATOMIC_ACQ_REL);
	}
	cleared = clear_own_marks(m->unset + off, n);
	*count = (uint16_t)(*count - cleared);
	return cleared && !*count;
}

void unset_initialise_in_page(const struct memory *m, uint64_t off, uint64_t n)
{
	uint16_t *count = &m->unset_count[off / UNSET_PAGE];

	if (__atomic_load_n(count, __ATOMIC_ACQUIRE) == ALL_UNSET)
		use_marks_of_page(m, off / UNSET_PAGE);
	if (clear_marks_of_page(m, count, off, n))
		release_group(m, off / UNSET_PAGE);
}

bool unset_is_any_in_page(const struct memory *m, uint64_t off, uint64_t n)
{
	const uint8_t *mark = m->unset + off;
	uint64_t any = 0;

	if (__atomic_load_n(&m->unset_count[off / UNSET_PAGE], __ATOMIC_ACQUIRE) == ALL_UNSET)
		return true;
	for (; n && (uintptr_t)mark % 8; mark++, n--)
		any |= __atomic_load_n(mark, __ATOMIC_RELAXED);
	for (; n >= 8; mark += 8, n -= 8)
		any |= __atomic_load_n((const marks_of_8 *)(const void *)mark, __ATOMIC_RELAXED);
	for (; n; mark++, n--)
		any |= __atomic_load_n(mark, __ATOMIC_RELAXED);
	return any;
}

void unset_mark_byte(const struct memory *m, uint64_t off)
{
	uint16_t *count = &m->unset_count[off / UNSET_PAGE];

	pthread_mutex_lock(&page_lock);
	if (__atomic_load_n(count, __ATOMIC_RELAXED) != ALL_UNSET &&
		!__atomic_exchange_n(&m->unset[off], 1, __ATOMIC_RELAXED))
		__atomic_add_fetch(count, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&page_lock);
}

/* Marks all bytes of pages [page, end) as uninitialised or initialised. */
static void set_pages(struct memory *m, uint64_t page, uint64_t end, bool unset)
{
	bool release = (end - page) * UNSET_PAGE >= RANGE_MOST;

	if (release)
		release_marks(m->unset + page * UNSET_PAGE, (end - page) * UNSET_PAGE);
	for (; page < end; page++) {
		if (m->unset_count[page] && m->unset_count[page] != ALL_UNSET)
			memset(m->unset + page * UNSET_PAGE, 0, UNSET_PAGE);
		m->unset_count[page] = unset ? ALL_UNSET : 0;
	}
}

void unset_set_range(struct memory *m, uint64_t off, uint64_t n, bool unset)
{
	for (uint64_t part, end = off + n; off < end; off += part) {
		part = min_u64(end - off, UNSET_PAGE - off % UNSET_PAGE);
		if (part == UNSET_PAGE) {
			part = (end - off) / UNSET_PAGE * UNSET_PAGE;
			set_pages(m, off / UNSET_PAGE, (off + part) / UNSET_PAGE, unset);
		} else if (unset) {
			for (uint64_t i = 0; i < part; i++)
				unset_mark_byte(m, off + i);
		} else {
			unset_initialise(m, off, part);
		}
	}
}

const uint8_t *unset_page(const struct memory *m, uint64_t off)
{
	static uint8_t zeros[UNSET_PAGE], ones[UNSET_PAGE];
	uint16_t count = m->unset_count[off / UNSET_PAGE];

	if (count == ALL_UNSET && !ones[0])
		memset(ones, 1, sizeof(ones));
	return count == ALL_UNSET ? ones : count ? m->unset + off : zeros;
}

void unset_put_page(struct memory *m, uint64_t off, const uint8_t *marks)
{
	set_pages(m, off / UNSET_PAGE, off / UNSET_PAGE + 1, false);
	for (uint64_t i = 0; marks && i < UNSET_PAGE; i++)
		if (marks[i])
			unset_mark_byte(m, off + i);
}
