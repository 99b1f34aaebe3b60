/* SPDX-License-Identifier: BSD-2-Clause */
/* MSHR table; see mshr.h for what is always true. */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "mshr.h"

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merge, unsigned level)
{
	uint32_t slots = ring_capacity(entries), table = ring_capacity(2 * entries + 2);

	*m = (struct mshr){.entries = entries, .merge = merge, .level = level, .mask = table - 1, .n_free = entries};
	m->entry = xcalloc(entries + 1, sizeof *m->entry);
	m->free = xcalloc(entries + 1, sizeof *m->free);
	for (uint32_t i = 0; i < entries; i++)
		m->free[i] = entries - 1 - i;
	m->table = xcalloc(table, sizeof *m->table);
	m->ready_slots = xcalloc(slots, sizeof *m->ready_slots);
	ring_init(&m->ready, m->ready_slots, slots);
}

void mshr_free(struct mshr *m)
{
	free(m->entry);
	free(m->free);
	free(m->table);
	free(m->ready_slots);
}

static uint32_t home(const struct mshr *m, uint64_t addr)
{
	return (uint32_t)((addr >> 5) * 0x9e3779b97f4a7c15u >> 32) & m->mask;
}

struct mshr_entry *mshr_find(const struct mshr *m, uint64_t addr)
{
	for (uint32_t i = home(m, addr); m->table[i]; i = (i + 1) & m->mask)
		if (m->entry[m->table[i] - 1].addr == addr)
			return &m->entry[m->table[i] - 1];
	return NULL;
}

static void insert(struct mshr *m, uint32_t e)
{
	uint32_t i = home(m, m->entry[e].addr);

	while (m->table[i])
		i = (i + 1) & m->mask;
	m->table[i] = e + 1;
}

/* Remove by moving later entries of the run back, so that no tombstones are needed. */
static void erase(struct mshr *m, uint32_t e)
{
	uint32_t i = home(m, m->entry[e].addr), j;

	while (m->table[i] != e + 1)
		i = (i + 1) & m->mask;
	for (j = i;;) {
		uint32_t h;

		j = (j + 1) & m->mask;
		if (!m->table[j])
			break;
		h = home(m, m->entry[m->table[j] - 1].addr);
		if (((j - h) & m->mask) >= ((j - i) & m->mask)) {
			m->table[i] = m->table[j];
			i = j;
		}
	}
	m->table[i] = 0;
	m->free[m->n_free++] = e;
}

void mshr_add(struct mshr *m, struct req_pool *pool, uint64_t addr, uint32_t r)
{
	struct mshr_entry *e = mshr_find(m, addr);

	pool->at[r].miss[m->level].next = REQ_NONE;
	if (!e) {
		uint32_t i;

		assert(m->n_free);
		i = m->free[--m->n_free];
		e = &m->entry[i];
		*e = (struct mshr_entry){.addr = addr, .first = r};
		insert(m, i);
	} else {
		pool->at[e->last].miss[m->level].next = r;
	}
	e->last = r;
	e->n++;
	e->atomic |= (pool->at[r].flags & REQ_ATOMIC) != 0;
}

bool mshr_mark_ready(struct mshr *m, uint64_t addr)
{
	struct mshr_entry *e = mshr_find(m, addr);

	assert(e);
	ring_push(&m->ready, (uint32_t)(e - m->entry));
	return e->atomic;
}

uint32_t mshr_peek_ready(const struct mshr *m)
{
	return mshr_has_ready(m) ? m->entry[ring_front(&m->ready)].first : REQ_NONE;
}

uint32_t mshr_pop_ready(struct mshr *m, struct req_pool *pool)
{
	struct mshr_entry *e;
	uint32_t r;

	if (!mshr_has_ready(m))
		return REQ_NONE;
	e = &m->entry[ring_front(&m->ready)];
	r = e->first;
	e->first = pool->at[r].miss[m->level].next;
	pool->at[r].miss[m->level].next = REQ_NONE;
	if (!--e->n)
		erase(m, ring_pop(&m->ready));
	return r;
}
