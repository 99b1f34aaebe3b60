/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One hash table for all: it finds numbers of things that their owner keeps in an array.
 *
 * Open addressing over slots of a hash and a number. Always true: at most half of the slots are taken, so
 * that a search ends; the slots hold the hashes, so that growing asks nobody; what was added is not taken out
 * again but all together. It leaves out what the things are: whoever looks compares them, as in
 *
 *	FOR_TABLE (w, &t, table_hash(name, len))
 *		if (is(w.number, name, len))
 *			return w.number;
 *	table_add(&t, table_hash(name, len), n++);
 *
 * A zeroed table is empty and ready. Numbers come in the order in which they were added.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TABLE_NONE UINT32_MAX /* no number; all that are added are below */

struct table_slot {
	uint32_t hash, next; /* number + 1; 0: free */
};

struct table {
	struct table_slot *slot;
	uint32_t n, n_slots; /* n_slots: 0 or a power of 2 */
};

/* Hash of n bytes (XXH3), the same on every machine; of n words, which are hashed as their bytes. */
uint64_t table_hash(const void *bytes, size_t n);
uint64_t table_hash_words(const uint64_t *word, size_t n);
/* Number (below TABLE_NONE) is found under this hash from now on. Nothing is compared. */
void table_add(struct table *t, uint64_t hash, uint32_t number);
/* Empty again; the slots stay. */
void table_clear(struct table *t);
void table_free(struct table *t);

/* A search under way: number is the next that was added under the hash, or TABLE_NONE. */
struct table_walk {
	const struct table *t;
	uint32_t hash, at, number;
};

static inline void table_step(struct table_walk *w)
{
	const struct table_slot *s;

	do
		s = &w->t->slot[w->at++ & (w->t->n_slots - 1)];
	while (s->next && s->hash != w->hash);
	w->number = s->next - 1; /* of a free slot TABLE_NONE */
}

static inline struct table_walk table_first(const struct table *t, uint64_t hash)
{
	struct table_walk w = {t, (uint32_t)hash, (uint32_t)hash, TABLE_NONE};

	if (t->n_slots)
		table_step(&w);
	return w;
}

/* for (each number added under the hash) { w.number } */
#define FOR_TABLE(w, table, hash) \
	for (struct table_walk w = table_first(table, hash); w.number != TABLE_NONE; table_step(&w))

#endif
