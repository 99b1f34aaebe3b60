/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of a DRAM channel: random requests with many configurations, compared with the slow channel of
 * dram_slow.h. Every figure, every answer whether a queue is full, and the tick of every completion must be
 * equal. Both include the bus pipeline.
 */
#include <inttypes.h>
#include "arena.h"
#include "dram_slow.h"
#include "tap.h"

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* ---- comparing --------------------------------------------------------------------------------------- */

static struct params params;
static struct req_pool pool;
static struct memstat stat;

static void set_random_params(unsigned variant)
{
	struct dram_params *d = &params.mem.dram;

	params.mem.channels = 1;
	params.mem.subs = 2;
	params.mem.latency_stats = true;
	*d = (struct dram_params){.fr_fcfs = variant % 8 != 7,
		.dual_bus = variant & 1,
		.write_queue = variant & 2,
		.queue_max = variant & 8 ? 64 : 5,
		.return_max = variant & 16 ? 192 : 2,
		.write_max = 32,
		.write_high = 12,
		.write_low = 5,
		.burst = 8,
		.freq_ratio = 4,
		.nbk = variant & 32 ? 16 : 4,
		.nbkgrp = 4,
		.tCCD = 2,
		.tRRD = 6,
		.tRCD = 12,
		.tRAS = 28,
		.tRP = 12,
		.tRC = 40,
		.tCDLR = 3,
		.tWR = 10,
		.CL = 12,
		.WL = variant & 4 ? 11 : 4,
		.tCCDL = 3,
		.tRTPL = 4,
		.group_index = variant >> 2 & 1,
		.bank_index = variant & 1};
	if (variant & 64) {
		d->tCCD = 0;
		d->no_turnaround = true;
		d->tRRD = 1;
	}
	if (variant % 5 == 4) {
		d->write_high = 4;
		d->write_low = 9;
	}
	d->atom_bytes = variant % 3 ? 32 : 16;
	d->burst_cycles = d->burst / d->freq_ratio;
	d->tRCDWR = d->tRCD - (d->WL + 1);
	d->tRTW = d->no_turnaround ? 0 : d->CL + d->burst_cycles + 2 - d->WL;
	d->tWTR = d->no_turnaround ? 0 : d->WL + d->burst_cycles + d->tCDLR;
	d->tWTP = d->WL + d->burst_cycles + d->tWR;
}

static uint32_t new_request(struct slow_dram *s)
{
	static const uint8_t types[] = {
		GLOBAL_ACC_R, GLOBAL_ACC_R, GLOBAL_ACC_R, L2_WRBK_ACC, GLOBAL_ACC_W, L2_WR_ALLOC_R};
	uint32_t handle = req_new(&pool);
	struct req *r = &pool.req[handle];

	r->type = types[random_below(6)];
	r->flags = r->type == L2_WRBK_ACC || r->type == GLOBAL_ACC_W ? REQ_WRITE : 0;
	r->size = (uint16_t)(r->type == L2_WRBK_ACC ? 32 + 32 * random_below(4) : 32);
	r->row = random_below(4) ? random_below(2) : random_below(9);
	r->bank = (uint8_t)random_below(random_below(3) ? 2 : params.mem.dram.nbk);
	s->bank_of[handle] =
		params.mem.dram.bank_index ? r->bank ^ (r->row & (params.mem.dram.nbk - 1)) : r->bank;
	return handle;
}

static void release_requests(struct dram *d)
{
	dram_free(d);
	memstat_free(&stat);
	req_pool_free(&pool);
}

static bool are_channels_equal(struct slow_dram *s, struct dram *d)
{
	struct dram_counts n;
	bool good = stat.tot_mrq == s->ms.tot_mrq && stat.tot_mrq_num == s->ms.tot_mrq_num;

	dram_stat_copy_counts(d, &n);
	for (uint32_t b = 0; b < s->p->nbk; b++) {
		good &= n.bank_access[b] == s->bank[b].access && n.bank_idle[b] == s->bank[b].idle;
		good &= stat.row_access[b] == s->ms.row_access[b] && stat.activates[b] == s->ms.activates[b];
		good &= stat.max_conc_same_row[b] == s->ms.max_conc_same_row[b];
		good &= stat.max_service[b] == s->ms.max_service[b];
	}
	n.bank_access = n.bank_idle = NULL;
	s->n.n_req = n.n_req;
	return good && !memcmp(&n, &s->n, sizeof(n));
}

struct fast {
	struct dram d;
	uint64_t wake, ticks_run;
};

static void tick_fast_channel(struct fast *f, uint64_t t, uint64_t now, uint32_t cycle)
{
	if (f->wake > t)
		return;
	dram_tick(&f->d, t, now, cycle);
	f->wake = dram_next_busy_tick(&f->d);
	f->ticks_run++;
}

/*
 * Simulates bursts of requests, pauses, and a consumer that sometimes stops. Returns the tick of the first
 * difference.
 */
