/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recomputes the derived state of the memory side and compares it: the sets of awake channels, the counts and
 * credits of the channels, the banks of each DRAM and their timers. See instrument/invariants.h. Empty unless
 * CHECK_INVARIANTS is defined.
 */
#ifdef CHECK_INVARIANTS

#include "bits.h"
#include "instrument/invariants.h"
#include "partition.h"

/* Number of requests in a list that is linked by req.next. Stops counting at `most` + 1. */
static uint32_t count_linked_requests(const struct req *node, uint32_t first, uint32_t most)
{
	uint32_t n = 0;

	for (uint32_t r = first; r != REQ_NONE && n <= most; r = node[r].next)
		n++;
	return n;
}

static void check_fifo(const char *name, uint32_t unit, const struct req *node, const struct mem_fifo *q)
{
	if (q->count)
		invariant(name, unit, 0, q->count, count_linked_requests(node, q->head, q->count));
}

/* ---- DRAM --------------------------------------------------------------------------------------- */

static uint64_t bank_time(const struct dram *d, uint32_t b)
{
	const struct dram_bank *k = &d->bank[b];

	if (d->row_hit_banks >> b & 1)
		return d->write_banks >> b & 1 ? k->write_at : k->read_at;
	return d->open_banks >> b & 1 ? k->precharge_at : k->activate_at;
}

static void check_bank(const struct dram *d, uint32_t b)
{
	const struct dram_bank *k = &d->bank[b];
	uint64_t bit = 1ull << b;
	bool busy = d->busy_banks & bit, active = d->open_banks & bit, match = d->row_hit_banks & bit;
	uint64_t at, set_at, set;

	invariant("dram.busy_banks", d->id, b, busy, k->req != REQ_NONE);
	invariant("dram.row_hit_banks", d->id, b, match, busy && active && k->open_row == k->row);
	if (!busy)
		return;
	invariant("dram.write_banks", d->id, b, (d->write_banks & bit) != 0,
		(d->pool->req[k->req].flags & REQ_WRITE) != 0);
	at = bank_time(d, b);
	invariant("dram.bank_ready_at", d->id, b, d->bank_ready_at[b], at);
	if (d->timing_ready & bit)
		invariant("dram.timing_ready", d->id, b, at <= tick_max(d->ticks + 1, match ? d->ccd : 0),
			true);
	if (match) {
		set_at = d->column_at;
		set = d->column_set;
		at = tick_max(tick_max(at, d->ccd),
			tick_max(d->ccdl.expires[d->group[b]], d->write_banks & bit ? d->rtw : d->wtr));
	} else {
		set_at = d->row_at;
		set = d->row_set;
		at = tick_max(at, active ? d->rtpl.expires[d->group[b]] : d->rrd);
	}
	invariant("dram.column_at, row_at, not late", d->id, b, set_at <= tick_max(at, d->ticks + 1), true);
	if (set && set_at > d->ticks)
		invariant("dram.column_set, row_set", d->id, b, (set & bit) != 0, at <= set_at);
}

/* Number of requests that wait for the bank, in the row in service and in all waiting rows. */
static uint32_t count_queued_for_bank(const struct dram *d, const struct row_queue *q, uint32_t bank)
{
	const struct req *node = d->pool->req;
	uint32_t most = d->pending[0] + d->pending[1], n, last = REQ_NONE;

	n = q->service.count ? count_linked_requests(node, q->service.head, most) : 0;
	for (uint32_t r = q->first_row; r != REQ_NONE && n <= most; r = node[r].next_row) {
		n += count_linked_requests(node, r, most);
		invariant("dram.row.tail", d->id, bank, node[node[r].row_tail].next, REQ_NONE);
		last = r;
	}
	if (last != REQ_NONE)
		invariant("dram.last_row", d->id, bank, q->last_row, last);
	return n;
}

static void check_sub_queues(const struct dram *d)
{
	if (!d->params->fr_fcfs) {
		invariant("dram.waiting, FIFO", d->id, 0, d->waiting_banks[0],
			d->pending[0] ? 1ull << d->fifo[0].bank : 0);
		return;
	}
	for (unsigned set = 0; set < 2; set++) {
		uint32_t pending = 0;

		for (uint32_t b = 0; b < d->params->nbk; b++) {
			uint32_t n = count_queued_for_bank(d, &d->bank[b].queue[set], b);

			invariant("dram.waiting_banks", d->id, b, d->waiting_banks[set] >> b & 1, n != 0);
			pending += n;
		}
		invariant("dram.pending", d->id, set, d->pending[set], pending);
	}
}

