/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures that the original does not have or computes wrongly. They have their own names and are only in
 * records. The DRAM figures of this kind are in stats_mem.c, next to the counters that they sum.
 *
 * Always true: a byte is counted once per level. Bytes at the L1D are sectors (or lines, if lines have no
 * sectors) of accepted accesses. Bytes at the L2 are the data in packets, without headers.
 */
#include "core/core.h"
#include "stats_int.h"

#define HEADER_BYTES 8 /* size of a packet header (LSU-inject-4) */

static const char *const stall_types[N_STALL_TYPES] = {
	"c_mem", "t_mem", "s_mem", "g_mem_ld", "g_mem_st", "l_mem_ld", "l_mem_st"};
static const char *const stall_reasons[N_STALL_REASONS] = {"none", "bk_conf", "coal", "icnt", "data_port"};

static void record_occupancy(struct stats_sink *s, const struct gpu *g)
{
	uint64_t warps = 0, cycles = 0, warp_insts = 0;

	for (uint32_t i = 0; i < g->params.sms; i++) {
		warps += g->sm[i].n.live_warp_cycles;
		cycles += g->sm[i].clock;
		warp_insts += g->sm[i].n.warp_insts;
	}
	stats_record_ratio(s, "achieved_occupancy", (double)warps, (double)cycles * g->params.core.warps, 1);
	stats_record_count(s, cycles, "sm_active_cycles");
	stats_record_ratio(s, "warp_ipc", (double)warp_insts, (double)gpu_now(g), 1);
}

static void record_inst_classes(struct stats_sink *s, const struct gpu *g)
{
	for (unsigned c = 0; c < N_CLASSES; c++) {
		uint64_t n = 0;

		for (uint32_t i = 0; i < g->params.sms; i++)
			n += g->sm[i].n.class_insts[c];
		stats_record_count(s, n, "warp_insts[%s]", isa_class_name((enum isa_class)c));
	}
}

static void record_stall_cycles(struct stats_sink *s, const struct gpu *g)
{
	for (int t = 0; t < N_STALL_TYPES; t++) {
		for (int r = 0; r < N_STALL_REASONS; r++) {
			uint64_t n = 0;

			for (uint32_t i = 0; i < g->params.sms; i++)
				n += g->sm[i].n.stall[t][r];
			stats_record_count(s, n, "ldst_stall[%s][%s]", stall_types[t], stall_reasons[r]);
		}
	}
}

static void add_modern_counts(struct core_counts *to, const struct core_counts *n)
{
	for (unsigned i = 0; i < N_CORE_STALLS; i++)
		to->stall[i] += n->stall[i];
	to->fetches += n->fetches;
	to->l0_misses += n->l0_misses;
	to->stream_hits += n->stream_hits;
	to->prefetches += n->prefetches;
	to->reuse_hits += n->reuse_hits;
	to->bank_waits += n->bank_waits;
	to->queue_cycles += n->queue_cycles;
}

/* Records the figures of the modern core, which the legacy core does not have. */
static void record_modern_core(struct stats_sink *s, const struct gpu *g)
{
	struct core_counts n = {0};

	if (!g->params.modern.enabled)
		return;
	for (uint32_t i = 0; i < g->params.sms; i++)
		add_modern_counts(&n, &g->sm[i].modern->n);
	for (unsigned i = 0; i < N_CORE_STALLS; i++)
		stats_record_count(s, n.stall[i], "core_stall[%s]", core_stall_names[i]);
	stats_record_count(s, n.fetches, "core_fetches");
	stats_record_count(s, n.l0_misses, "core_l0i_misses");
	stats_record_count(s, n.stream_hits, "core_stream_hits");
	stats_record_count(s, n.prefetches, "core_prefetches");
	stats_record_count(s, n.reuse_hits, "core_reuse_hits");
	stats_record_count(s, n.bank_waits, "core_bank_waits");
	stats_record_count(s, n.queue_cycles, "core_queue_cycles");
	stats_record_count(s, g->joins.insts, "core_control_insts");
	stats_record_count(s, g->joins.mismatches, "core_control_mismatches");
}

static bool is_write_access(unsigned type)
{
	return type == GLOBAL_ACC_W || type == LOCAL_ACC_W || type == L1_WRBK_ACC || type == L2_WRBK_ACC;
}

static void record_l1d_figures(struct stats_sink *s, const struct gpu *g)
{
	struct cache_counts all = {0};
	uint64_t n[2] = {0}; /* number of reads, and number of writes */
	uint32_t bytes = g->params.core.l1d.atom_bytes;

	if (!g->params.core.l1d.present)
		return;
	for (uint32_t i = 0; i < g->params.sms; i++)
		if (ldst_l1d(&g->sm[i]))
			cache_add_counts(ldst_l1d(&g->sm[i]), -1, &all);
	for (unsigned t = 0; t < N_ACC_TYPES; t++)
		n[is_write_access(t)] += all.status[t][STATUS_HIT] + all.status[t][STATUS_HIT_RESERVED] +
					 all.status[t][STATUS_MISS] + all.status[t][STATUS_SECTOR_MISS];
	stats_record_count(s, n[0] * bytes, "l1d_read_bytes");
	stats_record_count(s, n[1] * bytes, "l1d_write_bytes");
}

/*
 * Bytes of data in one direction. Packets of 8 bytes are requests or acknowledgements without data, so they
 * do not count.
 */
static uint64_t payload_bytes(const struct traffic *t)
{
	uint64_t sum = 0;

	for (unsigned c = 0; c < TRAFFIC_CLASSES; c++)
		for (unsigned size = HEADER_BYTES + 1; size < TRAFFIC_BYTES; size++)
			sum += t->count[c][size] * (size - HEADER_BYTES);
	return sum;
}

/* Records the figures of --warm if kernels were left out. */
static void record_warmed_l2(struct stats_sink *s, const struct gpu *g)
{
	struct memory_warmed w = memory_warmed(g->mem);

	if (!g->warmed)
		return;
	stats_record_count(s, g->warmed, "warmed_kernels");
	stats_record_count(s, g->n_warmed_with_misses, "warmed_kernels_with_L2_misses");
	stats_record_count(s, w.misses, "warmed_L2_misses");
	stats_record_count(s, w.read_bytes, "warmed_dram_read_bytes");
	stats_record_count(s, w.written_bytes, "warmed_dram_write_bytes");
}

void stats_record_more(struct stats_sink *s, struct gpu *g)
{
	if (!is_sink_collecting(s))
		return;
	record_occupancy(s, g);
	s->sparse = true;
	record_inst_classes(s, g);
	record_stall_cycles(s, g);
	record_modern_core(s, g);
	stats_emit_links(s, g);
	s->sparse = false;
	record_warmed_l2(s, g);
	stats_record_count(s, g->unknown_recs, "unknown_opcode_warp_insts");
	record_l1d_figures(s, g);
	stats_record_count(s, payload_bytes(g->traffic_to_cores), "l2_read_bytes");
	stats_record_count(s, payload_bytes(g->traffic_to_memory), "l2_write_bytes");
}
