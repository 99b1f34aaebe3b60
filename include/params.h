/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameters of the GPU: every option that the timing model reads, parsed, checked and derived once.
 *
 * Always true after params_init(): all values are in range and all strings are parsed. An impossible configuration
 * is rejected with the place of the fault. The model reads no option by name. Frequencies are in Hz, latencies in
 * core cycles unless a name says otherwise.
 */
#ifndef PARAMS_H
#define PARAMS_H

#include <stdbool.h>
#include <stdint.h>
#include "diag.h"
#include "gpuconf.h"
#include "isa.h"
#include "modern.h"
#include "ptx.h"

#define MAX_WARPS      64 /* largest number of warp slots of an SM */
#define MAX_SCHEDULERS 16
#define MAX_SPECS      8
#define MAX_BANKS      64 /* largest number of register banks */
#define MAX_COLLECTORS 64 /* number of operand collector units of an SM, over all sets */
#define MAX_L1_BANKS   64
#define MAX_CTAS       32 /* largest number of CTAs of an SM */

/* ---- caches (CACHE-conf) ------------------------------------------------------------------- */

enum cache_kind { CACHE_LINE, CACHE_SECTOR };
/* One value for each row of arch/replace.def. */
#define REPLACE(name, letter) REPLACE_##name,
enum replacement {
#include "arch/replace.def"
	N_REPLACEMENTS
};
#undef REPLACE
enum write_policy { WRITE_READ_ONLY, WRITE_BACK, WRITE_THROUGH, WRITE_EVICT, WRITE_LOCAL_BACK_GLOBAL_EVICT };
enum alloc_policy { ALLOC_ON_MISS, ALLOC_ON_FILL };
enum write_alloc { WALLOC_NONE, WALLOC_NAIVE, WALLOC_FETCH, WALLOC_LAZY };
#define HASH_IPOLY_MAX 65536u /* largest number of sets with INDEX_IPOLY */
enum set_index { INDEX_LINEAR, INDEX_XOR, INDEX_IPOLY, INDEX_FERMI, INDEX_CUSTOM, INDEX_MODULO };
enum mshr_kind { MSHR_ASSOC, MSHR_SECTOR_ASSOC, MSHR_TEX_FIFO, MSHR_SECTOR_TEX_FIFO };

struct cache_params {
	bool present; /* false if the configuration says "none" */
	enum cache_kind kind;
	uint32_t sets;       /* number of sets */
	uint32_t line_bytes; /* bytes of a line */
	uint32_t ways;       /* number of ways */
	uint32_t ways_max;   /* largest number of ways, for the size of the tag array (CACHE-size-1) */
	uint32_t atom_bytes; /* size of a request in bytes: 32 (sectors) or the line */
	enum replacement replacement;
	enum write_policy write;
	enum alloc_policy alloc; /* time at which a line is allocated */
	bool streaming;          /* true if the option's text has the letter 's' */
	enum write_alloc walloc;
	enum set_index index; /* function that selects the set of an address */
	enum mshr_kind mshr;
	uint32_t mshr_entries, mshr_merge, miss_queue, result_fifo, port_bytes;
	uint32_t line_log2, sets_log2; /* base-2 logarithms of line_bytes and sets, rounded down */
	uint32_t write_ratio;          /* minimum percentage of modified lines; for the L1D only */
	bool fetch_pairs;              /* true if a read miss fetches a pair of sectors; for the L2 only */
};

/* ---- the core -------------------------------------------------------------------------------- */

/* Kinds of units, each with pipeline register sets between issue, collector and units. */
enum unit_kind {
	UNIT_SP,
	UNIT_DP,
	UNIT_INT,
	UNIT_SFU,
	UNIT_TENSOR,
	UNIT_MEM,
	UNIT_SPEC,
	N_UNIT_KINDS = UNIT_SPEC + MAX_SPECS
};

struct unit_params {
	uint32_t units;                             /* number of function units of the kind */
	uint32_t collector_in_width, unit_in_width; /* slots of the register sets before the unit */
	uint32_t depth; /* number of stages; no effect while 0 <= latency - interval < depth */
};

/* Kinds of collector unit sets with their ports (SM-coll-1). */
enum collector_kind {
	COLLECT_GEN,
	COLLECT_SP,
	COLLECT_DP,
	COLLECT_TENSOR,
	COLLECT_SFU,
	COLLECT_MEM,
	COLLECT_INT,
	N_COLLECTORS
};

struct collector_params {
	uint32_t units;     /* number of units of the set */
	uint32_t in_ports;  /* number of input ports of the set */
	uint32_t out_ports; /* number of output ports of the set */
};

/* One value for each row (policy) of arch/sched.def. */
#define SCHED(name, argument, greedy, form) SCHED_##name,
enum sched_id {
#include "arch/sched.def"
	N_SCHEDS
};
#undef SCHED

