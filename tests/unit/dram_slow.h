/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DRAM channel for test_dram.c: a slow implementation of MEM-dram, MEM-bus, MEM-cmd and MEM-frfcfs. It
 * decrements every timer in every tick, and its queues are plain arrays.
 */
#ifndef DRAM_SLOW_H
#define DRAM_SLOW_H

#include <string.h>
#include "bits.h"
#include "mem/dram.h"

#define BANKS 16
#define REQS  1500
#define QUEUE 256

struct slow_bank {
	uint32_t rcd, rcdwr, ras, rp, rc, wtp, rtp, open_row, req, left;
	bool active;
	uint32_t idle, access, stamp, same_row, service_row[2];
	bool in_service[2];
};

struct slow_dram {
	const struct dram_params *p;
	struct req *at;
	uint32_t bank_of[REQS + 1];
	struct slow_bank bank[BANKS];
	uint32_t ccdl[DRAM_GROUPS], rtpl[DRAM_GROUPS], rrd, ccd, rtw, wtr, prio;
	bool writing, write_mode;
	/* bus slots: -1 if empty, 0 for a burst that is not the last of its request, otherwise the request */
	int32_t slot[128];
	uint32_t length, min;
	uint32_t input[2], inputs;
	uint32_t queue[2][QUEUE], pending[2];
	uint32_t done[REQS], n_done, taken;
	struct dram_counts n;
	struct memstat ms;
};

static inline bool is_write(const struct slow_dram *s, uint32_t req) { return s->at[req].flags & REQ_WRITE; }

static inline uint32_t bank_group(const struct slow_dram *s, uint32_t b)
{
	const struct dram_params *p = s->p;

	return p->group_index == 0 ? b >> log2_floor(p->nbk / p->nbkgrp) : b & (p->nbkgrp - 1);
}

static inline void remove_at(uint32_t *a, uint32_t *n, uint32_t i)
{
	memmove(a + i, a + i + 1, (--*n - i) * sizeof(*a));
}

static inline bool slow_queue_is_full(const struct slow_dram *s, bool write)
{
	if (!s->p->fr_fcfs)
		return s->inputs >= 2;
	if (s->p->write_queue && write)
		return s->pending[1] >= s->p->write_max;
	return s->pending[0] >= s->p->queue_max;
}

static inline void pop_bus_slot(struct slow_dram *s, uint32_t return_queue_max)
{
	int32_t first;

	if (s->n_done - s->taken >= return_queue_max || !s->length)
		return;
	first = s->slot[0];
	memmove(s->slot, s->slot + 1, --s->length * sizeof(s->slot[0]));
	if (s->length < s->min)
		s->slot[s->length++] = -1;
	if (first > 0 && s->at[first].type != L2_WRBK_ACC && s->at[first].type != L1_WRBK_ACC)
		s->done[s->n_done++] = (uint32_t)first;
}

static inline void push_bus_slot(struct slow_dram *s, int32_t v)
{
	if (s->length && s->slot[s->length - 1] == -1 && s->length >= s->min)
		s->slot[s->length - 1] = v;
	else
		s->slot[s->length++] = v;
}

static inline void set_min_bus_length(struct slow_dram *s, uint32_t min)
{
	s->min = min;
	while (s->length < min)
		s->slot[s->length++] = -1;
	while (s->length > min && s->slot[s->length - 1] == -1)
		s->length--;
}

/*
 * Returns the index of the first request in queue[set] for bank b and, unless any_row is set, for the row.
 * Returns -1 if there is none.
 */
static inline int oldest_waiting(const struct slow_dram *s, int set, uint32_t b, bool any_row, uint32_t row)
{
	for (uint32_t i = 0; i < s->pending[set]; i++) {
		uint32_t r = s->queue[set][i];

		if (s->bank_of[r] == b && (any_row || s->at[r].row == row))
			return (int)i;
	}
	return -1;
}

