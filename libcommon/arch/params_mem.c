/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameters of the memory side: partitions, address mapping, DRAM (MEM-addr, MEM-sub, MEM-dram).
 *
 * Always true afterwards: every address decodes to an existing channel, slice and bank; no queue blocks forever; no
 * derived DRAM timing overflows. params_cache.c reads the caches.
 */
#include <string.h>
#include "params_int.h"

#define MAX_SLICES     4096
#define MAX_BANKS_DRAM 64    /* largest number of banks of a channel, the size of a 64-bit set */
#define MAX_TIME       65535 /* largest DRAM timing in clocks */
#define MAX_QUEUE      1048576
#define MAX_GROUPS     8 /* largest number of bank groups, the size of an 8-bit set in the statistics */

/* ---- partitions ----------------------------------------------------------------------------- */

static int set_partition_params(struct memory_params *m, const struct gpuconf *c, struct fault *f)
{
	uint32_t n[4];

	m->channels = conf_uint(c, OPT_gpgpu_n_mem);
	m->subs = conf_uint(c, OPT_gpgpu_n_sub_partition_per_mchannel);
	if (!is_pow2(m->subs))
		return conf_fault(c, OPT_gpgpu_n_sub_partition_per_mchannel, f, "a power of two");
	if (m->channels * m->subs > MAX_SLICES)
		return conf_fault(c, OPT_gpgpu_n_mem, f, "at most %u slices, not %u channels of %u",
			MAX_SLICES, m->channels, m->subs);
	if (param_numbers(conf_text(c, OPT_gpgpu_dram_partition_queues), ':', n, 4) != 4)
		return conf_fault(c, OPT_gpgpu_dram_partition_queues, f, "four numbers separated by colons");
	/* The L2 takes a request only if the first queue has four free entries (MEM-sub-2). */
	bool fetches = !conf_bool(c, OPT_gpgpu_perfect_inst_const_cache);
	if (n[0] < (fetches ? 4 : 1) || !n[1] || !n[2] || !n[3] || n[0] > MAX_QUEUE || n[1] > MAX_QUEUE ||
		n[2] > MAX_QUEUE || n[3] > MAX_QUEUE)
		return conf_fault(c, OPT_gpgpu_dram_partition_queues, f,
			"at least 4 entries in the first queue%s and 1 in the others, at most %d",
			fetches ? "" : ", 1 where no kernel makes a request,", MAX_QUEUE);
	m->queue_icnt_l2 = n[0];
	m->queue_l2_dram = n[1];
	m->queue_dram_l2 = n[2];
	m->queue_l2_icnt = n[3];
	m->rop_latency = conf_uint(c, OPT_gpgpu_l2_rop_latency);
	m->dram_latency = conf_uint(c, OPT_dram_latency);
	m->l2_texture_only = conf_bool(c, OPT_gpgpu_cache_dl2_texture_only);
	m->flush_l2 = conf_bool(c, OPT_gpgpu_flush_l2_cache);
	m->l2_sides = conf_uint(c, OPT_l2_sides);
	m->l2_sides_alternate = conf_bool(c, OPT_l2_sides_alternate);
	m->l2_far_latency = conf_uint(c, OPT_l2_far_latency);
	if (m->subs % m->l2_sides)
		return conf_fault(c, OPT_l2_sides, f, "1 for channels of one slice");
	m->memcpy_warms_l2 = conf_bool(c, OPT_gpgpu_perf_sim_memcpy);
	/* Quirk Q4-14: the number is a switch, not a set of bits. */
	m->latency_stats = conf_num(c, OPT_gpgpu_memlatency_stat) != 0;
	return 0;
}

/* ---- DRAM timing ---------------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset; /* offset of the member in struct dram_params */
	bool needed;   /* whether the timing option must have the value */
	uint32_t def;  /* default value */
} timing_row[] = {
#define ROW(name, member, needed, def) \
	{ \
		name, offsetof(struct dram_params, member), needed, def \
	}
	ROW("nbk", nbk, true, 0),
	ROW("CCD", tCCD, true, 0),
	ROW("RRD", tRRD, true, 0),
	ROW("RCD", tRCD, true, 0),
	ROW("RAS", tRAS, true, 0),
	ROW("RP", tRP, true, 0),
	ROW("RC", tRC, true, 0),
	ROW("CL", CL, true, 0),
	ROW("WL", WL, true, 0),
	ROW("CDLR", tCDLR, true, 0),
	ROW("WR", tWR, true, 0),
	ROW("nbkgrp", nbkgrp, false, 1),
	ROW("CCDL", tCCDL, false, 0),
	ROW("RTPL", tRTPL, false, 0),
#undef ROW
};

#define N_TIMINGS ((int)(sizeof(timing_row) / sizeof(timing_row[0])))

static uint32_t *dram_timing_field(struct dram_params *d, int i)
{
	return (uint32_t *)(void *)((char *)d + timing_row[i].offset);
}

/* Returns the index of the row with a name of n bytes, or -1. */
static int timing_find(const char *name, size_t n)
{
	for (int i = 0; i < N_TIMINGS; i++)
		if (strlen(timing_row[i].name) == n && memcmp(timing_row[i].name, name, n) == 0)
			return i;
	return -1;
}

