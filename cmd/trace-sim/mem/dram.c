/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DRAM channel: commands and their timers (MEM-dram-5, MEM-cmd) and refreshes (MEM-refresh).
 *
 * Always true: row_hit_banks is a subset of busy_banks & open_banks, and a bank that is not in busy_banks has no
 * request. At most one row command and one column command are issued per tick.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "dram.h"
#include "inlining.h"
#include "instrument/events.h"
#include "request/hash.h"

static uint32_t dram_bank_group(const struct dram_params *p, uint32_t bank)
{
	if (p->group_index == 0)
		return bank >> log2_floor(p->nbk / p->nbkgrp);
	return p->group_index == 1 ? bank & (p->nbkgrp - 1) : 0;
}

static uint32_t dram_largest_timing(const uint32_t *v, unsigned n)
{
	uint32_t max = 0;

	for (; n--; v++)
		max = *v > max ? *v : max;
	return max;
}

/* Returns a tick within the refresh interval, by a hash of the channel's number (MEM-refresh-1). */
static uint32_t random_refresh_phase(const struct dram_params *p, uint32_t id)
{
	uint32_t x = (id + 1) * 0x9E3779B1u;

	x = (x ^ x >> 15) * 0x85EBCA77u;
	x ^= x >> 13;
	return (uint32_t)((uint64_t)p->refresh_interval * x >> 32);
}

void dram_init(struct dram *d, const struct params *p, uint32_t id, struct req_pool *pool, struct memstat *ms)
{
	const struct dram_params *dp = &p->mem.dram;

	*d = (struct dram){.params = dp, .id = id, .pool = pool, .memstat = ms};
	d->separate_writes = dp->fr_fcfs && dp->write_queue;
	d->queue_capacity[0] = dp->fr_fcfs ? dp->queue_max ? dp->queue_max : UINT32_MAX : 2;
	d->queue_capacity[1] = !d->separate_writes ? 0 : dp->queue_max ? dp->write_max : UINT32_MAX;
	d->return_queue_max = dp->return_max ? dp->return_max : 1024;
	d->refresh_phase = random_refresh_phase(dp, id);
	d->column_at = d->row_at = UINT64_MAX;
	d->bus_counted_until = d->ratio_counted_until = d->idle_from = 1;
	d->all_banks = ~0ull >> (64 - dp->nbk);
	d->burst_ticks = dp->tCCD ? dp->tCCD : 1;
	d->activate_ticks =
		dram_largest_timing((uint32_t[]){dp->tRRD, dp->tRCD, dp->tRCDWR, dp->tRAS, dp->tRC}, 5);
	d->bank = xcalloc(dp->nbk, sizeof(*d->bank));
	d->bank_access = xcalloc(dp->nbk, sizeof(*d->bank_access));
	d->bank_idle = xcalloc(dp->nbk, sizeof(*d->bank_idle));
	dram_bus_init(&d->bus, dp->CL);
	for (uint32_t b = 0; b < dp->nbk; b++) {
		uint32_t g = dram_bank_group(dp, b);

		d->group[b] = (uint8_t)g;
		d->group_mask[g] |= 1ull << b;
		if (g >= d->groups)
			d->groups = g + 1;
	}
}

void dram_free(struct dram *d)
{
	free(d->bank);
	free(d->bank_access);
	free(d->bank_idle);
	free(d->bus.slot);
}

/* ---- requests in ---------------------------------------------------------------------------- */

static uint32_t bank_index(const struct dram_params *p, const struct req *r)
{
	switch (p->bank_index) {
	case 0: return r->bank;
	case 1: return r->bank ^ (r->row & (p->nbk - 1));
	default: return hash_ipoly(r->row, r->bank, p->nbk);
	}
}

void dram_push_request(struct dram *d, uint32_t req, uint64_t now)
{
	struct req *r = &d->pool->req[req];
	uint32_t bank = bank_index(d->params, r);

	assert(r->channel == d->id && bank < d->params->nbk);
	r->pushed = (uint32_t)now;
	d->request_arrived = true;
	d->n.n_req++;
	dram_enqueue_for_bank(d, req, bank);
	memstat_count_queued(d->memstat, r, r->size / d->params->atom_bytes);
}

/* ---- commands that a bank may issue --------------------------------------------------------- */

static inline bool has_write_request(const struct dram *d, uint64_t bank)
{
	return d->write_banks >> bank & 1;
}

