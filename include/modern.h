/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameters of the modern SM core (-core_model modern), from the checked -core_* options.
 *
 * Always true after params_init() if `enabled` is set: values "by compute capability" are resolved, and every interval
 * and queue length is at least 1. Times are core cycles. trace-sim-core(7) explains each parameter.
 */
#ifndef MODERN_H
#define MODERN_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_SUBS 8 /* largest number of sub-cores of an SM */

/*
 * Units of a sub-core. Units up to CORE_NO_UNIT have fixed latencies; the instructions of later units end with an
 * event.
 */
enum core_unit {
	CORE_INT,
	CORE_FP32,
	CORE_IMAD, /* single-precision unit, for integer instructions */
	CORE_HALF,
	CORE_FP64,
	CORE_TENSOR,
	CORE_UNIFORM,
	CORE_BRANCH,
	CORE_NO_UNIT,   /* no unit (NOP and similar); the last kind with a fixed latency */
	CORE_WARPGROUP, /* the four tensor cores together */
	CORE_SFU,
	CORE_FP64_SHARED,
	CORE_MISC,
	CORE_MEMORY,
	N_CORE_UNITS
};

enum core_dependence { DEPEND_AUTO, DEPEND_CONTROL, DEPEND_SCOREBOARD };
enum core_predicates { PREDICATES_NONE, PREDICATES_BRANCH, PREDICATES_MASK };
enum core_war { WAR_ISSUE, WAR_READ, WAR_WRITEBACK };
enum core_order { ORDER_CGGTY, ORDER_GTO, ORDER_RR };
enum core_rf_read { RF_NONE, RF_LATE };
enum core_rfc_guess { RFC_NONE, RFC_NEXT };

/* Alignment of function addresses in bytes. */
#define CORE_CODE_SPAN (UINT64_C(1) << 20)

