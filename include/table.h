/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash table of array indices: the owner has the elements in an array.
 *
 * Open addressing; a slot has a hash and a number. Always true: at most half of the slots are in use, so a search
 * ends. The slots contain the hashes, so growing needs no access to the elements. Single elements cannot be removed.
 * The caller compares elements:
 *
 * 	FOR_TABLE (w, &t, table_hash(name, len))
 * 		if (is(w.number, name, len))
 * 			return w.number;
 * 	table_add(&t, table_hash(name, len), n++);
 *
 * A zeroed table is empty. Numbers of equal hash are found in the order in which they were added.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TABLE_NONE UINT32_MAX /* mark for "no number"; larger than any number */

struct table_slot {
	uint32_t hash; /* lower half of the hash */
	uint32_t next; /* number of the entry plus 1; 0: the slot is free */
};

struct table {
	struct table_slot *slot;
	uint32_t n;       /* number of entries */
	uint32_t n_slots; /* number of slots: 0 or a power of 2 */
};

/* Return the XXH3 hash of n bytes, or of the bytes of n words. */
uint64_t table_hash(const void *bytes, size_t n);
uint64_t table_hash_words(const uint64_t *word, size_t n);
/* Adds number (below TABLE_NONE) under a hash. Does not look for equal elements. */
void table_add(struct table *t, uint64_t hash, uint32_t number);
/* Empties the table but keeps its memory. */
void table_clear(struct table *t);
void table_free(struct table *t);

/* State of a search. number is the current number under the hash, or TABLE_NONE. */
struct table_walk {
	const struct table *table; /* table that is searched */
	uint32_t hash;             /* hash of the entry */
	uint32_t slot;             /* index of the next slot */
	uint32_t number;           /* number of the entry */
};

static inline void table_step(struct table_walk *w)
{
	const struct table_slot *s;

	do
		s = &w->table->slot[w->slot++ & (w->table->n_slots - 1)];
	while (s->next && s->hash != w->hash);
	w->number = s->next - 1; /* TABLE_NONE for a free slot */
}

static inline struct table_walk table_first(const struct table *t, uint64_t hash)
{
	struct table_walk w = {t, (uint32_t)hash, (uint32_t)hash, TABLE_NONE};

	if (t->n_slots)
		table_step(&w);
	return w;
}

/* Loops over the numbers w.number that were added under the hash. */
#define FOR_TABLE(w, table, hash) \
	for (struct table_walk w = table_first(table, hash); w.number != TABLE_NONE; table_step(&w))

#endif
