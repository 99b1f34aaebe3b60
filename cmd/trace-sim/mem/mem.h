/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory side: memory partitions with their sub partitions and L2 banks, DRAM channels, latency statistics
 * (trace-sim-mem(7)).
 *
 * Files: memory.c (construction, ticks, figures), partition.c (channels: credits, latency queue), subpartition.c
 * (queues, accesses to the L2), sides.c (an L2 of two sides), dram.c (DRAM commands), dram_sched.c (FR-FCFS, FIFO),
 * dram_bus.c (data bus), dram_stat.c, dram_simple.c, memstat.c (latency tables), hostcopy.c. A partition without
 * queued requests is not visited: its per-tick counters are brought up to date when it wakes or when statistics are
 * read.
 */
#ifndef MEM_H
#define MEM_H

#include "cache/cache.h"
#include "net/net.h"
#include "params.h"
#include "request/addrdec.h"

/* ---- latency statistics (MEM-lat) ------------------------------------------------------------- */

/*
 * Latency statistics, one struct per thread: a thread counts in its own, and memstat_fold() adds all to the
 * first. Figures of DRAM banks are the exception: the thread of the channel writes them to the first struct.
 */
struct memstat {
	_Alignas(64) bool on;
	uint64_t tot_icnt2mem, tot_icnt2sh, tot_mrq, tot_mrq_num, mf_total_lat, num_mfs;
	uint32_t max_icnt2mem, max_icnt2sh, max_mrq, max_mf;
	uint32_t window_num; /* mf_num_lat_pw */
	uint32_t window_lat; /* mf_tot_lat_pw */
	uint32_t mrq_lat[32], mf_lat[32], mf_lat_pw[32], icnt2mem_lat[24], icnt2sh_lat[24];
	uint32_t channels, banks;
	/* figures of DRAM banks, indexed by channel * banks + bank */
	uint32_t *bank_writes, *bank_reads, *mf_max_lat, *max_conc_same_row, *max_service, *row_access,
		*activates;
	uint64_t *mf_total_lat_bank;
};

void memstat_init(struct memstat *m, const struct params *p);
void memstat_free(struct memstat *m);
/* Adds m[1] and the later structs to m[0], and clears them. */
void memstat_fold(struct memstat *m, unsigned threads);
/*
 * Counts a request that a sub partition accepts. In this and the following functions, m is the first of the
 * structs of all threads.
 */
void memstat_count_accepted(struct memstat *m, const struct req *r, uint64_t now);
/* Counts a reply that an SM accepts; not called for INST_ACC_R. */
void memstat_count_replied(struct memstat *m, const struct req *r, uint64_t now);
void memstat_end_sample_period(struct memstat *m); /* closes the sampling window */
/* Counts a request that enters its DRAM channel. */
void memstat_count_queued(struct memstat *m, const struct req *r, uint32_t atoms);
/* counts a request that FR-FCFS assigns to a bank */
void memstat_count_scheduled(struct memstat *m, uint32_t latency);

/* ---- the memory side as a whole ------------------------------------------------------------------ */

struct memory;
struct events;

struct memory *memory_new(const struct params *p, struct req_pool *pool, struct net *net, struct addrdec *dec,
	struct memstat *ms, struct fault *f);
void memory_delete(struct memory *m);
void memory_set_events(struct memory *m, struct events *e);

/*
 * Work of the memory side in a step. The order is that of LAUNCH-step: 2 replies, 3 DRAM, 4 L2 with network
 * packets.
 */
struct memory_work {
	uint64_t now;               /* time */
	uint64_t cycle;             /* cycles of the kernel (gpu_sim_cycle, MEM-row) */
	uint64_t dram_ticks_before; /* ticks of DRAM before this step */
	uint64_t l2_ticks_before;   /* ticks of the L2 before this step */
	uint32_t dram_ticks; /* DRAM ticks, including those of earlier steps in which only DRAM fired */
	bool replies, runs_l2;
	/* fields that are used only in a window */
	uint32_t advance; /* number of network advances before the step, modulo 2^32 */
	uint32_t tick;    /* number of L2 ticks of the window before the step, below MEMORY_TICKS */
};
void memory_step(struct memory *m, const struct memory_work *k);

/*
 * Runs the n steps of a window (gpu/window.h) for one channel and its sub partitions. Channels may run at the
 * same time. Packets that arrive in the window are ignored, because their ROP delay must end after it.
 * Afterwards memory_accept_packets() accepts them, once per step with an L2 tick, and memory_idle_ticks()
 * counts all ticks.
 */
#define MEMORY_TICKS 256u
void memory_run_channel(struct memory *m, uint32_t channel, const struct memory_work *k, uint32_t n);
void memory_accept_packets(struct memory *m, const struct memory_work *k);
uint32_t memory_channels(const struct memory *m);
/*
 * Returns a time until which at least one warp certainly waits for a reply; 0 or a past time if none is
 * known.
 */
