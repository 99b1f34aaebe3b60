/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of a DRAM channel (part 4 section 10.7). Ticks without a command change no state, so the figures of
 * a stretch of them are products and differences of timers; ticks with one are stretches of length 1.
 */
#include "bits.h"
#include "dram.h"

/* Ticks of [from, to) before tick end. */
static inline uint64_t until(uint64_t from, uint64_t to, uint64_t end)
{
	if (end <= from)
		return 0;
	return (end < to ? end : to) - from;
}

static void count_open(struct dram *d, uint64_t n)
{
	uint64_t written = d->match & d->writes;
	uint32_t open = d->n_match, writes = written ? bit_count64(written) : 0, groups = 0;

	for (uint32_t g = 0; g < d->groups; g++)
		groups += (d->match & d->group_mask[g]) != 0;
	d->n.banks_time_rw += open * n;
	d->n.bkgrp_parallsim_rw += groups * n;
	d->n.banks_access_rw_total += n;
	/* A sum of doubles, rounded at each step. */
	for (uint64_t i = writes ? n : 0; i; i--)
		d->n.write_to_read_ratio_sum += (double)writes / (double)open;
}

/* Steps 3 and 4 for n ticks: queue length, banks with a request, banks whose row is open. */
void dram_stat_waiting(struct dram *d, uint64_t n)
{
	uint32_t queued = d->p->fr_fcfs ? d->pending[0] : d->inputs;

	d->n.n_cmd += n;
	d->n.ave_mrqs += (uint32_t)(queued * n);
	if (queued > d->n.max_mrqs)
		d->n.max_mrqs = queued;
	if (!d->busy)
		return;
	d->n.banks_1time += d->n_busy * n;
	d->n.banks_acess_total += n;
	if (d->match)
		count_open(d, n);
}

void dram_stat_ready(struct dram *d, uint64_t ready)
{
	d->n.banks_time_ready += bit_count64(ready);
	d->n.banks_access_ready_total++;
}

void dram_stat_issued(struct dram *d, bool row, bool column)
{
	d->n.issued_total++;
	d->n.issued_two += row && column;
	d->n.issued_total_row += row;
	d->n.issued_total_col += column;
}

/* One open bank over [from, to): what its column command waits for. */
static void limits(struct dram *d, uint64_t b, uint64_t from, uint64_t to)
{
	const struct dram_bank *k = &d->bank[b];
	bool write = d->writes >> b & 1;
	uint64_t group = until(from, to, d->ccdl[k->group]), turn = until(from, to, write ? d->rtw : d->wtr);

	*(write ? &d->n.RCDWRc_limit : &d->n.RCDc_limit) += until(from, to, write ? k->rcdwr : k->rcd);
	*(write ? &d->n.RTWc_limit : &d->n.WTRc_limit) += turn;
	d->n.CCDLc_limit += group;
	if (bus_full(&d->bus))
		d->n.rwq_limit += to - from;
	if (group > turn)
		d->n.CCDLc_limit_alone += group - turn;
	else
		*(write ? &d->n.RTWc_limit_alone : &d->n.WTRc_limit_alone) += turn - group;
}

/* Step 6 and the n_activity test for the ticks [from, to), with the state after their commands. */
void dram_stat_bus(struct dram *d, uint64_t from, uint64_t to, bool column)
{
	uint64_t used = column ? to - from : until(from, to, d->ccd);

	d->n.n_activity += d->busy ? to - from : until(from, to, d->quiet_at);
	d->n.util_bw += used;
	from += used;
	if (from == to)
		return;
	if (d->match) {
		d->n.wasted_bw_col += to - from;
		FOR_BITS64(b, d->match)
		limits(d, b, from, to);
	} else if (d->busy) {
		d->n.wasted_bw_row += to - from;
	} else {
		d->n.idle_bw += to - from;
	}
}

void dram_stat_counts(struct dram *d, struct dram_counts *out)
{
	for (uint32_t b = 0; b < d->p->nbk; b++) {
		const struct dram_bank *k = &d->bank[b];
		uint32_t busy = k->busy_ticks;

		if (d->busy >> b & 1)
			busy += (uint32_t)(d->ticks + 1 - k->since);
		d->bank_idle[b] = (uint32_t)d->ticks - busy + (uint32_t)k->extra_idle;
	}
	*out = d->n;
	out->bank_access = d->bank_access;
	out->bank_idle = d->bank_idle;
}
