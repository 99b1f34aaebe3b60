/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash table (see table.h): adding and growing. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "arena.h"
#include "diag.h"
#include "table.h"

#define SLOTS_MIN 64u
#define SLOTS_MAX (1u << 31)

uint64_t table_hash(const void *bytes, size_t n) { return XXH3_64bits(bytes, n); }
uint64_t table_hash_words(const uint64_t *word, size_t n) { return XXH3_64bits(word, n * sizeof(*word)); }

static void insert_into_slot(struct table *t, struct table_slot what)
{
	uint32_t at = what.hash;

	while (t->slot[at & (t->n_slots - 1)].next)
		at++;
	t->slot[at & (t->n_slots - 1)] = what;
}

/*
 * Doubles the number of slots. Copies the slots in order, starting after a free slot, so that numbers with the same
 * hash remain in order.
 */
static void double_slots(struct table *t)
{
	struct table old = *t;
	uint32_t from = 0;

	if (old.n_slots >= SLOTS_MAX)
		die("out of memory: a table of more than %u entries", SLOTS_MAX / 2);
	uint32_t n = old.n_slots ? old.n_slots * 2 : SLOTS_MIN;
	t->slot = xcalloc(n, sizeof(t->slot[0]));
	t->n_slots = n;
	while (old.n_slots && old.slot[from].next)
		from++;
	for (uint32_t i = 0; i < old.n_slots; i++) {
		struct table_slot s = old.slot[(from + i) & (old.n_slots - 1)];

		if (s.next)
			insert_into_slot(t, s);
	}
	free(old.slot);
}

void table_add(struct table *t, uint64_t hash, uint32_t number)
{
	if (t->n >= t->n_slots / 2)
		double_slots(t);
	insert_into_slot(t, (struct table_slot){(uint32_t)hash, number + 1});
	t->n++;
}

void table_clear(struct table *t)
{
	if (t->n)
		memset(t->slot, 0, t->n_slots * sizeof(t->slot[0]));
	t->n = 0;
}

void table_free(struct table *t)
{
	free(t->slot);
	*t = (struct table){0};
}
