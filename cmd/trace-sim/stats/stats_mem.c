/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of the memory side: latency tables and rows by bank (MEM-lat, MEM-row), and the block of each
 * channel (MEM-stat).
 *
 * Always true: rows by bank are recorded under "dram[c].bk[b].". Figures that the block of a channel prints
 * twice (n_cmd as total_CMD, n_rd as Read, ...) are recorded once. Skews can be computed from the rows and
 * are only printed. For requests in flight only the original's headings are printed, because the original
 * lists the requests in the order of addresses in its own memory.
 */
#include "stats_int.h"

/* Prints v in the format of the original, as a signed 32-bit number. */
static void show_signed_32(struct stats_sink *s, const char *before, uint32_t v, const char *after)
{
	stats_text(s, before);
	stats_int(s, (int32_t)v, 0);
	stats_text(s, after);
}

/* ---- latency --------------------------------------------------------------------------------- */

static void emit_latency_table(struct stats_sink *s, const char *name, const uint32_t *table, int n)
{
	stats_text(s, name);
	stats_text(s, ":");
	s->sparse = true;
	for (int i = 0; i < n; i++) {
		uint32_t v = table ? table[i] : 0;

		show_signed_32(s, "", v, " \t");
		if (is_sink_collecting(s))
			stats_record_count(s, v, "%s[%d]", name, i);
	}
	s->sparse = false;
	stats_text(s, "\n");
}

static void emit_latency_maximum(struct stats_sink *s, const char *name, uint32_t value)
{
	emit_field_count(s, name, " = ", value, value, SHOW_32, " \n");
}

/* Emits the average of n values. The block shows it as an integer, and only if `shown` is true. */
static void emit_latency_average(struct stats_sink *s, const char *name, uint64_t sum, uint64_t n, bool shown)
{
	if (shown)
		stats_printf(s, "%s = %" PRIu64 " \n", name, n ? sum / n : 0);
	stats_record_ratio(s, name, (double)sum, (double)n, 1);
}

static void emit_latency_averages(struct stats_sink *s, const struct memstat *m)
{
	emit_latency_average(s, "averagemflatency", m->mf_total_lat, m->num_mfs, m->num_mfs);
	emit_latency_average(s, "avg_icnt2mem_latency", m->tot_icnt2mem, m->num_mfs, m->num_mfs);
	emit_latency_average(s, "avg_mrq_latency", m->tot_mrq, m->tot_mrq_num, m->num_mfs && m->tot_mrq_num);
	emit_latency_average(s, "avg_icnt2sh_latency", m->tot_icnt2sh, m->num_mfs, m->num_mfs);
}

static void emit_latency_tables(struct stats_sink *s, const struct memstat *m)
{
	emit_latency_maximum(s, "maxmflatency", m->max_mf);
	emit_latency_maximum(s, "max_icnt2mem_latency", m->max_icnt2mem);
	emit_latency_maximum(s, "maxmrqlatency", m->max_mrq);
	emit_latency_maximum(s, "max_icnt2sh_latency", m->max_icnt2sh);
	emit_latency_averages(s, m);
	emit_latency_table(s, "mrq_lat_table", m->mrq_lat, 32);
	emit_latency_table(s, "dq_lat_table", NULL, 32); /* quirk Q4-15: always 0 */
	emit_latency_table(s, "mf_lat_table", m->mf_lat, 32);
	emit_latency_table(s, "icnt2mem_lat_table", m->icnt2mem_lat, 24);
	emit_latency_table(s, "icnt2sh_lat_table", m->icnt2sh_lat, 24);
	emit_latency_table(s, "mf_lat_pw_table", m->mf_lat_pw, 32);
}

/* ---- rows by bank ---------------------------------------------------------------------------- */

/* Emits a row "dram[c]: " for each channel. figure: recorded name; NULL: not recorded. */
static void emit_rows_by_bank(struct stats_sink *s, const struct memstat *m, const uint32_t *value,
	const char *blank, unsigned width, const char *figure)
{
	s->sparse = true;
	for (uint32_t c = 0; c < m->channels; c++) {
		stats_value(s, "dram[", c, "]: ");
		for (uint32_t b = 0; b < m->banks; b++) {
			uint32_t v = value ? value[c * m->banks + b] : 0;

			stats_int(s, (int32_t)v, width);
			stats_text(s, blank);
			if (figure && is_sink_collecting(s))
				stats_record_count(
					s, v, "dram[%" PRIu32 "].bk[%" PRIu32 "].%s", c, b, figure);
		}
		stats_text(s, "\n");
	}
	s->sparse = false;
}