static inline uint32_t select_request_for(struct slow_dram *s, uint32_t b, uint32_t cycle)
{
	struct slow_bank *k = &s->bank[b];
	bool hit = true;
	uint32_t r;
	int set, i;

	if (s->p->write_queue && !s->write_mode && s->pending[1] >= s->p->write_high)
		s->write_mode = true;
	else if (s->p->write_queue && s->write_mode && s->pending[1] < s->p->write_low)
		s->write_mode = false;
	set = s->write_mode;
	if (!k->in_service[set]) {
		if (oldest_waiting(s, set, b, true, 0) < 0)
			return 0;
		if (oldest_waiting(s, set, b, false, k->open_row) >= 0) {
			k->service_row[set] = k->open_row;
		} else {
			k->service_row[set] = s->at[s->queue[set][oldest_waiting(s, set, b, true, 0)]].row;
			if (cycle > k->stamp && cycle - k->stamp > s->ms.max_service[b])
				s->ms.max_service[b] = cycle - k->stamp;
			k->stamp = cycle;
			if (k->same_row > s->ms.max_conc_same_row[b])
				s->ms.max_conc_same_row[b] = k->same_row;
			k->same_row = 0;
			s->ms.activates[b]++;
			hit = false;
		}
		k->in_service[set] = true;
	}
	i = oldest_waiting(s, set, b, false, k->service_row[set]);
	r = s->queue[set][i];
	remove_at(s->queue[set], &s->pending[set], (uint32_t)i);
	if (oldest_waiting(s, set, b, false, k->service_row[set]) < 0)
		k->in_service[set] = false;
	s->n.access_num++;
	s->n.hits_num += hit;
	*(is_write(s, r) ? &s->n.write_num : &s->n.read_num) += 1;
	*(is_write(s, r) ? &s->n.hits_write_num : &s->n.hits_read_num) += hit;
	s->ms.row_access[b]++;
	k->same_row++;
	return r;
}

static inline void slow_schedule(struct slow_dram *s, uint32_t now, uint32_t cycle)
{
	if (!s->p->fr_fcfs) {
		if (s->inputs && !s->bank[s->bank_of[s->input[0]]].req) {
			struct slow_bank *k = &s->bank[s->bank_of[s->input[0]]];

			k->req = s->input[0];
			k->left = s->at[k->req].size;
			remove_at(s->input, &s->inputs, 0);
		}
		return;
	}
	for (uint32_t i = 0; i < s->inputs; i++) {
		int set = s->p->write_queue && is_write(s, s->input[i]);

		s->queue[set][s->pending[set]++] = s->input[i];
	}
	s->inputs = 0;
	for (uint32_t i = 0; i < s->p->nbk; i++) {
		uint32_t b = (i + s->prio) % s->p->nbk, r;

		if (s->bank[b].req)
			continue;
		r = select_request_for(s, b, cycle);
		if (!r)
			continue;
		s->prio = (s->prio + 1) % s->p->nbk;
		s->bank[b].req = r;
		s->bank[b].left = s->at[r].size;
		s->ms.tot_mrq += now - s->at[r].pushed;
		s->ms.tot_mrq_num++;
		return;
	}
}

static inline bool is_bank_open(const struct slow_dram *s, uint32_t b)
{
	const struct slow_bank *k = &s->bank[b];

	return k->req && k->active && k->open_row == s->at[k->req].row;
}

static inline bool can_issue_column(const struct slow_dram *s, uint32_t b)
{
	const struct slow_bank *k = &s->bank[b];

	if (!is_bank_open(s, b) || s->ccd || s->ccdl[bank_group(s, b)] || s->length >= s->p->CL + 1)
		return false;
	return is_write(s, k->req) ? !k->rcdwr && !s->rtw : !k->rcd && !s->wtr;
}