static inline uint64_t tick_min(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Earliest tick at which bank b can issue its column command if no other command is issued before. */
static inline uint64_t earliest_column_tick(const struct dram *d, uint64_t b)
{
	uint64_t all = tick_max(d->ccd, has_write_request(d, b) ? d->rtw : d->wtr);

	return tick_max(all, tick_max(d->bank_ready_at[b], d->ccdl.expires[d->group[b]]));
}

/* Earliest tick at which bank b can issue its precharge or activate if no other command is issued before. */
static inline uint64_t earliest_row_tick(const struct dram *d, uint64_t b)
{
	return tick_max(d->bank_ready_at[b], d->open_banks >> b & 1 ? d->rtpl.expires[d->group[b]] : d->rrd);
}

/*
 * Updates *at and *set for a bank that can issue from tick `time` on. *at: first such tick of all banks;
 * *set: banks that can issue then, 0 if unknown.
 */
static inline void note_ready_bank(uint64_t *at, uint64_t *set, uint32_t bank, uint64_t time)
{
	if (time < *at) {
		*set = *set || *at == UINT64_MAX ? 1ull << bank : 0;
		*at = time;
	} else if (time == *at && *set) {
		*set |= 1ull << bank;
	}
}

static inline void set_bank_ready_at(struct dram *d, uint32_t bank, bool match, uint64_t time)
{
	uint64_t bit = 1ull << bank;

	d->bank_ready_at[bank] = time;
	if (time <= d->ticks) {
		d->timing_ready |= bit;
		return;
	}
	d->timing_ready &= ~bit;
	d->timing_ready_at[match] = tick_min(d->timing_ready_at[match], time);
}

void dram_note_bank_change(struct dram *d, uint32_t bank)
{
	const struct dram_bank *k = &d->bank[bank];

	if (d->row_hit_banks >> bank & 1) {
		set_bank_ready_at(d, bank, true, has_write_request(d, bank) ? k->write_at : k->read_at);
		note_ready_bank(&d->column_at, &d->column_set, bank, earliest_column_tick(d, bank));
		return;
	}
	set_bank_ready_at(d, bank, false, d->open_banks >> bank & 1 ? k->precharge_at : k->activate_at);
	note_ready_bank(&d->row_at, &d->row_set, bank, earliest_row_tick(d, bank));
}

/*
 * Merges banks that can issue in tick `time` into *at, the first tick in which any bank can issue, and *set,
 * the banks that can issue then.
 */
static inline void merge_ready_banks(uint64_t *at, uint64_t *set, uint64_t banks, uint64_t time)
{
	*set = time < *at ? banks : *set | (time == *at ? banks : 0);
	*at = tick_min(*at, time);
}

/* Subset of `banks` whose own timers have expired by tick t. t must not decrease from call to call. */
static inline uint64_t timing_ready_banks(struct dram *d, uint64_t banks, bool match, uint64_t t)
{
	uint64_t next = UINT64_MAX;

	if (t < d->timing_ready_at[match])
		return banks & d->timing_ready;
	FOR_BITS64 (b, banks & ~d->timing_ready) {
		if (d->bank_ready_at[b] <= t)
			d->timing_ready |= 1ull << b;
		else
			next = tick_min(next, d->bank_ready_at[b]);
	}
	d->timing_ready_at[match] = next;
	return banks & d->timing_ready;
}

static inline void load_group_timer(struct group_timer *g, uint32_t group, uint64_t banks, uint64_t time)
{
	if (g->banks != banks)
		g->other_groups_end = g->end;
	g->banks = banks;
	g->expires[group] = g->end = time;
}

/* Set of the banks in groups whose timer runs in tick t. */
static inline uint64_t banks_held_by_timer(const struct dram *d, const struct group_timer *timer, uint64_t t)
{
	uint64_t held = 0;

	if (t >= timer->other_groups_end)
		return t < timer->end ? timer->banks : 0;
	for (uint32_t g = 0; g < d->groups; g++)
		held |= timer->expires[g] > t ? d->group_mask[g] : 0;
	return held;
}

/*
 * Sets column_at to the first tick, from t on, in which a bank of row_hit_banks can issue, and column_set to the
 * banks that can issue then. In most cases a bank can issue as soon as the bus is free. Timers only move
 * forward, so the result remains a lower bound until a command is issued.
 */
static void find_column_banks(struct dram *d, uint64_t t)
{
	uint64_t first = tick_max(t, d->ccd), able = timing_ready_banks(d, d->row_hit_banks, true, first);

	able &= ~(first < d->rtw ? d->write_banks : 0) & (first < d->wtr ? d->write_banks : ~0ull);
	able &= ~banks_held_by_timer(d, &d->ccdl, first);
	d->column_at = able ? first : UINT64_MAX;
	d->column_set = able;
	if (!able)
		FOR_BITS64 (b, d->row_hit_banks)
			merge_ready_banks(&d->column_at, &d->column_set, 1ull << b,
				tick_max(earliest_column_tick(d, b), t));
}

/* Sets row_at and row_set in the same way for the row commands of the busy banks outside row_hit_banks. */
static void find_row_banks(struct dram *d, uint64_t t)
{
	uint64_t banks = d->busy_banks & ~d->row_hit_banks, ready = timing_ready_banks(d, banks, false, t);
	uint64_t to_open = ready & ~d->open_banks, to_close = ready & d->open_banks, at = UINT64_MAX, set = 0;
	uint64_t held = to_close & banks_held_by_timer(d, &d->rtpl, t);

	if (to_open)
		merge_ready_banks(&at, &set, to_open, tick_max(d->rrd, t));
	if (to_close & ~held)
		merge_ready_banks(&at, &set, to_close & ~held, t);
	if (at > t)
		FOR_BITS64 (b, held)
			merge_ready_banks(&at, &set, 1ull << b, d->rtpl.expires[d->group[b]]);
	if (at >= d->timing_ready_at[0])
		FOR_BITS64 (b, banks & ~ready)
			merge_ready_banks(&at, &set, 1ull << b, earliest_row_tick(d, b));
	d->row_at = at;
	d->row_set = set;
}

/* Set of the banks that can issue a column command in tick t. */
static uint64_t banks_ready_for_column(struct dram *d, uint64_t t)
{
	if (d->column_at > t || dram_bus_full(&d->bus, t))
		return 0;
	if (d->column_at < t || !d->column_set)
		find_column_banks(d, t);
	return d->column_at == t ? d->column_set : 0;
}

/* Set of the banks that can issue an activate or a precharge in tick t. */
static uint64_t banks_ready_for_row(struct dram *d, uint64_t t)
{
	if (d->row_at > t)
		return 0;
	if (d->row_at < t || !d->row_set)
		find_row_banks(d, t);
	return d->row_at == t ? d->row_set : 0;
}

/* ---- commands ------------------------------------------------------------------------------- */

static void set_bus_direction(struct dram *d, bool write, uint64_t t)
{
	if (d->writing == write)
		return;
	d->writing = write;
	dram_bus_set_min(&d->bus, write ? d->params->WL : d->params->CL, t);
}

static void issue_column_command(struct dram *d, uint32_t bank, uint64_t t, uint64_t now)
{
	const struct dram_params *p = d->params;
	struct dram_bank *k = &d->bank[bank];
	bool write = has_write_request(d, bank), last = k->bytes_left <= p->atom_bytes;
	uint32_t group = d->group[bank];
	uint64_t in_group = d->group_mask[group];

	dram_stat_count_bus(d, t);
	set_bus_direction(d, write, t);
	dram_bus_push(&d->bus, last ? k->req : REQ_NONE, t);
	d->ccd = t + p->tCCD;
	load_group_timer(&d->ccdl, group, in_group, t + p->tCCDL);
	d->column_at = d->ccd;
	d->column_set = 0;
	d->bus_counted_until = t + d->burst_ticks;
	d->progressed = true;
	++*k->columns;
	if (write) {
		d->wtr = t + p->tWTR;
		k->precharge_at = tick_max(k->precharge_at, t + p->tWTP);
	} else {
		d->rtw = t + p->tRTW;
		k->precharge_at = tick_max(k->precharge_at, t + p->burst_cycles);
		load_group_timer(&d->rtpl, group, in_group, t + p->tRTPL);
		if (d->rtpl.end > d->row_at)
			d->row_set &= ~(d->open_banks & in_group);
		k->reads++;
	}
	if (d->events)
		events_log_dram(d->events, now, d->id, write ? "wr" : "rd", bank, k->row);
	if (!last) {
		k->bytes_left -= p->atom_bytes;
		return;
	}
	dram_stat_count_finished(d, bank, t);
	k->req = REQ_NONE;
	d->busy_banks &= ~(1ull << bank);
	d->row_hit_banks &= ~(1ull << bank);
	if (!d->row_hit_banks)
		d->column_at = UINT64_MAX;
}

/*
 * Returns the ticks since the last refresh of the bank began (MEM-refresh-1). The channels' phases keep them
 * from refreshing in step or at evenly spaced times, which would delay all copies of many lines alike.
 */
static uint64_t ticks_since_refresh(const struct dram *d, uint32_t bank, uint64_t t)
{
	uint64_t interval = d->params->refresh_interval;

	return (t + interval * bank / d->params->nbk + d->refresh_phase) % interval;
}

/* Returns the ticks from t to the end of a refresh of the bank; 0 if none is under way. */
static uint64_t refresh_ticks_left(const struct dram *d, uint32_t bank, uint64_t t)
{
	uint64_t since = d->params->refresh_interval ? ticks_since_refresh(d, bank, t) : UINT64_MAX;

	return since < d->params->refresh_cycles ? d->params->refresh_cycles - since : 0;
}

void dram_close_refreshed_row(struct dram *d, uint32_t bank)
{
	if (d->ticks - d->bank[bank].opened_at > ticks_since_refresh(d, bank, d->ticks))
		d->open_banks &= ~(1ull << bank);
}

static void issue_row_command(struct dram *d, uint32_t bank, uint64_t t, uint64_t now)
{
	const struct dram_params *p = d->params;
	struct dram_bank *k = &d->bank[bank];
	uint64_t bit = 1ull << bank;

	if (d->open_banks & bit) {
		if (d->events)
			events_log_dram(d->events, now, d->id, "pre", bank, k->open_row);
		d->open_banks &= ~bit;
		k->activate_at = tick_max(k->activate_at, t + p->tRP);
		d->row_timers_end = tick_max(d->row_timers_end, t + p->tRP);
		d->n.n_pre++;
	} else {
		uint64_t open = t + refresh_ticks_left(d, bank, t);

		dram_stat_count_bus(d, t);
		dram_stat_count_row_hit(d, bank, t + 1);
		d->open_banks |= bit;
		d->row_hit_banks |= bit;
		k->open_row = k->row;
		k->opened_at = t;
		d->rrd = t + p->tRRD;
		k->read_at = open + p->tRCD;
		k->write_at = open + p->tRCDWR;
		k->precharge_at = tick_max(k->precharge_at, open + p->tRAS);
		k->activate_at = tick_max(k->activate_at, open + p->tRC);
		d->row_timers_end = tick_max(d->row_timers_end, open + d->activate_ticks);
		d->n.n_act++;
		if (d->events)
			events_log_dram(d->events, now, d->id, "act", bank, k->open_row);
	}
	d->row_at = d->busy_banks & ~d->row_hit_banks ? t + 1 : UINT64_MAX;
	d->row_set = 0;
	dram_note_bank_change(d, bank);
	d->progressed = true;
	d->prio = bank + 1 < p->nbk ? bank + 1 : 0;
}

/* Set of n banks, cyclically from bank `from` on. `from` must be below 2 * nbk. */
static inline uint64_t bank_range(const struct dram *d, uint32_t from, uint32_t n)
{
	uint32_t nbk = d->params->nbk, at = from < nbk ? from : from - nbk;
	uint64_t ones = n ? ~0ull >> (64 - n) : 0;

	return (ones << at | (at ? ones >> (nbk - at) : 0)) & d->all_banks;
}

/*
 * Completes the single-bus loop after a row command on `bank` in visit i. quirk Q4-4: prio has moved, so the
 * remaining visits cover the banks from bank + i + 2 up to `bank`, cyclically. The n + 1 banks after `bank`
 * are never visited and the n banks before it are visited twice, which affects n_idle. A bank that is visited
 * now may still issue a column command.
 */
static void finish_single_bus_visits(struct dram *d, uint32_t bank, uint32_t i, uint64_t t, uint64_t now)
{
	/* UINT32_MAX (-1) for the last visit */
	uint32_t nbk = d->params->nbk, n = i + 2 <= nbk - i ? i : nbk - 2 - i;
	uint64_t idle = d->all_banks & ~d->busy_banks, m;

	FOR_BITS64 (b, idle & bank_range(d, bank + 1, n + 1))
		d->bank[b].extra_idle_visits--;
	if (i + 1 < nbk)
		FOR_BITS64 (b, idle & bank_range(d, bank + nbk - n, n))
			d->bank[b].extra_idle_visits++;
	m = banks_ready_for_column(d, t);
	if (m)
		m &= bank_range(d, (bank + i + 2) % nbk, nbk - 1 - i);
	if (!m)
		return;
	issue_column_command(d, bit_next_cyclic64(m, (bank + i + 2) % nbk), t, now);
	d->n.issued_two++;
}

static void issue_on_single_bus(struct dram *d, uint64_t ready, uint64_t t, uint64_t now)
{
	uint64_t m = ready | banks_ready_for_row(d, t);
	uint32_t prio = d->prio, bank;

	if (!m)
		return;
	bank = bit_next_cyclic64(m, prio);
	if (ready >> bank & 1) {
		issue_column_command(d, bank, t, now);
		return;
	}
	issue_row_command(d, bank, t, now);
	finish_single_bus_visits(d, bank, bank >= prio ? bank - prio : bank + d->params->nbk - prio, t, now);
}

static void issue_on_dual_bus(struct dram *d, uint64_t ready, uint64_t t, uint64_t now)
{
	uint64_t able;

	if (ready)
		issue_column_command(d, bit_next_cyclic64(ready, d->prio), t, now);
	able = banks_ready_for_row(d, t);
	if (!able)
		return;
	issue_row_command(d, bit_next_cyclic64(able, d->prio), t, now);
	d->n.issued_two += ready != 0;
}

static void issue_commands(struct dram *d, uint64_t t, uint64_t now)
{
	uint64_t ready = banks_ready_for_column(d, t);

	if (ready)
		dram_stat_count_ready(d, ready);
	if (d->params->dual_bus)
		issue_on_dual_bus(d, ready, t, now);
	else
		issue_on_single_bus(d, ready, t, now);
}

/* ---- the tick ------------------------------------------------------------------------------- */

static uint32_t pop_burst(struct dram *d)
{
	uint32_t req = dram_bus_pop(&d->bus);
	struct req *r;

	if (!req)
		return REQ_NONE;
	r = &d->pool->req[req];
	if (r->type == L1_WRBK_ACC || r->type == L2_WRBK_ACC)
		return req;
	r->flags |= REQ_REPLY;
	mem_fifo_push(d->pool->req, &d->return_queue, req);
	return REQ_NONE;
}

/* Returns true if the bus is full but may become free in a tick without commands. */
static bool bus_may_drain(const struct dram_bus *b) { return b->length >= b->max && b->length > b->min; }

uint32_t dram_tick(struct dram *d, uint64_t t, uint64_t now, uint32_t cycle)
{
	uint32_t gone = REQ_NONE;

	dram_skip_to_tick(d, t - 1);
	d->ticks = t;
	d->progressed = false;
	if (d->return_queue.count >= d->return_queue_max) {
		dram_bus_stall(&d->bus);
	} else if (d->bus.next_pop == t) {
		gone = pop_burst(d);
		d->progressed = true;
	}
	if (d->waiting_banks[0] & ~d->busy_banks || d->separate_writes)
		dram_schedule(d, now, cycle);
	if (d->request_arrived)
		dram_update_max_queue(d);
	if (t >= d->column_at || t >= d->row_at)
		issue_commands(d, t, now);
	if (dram_bus_full(&d->bus, t) && bus_may_drain(&d->bus))
		dram_stat_count_bus(d, t + 1);
	return gone;
}

/* Recomputes a bound only if it is the lowest one. */
uint64_t dram_next_busy_tick(struct dram *d)
{
	uint64_t first = d->ticks + 1, next = d->bus.next_pop;

	if (next <= first || d->return_queue.count >= d->return_queue_max || dram_can_schedule_next(d) ||
		bus_may_drain(&d->bus))
		return first;
	if (d->bus.length < d->bus.max && d->column_at < next) {
		if (!d->column_set)
			find_column_banks(d, first);
		next = tick_min(next, d->column_at);
	}
	if (d->row_at < next) {
		if (!d->row_set)
			find_row_banks(d, first);
		next = tick_min(next, d->row_at);
	}
	return tick_max(next, first);
}