/* Reads pairs of a name and a value in any order. '=', ':', ';' and blanks separate the words. */
static int read_named_timing(
	struct dram_params *d, const char *text, const struct gpuconf *c, struct fault *f)
{
	static const char separators[] = "=:; \t\r\n";
	const enum conf_id id = OPT_gpgpu_dram_timing_opt;
	uint32_t seen = 0;
	char shown[32];

	for (;;) {
		text += strspn(text, separators);
		if (!*text)
			break;
		size_t n = strcspn(text, separators);
		int i = timing_find(text, n);
		if (i < 0) {
			diag_quote(shown, sizeof(shown), text, n);
			return conf_fault(c, id, f,
				"nbk CCD RRD RCD RAS RP RC CL WL CDLR WR nbkgrp CCDL RTPL as names, not '%s'",
				shown);
		}
		text += n;
		text += strspn(text, separators);
		if (!param_number(&text, dram_timing_field(d, i)) || (*text && !strchr(separators, *text)))
			return conf_fault(c, id, f, "a number for %s", timing_row[i].name);
		seen |= 1u << i;
	}
	for (int i = 0; i < N_TIMINGS; i++)
		if (timing_row[i].needed && !(seen & 1u << i))
			return conf_fault(
				c, id, f, "a value for %s, which has no default", timing_row[i].name);
	return 0;
}

/* Reads 11 to 14 numbers in the order of timing_row. */
static int read_positional_timing(
	struct dram_params *d, const char *text, const struct gpuconf *c, struct fault *f)
{
	uint32_t v[14];
	int n = param_numbers(text, ':', v, N_TIMINGS);

	if (n < 11)
		return conf_fault(c, OPT_gpgpu_dram_timing_opt, f,
			"nbk=N:CCD=N:..., or 11 to 14 numbers nbk:CCD:RRD:RCD:RAS:RP:RC:CL:WL:CDLR:WR[:nbkgrp:CCDL:RTPL]");
	for (int i = 0; i < n; i++)
		*dram_timing_field(d, i) = v[i];
	return 0;
}

static uint32_t group_of_bank(const struct dram_params *d, uint32_t bank)
{
	return d->group_index == 0   ? bank >> log2_floor(d->nbk / d->nbkgrp)
	       : d->group_index == 1 ? bank & (d->nbkgrp - 1)
				     : 0;
}

static int check_banks(const struct dram_params *d, uint32_t subs, const struct gpuconf *c, struct fault *f)
{
	const enum conf_id id = OPT_gpgpu_dram_timing_opt;

	if (!d->nbk || d->nbk > MAX_BANKS_DRAM)
		return conf_fault(c, id, f, "1 to %d banks (nbk)", MAX_BANKS_DRAM);
	if (d->nbk % subs)
		return conf_fault(
			c, id, f, "a number of banks (nbk) divisible by the %u slices of a channel", subs);
	if (!d->nbkgrp || d->nbkgrp > d->nbk)
		return conf_fault(c, id, f, "1 to %u bank groups (nbkgrp)", d->nbk);
	for (uint32_t j = 0; j < d->nbk; j++)
		if (group_of_bank(d, j) >= MAX_GROUPS || group_of_bank(d, j) >= d->nbkgrp)
			return conf_fault(c, id, f,
				"at most %d bank groups that divide the %u banks by a power of two (bank %u is in group %u of %u)",
				MAX_GROUPS, d->nbk, j, group_of_bank(d, j), d->nbkgrp);
	if (d->refresh_interval && d->refresh_cycles >= d->refresh_interval)
		return conf_fault(c, OPT_dram_refresh_cycles, f,
			"fewer cycles than -dram_refresh_interval, %u", d->refresh_interval);
	if (d->bank_index == 1 && !is_pow2(d->nbk))
		return conf_fault(
			c, OPT_dram_bnk_indexing_policy, f, "0 unless the number of banks is a power of two");
	if (d->bank_index == 2 && d->nbk != 16 && d->nbk != 32 && d->nbk != 64)
		return conf_fault(
			c, OPT_dram_bnk_indexing_policy, f, "0 or 1 unless there are 16, 32 or 64 banks");
	return 0;
}

static int set_dram_timing(struct dram_params *d, uint32_t subs, const struct gpuconf *c, struct fault *f)
{
	const enum conf_id id = OPT_gpgpu_dram_timing_opt;
	const char *text = conf_text(c, id);

	for (int i = 0; i < N_TIMINGS; i++)
		*dram_timing_field(d, i) = timing_row[i].def;
	if ((strchr(text, '=') ? read_named_timing(d, text, c, f) : read_positional_timing(d, text, c, f)) <
		0)
		return -1;
	d->timing_text = text;
	for (int i = 0; i < N_TIMINGS; i++)
		if (*dram_timing_field(d, i) > MAX_TIME)
			return conf_fault(c, id, f, "values of at most %d", MAX_TIME);
	if (check_banks(d, subs, c, f) < 0)
		return -1;
	if (d->WL > d->CL)
		return conf_fault(c, id, f, "a write latency (WL) of at most the read latency (CL)");
	if (d->tRCD < d->WL + 1)
		return conf_fault(c, id, f, "RCD above WL: a write waits RCD - (WL + 1) after an activate");
	d->tRCDWR = d->tRCD - (d->WL + 1);
	d->tRTW = d->no_turnaround ? 0 : d->CL + d->burst_cycles + 2 - d->WL;
	d->tWTR = d->no_turnaround ? 0 : d->WL + d->burst_cycles + d->tCDLR;
	d->tWTP = d->WL + d->burst_cycles + d->tWR;
	return 0;
}

