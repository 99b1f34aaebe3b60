/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the memory side is cut into parts: whole for one thread, or into the slices of a team (threads.h).
 *
 * Always true: each channel belongs to one part, with its sub partitions; what is awake or waits in a ROP queue is
 * listed with its part. Cutting anew, between two phases, moves the lists and changes nothing else.
 */
#include "arena.h"
#include "bits.h"
#include "mem/partition.h"
#include "threads.h"

void memory_free_parts(struct memory *m)
{
	for (unsigned i = 0; i < m->slices; i++)
		reserve_free(m->part[i].active, m->set_words, sizeof(uint64_t));
	reserve_free(m->part, m->slices, sizeof *m->part);
}

void memory_set_threads(struct memory *m, unsigned threads)
{
	if (m->part)
		memory_free_parts(m);
	m->threads = threads;
	m->slices = threads > 1 ? threads * TEAM_SLICES : 1;
	m->parts = 1;
	m->part = reserve(m->slices, sizeof *m->part);
	m->set_words = 3u * m->sub_words + m->channel_words;
	for (unsigned i = 0; i < m->slices; i++) {
		struct memory_part *p = &m->part[i];

		p->active = reserve(m->set_words, sizeof(uint64_t));
		p->replying = p->active + m->sub_words;
		p->subs = p->replying + m->sub_words;
		p->live = p->subs + m->sub_words;
	}
	for (uint32_t c = 0; c < m->mp->channels; c++)
		m->channel[c].part = m->part;
	for (uint32_t i = 0; i < m->subs; i++) {
		m->sub[i].part = m->part;
		bitset_set(m->part->subs, i);
	}
}

static unsigned part_of(const struct memory *m, uint32_t c)
{
	return m->parts == 1 ? 0 : team_slice(c, m->mp->channels, m->threads);
}

static void move_bit(uint64_t *from, uint64_t *to, uint32_t i)
{
	if (!bitset_test(from, i))
		return;
	bitset_clear(from, i);
	bitset_set(to, i);
}

static void move_sub(struct sub *s, struct memory_part *to)
{
	move_bit(s->part->active, to->active, s->id);
	move_bit(s->part->replying, to->replying, s->id);
	move_bit(s->part->subs, to->subs, s->id);
	s->part = to;
}

/* The part whose first request in a ROP queue is the earliest of all; NULL: there is none. */
static struct memory_part *earliest(const struct memory *m, unsigned parts)
{
	struct memory_part *best = NULL;

	for (unsigned i = 0; i < parts; i++) {
		struct memory_part *p = &m->part[i];

		if (p->rop_order.count && (!best || (int32_t)(m->pool->at[p->rop_order.head].key -
							      m->pool->at[best->rop_order.head].key) < 0))
			best = p;
	}
	return best;
}

void memory_order_rop(struct memory *m, struct memory_part *p, uint32_t req)
{
	struct mem_fifo *order = &p->rop_order;

	m->pool->at[req].bin = REQ_NONE;
	if (order->count++)
		m->pool->at[order->tail].bin = req;
	else
		order->head = req;
	order->tail = req;
}

uint32_t memory_next_rop(struct memory *m, struct memory_part *p)
{
	uint32_t req = p->rop_order.head;

	p->rop_order.head = m->pool->at[req].bin;
	p->rop_order.count--;
	return req;
}

void memory_cut(struct memory *m, bool slices)
{
	unsigned before = m->parts;
	struct memory_part all = {0}, *p;

	while ((p = earliest(m, before))) {
		uint32_t req = memory_next_rop(m, p);

		memory_order_rop(m, &all, req);
	}
	m->parts = slices ? m->slices : 1;
	for (uint32_t c = 0; c < m->mp->channels; c++) {
		struct memory_part *to = &m->part[part_of(m, c)];

		move_bit(m->channel[c].part->live, to->live, c);
		m->channel[c].part = to;
		for (uint32_t i = 0; i < m->per; i++)
			move_sub(&m->sub[c * m->per + i], to);
	}
	while (all.rop_order.count) {
		uint32_t req = memory_next_rop(m, &all);

		memory_order_rop(m, m->sub[m->pool->at[req].sub].part, req);
	}
}
