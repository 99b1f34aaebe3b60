/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of a DRAM channel (MEM-stat). No tick is counted by itself: a sum over ticks of how many
 * belong to a set is kept as a sum over members of how long they belonged to it, and what depends on timers
 * is counted for a stretch of ticks when the state that it had all along is about to change.
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

/*
 * A sum of doubles, rounded at each step: the ticks before upto, with the set match as it is. Ticks are
 * counted for what the banks are between scheduling and commands.
 */
static void count_ratio(struct dram *d, uint64_t upto)
{
	uint64_t n = d->n_match_writes ? upto - d->ratio_counted : 0;
	double ratio = n ? (double)d->n_match_writes / (double)d->n_match : 0;

	for (; n; n--)
		d->n.write_to_read_ratio_sum += ratio;
	d->ratio_counted = upto;
}

void dram_stat_assigned(struct dram *d, uint64_t t)
{
	if (d->busy)
		return;
	dram_stat_bus(d, t);
	d->busy_from = t;
}

void dram_stat_match(struct dram *d, uint32_t bank, uint64_t from)
{
	uint32_t g = d->group[bank];

	count_ratio(d, from);
	d->bank[bank].matched = from;
	if (!d->match)
		d->match_from = from;
	if (!(d->match & d->group_mask[g]))
		d->group_from[g] = from;
	d->n_match++;
	d->n_match_writes += (uint32_t)(d->writes >> bank & 1);
}

/* Add what ends with tick t if all banks are done with it. */
static void count_spans(const struct dram *d, uint64_t t, struct dram_counts *n)
{
	FOR_BITS64 (b, d->busy)
		n->banks_1time += t + 1 - d->bank[b].since;
	FOR_BITS64 (b, d->match)
		n->banks_time_rw += t + 1 - d->bank[b].matched;
	if (d->busy)
		n->banks_acess_total += t + 1 - d->busy_from;
	if (d->match)
		n->banks_access_rw_total += t + 1 - d->match_from;
	for (uint32_t g = 0; g < d->groups; g++)
		if (d->match & d->group_mask[g])
			n->bkgrp_parallsim_rw += t + 1 - d->group_from[g];
}

void dram_stat_finish(struct dram *d, uint32_t bank, uint64_t t)
{
	uint64_t left = d->match & ~(1ull << bank);
	uint32_t g = d->group[bank];

	count_ratio(d, t + 1);
	d->n.banks_1time += t + 1 - d->bank[bank].since;
	d->n.banks_time_rw += t + 1 - d->bank[bank].matched;
	if (!(d->busy & ~(1ull << bank)))
		d->n.banks_acess_total += t + 1 - d->busy_from;
	if (!left)
		d->n.banks_access_rw_total += t + 1 - d->match_from;
	if (!(left & d->group_mask[g]))
		d->n.bkgrp_parallsim_rw += t + 1 - d->group_from[g];
	d->n_match--;
	d->n_match_writes -= (uint32_t)(d->writes >> bank & 1);
}

/* Few are ready at a time. */
void dram_stat_ready(struct dram *d, uint64_t ready)
{
	for (; ready; ready &= ready - 1)
		d->n.banks_time_ready++;
	d->n.banks_access_ready_total++;
}

/* One open bank over [from, to): what its column command waits for. */
static void limits(struct dram *d, uint64_t b, uint64_t from, uint64_t to)
{
	bool write = d->writes >> b & 1;
	uint64_t group = until(from, to, d->ccdl[d->group[b]]),
		 turn = until(from, to, write ? d->rtw : d->wtr);

	*(write ? &d->n.RCDWRc_limit : &d->n.RCDc_limit) += until(from, to, d->own[b]);
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
 * MEM-stat-4 and the n_activity test, with the state as it is: it has not changed in the ticks not yet
 * counted. While a full bus gets shorter they are counted one by one.
 */
void dram_stat_bus(struct dram *d, uint64_t t)
{
	uint64_t from = d->bus_counted, used = until(from, t, d->used_until);

	if (from == t)
		return;
	d->bus_counted = t;
	d->n.n_activity += d->busy ? t - from : until(from, t, d->quiet_at);
	d->n.util_bw += used;
	from += used;
	if (from == t)
		return;
	if (d->match) {
		d->n.wasted_bw_col += t - from;
		FOR_BITS64 (b, d->match)
			limits(d, b, from, t);
	} else if (d->busy) {
		d->n.wasted_bw_row += t - from;
	} else {
		d->n.idle_bw += t - from;
	}
}

/* What is under way is counted as if it ended with the last tick, in the copy that is handed out. */
void dram_stat_counts(struct dram *d, struct dram_counts *out)
{
	for (uint32_t b = 0; b < d->p->nbk; b++) {
		const struct dram_bank *k = &d->bank[b];
		uint32_t busy = k->busy_ticks;

		if (d->busy >> b & 1)
			busy += (uint32_t)(d->ticks + 1 - k->since);
		d->bank_idle[b] = (uint32_t)d->ticks - busy + (uint32_t)k->extra_idle;
	}
	dram_stat_bus(d, d->ticks + 1);
	count_ratio(d, d->ticks + 1);
	*out = d->n;
	count_spans(d, d->ticks, out);
	out->n_cmd = d->ticks;
	out->n_nop = d->ticks - d->n.issued_total;
	out->ave_mrqs += (uint32_t)(d->pending[0] * (d->ticks + 1));
	out->bank_access = d->bank_access;
	out->bank_idle = d->bank_idle;
}