static void emit_row_locality(struct stats_sink *s, const struct memstat *m)
{
	uint32_t accesses = 0, activates = 0;

	stats_text(s, "average row accesses per activate:\n");
	s->sparse = true;
	for (uint32_t c = 0; c < m->channels; c++) {
		stats_value(s, "dram[", c, "]: ");
		for (uint32_t b = 0; b < m->banks; b++) {
			uint32_t n = m->row_access[c * m->banks + b], act = m->activates[c * m->banks + b];

			stats_real(s, F9_6, stats_divide_single(n, act));
			stats_text(s, " ");
			if (n || act) {
				stats_prefix(s, "dram[%" PRIu32 "].bk[%" PRIu32 "].", c, b);
				stats_record_ratio(s, "accesses_per_activate", n, act, 1);
			}
			accesses += n;
			activates += act;
		}
		stats_text(s, "\n");
	}
	s->sparse = false;
	stats_prefix(s, "%s", "");
	stats_printf(s, "average row locality = %d/%d = %f\n", (int32_t)accesses, (int32_t)activates,
		stats_divide_single(accesses, activates));
	stats_record_ratio(s, "average_row_locality", accesses, activates, 1);
}

static void show_skew(struct stats_sink *s, const char *what, uint32_t most, uint32_t least)
{
	if (least)
		stats_printf(s, "%s skew: %d/%d = %4.2f\n", what, (int32_t)most, (int32_t)least,
			stats_divide_single(most, least));
	else
		stats_printf(s, "min_%s_accesses = 0!\n", what);
}

static void show_skews(struct stats_sink *s, const struct memstat *m, const uint32_t *value)
{
	uint32_t most = 0, least = UINT32_MAX, chip_most = 0, chip_least = UINT32_MAX;

	for (uint32_t c = 0; c < m->channels; c++) {
		uint32_t chip = 0;

		for (uint32_t b = 0; b < m->banks; b++) {
			uint32_t v = value ? value[c * m->banks + b] : 0;

			most = v > most ? v : most;
			least = v < least ? v : least;
			chip += v;
		}
		chip_most = chip > chip_most ? chip : chip_most;
		chip_least = chip < chip_least ? chip : chip_least;
	}
	show_skew(s, "bank", most, least);
	show_skew(s, "chip", chip_most, chip_least);
}

static uint64_t sum_banks(const struct memstat *m, const uint32_t *value)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < m->channels * m->banks; i++)
		sum += value[i];
	return sum;
}

/*
 * Emits the latency of each bank. quirk Q4-29: the latency sum includes replies of L2 hits but is divided by the
 * number of DRAM accesses (MEM-lat-7).
 */
static void emit_bank_latency(struct stats_sink *s, const struct memstat *m)
{
	stats_text(s, "average mf latency per bank:\n");
	s->sparse = true;
	for (uint32_t c = 0; c < m->channels; c++) {
		stats_value(s, "dram[", c, "]: ");
		for (uint32_t b = 0; b < m->banks; b++) {
			uint32_t i = c * m->banks + b, n = m->bank_writes[i] + m->bank_reads[i];

			if (!n) {
				stats_text(s, "    none  ");
				continue;
			}
			stats_int(s, (int64_t)(m->mf_total_lat_bank[i] / n), 10);
			stats_prefix(s, "dram[%" PRIu32 "].bk[%" PRIu32 "].", c, b);
			stats_record_ratio(s, "mf_latency", (double)m->mf_total_lat_bank[i], n, 1);
		}
		stats_text(s, "\n");
	}
	s->sparse = false;
	stats_prefix(s, "%s", "");
	stats_text(s, "maximum mf latency per bank:\n");
	emit_rows_by_bank(s, m, m->mf_max_lat, "", 10, "max_mf_latency");
}

