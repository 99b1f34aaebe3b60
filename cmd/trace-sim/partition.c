/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory partition: one DRAM channel with its sub partitions, the credits by which they share it and the
 * latency queue (part 4 section 7).
 *
 * A tick is run only when something may move in it; the ticks between are counted when the next one runs.
 */
#include <assert.h>
#include "bits.h"
#include "partition.h"

static bool has_credit(const struct memory *m, const struct channel *c, const struct sub *s)
{
	return s->credits < 1 || !m->credit_limit || c->shared < m->credit_limit;
}

static void borrow(struct channel *c, uint32_t k)
{
	if (c->sub[k].credits < 1)
		c->sub[k].credits++;
	else
		c->shared++;
	c->last = k;
}

void channel_return_credit(struct memory *m, struct channel *c, uint32_t sub)
{
	struct sub *s = &m->sub[sub];

	if (s->credits) {
		s->credits--;
		return;
	}
	assert(c->shared);
	c->shared--;
}

void channel_done(struct memory *m, struct channel *c, uint32_t req)
{
	channel_return_credit(m, c, m->pool->at[req].sub);
	untrack(m, req);
	req_free(m->pool, req);
}

bool channel_reply(struct memory *m, struct channel *c, struct mem_fifo *from)
{
	uint32_t id = m->pool->at[from->head].sub;
	struct sub *s = &m->sub[id];

	if (s->dram_l2.count >= m->mp->queue_dram_l2)
		return false;
	mem_fifo_push(m->pool->at, &s->dram_l2, mem_fifo_pop(m->pool->at, from));
	bitset_set(s->part->active, id);
	channel_return_credit(m, c, id);
	return true;
}

/* Step 3 of section 7.2: one request from L2->DRAM into the latency queue. */
bool channel_arbitrate(struct memory *m, struct channel *c, uint64_t now)
{
	for (uint32_t p = 1; p <= m->per; p++) {
		uint32_t k = (c->last + p) & (m->per - 1), req;
		struct sub *s = &c->sub[k];

		if (!s->l2_dram.count || !has_credit(m, c, s) || s->dram_l2.count >= m->mp->queue_dram_l2)
			continue;
		/* quirk: a full channel stops the search for all. */
		if (!m->mp->dram.simple &&
			dram_full(&c->dram, m->pool->at[s->l2_dram.head].flags & REQ_WRITE))
			return false;
		/* A full L2->DRAM queue had blocked the sub partition; it is active, so it will look again.
		 */
		req = mem_fifo_pop(m->pool->at, &s->l2_dram);
		m->pool->at[req].key = (uint32_t)now + m->mp->dram_latency;
		mem_fifo_push(m->pool->at, &c->delay, req);
		borrow(c, k);
		return true;
	}
	return false;
}

static bool release_delayed(struct memory *m, struct channel *c, uint64_t now)
{
	uint32_t req = c->delay.head;

	if (!c->delay.count || !reached(now, m->pool->at[req].key) ||
		dram_full(&c->dram, m->pool->at[req].flags & REQ_WRITE))
		return false;
	dram_push(&c->dram, mem_fifo_pop(m->pool->at, &c->delay), now);
	return true;
}

static bool full_tick(struct memory *m, struct channel *c, uint64_t now, uint32_t cycle)
{
	uint32_t gone;
	bool moved = c->dram.done.count && channel_reply(m, c, &c->dram.done);

	moved |= dram_tick(&c->dram, now, cycle, &gone);
	if (gone)
		channel_done(m, c, gone);
	moved |= channel_arbitrate(m, c, now);
	moved |= release_delayed(m, c, now);
	return moved;
}

void channel_tick(struct memory *m, uint32_t id, uint64_t now, uint32_t cycle, uint64_t t)
{
	struct channel *c = &m->channel[id];
	bool moved, simple = m->mp->dram.simple;

	if (c->wake > t && !(c->delay_waits && reached(now, m->pool->at[c->delay.head].key)))
		return;
	if (!simple)
		dram_skip(&c->dram, t - 1);
	moved = simple ? simple_dram_tick(m, c, now) : full_tick(m, c, now, cycle);
	c->delay_waits = c->delay.count && !reached(now, m->pool->at[c->delay.head].key);
	if (moved)
		c->wake = t + 1;
	else
		c->wake = simple ? UINT64_MAX : dram_next(&c->dram);
	if (c->wake == UINT64_MAX && !c->delay_waits)
		bitset_clear(c->part->live, id);
}

void channel_poke(struct memory *m, uint32_t sub)
{
	uint32_t id = sub >> m->sub_log2;

	m->channel[id].wake = 0;
	bitset_set(m->channel[id].part->live, id);
}

void channel_catch_up(struct memory *m, uint32_t id)
{
	if (!m->mp->dram.simple)
		dram_skip(&m->channel[id].dram, m->dram_ticks);
}