/* One value for each row of arch/depend.def. */
#define DEPENDENCE(name) DEPENDENCE_##name,
enum dependence_id {
#include "arch/depend.def"
	N_DEPENDENCES
};
#undef DEPENDENCE

struct latency {
	uint32_t latency, interval; /* in cycles */
};

/*
 * Kinds of accesses that a configuration cannot serve. A kernel with such an access is rejected. unfit_rows has the
 * option at fault and the reason as text.
 */
enum unfit {
	UNFIT_L1_BYTES = 1 << 0,
	UNFIT_L1_FILL = 1 << 1,
	UNFIT_L2_BYTES = 1 << 2,
	UNFIT_L2 = 1 << 3,
	UNFIT_L1_QUEUE = 1 << 4,
	UNFIT_L1_ANSWER = 1 << 5,
	UNFIT_L1_READ = 1 << 6,
	UNFIT_L2_QUEUE = 1 << 7,
	UNFIT_L2_ANSWER = 1 << 8,
	UNFIT_L2_READ = 1 << 9,
	UNFIT_L2_FILL = 1 << 10,
	UNFIT_L1_PIECES = 1 << 11
};
#define N_UNFIT 12

extern const struct unfit_row {
	enum unfit bit;      /* bit of the kind in a set of enum unfit */
	enum conf_id option; /* option at fault */
	const char *problem; /* reason, for a message */
} unfit_rows[N_UNFIT];

struct core_params {
	uint32_t threads, warps; /* limits of an SM */
	uint32_t max_ctas, registers, shmem_bytes;
	bool ignore_resources; /* -gpgpu_ignore_resources_limitation */
	uint32_t schedulers;
	enum sched_id policy;
	uint32_t policy_number; /* ACTIVE of two_level_active, or WARPS of warp_limiting */
	enum dependence_id dependence;
	uint32_t max_issue; /* number of instructions that a warp may issue per cycle: 1 or 2 */
	bool dual_issue_diff;
	bool sub_core;
	struct unit_params unit[N_UNIT_KINDS]; /* units by kind; UNIT_SPEC + n is specialized unit n + 1 */
	uint32_t n_specs;                      /* number of enabled specialized units */
	uint32_t ex_wb_width;                  /* number of result buses */
	bool tensor_avail, special_collectors;
	struct collector_params collector[N_COLLECTORS];
	uint32_t reg_banks, collector_steps, fetch_steps;
	bool perfect_icache, clock_gated_lanes;
	uint32_t issue_histogram_sm;       /* -gpgpu_warp_issue_shader */
	struct latency latency[N_CLASSES]; /* latency and interval by class; 1 and 1 without an option */
	struct latency ptx[N_PTX_LISTS][PTX_ENTRIES]; /* latencies of PTX by enum ptx_list and entry */
	/* load/store unit */
	uint32_t ldst_steps; /* -gpgpu_mem_unit_ports; if that is 0, warp_parts */
	uint32_t smem_latency, smem_banks, warp_parts;
	bool smem_limited_broadcast;
	uint32_t coalesce_arch;
	bool gmem_skip_l1d, flush_l1, adaptive_l1, ptx_vectors;
	uint32_t unified_l1_kb;
	uint32_t shmem_option_bytes[32]; /* sizes of shared memory in ascending order */
	uint32_t n_shmem_options;        /* number of these sizes */
	uint32_t l1_banks, l1_bank_interleave, l1_latency;
	enum set_index l1_bank_hash;
	uint32_t response_max; /* -gpgpu_n_ldst_response_buffer_size */
	bool perfect_mem, local_mem_map;
	uint32_t unfit; /* set of enum unfit */
	struct cache_params l1d;
	struct cache_params l1i; /* cache of the selected core model */
	struct cache_params l1c;
	struct cache_params l1t;
	/* Reasons for rejecting accesses to constants and textures; id NULL: they are allowed. */
	struct fault no_constants, no_textures;
};

/* ---- network, memory --------------------------------------------------------------------------- */

struct network_params {
	uint32_t mode;        /* network mode: 1 is BookSim's network (intersim2), 2 the local crossbar */
	const char *file;     /* path of the network file, for mode 1 */
	struct place file_at; /* place of the option that names the file */
	uint32_t in_limit, out_limit, subnets, arbiter, grant_cycles, flit_bytes;
	uint32_t cluster_ports; /* number of packets per cluster and core cycle, in each direction */
	uint32_t eject_max;     /* -gpgpu_n_cluster_ejection_buffer_size */
};

