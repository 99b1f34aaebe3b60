/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hints about managed memory, for the program's queries. They have no other effect.
 *
 * Always true: a later record of a kind replaces an earlier one in the pages that both contain.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "cudart/advice.h"

#define PAGE 4096u

static struct advice {
	uint64_t start; /* start of whole pages of one allocation */
	uint64_t end;   /* end of these pages */
	enum hint_kind kind;
	struct location value;
} * records;
static uint32_t n_records, cap_records;

/* Removes the records of a kind, or of all with N_HINT_KINDS, whose pages are all in [from, to). */
static void remove_advice(uint64_t from, uint64_t to, enum hint_kind kind)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n_records; i++) {
		const struct advice *r = &records[i];

		if ((kind != N_HINT_KINDS && r->kind != kind) || r->start < from || r->end > to)
			records[kept++] = *r;
	}
	n_records = kept;
}

void advice_note(const void *base, size_t n, enum hint_kind kind, struct location value)
{
	const struct grant *g = cudart_find_grant((uintptr_t)base);
	uint64_t from = (uintptr_t)base / PAGE * PAGE, to = round_up_u64((uintptr_t)base + n, PAGE);

	if (from < g->addr)
		from = g->addr;
	if (to > g->addr + g->bytes)
		to = g->addr + g->bytes;
	remove_advice(from, to, kind);
	grow(&records, &cap_records, n_records + 1, sizeof(*records));
	records[n_records++] = (struct advice){from, to, kind, value};
}

void advice_forget(uint64_t addr, uint64_t n) { remove_advice(addr, addr + n, N_HINT_KINDS); }

static struct location hint_at(uint64_t addr, enum hint_kind kind)
{
	for (uint32_t i = n_records; i-- > 0;)
		if (records[i].kind == kind && addr >= records[i].start && addr < records[i].end)
			return records[i].value;
	return (struct location){0};
}

/* Returns the value of a hint that all pages of n bytes have, or 0 if they differ. */
static struct location hint_of_range(uint64_t addr, size_t n, enum hint_kind kind)
{
	struct location value = hint_at(addr, kind);

	for (uint32_t i = 0; i < 2 * n_records; i++) {
		uint64_t edge = i & 1 ? records[i / 2].end : records[i / 2].start;
		struct location other;

		if (records[i / 2].kind != kind || edge <= addr || edge >= addr + n)
			continue;
		other = hint_at(edge, kind);
		if (other.type != value.type || other.id != value.id)
			return (struct location){0};
	}
	return value;
}

/* ---- queries ---- */

/* Attributes of ranges by the runtime's number. The first four are those of releases before 12.2. */
enum {
	RANGE_READ_MOSTLY = 1,
	RANGE_PREFERRED,
	RANGE_ACCESSED_BY,
	RANGE_PREFETCHED,
	RANGE_PREFERRED_TYPE,
	RANGE_PREFERRED_ID,
	RANGE_PREFETCHED_TYPE,
	RANGE_PREFETCHED_ID
};
enum { ON_CPU = -1, ON_NO_DEVICE = -2 };

/* Returns a location as the number of a device. */
static int device_of_location(struct location l)
{
	return l.type == ON_DEVICE ? l.id : l.type == NOWHERE_SET ? ON_NO_DEVICE : ON_CPU;
}

/* Stores the processors that have the hint, then ON_NO_DEVICE up to the end of the array. */
static void store_users(int *to, size_t n, uint64_t addr, size_t bytes)
{
	size_t i = 0;

	if (i < n && hint_of_range(addr, bytes, HINT_USED_BY_DEVICE).type)
		to[i++] = 0;
	if (i < n && hint_of_range(addr, bytes, HINT_USED_BY_HOST).type)
		to[i++] = ON_CPU;
	while (i < n)
		to[i++] = ON_NO_DEVICE;
}

static int store_range_attribute(int *to, size_t bytes, int attribute, const void *base, size_t n)
{
	uint64_t addr = (uintptr_t)base;
	bool later = attribute == RANGE_PREFETCHED || attribute >= RANGE_PREFETCHED_TYPE;
	struct location l = hint_of_range(addr, n, later ? HINT_PREFETCHED : HINT_PREFERRED);

	if (!to || advice_check_range(base, n) || bytes % 4 || !bytes ||
		(bytes != 4 && attribute != RANGE_ACCESSED_BY))
		return cudaErrorInvalidValue;
	switch (attribute) {
	case RANGE_READ_MOSTLY: *to = hint_of_range(addr, n, HINT_READ_MOSTLY).type; break;
	case RANGE_PREFERRED:
	case RANGE_PREFETCHED: *to = device_of_location(l); break;
	case RANGE_ACCESSED_BY: store_users(to, bytes / 4, addr, n); break;
	case RANGE_PREFERRED_TYPE:
	case RANGE_PREFETCHED_TYPE: *to = l.type; break;
	case RANGE_PREFERRED_ID:
	case RANGE_PREFETCHED_ID: *to = l.id; break;
	default: return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

API(int, cudaMemRangeGetAttribute, int *to, size_t bytes, int attribute, const void *base, size_t n)
{
	int e = cudart_enter(true);

	return cudart_leave(e ? e : store_range_attribute(to, bytes, attribute, base, n));
}

API(int, cudaMemRangeGetAttributes, int **to, const size_t *bytes, const int *attribute, size_t n_attributes,
	const void *base, size_t n)
{
	int e = cudart_enter(true);

	if (!e && (!to || !bytes || !attribute || !n_attributes))
		e = cudaErrorInvalidValue;
	for (size_t i = 0; !e && i < n_attributes; i++)
		e = store_range_attribute(to[i], bytes[i], attribute[i], base, n);
	return cudart_leave(e);
}