void stats_emit_latency(struct stats_sink *s, struct gpu *g)
{
	const struct memstat *m = g->memstat;

	if (!m->on)
		return;
	emit_latency_tables(s, m);
	stats_text(s, "maximum concurrent accesses to same row:\n");
	emit_rows_by_bank(s, m, m->max_conc_same_row, " ", 9, "max_same_row");
	stats_text(s, "maximum service time to same row:\n");
	emit_rows_by_bank(s, m, m->max_service, " ", 9, "max_service_time");
	emit_row_locality(s, m);
	stats_text(s, "number of total memory accesses made:\n");
	emit_rows_by_bank(s, m, NULL, " ", 9, NULL);
	stats_text(s, "total accesses: 0\n");
	show_skews(s, m, NULL);
	stats_text(s, "number of total read accesses:\n");
	emit_rows_by_bank(s, m, m->bank_reads, " ", 9, "reads");
	stats_line32(s, "total dram reads", sum_banks(m, m->bank_reads));
	show_skews(s, m, m->bank_reads);
	stats_text(s, "number of total write accesses:\n");
	emit_rows_by_bank(s, m, m->bank_writes, " ", 9, "writes");
	stats_line32(s, "total dram writes", sum_banks(m, m->bank_writes));
	show_skews(s, m, m->bank_writes);
	emit_bank_latency(s, m);
}

/* ---- channels -------------------------------------------------------------------------------- */

static void emit_dram_commands(struct stats_sink *s, const struct dram_params *p, const struct dram_counts *d)
{
	emit_field64(s, "n_cmd", "=", d->n_cmd, " ");
	emit_field64(s, "n_nop", "=", d->n_nop, " ");
	emit_field64(s, "n_act", "=", d->n_act, " ");
	emit_field64(s, "n_pre", "=", d->n_pre, " ");
	emit_field64(s, "n_ref_event", "=", 0, " ");
	emit_field64(s, "n_req", "=", d->n_req, " ");
	emit_field64(s, "n_rd", "=", d->n_rd, " ");
	emit_field64(s, "n_rd_L2_A", "=", d->n_rd_L2_A, " ");
	emit_field64(s, "n_write", "=", d->n_wr, " ");
	emit_field64(s, "n_wr_bk", "=", d->n_wr_WB, " ");
	emit_field_real(s, "bw_util", "=", G4, quotient(d->bwutil, d->n_cmd), "\n");
	emit_field64(s, "n_activity", "=", d->n_activity, " ");
	emit_field_real(s, "dram_eff", "=", G4, quotient(d->bwutil, d->n_activity), "\n");
	for (uint32_t b = 0; b < p->nbk; b++) {
		uint32_t access = d->bank_access ? d->bank_access[b] : 0;
		uint32_t idle = d->bank_idle ? d->bank_idle[b] : 0;

		stats_value(s, "bk", b, ": ");
		show_signed_32(s, "", access, "a ");
		show_signed_32(s, "", idle, "i ");
		if (is_sink_collecting(s)) {
			stats_record_count(s, access, "bk[%" PRIu32 "].n_access", b);
			stats_record_count(s, idle, "bk[%" PRIu32 "].n_idle", b);
		}
	}
	stats_text(s, "\n\n------------------------------------------------------------------------\n\n");
}

static void emit_bank_parallelism(struct stats_sink *s, const struct dram_counts *d)
{
	stats_line_real(s, "Row_Buffer_Locality", F6, quotient(d->hits_num, d->access_num));
	stats_line_real(s, "Row_Buffer_Locality_read", F6, quotient(d->hits_read_num, d->read_num));
	stats_line_real(s, "Row_Buffer_Locality_write", F6, quotient(d->hits_write_num, d->write_num));
	stats_line_real(s, "Bank_Level_Parallism", F6, quotient(d->banks_1time, d->banks_acess_total));
	stats_line_real(
		s, "Bank_Level_Parallism_Col", F6, quotient(d->banks_time_rw, d->banks_access_rw_total));
	stats_line_real(s, "Bank_Level_Parallism_Ready", F6,
		quotient(d->banks_time_ready, d->banks_access_ready_total));
	stats_line_real(s, "write_to_read_ratio_blp_rw_average", F6,
		quotient_double(d->write_to_read_ratio_sum, (double)d->banks_access_rw_total));
	emit_field_real(s, "GrpLevelPara", " = ", F6,
		quotient(d->bkgrp_parallsim_rw, d->banks_access_rw_total), " \n");
}

/* Emits the line "NAME = value ", with the original's blank at the end. */
static void emit_channel_detail(struct stats_sink *s, const char *name, uint64_t value)
{
	emit_field64(s, name, " = ", value, " \n");
}