uint64_t memory_awaited_until(const struct memory *m);
/* Number of DRAM ticks so far, and number of L2 ticks so far. */
uint64_t memory_dram_ticks(const struct memory *m);
uint64_t memory_l2_ticks(const struct memory *m);

/* Parts of a step. `cycle` is gpu_sim_cycle of the kernel (MEM-row). */
void memory_reply_tick(struct memory *m, uint64_t now);                /* LAUNCH-step-2 */
void memory_dram_tick(struct memory *m, uint64_t now, uint64_t cycle); /* LAUNCH-step-3 */
void memory_l2_tick(struct memory *m, uint64_t now);                   /* LAUNCH-step-4 */
bool memory_is_busy(const struct memory *m); /* returns true if a request tracker is not empty */
/*
 * Returns false if a request may move at the next tick. Otherwise returns true: the three ticks only
 * increment counters while now < *until and for the next *dram_ticks DRAM ticks (UINT64_MAX: no limit).
 */
bool memory_is_asleep(const struct memory *m, uint64_t now, uint64_t *until, uint64_t *dram_ticks);
void memory_idle_ticks(struct memory *m, uint64_t reply_ticks, uint64_t dram_ticks, uint64_t l2_ticks);

/* Warms the L2 by a host-to-device copy of `bytes` bytes to `address` (MEM-copy). */
void memory_host_copy(struct memory *m, uint64_t address, uint64_t bytes, uint64_t now);
/*
 * Warms the L2: updates its tags as if a cluster had read or written `sectors` (a bit mask) of a line of 128
 * bytes. Takes no simulated time, counts nothing and writes nothing back. No request may be queued.
 */
void memory_warm(
	struct memory *m, uint64_t line, uint32_t sectors, uint32_t cluster, bool write, uint64_t now);
/* Sectors that memory_warm() did not find in the L2, and the DRAM traffic that they would have caused. */
struct memory_warmed {
	uint64_t misses, read_bytes, written_bytes;
};
struct memory_warmed memory_warmed(const struct memory *m);
/* Flushes the L2 (-gpgpu_flush_l2_cache, MEM-flush); prints to `out` unless it is NULL. */
void memory_flush_l2(struct memory *m, FILE *out);

struct memory_counts {
	uint64_t stall_dramfull, stall_icnt2sh; /* cumulative */
	uint64_t accepted, accepted_util, util_ticks,
		replies; /* counts of the interval; see memory_fold_counts() */
	uint64_t accepted_total, accepted_util_total, util_ticks_total, replies_total;
};
const struct memory_counts *memory_counts(struct memory *m);
void memory_fold_counts(struct memory *m);

uint32_t memory_sub_partitions(const struct memory *m);
/* Returns NULL if -gpgpu_cache:dl2 is none. */
const struct cache *memory_l2(const struct memory *m, uint32_t sub);

/* Figures of a channel up to the last tick (MEM-stat). */
struct dram_counts {
	uint64_t n_cmd, n_nop, n_act, n_pre, n_req, n_rd, n_rd_L2_A, n_wr, n_wr_WB, n_activity;
	uint32_t bwutil, ave_mrqs, max_mrqs;
	uint64_t access_num, hits_num, read_num, hits_read_num, write_num, hits_write_num;
	uint64_t banks_1time, banks_acess_total, banks_time_rw, banks_access_rw_total, banks_time_ready,
		banks_access_ready_total;
	double write_to_read_ratio_sum;
	uint64_t bkgrp_parallsim_rw;
	uint64_t util_bw, wasted_bw_col, wasted_bw_row, idle_bw;
	uint64_t RCDc_limit, RCDWRc_limit, WTRc_limit, RTWc_limit, CCDLc_limit, rwq_limit;
	uint64_t CCDLc_limit_alone, WTRc_limit_alone, RTWc_limit_alone;
	uint64_t issued_total, issued_two, issued_total_col, issued_total_row;
	const uint32_t *bank_access, *bank_idle; /* nbk entries */
};
void memory_get_dram_counts(struct memory *m, uint32_t channel, struct dram_counts *out);
/* Number of read and write bursts of a channel so far. */
uint64_t memory_channel_bursts(struct memory *m, uint32_t channel);
/*
 * Adds the read bursts (without write-allocate), the write bursts and the precharges of all channels to
 * sum[0], sum[1] and sum[2].
 */
void memory_add_bursts(const struct memory *m, uint64_t sum[3]);
/* Number of requests in a sub partition's tracker, and in a channel's latency queue. */
uint32_t memory_count_tracked(const struct memory *m, uint32_t sub);
uint32_t memory_count_delayed(const struct memory *m, uint32_t channel);
/* Prints the requests in each channel's latency queue and sub partitions, for the deadlock report. */
void memory_print_queues(const struct memory *m, FILE *out);

#endif