static inline bool try_issue_column(struct slow_dram *s, uint32_t b)
{
	const struct dram_params *p = s->p;
	struct slow_bank *k = &s->bank[b];
	uint8_t type = s->at[k->req].type;
	bool write = is_write(s, k->req);
	uint32_t left = k->left > p->atom_bytes ? k->left - p->atom_bytes : 0;

	if (!can_issue_column(s, b))
		return false;
	if (s->writing != write)
		set_min_bus_length(s, write ? p->WL : p->CL);
	s->writing = write;
	push_bus_slot(s, left ? 0 : (int32_t)k->req);
	s->ccd = p->tCCD;
	s->ccdl[bank_group(s, b)] = p->tCCDL;
	s->n.bwutil += p->burst_cycles;
	if (write) {
		s->wtr = p->tWTR;
		k->wtp = p->tWTP;
		*(type == L2_WRBK_ACC ? &s->n.n_wr_WB : &s->n.n_wr) += 1;
	} else {
		s->rtw = p->tRTW;
		k->rtp = p->burst_cycles;
		s->rtpl[bank_group(s, b)] = p->tRTPL;
		*(type == L2_WR_ALLOC_R ? &s->n.n_rd_L2_A : &s->n.n_rd) += 1;
		k->access++;
	}
	k->left = left;
	if (!left)
		k->req = 0;
	return true;
}

static inline bool try_issue_row(struct slow_dram *s, uint32_t b)
{
	const struct dram_params *p = s->p;
	struct slow_bank *k = &s->bank[b];

	if (!k->req)
		return false;
	if (!k->active) {
		if (s->rrd || k->rp || k->rc)
			return false;
		k->active = true;
		k->open_row = s->at[k->req].row;
		s->rrd = p->tRRD;
		k->rcd = p->tRCD;
		k->rcdwr = p->tRCDWR;
		k->ras = p->tRAS;
		k->rc = p->tRC;
		s->n.n_act++;
	} else {
		if (k->open_row == s->at[k->req].row || k->ras || k->wtp || k->rtp ||
			s->rtpl[bank_group(s, b)])
			return false;
		k->active = false;
		k->rp = p->tRP;
		s->n.n_pre++;
	}
	s->prio = (b + 1) % p->nbk;
	return true;
}

static inline void visit_idle_bank(struct slow_dram *s, uint32_t b, uint32_t *k)
{
	struct slow_bank *bank = &s->bank[b];

	if (bank->req)
		return;
	bank->idle++;
	*k -= !(s->ccd | s->rrd | s->rtw | s->wtr | bank->rcd | bank->ras | bank->rc | bank->rp |
		bank->rcdwr);
}

static inline void slow_begin_tick(struct slow_dram *s)
{
	uint32_t p = 0, r = 0, w = 0, ready = 0, groups = 0;
	uint32_t q = s->p->fr_fcfs ? s->pending[0] : s->inputs;

	s->n.max_mrqs = q > s->n.max_mrqs ? q : s->n.max_mrqs;
	s->n.ave_mrqs += q;
	for (uint32_t b = 0; b < s->p->nbk; b++) {
		p += s->bank[b].req != 0;
		ready += can_issue_column(s, b);
		if (!is_bank_open(s, b))
			continue;
		*(is_write(s, s->bank[b].req) ? &w : &r) += 1;
		groups |= 1u << bank_group(s, b);
	}
	s->n.banks_1time += p;
	s->n.banks_acess_total += p > 0;
	s->n.banks_time_rw += r + w;
	s->n.bkgrp_parallsim_rw += bit_count32(groups);
	if (r + w) {
		s->n.write_to_read_ratio_sum += (double)w / (w + r);
		s->n.banks_access_rw_total++;
	}
	s->n.banks_time_ready += ready;
	s->n.banks_access_ready_total += ready > 0;
}