static void emit_dram_bandwidth(struct stats_sink *s, const struct dram_counts *d)
{
	stats_text(s, "\nBW Util details:\nbwutil = ");
	stats_real(s, F6, stats_divide_single(d->bwutil, d->n_cmd));
	stats_value(s, " \ntotal_CMD = ", d->n_cmd, " \n");
	emit_channel_detail(s, "util_bw", d->util_bw);
	emit_channel_detail(s, "Wasted_Col", d->wasted_bw_col);
	emit_channel_detail(s, "Wasted_Row", d->wasted_bw_row);
	emit_channel_detail(s, "Idle", d->idle_bw);
	stats_text(s, "\nBW Util Bottlenecks: \n");
	emit_channel_detail(s, "RCDc_limit", d->RCDc_limit);
	emit_channel_detail(s, "RCDWRc_limit", d->RCDWRc_limit);
	emit_channel_detail(s, "WTRc_limit", d->WTRc_limit);
	emit_channel_detail(s, "RTWc_limit", d->RTWc_limit);
	emit_channel_detail(s, "CCDLc_limit", d->CCDLc_limit);
	emit_channel_detail(s, "rwq", d->rwq_limit);
	emit_channel_detail(s, "CCDLc_limit_alone", d->CCDLc_limit_alone);
	emit_channel_detail(s, "WTRc_limit_alone", d->WTRc_limit_alone);
	emit_channel_detail(s, "RTWc_limit_alone", d->RTWc_limit_alone);
}

static void show_dram_commands(struct stats_sink *s, const struct dram_counts *d)
{
	stats_value(s, "\nCommands details: \ntotal_CMD = ", d->n_cmd, " \n");
	stats_value(s, "n_nop = ", d->n_nop, " \n");
	stats_value(s, "Read = ", d->n_rd, " \n");
	stats_value(s, "Write = ", d->n_wr, " \n");
	stats_value(s, "L2_Alloc = ", d->n_rd_L2_A, " \n");
	stats_value(s, "L2_WB = ", d->n_wr_WB, " \n");
	stats_value(s, "n_act = ", d->n_act, " \n");
	stats_value(s, "n_pre = ", d->n_pre, " \nn_ref = 0 \n");
	stats_value(s, "n_req = ", d->n_req, " \n");
	stats_value(s, "total_req = ", d->n_rd + d->n_wr + d->n_rd_L2_A + d->n_wr_WB, " \n");
}

static void emit_dram_buses(struct stats_sink *s, const struct dram_params *p, const struct dram_counts *d)
{
	stats_text(s, "\nDual Bus Interface Util: \n");
	emit_channel_detail(s, "issued_total_row", d->issued_total_row);
	emit_channel_detail(s, "issued_total_col", d->issued_total_col);
	emit_field_real(s, "Row_Bus_Util", " =  ", F6, quotient(d->issued_total_row, d->n_cmd), " \n");
	emit_field_real(s, "CoL_Bus_Util", " = ", F6, quotient(d->issued_total_col, d->n_cmd), " \n");
	emit_field_real(s, "Either_Row_CoL_Bus_Util", " = ", F6, quotient(d->issued_total, d->n_cmd), " \n");
	emit_field_real(
		s, "Issued_on_Two_Bus_Simul_Util", " = ", F6, quotient(d->issued_two, d->n_cmd), " \n");
	emit_field_real(s, "issued_two_Eff", " = ", F6, quotient(d->issued_two, d->issued_total), " \n");
	emit_field_real(s, "queue_avg", " = ", F6, quotient(d->ave_mrqs, d->n_cmd), " \n");
	stats_text(s, "\n\ndram_util_bins: 0 0 0 0 0 0 0 0 0 0\ndram_eff_bins: 0 0 0 0 0 0 0 0 0 0\n");
	stats_record_count(s, d->max_mrqs, "mrqq_max");
	if (!p->fr_fcfs)
		return;
	show_signed_32(s, "mrqq: max=", d->max_mrqs, " avg=");
	stats_real(s, G6, stats_divide_single(d->ave_mrqs, d->n_cmd));
	stats_text(s, "\n");
}

