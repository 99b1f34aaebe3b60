/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DRAM channel: commands and their timers (part 4 section 10.3). There is no refresh.
 *
 * Always true: match is within busy & active; a bank outside busy has no request. At most one row command and
 * one column command are issued in a tick.
 */
#include <assert.h>
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "dram.h"
#include "events.h"

static uint32_t group_of(const struct dram_params *p, uint32_t bank)
{
	if (p->group_index == 0)
		return bank >> log2_floor(p->nbk / p->nbkgrp);
	return p->group_index == 1 ? bank & (p->nbkgrp - 1) : 0;
}

void dram_init(struct dram *d, const struct params *p, uint32_t id, struct req_pool *pool, struct memstat *ms)
{
	const struct dram_params *dp = &p->mem.dram;

	*d = (struct dram){.p = dp, .id = id, .pool = pool, .ms = ms};
	d->done_max = dp->return_max ? dp->return_max : 1024;
	d->bank = xcalloc(dp->nbk, sizeof *d->bank);
	d->queue[0] = xcalloc(dp->nbk, sizeof *d->queue[0]);
	d->queue[1] = xcalloc(dp->nbk, sizeof *d->queue[1]);
	d->bank_access = xcalloc(dp->nbk, sizeof *d->bank_access);
	d->bank_idle = xcalloc(dp->nbk, sizeof *d->bank_idle);
	bus_init(&d->bus, dp->CL);
	for (uint32_t b = 0; b < dp->nbk; b++) {
		uint32_t g = group_of(dp, b);

		d->bank[b].group = g;
		d->group_mask[g] |= 1ull << b;
		if (g >= d->groups)
			d->groups = g + 1;
	}
}

void dram_free(struct dram *d)
{
	free(d->bank);
	free(d->queue[0]);
	free(d->queue[1]);
	free(d->bank_access);
	free(d->bank_idle);
	free(d->bus.slot);
}

/* ---- requests in ---------------------------------------------------------------------------- */

bool dram_full(const struct dram *d, bool write)
{
	if (!d->p->fr_fcfs)
		return d->inputs >= 2;
	if (!d->p->queue_max)
		return false;
	if (d->p->write_queue && write)
		return d->pending[1] >= d->p->write_max;
	return d->pending[0] >= d->p->queue_max;
}

static uint32_t bank_index(const struct dram_params *p, const struct req *r)
{
	switch (p->bank_index) {
	case 0:
		return r->bank;
	case 1:
		return r->bank ^ (r->row & (p->nbk - 1));
	default:
		return hash_ipoly(r->row, r->bank, p->nbk);
	}
}

void dram_push(struct dram *d, uint32_t req, uint64_t now)
{
	struct req *r = &d->pool->at[req];

	assert(r->chip == d->id && d->inputs < 2);
	r->pushed = (uint32_t)now;
	d->input[d->inputs].req = req;
	d->input[d->inputs].bank = bank_index(d->p, r);
	assert(d->input[d->inputs].bank < d->p->nbk);
	d->inputs++;
	d->n.n_req++;
	memstat_queued(d->ms, r, r->size / d->p->atom_bytes);
}

/* ---- which bank may issue what -------------------------------------------------------------- */

static inline bool write_bank(const struct dram *d, uint64_t bank) { return d->writes >> bank & 1; }

/* Banks that can issue a column command in tick t. */
static uint64_t ready_banks(const struct dram *d, uint64_t t)
{
	uint64_t m = d->match, ready = 0;

	if (!m || d->ccd > t || bus_full(&d->bus))
		return 0;
	if (d->wtr > t)
		m &= d->writes;
	if (d->rtw > t)
		m &= ~d->writes;
	FOR_BITS64(b, m)
	{
		const struct dram_bank *k = &d->bank[b];

		if ((write_bank(d, b) ? k->rcdwr : k->rcd) <= t && d->ccdl[k->group] <= t)
			ready |= 1ull << b;
	}
	return ready;
}

/* Banks that can issue an activate or a precharge in tick t. */
static uint64_t row_banks(const struct dram *d, uint64_t t)
{
	uint64_t closed = d->busy & ~d->active, other = d->busy & d->active & ~d->match, able = 0;

	if (d->rrd <= t)
		FOR_BITS64(b, closed)
	if (d->bank[b].rp <= t && d->bank[b].rc <= t)
		able |= 1ull << b;
	FOR_BITS64(b, other)
	{
		const struct dram_bank *k = &d->bank[b];

		if (k->ras <= t && k->wtp <= t && k->rtp <= t && d->rtpl[k->group] <= t)
			able |= 1ull << b;
	}
	return able;
}