struct modern_params {
	bool enabled;    /* whether the modern core is selected */
	uint32_t sm;     /* compute capability, 70 .. 121 */
	uint32_t family; /* family of latency tables: 90 or 100 */
	enum core_dependence dependence;
	bool forwarding;
	enum core_predicates predicates;
	enum core_war war;   /* time at which sources may be overwritten */
	uint32_t sb_visible; /* cycles from an issue until its increment of a dependence counter is visible */
	/* cycles from a result of variable latency to the issue of an instruction that waits for it */
	uint32_t sb_release;
	uint32_t drain_stall;  /* stall after an instruction that yields with stall 0, in cycles */
	enum core_order order; /* order in which the scheduler visits warps */
	uint32_t ibuffer;      /* number of entries of a warp's instruction buffer */
	/* Sets, bytes of a line and ways of the L0 instruction cache. */
	uint32_t l0i_sets, l0i_line, l0i_ways;
	uint32_t l0i_l1i_latency;
	uint32_t l1i_miss_latency; /* latency of an L1I miss; 0: misses go through the network and the L2 */
	uint32_t launch_lines; /* number of lines of a function, from its start, that arrive with a launch */
	uint32_t prefetch_lines,
		prefetch_streams; /* lines of a stream buffer, stream buffers of a sub-core */
	uint32_t branch_taken;    /* cycles from a taken branch to its target */
	bool const_cold;          /* whether a kernel's first constant load on an SM misses */
	uint32_t rf_banks;
	enum core_rf_read rf_read_trace;   /* way of reading registers in kernels without control codes */
	enum core_rf_read rf_read_control; /* way of reading registers in kernels with control codes */
	bool rfc;                          /* whether the reuse cache keeps operands */
	enum core_rfc_guess rfc_guess;
	uint32_t result_queue;           /* number of entries; 0: not modelled */
	uint32_t port_imad_wide;         /* additional cycles for which IMAD.WIDE occupies the issue port */
	uint32_t interval[N_CORE_UNITS]; /* issue intervals; of CORE_TENSOR, the shortest one */
	uint32_t imad_wide;              /* issue interval of IMAD.WIDE, instead of its unit's interval */
	bool fp32_on_int, fp64_shared;
	uint32_t tensor_rate; /* number of half-precision multiply-adds per cycle and sub-core */
	uint32_t mma_setup;   /* cycles of the tensor core for an instruction besides its products */
	/* Issue cycles of an mbarrier operation; latency of a wait for a completed phase. */
	uint32_t mbarrier_issue, mbarrier_wait;
	uint32_t gmma_issue; /* cycles from the issue of a warpgroup product to the next instruction of the warp */
	/* cycles from the last multiply-add of a warpgroup product to the end of a wait for it */
	uint32_t gmma_latency;
	uint32_t tma_latency;       /* start-up cycles of a bulk copy */
	uint32_t tma_descriptor;    /* additional cycles for a descriptor */
	uint32_t tma_issue;         /* cycles from a load with a descriptor to the warp's next instruction */
	uint32_t tma_outside;       /* cycles of a bulk load without elements in bounds */
	uint32_t tma_bytes;         /* number of bytes that the bulk copy unit requests per cycle */
	uint32_t tma_interval;      /* minimum cycles between two requests of a bulk copy */
	uint32_t dsm_latency;       /* cycles one way of the link between SMs */
	uint32_t dsm_bytes;         /* bytes per cycle of that link */
	uint32_t multicast_latency; /* additional cycles until multicast data arrive */
	uint32_t gpc_sms;           /* number of SMs of a group */
	uint32_t gpcs;              /* number of even groups, or 0 */
	uint32_t groups;            /* number of groups */
	uint32_t group_most;        /* number of SMs of the largest group */
	uint32_t matrix_mhz;   /* core clock in MHz while tensor cores are busy; 0: the configured clock */
	uint32_t fp64_latency; /* latency of the double-precision unit that sub-cores share */
	uint32_t sfu_latency;
	uint32_t mem_places; /* number of memory instructions in a sub-core's queue for the SM */
	uint32_t mem_first; /* cycles from the issue of a memory instruction to its acceptance by an idle SM */
	uint32_t mem_first_lanes;     /* mem_first of global and local memory */
	uint32_t mem_interval;        /* issue interval in cycles of global and local memory */
	uint32_t mem_interval_shared; /* issue interval in cycles of shared memory, constants and shuffles */
	uint32_t sm_bytes;            /* bytes per cycle of global and local memory of an SM */
	uint32_t shared_bytes;        /* bytes per cycle of shared memory of an SM */
	uint32_t sm_interval;         /* cycles between two loads or stores that an SM accepts */
	uint32_t l1_tag_banks;        /* number of banks, a power of 2 */
	uint32_t l1_tag_bits;         /* number of bits of a bank number */
	uint32_t l1_tag_fold;         /* l1_tag_bits, doubled until it is at least 32 */
	uint32_t l1_ways;             /* number of ways; 0: from -gpgpu_cache:dl1 */
	uint32_t l1_reserved;         /* bytes of the L1 that are reserved */
	uint32_t cta_shmem;           /* bytes of shared memory that each CTA needs in addition */
	uint32_t shared_latency, l1_latency, ldgsts_latency, const_latency, s2r_latency; /* in cycles */
	uint32_t link_bytes;       /* bytes per cycle to the memory pipeline */
	uint32_t prt;              /* number of memory instructions in flight */
	uint32_t barrier;          /* cycles from the last arrival at a barrier to the next issue */
	uint32_t barrier_per_warp; /* additional cycles for each warp of the CTA after the first */
	uint32_t barrier_delay;    /* cycles from the issue of a barrier until it stops all instructions */
	uint32_t membar[3];        /* latency of a memory barrier by scope: CTA, GPU, system */
	uint64_t cta_interval;     /* time that the CTA distributor needs to place a CTA, in 10^-6 cycles */
	uint64_t cta_retire; /* time that the CTA distributor needs for a CTA that ends, in 10^-6 cycles */
	uint32_t cta_latency, cta_latency_per_warp, warp_interval;
	/*
	 * Minimum duration of a kernel in 10^-6 cycles: a constant, an addend per warp of a CTA, an addend per CTA.
	 */
	uint64_t kernel_least[3];
};

#endif