static void show_partition(struct stats_sink *s, const struct gpu *g, uint32_t channel)
{
	const struct memory_params *p = &g->params.mem;

	stats_value(s, "Memory Partition ", channel, ": \n");
	for (uint32_t i = 0; i < p->subs; i++) {
		uint32_t sub = channel * p->subs + i;

		if (memory_count_tracked(g->mem, sub))
			stats_value(s, "Memory Sub Parition ", sub, ": pending memory requests:\n");
		if (!p->l2.present)
			continue;
		stats_text(s, "Cache L2_bank_");
		stats_value(s, sub < 10 ? "00" : sub < 100 ? "0" : "", sub, ":\nMSHR contents\n\n");
	}
	stats_value(s, "In Dram Latency Queue (total = ", memory_count_delayed(g->mem, channel), "): \n");
}

static void show_timing(struct stats_sink *s, const struct dram_params *p, uint32_t channel)
{
	stats_value(s, "DRAM[", channel, "]");
	show_signed_32(s, ": ", p->nbk, " bks");
	show_signed_32(s, ", busW=", p->bus_bytes, "");
	show_signed_32(s, " BL=", p->burst, "");
	show_signed_32(s, " CL=", p->CL, "");
	show_signed_32(s, ", tRRD=", p->tRRD, "");
	show_signed_32(s, " tCCD=", p->tCCD, "");
	show_signed_32(s, ", tRCD=", p->tRCD, "");
	show_signed_32(s, " tRAS=", p->tRAS, "");
	show_signed_32(s, " tRP=", p->tRP, "");
	show_signed_32(s, " tRC=", p->tRC, "\n");
}

static void add_dram_counts(struct dram_counts *to, const struct dram_counts *d)
{
	to->n_cmd += d->n_cmd;
	to->n_nop += d->n_nop;
	to->n_act += d->n_act;
	to->n_pre += d->n_pre;
	to->n_req += d->n_req;
	to->n_rd += d->n_rd;
	to->n_rd_L2_A += d->n_rd_L2_A;
	to->n_wr += d->n_wr;
	to->n_wr_WB += d->n_wr_WB;
	to->n_activity += d->n_activity;
	to->hits_num += d->hits_num;
	to->access_num += d->access_num;
}

static void record_dram_sums(
	struct stats_sink *s, const struct dram_params *p, const struct dram_counts *d, uint64_t bwutil)
{
	stats_record_count(s, d->n_cmd, "dram_sum[n_cmd]");
	stats_record_count(s, d->n_nop, "dram_sum[n_nop]");
	stats_record_count(s, d->n_act, "dram_sum[n_act]");
	stats_record_count(s, d->n_pre, "dram_sum[n_pre]");
	stats_record_count(s, 0, "dram_sum[n_ref_event]");
	stats_record_count(s, d->n_req, "dram_sum[n_req]");
	stats_record_count(s, d->n_rd, "dram_sum[n_rd]");
	stats_record_count(s, d->n_rd_L2_A, "dram_sum[n_rd_L2_A]");
	stats_record_count(s, d->n_wr, "dram_sum[n_write]");
	stats_record_count(s, d->n_wr_WB, "dram_sum[n_wr_bk]");
	stats_record_count(s, d->n_activity, "dram_sum[n_activity]");
	stats_record_ratio(s, "dram_bw_util", (double)bwutil, (double)d->n_cmd, 1);
	stats_record_ratio(s, "dram_row_hit_rate", (double)d->hits_num, (double)d->access_num, 1);
	stats_record_count(s, (d->n_rd + d->n_rd_L2_A) * p->atom_bytes, "dram_read_bytes");
	stats_record_count(s, (d->n_wr + d->n_wr_WB) * p->atom_bytes, "dram_write_bytes");
}

void stats_emit_channels(struct stats_sink *s, struct gpu *g)
{
	const struct dram_params *p = &g->params.mem.dram;
	struct dram_counts d, sum = {0};
	uint64_t bwutil = 0;

	for (uint32_t c = 0; c < g->params.mem.channels; c++) {
		memory_get_dram_counts(g->mem, c, &d);
		show_partition(s, g, c);
		show_timing(s, p, c);
		stats_prefix(s, "dram[%" PRIu32 "].", c);
		s->sparse = true;
		emit_dram_commands(s, p, &d);
		emit_bank_parallelism(s, &d);
		emit_dram_bandwidth(s, &d);
		show_dram_commands(s, &d);
		emit_dram_buses(s, p, &d);
		s->sparse = false;
		stats_prefix(s, "%s", "");
		add_dram_counts(&sum, &d);
		bwutil += d.bwutil;
	}
	if (is_sink_collecting(s))
		record_dram_sums(s, p, &sum, bwutil);
}
