/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A memory partition: a DRAM channel with its sub partitions, the credits by which they share it, and the
 * latency queue (MEM-part).
 *
 * A tick runs only if it may move a request. Skipped ticks are counted when the next tick runs.
 */
#include <assert.h>
#include "bits.h"
#include "partition.h"

static bool has_credit(const struct memory *m, const struct channel *c, const struct sub *s)
{
	return s->credits < 1 || c->shared_credits < m->credit_limit;
}

static void take_shared_credit(struct channel *c, uint32_t k)
{
	if (c->sub[k].credits < 1)
		c->sub[k].credits++;
	else
		c->shared_credits++;
	c->free_credits--;
	c->last_credited = k;
}

static void return_credit(struct channel *c, struct sub *s)
{
	c->arbitration_failed = false;
	c->free_credits++;
	if (s->credits) {
		s->credits--;
		return;
	}
	assert(c->shared_credits);
	c->shared_credits--;
}

void channel_free_writeback(struct memory *m, struct channel *c, uint32_t req)
{
	return_credit(c, &m->sub[m->pool->req[req].sub]);
	untrack_request(m, req);
	req_free(m->pool, req);
}

struct sub *channel_sub_with_space(const struct memory *m, uint32_t req)
{
	struct sub *s = &m->sub[m->pool->req[req].sub];

	return s->dram_l2.count < m->memory_params->queue_dram_l2 ? s : NULL;
}

void channel_reply(struct memory *m, struct channel *c, struct sub *s, uint32_t req)
{
	mem_fifo_push(m->pool->req, &s->dram_l2, req);
	s->wake = 0;
	return_credit(c, s);
}

/* MEM-part-4. */
bool channel_arbitrate(struct memory *m, struct channel *c, uint64_t now)
{
	for (uint32_t p = 1; p <= m->subs_per_channel; p++) {
		uint32_t k = (c->last_credited + p) & (m->subs_per_channel - 1), req;
		struct sub *s = &c->sub[k];

		if (!s->l2_dram.count || !has_credit(m, c, s) ||
			s->dram_l2.count >= m->memory_params->queue_dram_l2)
			continue;
		/* quirk Q4-6: a full channel ends the search for the other sub partitions, too */
		if (dram_queue_full(&c->dram, m->pool->req[s->l2_dram.head].flags & REQ_WRITE))
			return false;
		/* after a full L2->DRAM queue, the sub partition is awake and tries again */
		req = mem_fifo_pop(m->pool->req, &s->l2_dram);
		c->pending_l2_requests--;
		m->pool->req[req].key = (uint32_t)now + m->memory_params->dram_latency;
		if (m->pool->req[req].flags & REQ_AWAITED)
			channel_note_awaited(c, earliest_leave_time(now, m->memory_params->dram_latency));
		if (!c->delay.count)
			c->delay_ready_at = m->pool->req[req].key;
		mem_fifo_push(m->pool->req, &c->delay, req);
		take_shared_credit(c, k);
		return true;
	}
	return false;
}

static bool is_channel_delay_over(const struct channel *c, uint64_t now)
{
	return c->delay.count && reached(now, c->delay_ready_at);
}

uint32_t channel_delay_pop(struct memory *m, struct channel *c)
{
	uint32_t req = mem_fifo_pop(m->pool->req, &c->delay);

	if (c->delay.count)
		c->delay_ready_at = m->pool->req[c->delay.head].key;
	return req;
}

/*
 * Moves the head of the latency queue into the DRAM if it is ready. Returns true if the next request is ready
 * too.
 */
static bool release_delayed(struct memory *m, struct channel *c, uint64_t now)
{
	bool over = is_channel_delay_over(c, now),
	     moves = over && !dram_queue_full(&c->dram, m->pool->req[c->delay.head].flags & REQ_WRITE);

	if (moves) {
		dram_push_request(&c->dram, channel_delay_pop(m, c), now);
		over = is_channel_delay_over(c, now);
	}
	c->delay_waits = c->delay.count && !over;
	return moves && over;
}

/* Sends the oldest reply of the DRAM to its sub partition if the DRAM->L2 queue has a free slot. */
static void return_reply(struct memory *m, struct channel *c)
{
	struct sub *s = channel_sub_with_space(m, c->dram.return_queue.head);

	c->blocked = !s;
	if (s)
		channel_reply(m, c, s, mem_fifo_pop(m->pool->req, &c->dram.return_queue));
}

/*
 * Runs tick t. Returns the next tick in which the channel can make progress without new input. A move that
 * failed waits until the DRAM schedules or replies, or until a sub partition calls channel_wake().
 */
static uint64_t tick_detailed_channel(
	struct memory *m, struct channel *c, uint64_t now, uint32_t cycle, uint64_t t)
{
	struct dram *d = &c->dram;
	bool more = false;
	uint32_t gone;

	if (d->return_queue.count && !c->blocked)
		return_reply(m, c);
	gone = dram_tick(d, t, now, cycle);
	if (gone)
		channel_free_writeback(m, c, gone);
	if (c->pending_l2_requests && c->free_credits && (!c->arbitration_failed || d->dequeued) &&
		!dram_all_queues_full(d)) {
		d->dequeued = false;
		c->arbitration_failed = !channel_arbitrate(m, c, now);
		more = !c->arbitration_failed && c->pending_l2_requests && c->free_credits;
	}
	more |= release_delayed(m, c, now);
	if ((more && !dram_all_queues_full(d)) || (d->return_queue.count && !c->blocked))
		return t + 1;
	return dram_next_busy_tick(d);
}

static uint64_t tick_simple_channel(struct memory *m, struct channel *c, uint64_t now, uint64_t t)
{
	bool moved = dram_simple_tick(m, c, now);

	c->delay_waits = c->delay.count && !is_channel_delay_over(c, now);
	return moved ? t + 1 : UINT64_MAX;
}

void channel_run_ticks(
	struct memory *m, struct channel *c, uint64_t now, uint32_t cycle, uint64_t first, uint64_t last)
{
	uint64_t t = first;

	if (m->memory_params->dram.simple)
		while (t <= last)
			t = tick_simple_channel(m, c, now, t);
	else
		while (t <= last)
			t = tick_detailed_channel(m, c, now, cycle, t);
	c->wake = t;
	c->may_move = t != UINT64_MAX || c->delay_waits;
}

void channel_wake(struct channel *c)
{
	if (c->dram.return_queue.count || !dram_all_queues_full(&c->dram))
		c->wake = 0;
	c->arbitration_failed = c->blocked = false;
	c->may_move = true;
}

void channel_note_request(struct memory *m, struct sub *s)
{
	struct channel *c = s->channel;

	c->pending_l2_requests++;
	if (s->l2_dram.count == 1 && has_credit(m, c, s))
		channel_wake(c);
}

void channel_catch_up(struct memory *m, uint32_t id)
{
	if (!m->memory_params->dram.simple)
		dram_skip_to_tick(&m->channel[id].dram, m->dram_ticks);
}