/* ---- commands ------------------------------------------------------------------------------- */

/* Load a timer that the n_activity test looks at. */
static uint64_t load(struct dram *d, uint64_t t, uint32_t ticks)
{
	if (t + ticks > d->quiet_at)
		d->quiet_at = t + ticks;
	return t + ticks;
}

static void turn_bus(struct dram *d, bool write)
{
	if (d->writing == write)
		return;
	d->writing = write;
	bus_set_min(&d->bus, write ? d->p->WL : d->p->CL);
}

static void column(struct dram *d, uint32_t bank, uint64_t t, uint64_t now)
{
	const struct dram_params *p = d->p;
	struct dram_bank *k = &d->bank[bank];
	bool write = write_bank(d, bank), last = k->left <= p->atom_bytes;
	uint8_t type = d->pool->at[k->req].type;

	turn_bus(d, write);
	bus_push(&d->bus, last ? k->req : REQ_NONE);
	d->ccd = load(d, t, p->tCCD);
	d->ccdl[k->group] = t + p->tCCDL;
	d->n.bwutil += p->burst_cycles;
	if (write) {
		d->wtr = load(d, t, p->tWTR);
		k->wtp = t + p->tWTP;
		*(type == L2_WRBK_ACC ? &d->n.n_wr_WB : &d->n.n_wr) += 1;
	} else {
		d->rtw = load(d, t, p->tRTW);
		k->rtp = t + p->burst_cycles;
		d->rtpl[k->group] = t + p->tRTPL;
		*(type == L2_WR_ALLOC_R ? &d->n.n_rd_L2_A : &d->n.n_rd) += 1;
		d->bank_access[bank]++;
	}
	if (d->events)
		events_dram(d->events, now, d->id, write ? "wr" : "rd", bank, k->row);
	if (!last) {
		k->left -= p->atom_bytes;
		return;
	}
	k->req = REQ_NONE;
	k->busy_ticks += (uint32_t)(t - k->since);
	d->busy &= ~(1ull << bank);
	d->match &= ~(1ull << bank);
	d->n_busy--;
	d->n_match--;
}

static void row(struct dram *d, uint32_t bank, uint64_t t, uint64_t now)
{
	const struct dram_params *p = d->p;
	struct dram_bank *k = &d->bank[bank];
	uint64_t bit = 1ull << bank;

	if (d->active & bit) {
		if (d->events)
			events_dram(d->events, now, d->id, "pre", bank, k->open_row);
		d->active &= ~bit;
		k->rp = load(d, t, p->tRP);
		d->n.n_pre++;
	} else {
		d->active |= bit;
		d->match |= bit;
		d->n_match++;
		k->open_row = k->row;
		d->rrd = load(d, t, p->tRRD);
		k->rcd = load(d, t, p->tRCD);
		k->rcdwr = load(d, t, p->tRCDWR);
		k->ras = load(d, t, p->tRAS);
		k->rc = load(d, t, p->tRC);
		d->n.n_act++;
		if (d->events)
			events_dram(d->events, now, d->id, "act", bank, k->open_row);
	}
	d->prio = bank + 1 < p->nbk ? bank + 1 : 0;
}

/* Banks from, from + 1, ... (n of them, cyclic). */
static uint64_t bank_range(const struct dram *d, uint32_t from, uint32_t n)
{
	uint32_t nbk = d->p->nbk, end = from + n;
	uint64_t all = nbk < 64 ? (1ull << nbk) - 1 : ~0ull, up = all & ~0ull << from;

	if (!n)
		return 0;
	if (end <= nbk)
		return end < 64 ? up & ((1ull << end) - 1) : up;
	return up | ((1ull << (end - nbk)) - 1);
}

/*
 * The single-bus loop after a row command on bank in its visit i. quirk: prio has moved, so the visits left
 * are of the banks from bank + i + 2 on; some banks are visited twice and some never, which shows in n_idle,
 * and one of those visited now may still issue a column command.
 */
static bool single_bus_rest(struct dram *d, uint32_t bank, uint32_t i, uint64_t t, uint64_t now)
{
	uint32_t nbk = d->p->nbk, from = (bank + i + 2) % nbk;
	uint64_t before = bank_range(d, (bank + nbk - i) % nbk, i + 1),
		 after = bank_range(d, from, nbk - 1 - i);
	uint64_t idle = bank_range(d, 0, nbk) & ~d->busy, m = ready_banks(d, t) & after;

	FOR_BITS64(b, idle & ~(before | after))
	d->bank[b].extra_idle--;
	FOR_BITS64(b, idle & before & after)
	d->bank[b].extra_idle++;
	if (!m)
		return false;
	column(d, bit_next_cyclic64(m, from), t, now);
	return true;
}