static inline void slow_set_bank_limits(struct slow_dram *s, uint32_t b)
{
	const struct slow_bank *k = &s->bank[b];
	uint32_t ccdl = s->ccdl[bank_group(s, b)];

	s->n.CCDLc_limit += ccdl != 0;
	s->n.rwq_limit += s->length >= s->p->CL + 1;
	if (is_write(s, k->req)) {
		s->n.RCDWRc_limit += k->rcdwr != 0;
		s->n.RTWc_limit += s->rtw != 0;
		s->n.CCDLc_limit_alone += ccdl && !s->rtw;
		s->n.RTWc_limit_alone += !ccdl && s->rtw;
	} else {
		s->n.RCDc_limit += k->rcd != 0;
		s->n.WTRc_limit += s->wtr != 0;
		s->n.CCDLc_limit_alone += ccdl && !s->wtr;
		s->n.WTRc_limit_alone += !ccdl && s->wtr;
	}
}

static inline void slow_end_tick(struct slow_dram *s, bool column)
{
	bool open = false, any = false;

	for (uint32_t b = 0; b < s->p->nbk; b++) {
		open |= is_bank_open(s, b);
		any |= s->bank[b].req != 0;
	}
	if (column || s->ccd) {
		s->n.util_bw++;
	} else if (open) {
		s->n.wasted_bw_col++;
		for (uint32_t b = 0; b < s->p->nbk; b++)
			if (is_bank_open(s, b))
				slow_set_bank_limits(s, b);
	} else if (any) {
		s->n.wasted_bw_row++;
	} else {
		s->n.idle_bw++;
	}
}

static inline void count_down(uint32_t *timer) { *timer -= *timer != 0; }

static inline void slow_timers(struct slow_dram *s)
{
	count_down(&s->rrd);
	count_down(&s->ccd);
	count_down(&s->rtw);
	count_down(&s->wtr);
	for (uint32_t g = 0; g < DRAM_GROUPS; g++) {
		count_down(&s->ccdl[g]);
		count_down(&s->rtpl[g]);
	}
	for (uint32_t b = 0; b < s->p->nbk; b++) {
		struct slow_bank *k = &s->bank[b];

		count_down(&k->rcd);
		count_down(&k->rcdwr);
		count_down(&k->ras);
		count_down(&k->rp);
		count_down(&k->rc);
		count_down(&k->wtp);
		count_down(&k->rtp);
	}
}

static inline void slow_issue_commands(struct slow_dram *s, bool *row, bool *column, uint32_t *k)
{
	uint32_t nbk = s->p->nbk;

	if (!s->p->dual_bus) {
		for (uint32_t i = 0; i < nbk; i++) {
			uint32_t j = (i + s->prio) % nbk;

			if (!*column)
				*column = try_issue_column(s, j);
			if (!*column && !*row)
				*row = try_issue_row(s, j);
			visit_idle_bank(s, j, k);
		}
		return;
	}
	for (uint32_t i = 0, prio = s->prio; i < nbk && !*column; i++)
		*column = try_issue_column(s, (i + prio) % nbk);
	for (uint32_t i = 0, prio = s->prio; i < nbk && !*row; i++)
		*row = try_issue_row(s, (i + prio) % nbk);
	for (uint32_t j = 0; j < nbk; j++)
		visit_idle_bank(s, j, k);
}

static inline void slow_tick(struct slow_dram *s, uint32_t now, uint32_t cycle, uint32_t return_queue_max)
{
	bool row = false, column = false;
	uint32_t k = s->p->nbk;

	pop_bus_slot(s, return_queue_max);
	slow_schedule(s, now, cycle);
	slow_begin_tick(s);
	slow_issue_commands(s, &row, &column, &k);
	s->n.n_nop += !row && !column;
	s->n.n_activity += k != 0;
	s->n.n_cmd++;
	s->n.issued_total += row || column;
	s->n.issued_two += row && column;
	s->n.issued_total_col += column;
	s->n.issued_total_row += row;
	slow_end_tick(s, column);
	slow_timers(s);
}

#endif