static uint64_t ticks_until_difference(unsigned variant, uint64_t *run_ticks)
{
	struct slow_dram *s = xcalloc(1, sizeof(*s));
	struct fast f = {.wake = UINT64_MAX};
	uint32_t left = REQS - 1, rate = 0, drain = 1, drained = 0;
	uint64_t t = 0, bad = 0;

	seed = variant * 977u + 1;
	set_random_params(variant);
	req_pool_init(&pool, REQS);
	memstat_init(&stat, &params);
	memstat_init(&s->ms, &params);
	dram_init(&f.d, &params, 0, &pool, &stat);
	s->p = &params.mem.dram;
	s->at = pool.req;
	s->length = s->min = s->p->CL;
	memset(s->slot, 0xff, sizeof(s->slot));
	while (left && !bad && ++t < 60000) {
		uint32_t now = (uint32_t)(t * 3 / 2), cycle = now % 5000;

		if (t % 64 == 1) {
			rate = random_below(4) ? random_below(5) : 200;
			drain = random_below(5) ? 1 : 0;
		}
		if (drain && s->taken < s->n_done && f.d.return_queue.count) {
			bad |= mem_fifo_pop(pool.req, &f.d.return_queue) != s->done[s->taken++];
			drained++;
			f.wake = 0;
		}
		slow_tick(s, now, cycle, f.d.return_queue_max);
		tick_fast_channel(&f, t, now, cycle);
		bad |= slow_queue_is_full(s, false) != dram_queue_full(&f.d, false) ||
		       slow_queue_is_full(s, true) != dram_queue_full(&f.d, true);
		bad |= s->n_done - s->taken != f.d.return_queue.count;
		if (random_below(rate + 1) == 0 && !slow_queue_is_full(s, false) &&
			!slow_queue_is_full(s, true)) {
			uint32_t r = new_request(s);

			dram_skip_to_tick(&f.d, t);
			dram_push_request(&f.d, r, now);
			s->input[s->inputs++] = r;
			left--;
			f.wake = 0;
		}
		if (random_below(50) == 0 && !bad) {
			dram_skip_to_tick(&f.d, t);
			bad |= !are_channels_equal(s, &f.d);
		}
	}
	*run_ticks += f.ticks_run;
	memstat_free(&s->ms);
	free(s);
	release_requests(&f.d);
	return bad ? t : 0;
}

/* ---- refresh ------------------------------------------------------------------------------------------ */

/* Reads row 1 of bank 0 at tick t. Returns the number of ticks until the data arrive. */
static uint64_t ticks_of_read(struct dram *d, uint64_t t)
{
	uint32_t handle = req_new(&pool);
	uint64_t end = t;

	pool.req[handle] = (struct req){.type = GLOBAL_ACC_R, .size = 32, .row = 1};
	dram_skip_to_tick(d, t);
	dram_push_request(d, handle, t);
	while (!d->return_queue.count && end < t + 5000) {
		end++;
		dram_tick(d, end, end, (uint32_t)end);
	}
	mem_fifo_pop(pool.req, &d->return_queue);
	req_free(&pool, handle);
	return end - t;
}

/*
 * Tests that a refresh closes the row of its bank, that the next read opens the row again, and that a read waits for a
 * refresh in progress.
 */
static void test_refresh(uint32_t interval)
{
	struct dram d;
	struct dram_counts n;
	uint64_t start = 0, hit, after, during;

	set_random_params(0);
	params.mem.dram.refresh_interval = interval;
	params.mem.dram.refresh_cycles = interval / 10;
	req_pool_init(&pool, REQS);
	memstat_init(&stat, &params);
	dram_init(&d, &params, 0, &pool, &stat);
	if (interval)
		start = 2 * interval - d.refresh_phase; /* a refresh of bank 0 begins */
	ticks_of_read(&d, start + 2000);
	hit = ticks_of_read(&d, start + 3000);
	after = ticks_of_read(&d, start + 15000);
	during = ticks_of_read(&d, start + 20100);
	dram_stat_copy_counts(&d, &n);
	if (interval) {
		ok(after > hit && n.n_act == 3, "a refresh closes the open row: %" PRIu64 " activates",
			n.n_act);
		ok(during >= 900 && during < 1000,
			"a read waits for the refresh of its bank: %" PRIu64 " ticks", during);
	} else {
		ok(after == hit && during == hit && n.n_act == 1, "a row stays open without refreshes");
	}
	release_requests(&d);
}

int main(void)
{
	uint64_t ticks = 0;

	for (unsigned v = 0; v < 128; v++) {
		uint64_t bad = ticks_until_difference(v, &ticks);

		ok(!bad, "a channel with configuration %u equals the slow channel", v);
		if (bad)
			printf("# first difference by tick %" PRIu64 "\n", bad);
	}
	test_refresh(10000);
	test_refresh(0);
	ok(ticks > 0, "the fast channel simulated %" PRIu64 " ticks", ticks);
	return tap_done();
}
