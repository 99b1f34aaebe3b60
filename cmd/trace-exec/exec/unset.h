/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks of uninitialised bytes of the heap. They take memory only for pages that have both initialised and
 * uninitialised bytes, and each page has a count by which accesses to initialised pages need not read its marks.
 *
 * Offsets are relative to the heap. Called only if m->unset is not NULL. Several threads may call the functions at the
 * same time, except unset_set_range() and unset_put_page().
 */
#ifndef UNSET_H
#define UNSET_H

#include <string.h>
#include "bits.h"
#include "exec/exec.h"

#define UNSET_PAGE 4096u   /* bytes of memory that have one count */
#define ALL_UNSET  0xffffu /* count of a page without any initialised byte, whose marks are not used */

/* Allocates the marks. All bytes are initialised. */
void unset_open(struct memory *m);
void unset_free(struct memory *m);
/* Marks bytes as uninitialised or initialised. */
void unset_set_range(struct memory *m, uint64_t off, uint64_t n, bool unset);
/* Marks a byte as uninitialised. */
void unset_mark_byte(const struct memory *m, uint64_t off);
/* Returns the marks of a page: for each byte, 1: uninitialised. */
const uint8_t *unset_page(const struct memory *m, uint64_t off);
/* Sets the marks of a page; marks: NULL: all bytes are initialised. */
void unset_put_page(struct memory *m, uint64_t off, const uint8_t *marks);

/* The two functions are called for bytes of one page, some of which may be uninitialised. */
void unset_initialise_in_page(const struct memory *m, uint64_t off, uint64_t n);
bool unset_is_any_in_page(const struct memory *m, uint64_t off, uint64_t n);

/* Returns true if the byte may be in a page with uninitialised bytes. */
static inline bool unset_may_be(const struct memory *m, uint64_t off)
{
	return __atomic_load_n(&m->unset_count[off / UNSET_PAGE], __ATOMIC_ACQUIRE);
}

/* Marks bytes as initialised. */
static inline void unset_initialise(const struct memory *m, uint64_t off, uint64_t n)
{
	for (uint64_t part; n; off += part, n -= part) {
		part = min_u64(n, UNSET_PAGE - off % UNSET_PAGE);
		if (unset_may_be(m, off))
			unset_initialise_in_page(m, off, part);
	}
}

/*
 * Like unset_initialise(), for bytes of one page; n is 1, 2, 4, 8 or 16. Needs no call if no other thread uses the
 * marks.
 */
static inline void unset_initialise_piece(const struct memory *m, uint64_t off, uint64_t n)
{
	uint16_t *count = &m->unset_count[off / UNSET_PAGE];
	uint32_t mark;

	if (!unset_may_be(m, off))
		return;
	if (n != 4 || m->has_threads || *count == ALL_UNSET) {
		unset_initialise_in_page(m, off, n);
		return;
	}
	memcpy(&mark, m->unset + off, 4);
	if (mark && *count > 4) {
		*count = (uint16_t)(*count - (mark * 0x01010101u >> 24));
		memset(m->unset + off, 0, 4);
	} else if (mark) {
		unset_initialise_in_page(m, off, n);
	}
}

/* Returns true if one of n bytes is uninitialised. */
static inline bool unset_is_any(const struct memory *m, uint64_t off, uint64_t n)
{
	bool any = false;

	for (uint64_t part; n; off += part, n -= part) {
		part = min_u64(n, UNSET_PAGE - off % UNSET_PAGE);
		any |= unset_may_be(m, off) && unset_is_any_in_page(m, off, part);
	}
	return any;
}

#endif