struct dram_params {
	bool simple;
	bool fr_fcfs;
	bool dual_bus;
	bool write_queue;               /* value after quirk Q4-1 */
	uint32_t queue_max, return_max; /* numbers of queue entries; 0 is special (MEM-part-1, MEM-bus-3) */
	uint32_t write_max;             /* number of entries of the write queue */
	uint32_t write_high;            /* upper watermark of the write queue */
	uint32_t write_low;             /* lower watermark of the write queue */
	uint32_t bus_bytes, burst, freq_ratio, chips;
	uint32_t atom_bytes;   /* burst * bus_bytes * chips */
	uint32_t burst_cycles; /* burst / freq_ratio */
	uint32_t nbk, nbkgrp, tCCD, tRRD, tRCD, tRAS, tRP, tRC, tCDLR, tWR, CL, WL, tCCDL, tRTPL;
	uint32_t tRCDWR, tRTW, tWTR, tWTP; /* derived values, with the original's 32-bit wrap */
	uint32_t refresh_interval; /* ticks between two refreshes of a bank; 0: none (MEM-refresh-1) */
	uint32_t refresh_cycles;   /* ticks of a refresh */
	uint32_t bank_index, group_index;
	bool no_turnaround;
	const char *timing_text; /* text of the timing option as written */
};

/* Masks of the address bits of each field. If channel_at >= 0, they apply to the address without the channel number. */
struct addr_params {
	uint64_t channel, bank, row; /* masks of address bits */
	int channel_at; /* lowest bit of the channel number; -1: the mask `channel` selects the channel number */
	uint32_t partition_index; /* -gpgpu_memory_partition_indexing */
};

struct memory_params {
	uint32_t channels; /* number of channels, M in trace-sim-mem(7) */
	uint32_t subs;     /* number of sub partitions (slices) of a channel, P in trace-sim-mem(7) */
	uint32_t queue_icnt_l2, queue_l2_dram, queue_dram_l2, queue_l2_icnt; /* numbers of entries */
	uint32_t rop_latency, dram_latency;                                  /* latencies in core cycles */
	uint32_t l2_sides;       /* 2: each half of a channel's slices is near one half of the clusters */
	uint32_t l2_far_latency; /* additional latency of the far half in cycles */
	bool l2_sides_alternate; /* true if neighbouring clusters are on different sides */
	bool l2_texture_only, flush_l2, memcpy_warms_l2, latency_stats;
	struct cache_params l2; /* one slice of the L2 */
	struct dram_params dram;
	struct addr_params addr;
};

/* ---- the whole ---------------------------------------------------------------------------------- */

struct params {
	uint32_t clusters;
	uint32_t sms_per_cluster;
	uint32_t sms;    /* clusters * sms_per_cluster */
	bool rotate_sms; /* -gpgpu_simt_core_sim_order 1 */
	double hz[4];    /* frequencies of core, icnt, l2 and dram from -gpgpu_clock_domains */
	struct core_params core;
	struct modern_params modern; /* parameters of the SM core with -core_model modern */
	struct network_params net;
	struct memory_params mem;
	/* launch (trace-sim-launch(7)) */
	bool concurrent_kernels;
	uint32_t run_slots; /* -gpgpu_max_concurrent_kernel */
	/* number of kernels loaded at once: run_slots with concurrency or several streams, else 1 */
	uint32_t kernel_window;
	uint32_t launch_latency; /* cycles of a kernel launch */
	uint32_t tb_latency;     /* cycles of the launch of a thread block */
	/* limits of the run; 0: no limit */
	uint64_t max_cycle, max_insn, max_cta, max_completed_cta; /* 0: no limit */
	bool deadlock_detect;
	uint32_t sample_cycles; /* cycles between samples; first number of -gpgpu_runtime_stat */
};

/* Sets *p from a configuration. Returns 0, or -1 and sets *f: option, place, value and possible values. */
int params_init(struct params *p, const struct gpuconf *c, struct fault *f);
/*
 * Returns the number of sets of the L1 with -core_l1_ways, else its number of ways, if shmem bytes are shared memory
 * (-gpgpu_adaptive_cache_config). Returns 0 if no space is left.
 */
uint32_t params_set_l1_rows(const struct params *p, uint32_t shmem);
/*
 * Parses a mapping such as "dramid@8;0000..." into masks. Returns NULL; for an invalid mapping, the text of the
 * expected form.
 */
const char *params_set_mapping(struct addr_params *a, const char *text);

/* Uses of a cache; params_cache.c has the rules of each. */
enum cache_role { ROLE_L1D, ROLE_L1I, ROLE_L1C, ROLE_L1T, ROLE_L2 };
/*
 * Returns the number of the first SM of a group, in which clusters of thread blocks run. The groups are numbered from 0
 * to modern.groups - 1; for greater numbers it is the number of SMs.
 */
uint32_t params_group_begin(const struct params *p, uint32_t group);

/* Parses and checks a cache option "<ct>:<nset>:<line>:<assoc>,..." (CACHE-conf). Returns 0, or -1 and sets *f. */
int params_parse_cache(struct cache_params *p, const struct gpuconf *c, enum conf_id id, enum cache_role role,
	struct fault *f);

#endif