static void issue_single(
	struct dram *d, uint64_t ready, uint64_t t, uint64_t now, bool *did_row, bool *did_column)
{
	uint64_t m = ready | row_banks(d, t);
	uint32_t prio = d->prio, bank;

	if (!m)
		return;
	bank = bit_next_cyclic64(m, prio);
	if (ready >> bank & 1) {
		column(d, bank, t, now);
		*did_column = true;
		return;
	}
	row(d, bank, t, now);
	*did_row = true;
	*did_column = single_bus_rest(d, bank, (bank + d->p->nbk - prio) % d->p->nbk, t, now);
}

static void issue_dual(
	struct dram *d, uint64_t ready, uint64_t t, uint64_t now, bool *did_row, bool *did_column)
{
	uint64_t able;

	if (ready) {
		column(d, bit_next_cyclic64(ready, d->prio), t, now);
		*did_column = true;
	}
	able = row_banks(d, t);
	if (able) {
		row(d, bit_next_cyclic64(able, d->prio), t, now);
		*did_row = true;
	}
}

/* ---- the tick ------------------------------------------------------------------------------- */

static uint32_t pop_bus(struct dram *d, bool *moved)
{
	uint32_t req = REQ_NONE;
	struct req *r;

	if (d->done.count >= d->done_max)
		return REQ_NONE;
	*moved = bus_pop(&d->bus, &req);
	if (!req)
		return REQ_NONE;
	r = &d->pool->at[req];
	if (r->type == L1_WRBK_ACC || r->type == L2_WRBK_ACC)
		return req;
	r->flags |= REQ_REPLY;
	mem_fifo_push(d->pool->at, &d->done, req);
	return REQ_NONE;
}

bool dram_tick(struct dram *d, uint64_t now, uint32_t cycle, uint32_t *gone)
{
	uint64_t t = ++d->ticks;
	bool moved = false, did_row = false, did_column = false;

	*gone = pop_bus(d, &moved);
	moved |= dram_schedule(d, now, cycle);
	dram_stat_waiting(d, 1);
	if (d->busy) {
		uint64_t ready = ready_banks(d, t);

		if (ready)
			dram_stat_ready(d, ready);
		if (d->p->dual_bus)
			issue_dual(d, ready, t, now, &did_row, &did_column);
		else
			issue_single(d, ready, t, now, &did_row, &did_column);
	}
	if (did_row || did_column) {
		dram_stat_issued(d, did_row, did_column);
		moved = true;
	} else {
		d->n.n_nop++;
	}
	dram_stat_bus(d, t, t + 1, did_column);
	return moved;
}

static inline uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* When bank b, which has a request, can take its next command, if nothing else happens. */
static uint64_t bank_next(const struct dram *d, uint64_t b)
{
	const struct dram_bank *k = &d->bank[b];
	uint64_t bit = 1ull << b;

	if (d->match & bit) {
		uint64_t at = later(d->ccd, d->ccdl[k->group]);

		return write_bank(d, b) ? later(at, later(k->rcdwr, d->rtw))
					: later(at, later(k->rcd, d->wtr));
	}
	if (d->active & bit)
		return later(later(k->ras, k->wtp), later(k->rtp, d->rtpl[k->group]));
	return later(d->rrd, later(k->rp, k->rc));
}

uint64_t dram_next(const struct dram *d)
{
	uint64_t next = UINT64_MAX;

	/* A bus that stands still or is longer than its minimum changes its length from tick to tick. */
	if (d->done.count >= d->done_max || d->bus.length > d->bus.min)
		return d->ticks + 1;
	if (d->p->write_queue && d->p->write_low > d->p->write_high && d->pending[0] + d->pending[1])
		return d->ticks + 1;
	if (d->bus.used)
		next = d->ticks + 1 + (d->bus.slot[d->bus.first & d->bus.mask].at - d->bus.head);
	FOR_BITS64(b, d->busy)
	{
		uint64_t at = bank_next(d, b);

		if (at < next)
			next = at;
	}
	return later(next, d->ticks + 1);
}

void dram_skip(struct dram *d, uint64_t upto)
{
	uint64_t from = d->ticks + 1, n = upto - d->ticks;

	if (upto <= d->ticks)
		return;
	dram_schedule_skip(d, n);
	dram_stat_waiting(d, n);
	d->n.n_nop += n;
	dram_stat_bus(d, from, upto + 1, false);
	d->bus.head += n;
	d->ticks = upto;
}