static void check_dram(const struct dram *d)
{
	for (uint32_t b = 0; b < d->params->nbk; b++)
		check_bank(d, b);
	check_sub_queues(d);
	check_fifo("dram.return_queue", d->id, d->pool->req, &d->return_queue);
	invariant("dram.bus.next_pop", d->id, 0, d->bus.next_pop,
		d->bus.n_slots_used ? d->bus.slot[d->bus.first_slot & d->bus.mask].tick : UINT64_MAX);
	for (uint32_t i = 1; i < d->bus.n_slots_used; i++)
		invariant("dram.bus, in order", d->id, i,
			d->bus.slot[(d->bus.first_slot + i - 1) & d->bus.mask].tick <
				d->bus.slot[(d->bus.first_slot + i) & d->bus.mask].tick,
			true);
}

/* Number of requests that are in the DRAM channel. */
static uint32_t count_dram_requests(const struct dram *d)
{
	uint32_t n = d->pending[0] + d->pending[1] + bit_count64(d->busy_banks) + d->return_queue.count;

	for (uint32_t i = 0; i < d->bus.n_slots_used; i++)
		n += d->bus.slot[(d->bus.first_slot + i) & d->bus.mask].req != REQ_NONE;
	return n;
}

/* ---- channels and sub partitions ---------------------------------------------------------------- */

static void check_sub_partition(const struct memory *m, const struct sub *s, bool all)
{
	const struct req *node = m->pool->req;

	check_fifo("sub.icnt_l2", s->id, node, &s->icnt_l2);
	check_fifo("sub.l2_dram", s->id, node, &s->l2_dram);
	check_fifo("sub.dram_l2", s->id, node, &s->dram_l2);
	check_fifo("sub.l2_icnt", s->id, node, &s->l2_icnt);
	check_fifo("sub.rop", s->id, node, &s->rop);
	for (uint32_t i = 0; i < DELAYED_KINDS; i++)
		check_fifo("sub.delayed", s->id, node, &s->delayed[i]);
	if (s->rop.count)
		invariant("sub.rop_due", s->id, 0, s->rop_ready_at, node[s->rop.head].key);
	if (s->wake) {
		invariant("sub.wake", s->id, 0,
			s->icnt_l2.count + s->dram_l2.count + sub_has_delayed_reply(s), 0);
		invariant("sub.wake, ROP", s->id, 0, s->wake == UINT64_MAX, !s->rop.count);
		if (s->rop.count && !(m->memory_params->rop_latency >> 31))
			invariant("sub.wake, ROP time", s->id, 0, (uint32_t)s->wake, s->rop_ready_at);
		if (s->l2)
			invariant("sub.wake, L2", s->id, 0,
				cache_has_ready(s->l2) || !cache_miss_queue_empty(s->l2), false);
	}
	cache_check_invariants(s->l2, s->id, all);
}

static void check_dram_channel(const struct memory *m, const struct channel *c)
{
	uint32_t below = 0, credits = c->shared_credits, waiting = 0;
	bool simple = m->memory_params->dram.simple;

	for (uint32_t k = 0; k < m->subs_per_channel; k++) {
		below += c->sub[k].l2_dram.count;
		credits += c->sub[k].credits;
		waiting += (c->sub[k].wake != UINT64_MAX) + c->sub[k].l2_icnt.count;
	}
	if (!bitset_test(m->awake, c->dram.id))
		invariant("memory.awake", c->dram.id, 0, c->may_move || waiting, false);
	invariant("channel.pending_l2_requests", c->dram.id, 0, c->pending_l2_requests, below);
	invariant("channel.free_credits", c->dram.id, 0, c->free_credits + credits,
		(uint64_t)m->subs_per_channel + m->credit_limit);
	invariant("channel.credits", c->dram.id, 0, credits,
		c->delay.count + (simple ? 0 : count_dram_requests(&c->dram)));
	check_fifo("channel.delay", c->dram.id, m->pool->req, &c->delay);
	if (c->delay.count)
		invariant("channel.delay_ready_at", c->dram.id, 0, c->delay_ready_at,
			m->pool->req[c->delay.head].key);
	if (!c->may_move)
		invariant("channel.may_move", c->dram.id, 0, c->wake == UINT64_MAX && !c->delay_waits, true);
	if (!simple)
		check_dram(&c->dram);
}

void memory_check_invariants(const struct memory *m, bool all)
{
	for (uint32_t i = 0; i < m->n_subs; i++)
		check_sub_partition(m, &m->sub[i], all);
	for (uint32_t i = 0; i < m->memory_params->channels; i++)
		check_dram_channel(m, &m->channel[i]);
}

#endif
