/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Latency statistics of the memory side (MEM-lat): sums, maxima and histograms by powers of two. dram_sched.c
 * writes the row figures of MEM-row-1 to the same tables.
 */
#include <stdlib.h>
#include "arena.h"
#include "bits.h"
#include "mem.h"
#include "threads/threads.h"

void memstat_init(struct memstat *m, const struct params *p)
{
	size_t n = (size_t)p->mem.channels * p->mem.dram.nbk;

	*m = (struct memstat){
		.on = p->mem.latency_stats, .channels = p->mem.channels, .banks = p->mem.dram.nbk};
	m->bank_writes = xcalloc(n, sizeof(*m->bank_writes));
	m->bank_reads = xcalloc(n, sizeof(*m->bank_reads));
	m->mf_max_lat = xcalloc(n, sizeof(*m->mf_max_lat));
	m->max_conc_same_row = xcalloc(n, sizeof(*m->max_conc_same_row));
	m->max_service = xcalloc(n, sizeof(*m->max_service));
	m->row_access = xcalloc(n, sizeof(*m->row_access));
	m->activates = xcalloc(n, sizeof(*m->activates));
	m->mf_total_lat_bank = xcalloc(n, sizeof(*m->mf_total_lat_bank));
}

void memstat_free(struct memstat *m)
{
	free(m->bank_writes);
	free(m->bank_reads);
	free(m->mf_max_lat);
	free(m->max_conc_same_row);
	free(m->max_service);
	free(m->row_access);
	free(m->activates);
	free(m->mf_total_lat_bank);
	*m = (struct memstat){0};
}

static inline void raise_maximum(uint32_t *max, uint32_t v)
{
	if (v > *max)
		*max = v;
}

/*
 * Bin of a latency. Latencies of 2^24 and more overrun the original's tables of 24 entries; here the last
 * entry counts them.
 */
static inline uint32_t latency_bin(uint32_t latency)
{
	uint32_t b = log2_floor(latency);

	return b < 24 ? b : 23;
}

/* Adds counts of 32 bits. Sums that wrap are the same in any order of addition. */
static void fold_counts32(uint32_t *to, uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		to[i] += from[i];
		from[i] = 0;
	}
}

static void fold_count64(uint64_t *to, uint64_t *from)
{
	*to += *from;
	*from = 0;
}

static void fold_scalars(struct memstat *to, struct memstat *from)
{
	fold_count64(&to->tot_icnt2mem, &from->tot_icnt2mem);
	fold_count64(&to->tot_icnt2sh, &from->tot_icnt2sh);
	fold_count64(&to->tot_mrq, &from->tot_mrq);
	fold_count64(&to->tot_mrq_num, &from->tot_mrq_num);
	raise_maximum(&to->max_icnt2mem, from->max_icnt2mem);
	raise_maximum(&to->max_icnt2sh, from->max_icnt2sh);
	raise_maximum(&to->max_mrq, from->max_mrq);
	raise_maximum(&to->max_mf, from->max_mf);
}

void memstat_fold(struct memstat *m, unsigned threads)
{
	uint32_t n = m->channels * m->banks;

	for (struct memstat *from = m + 1; from < m + threads; from++) {
		fold_scalars(m, from);
		fold_counts32(&m->window_num, &from->window_num, 1);
		fold_counts32(&m->window_lat, &from->window_lat, 1);
		fold_counts32(m->mrq_lat, from->mrq_lat, 32);
		fold_counts32(m->mf_lat, from->mf_lat, 32);
		fold_counts32(m->icnt2mem_lat, from->icnt2mem_lat, 24);
		fold_counts32(m->icnt2sh_lat, from->icnt2sh_lat, 24);
		for (uint32_t i = 0; i < n; i++) {
			fold_count64(&m->mf_total_lat_bank[i], &from->mf_total_lat_bank[i]);
			raise_maximum(&m->mf_max_lat[i], from->mf_max_lat[i]);
		}
	}
}

void memstat_count_accepted(struct memstat *m, const struct req *r, uint64_t now)
{
	uint32_t l = (uint32_t)now - r->created;

	m += thread_index;
	if (!m->on)
		return;
	m->tot_icnt2mem += l;
	m->icnt2mem_lat[latency_bin(l)]++;
	raise_maximum(&m->max_icnt2mem, l);
}

void memstat_count_replied(struct memstat *m, const struct req *r, uint64_t now)
{
	uint32_t l = (uint32_t)now - r->created, s = (uint32_t)now - r->returned;
	uint32_t at = r->channel * m->banks + r->bank % m->banks;

	m += thread_index;
	if (!m->on)
		return;
	m->window_num++;
	m->window_lat += l;
	m->mf_lat[log2_floor(l)]++;
	m->mf_total_lat_bank[at] += l;
	raise_maximum(&m->mf_max_lat[at], l);
	raise_maximum(&m->max_mf, l);
	m->tot_icnt2sh += s;
	m->icnt2sh_lat[latency_bin(s)]++;
	raise_maximum(&m->max_icnt2sh, s);
}

/* Closes the sampling window. quirk Q4-12: latencies after the last period are not included in any average. */
void memstat_end_sample_period(struct memstat *m)
{
	if (!m->window_num)
		return;
	m->mf_total_lat += m->window_lat;
	m->num_mfs += m->window_num;
	m->mf_lat_pw[log2_floor(m->window_lat / m->window_num)]++;
	m->window_num = m->window_lat = 0;
}

/* Counts a request that enters its DRAM channel. quirk Q4-13: `atoms` is rounded down, to 0 for a small request. */
void memstat_count_queued(struct memstat *m, const struct req *r, uint32_t atoms)
{
	uint32_t at = r->channel * m->banks + r->bank % m->banks;

	if (!m->on)
		return;
	if (r->flags & REQ_WRITE)
		m->bank_writes[at] += atoms;
	else
		m->bank_reads[at] += atoms;
}

void memstat_count_scheduled(struct memstat *m, uint32_t latency)
{
	m += thread_index;
	if (!m->on)
		return;
	m->tot_mrq += latency;
	m->tot_mrq_num++;
	m->mrq_lat[log2_floor(latency)]++;
	raise_maximum(&m->max_mrq, latency);
}
