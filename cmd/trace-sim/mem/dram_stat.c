/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of a DRAM channel (MEM-stat). Ticks are not counted one by one. A sum over ticks of the size of a
 * set is computed as a sum over its members of the time that they spent in it. A figure that depends on
 * timers is counted for all ticks with the same state together, just before that state changes.
 */
#include "bits.h"
#include "dram.h"

/* Number of ticks of [from, to) that are before tick `end`. */
static inline uint64_t ticks_until(uint64_t from, uint64_t to, uint64_t end)
{
	if (end <= from)
		return 0;
	return (end < to ? end : to) - from;
}

/*
 * Adds the write-to-read ratio of the uncounted ticks before `upto`, during which row_hit_banks did not change. The
 * ratio is added once per tick, because each addition of doubles is rounded. It describes the state of the banks after
 * scheduling and before commands.
 */
static void count_write_ratio(struct dram *d, uint64_t upto)
{
	uint64_t writes = d->row_hit_banks & d->write_banks;

	if (writes) {
		double ratio = (double)bit_count64(writes) / (double)bit_count64(d->row_hit_banks);

		for (uint64_t n = upto - d->ratio_counted_until; n; n--)
			d->n.write_to_read_ratio_sum += ratio;
	}
	d->ratio_counted_until = upto;
}

/* First tick without a running timer of the n_activity test, provided that no bank has a request. */
static uint64_t first_quiet_tick(const struct dram *d)
{
	uint64_t columns = tick_max(d->ccd, tick_max(d->rtw, d->wtr));

	return tick_max(columns, d->row_timers_end);
}

void dram_stat_count_assigned(struct dram *d, uint32_t bank, uint64_t t)
{
	d->bank[bank].busy_ticks -= (uint32_t)t;
	d->n.banks_1time -= t;
	if (d->busy_banks)
		return;
	dram_stat_count_bus(d, t);
	d->n.banks_acess_total -= t;
	d->n.n_activity += ticks_until(d->idle_from, t, first_quiet_tick(d)) - t;
}

void dram_stat_count_row_hit(struct dram *d, uint32_t bank, uint64_t from)
{
	count_write_ratio(d, from);
	d->n.banks_time_rw -= from;
	if (!d->row_hit_banks)
		d->n.banks_access_rw_total -= from;
	if (!(d->row_hit_banks & d->group_mask[d->group[bank]]))
		d->n.bkgrp_parallsim_rw -= from;
}

void dram_stat_count_finished(struct dram *d, uint32_t bank, uint64_t t)
{
	uint64_t left = d->row_hit_banks & ~(1ull << bank);

	count_write_ratio(d, t + 1);
	d->bank[bank].busy_ticks += (uint32_t)t;
	d->n.banks_1time += t + 1;
	d->n.banks_time_rw += t + 1;
	if (!left)
		d->n.banks_access_rw_total += t + 1;
	if (!(left & d->group_mask[d->group[bank]]))
		d->n.bkgrp_parallsim_rw += t + 1;
	if (d->busy_banks & ~(1ull << bank))
		return;
	d->n.banks_acess_total += t + 1;
	d->n.n_activity += t;
	d->idle_from = t;
}

/* Counts the ready banks. The loop is short, because few banks are ready. */
void dram_stat_count_ready(struct dram *d, uint64_t ready)
{
	for (; ready; ready &= ready - 1)
		d->n.banks_time_ready++;
	d->n.banks_access_ready_total++;
}

/* Counts for how long in [from, to) each timer delays the column command of bank b. */
static void count_limiting_timers(struct dram *d, uint64_t b, uint64_t from, uint64_t to)
{
	bool write = d->write_banks >> b & 1;
	uint64_t group = ticks_until(from, to, d->ccdl.expires[d->group[b]]),
		 turn = ticks_until(from, to, write ? d->rtw : d->wtr);

	*(write ? &d->n.RCDWRc_limit : &d->n.RCDc_limit) += ticks_until(from, to, d->bank_ready_at[b]);
	*(write ? &d->n.RTWc_limit : &d->n.WTRc_limit) += turn;
	d->n.CCDLc_limit += group;
	if (dram_bus_full(&d->bus, d->ticks))
		d->n.rwq_limit += to - from;
	if (group > turn)
		d->n.CCDLc_limit_alone += group - turn;
	else
		*(write ? &d->n.RTWc_limit_alone : &d->n.WTRc_limit_alone) += turn - group;
}

/*
 * Counts all ticks before t that are not yet counted and in which the state was the same (MEM-stat-4). While
 * a full bus drains, this function is called for each tick.
 */
void dram_stat_count_bus(struct dram *d, uint64_t t)
{
	uint64_t from = d->bus_counted_until;

	if (from >= t)
		return;
	d->bus_counted_until = t;
	if (d->row_hit_banks) {
		d->n.wasted_bw_col += t - from;
		FOR_BITS64 (b, d->row_hit_banks)
			count_limiting_timers(d, b, from, t);
	} else if (d->busy_banks) {
		d->n.wasted_bw_row += t - from;
	} else {
		d->n.idle_bw += t - from;
	}
}

/* Adds to *n the activity in progress as if it ended with the tick before `end`. */
static void add_activity_in_progress(const struct dram *d, uint64_t end, struct dram_counts *n)
{
	n->n_activity += d->busy_banks ? end : ticks_until(d->idle_from, end, first_quiet_tick(d));
	n->util_bw = n->issued_total_col * d->burst_ticks - (d->bus_counted_until - end);
	n->banks_1time += bit_count64(d->busy_banks) * end;
	n->banks_time_rw += bit_count64(d->row_hit_banks) * end;
	n->banks_acess_total += d->busy_banks ? end : 0;
	n->banks_access_rw_total += d->row_hit_banks ? end : 0;
	for (uint32_t g = 0; g < d->groups; g++)
		n->bkgrp_parallsim_rw += d->row_hit_banks & d->group_mask[g] ? end : 0;
	n->ave_mrqs += (uint32_t)(d->pending[0] * end);
}

/* Copies the figures to *out. The copy includes the activity in progress, as if it ended with the last tick. */
void dram_stat_copy_counts(struct dram *d, struct dram_counts *out)
{
	uint64_t end = d->ticks + 1;

	for (uint32_t b = 0; b < d->params->nbk; b++) {
		const struct dram_bank *k = &d->bank[b];
		uint32_t busy = k->busy_ticks + (d->busy_banks >> b & 1 ? (uint32_t)end : 0);

		d->bank_access[b] = k->reads;
		d->bank_idle[b] = (uint32_t)d->ticks - busy + (uint32_t)k->extra_idle_visits;
	}
	dram_stat_count_bus(d, end);
	count_write_ratio(d, end);
	*out = d->n;
	out->issued_total_row = out->n_act + out->n_pre;
	out->issued_total_col = out->n_rd + out->n_rd_L2_A + out->n_wr + out->n_wr_WB;
	add_activity_in_progress(d, end, out);
	out->issued_total = out->issued_total_row + out->issued_total_col - out->issued_two;
	out->bwutil = (uint32_t)out->issued_total_col * d->params->burst_cycles;
	out->access_num = out->read_num + out->write_num;
	out->hits_num = out->hits_read_num + out->hits_write_num;
	out->n_cmd = d->ticks;
	out->n_nop = d->ticks - out->issued_total;
	out->bank_access = d->bank_access;
	out->bank_idle = d->bank_idle;
}