/* ---- DRAM queues ---------------------------------------------------------------------------- */

/*
 * Sets the bus and the write queue. quirk Q4-1: the original stores -dram_dual_bus_interface, a 32-bit number, over a
 * flag of one byte, and the flag of the separate write queue is the next byte. The option that is set later decides
 * about the write queue; the bus option decides by its second byte.
 */
static int set_bus_and_write_queue(struct dram_params *d, const struct gpuconf *c, struct fault *f)
{
	const struct conf_value *bus = &c->value[OPT_dram_dual_bus_interface];
	const struct conf_value *queue = &c->value[OPT_dram_seperate_write_queue_enable];

	if (bus->number & ~(int64_t)0x101)
		return conf_fault(
			c, OPT_dram_dual_bus_interface, f, "0, 1, or 256 more to turn on the write queue");
	d->dual_bus = bus->number & 1;
	d->write_queue = bus->order > queue->order ? bus->number >> 8 : queue->number;
	return 0;
}

static int set_dram_write_queue(struct dram_params *d, const struct gpuconf *c, struct fault *f)
{
	uint32_t n[3];

	if (param_numbers(conf_text(c, OPT_dram_write_queue_size), ':', n, 3) != 3 || n[0] > MAX_QUEUE)
		return conf_fault(
			c, OPT_dram_write_queue_size, f, "SIZE:HIGH:LOW with SIZE at most %d", MAX_QUEUE);
	if (d->write_queue && (!n[0] || n[1] > n[0] || !n[2]))
		return conf_fault(c, OPT_dram_write_queue_size, f, "HIGH at most SIZE and LOW at least 1");
	d->write_max = n[0];
	d->write_high = n[1];
	d->write_low = n[2];
	return 0;
}

static int set_dram_queues(struct dram_params *d, uint32_t subs, const struct gpuconf *c, struct fault *f)
{
	d->simple = conf_bool(c, OPT_gpgpu_simple_dram_model);
	d->fr_fcfs = conf_num(c, OPT_gpgpu_dram_scheduler) == 1;
	d->queue_max = conf_uint(c, OPT_gpgpu_frfcfs_dram_sched_queue_size);
	d->return_max = conf_uint(c, OPT_gpgpu_dram_return_queue_size);
	if (set_bus_and_write_queue(d, c, f) < 0 || set_dram_write_queue(d, c, f) < 0)
		return -1;
	if (d->fr_fcfs && !d->simple && !d->queue_max)
		return conf_fault(c, OPT_gpgpu_frfcfs_dram_sched_queue_size, f,
			"at least 1 with -gpgpu_dram_scheduler 1");
	if (d->queue_max && d->return_max && (uint64_t)d->queue_max + d->return_max < subs)
		return conf_fault(c, OPT_gpgpu_dram_return_queue_size, f,
			"scheduler and return queue together no smaller than the %u slices of a channel",
			subs);
	return 0;
}

static int params_set_dram(struct memory_params *m, const struct gpuconf *c, struct fault *f)
{
	struct dram_params *d = &m->dram;

	d->bus_bytes = conf_uint(c, OPT_gpgpu_dram_buswidth);
	d->burst = conf_uint(c, OPT_gpgpu_dram_burst_length);
	d->freq_ratio = conf_uint(c, OPT_dram_data_command_freq_ratio);
	d->chips = conf_uint(c, OPT_gpgpu_n_mem_per_ctrlr);
	d->atom_bytes = d->burst * d->bus_bytes * d->chips;
	d->burst_cycles = d->burst / d->freq_ratio;
	d->refresh_interval = conf_uint(c, OPT_dram_refresh_interval);
	d->refresh_cycles = conf_uint(c, OPT_dram_refresh_cycles);
	d->bank_index = conf_uint(c, OPT_dram_bnk_indexing_policy);
	d->group_index = conf_uint(c, OPT_dram_bnkgrp_indexing_policy);
	d->no_turnaround = conf_bool(c, OPT_dram_elimnate_rw_turnaround);
	return set_dram_queues(d, m->subs, c, f) < 0 || set_dram_timing(d, m->subs, c, f) < 0 ? -1 : 0;
}

int params_set_memory(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct memory_params *m = &p->mem;

	return set_partition_params(m, c, f) < 0 || params_set_dram(m, c, f) < 0 ||
			       params_set_addresses(m, c, f) < 0
		       ? -1
		       : 0;
}
