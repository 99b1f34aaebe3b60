/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parameters of the modern SM core (-core_model modern): the -core_* options, checked and completed.
 *
 * Always true after params_init where on: no value is "by architecture" any more, every interval is at least
 * 1, and every queue has a place. Times are core cycles. man 7 trace-sim-core says what each means.
 */
#ifndef MODERN_H
#define MODERN_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_SUBS 8 /* sub-cores of an SM */

/* Units of a sub-core. The fixed ones end after a known time; what the others take ends with an event. */
enum core_unit {
	CORE_INT,
	CORE_FP32,
	CORE_IMAD, /* integer instructions that the single-precision unit executes */
	CORE_HALF,
	CORE_FP64,
	CORE_TENSOR,
	CORE_UNIFORM,
	CORE_BRANCH,
	CORE_NO_UNIT, /* NOP and the like; the last of the fixed ones */
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

/* Functions lie this far apart, or a multiple of it. */
#define CORE_CODE_SPAN (UINT64_C(1) << 20)

struct modern_params {
	bool on;
	uint32_t sm;     /* compute capability, 70 .. 121 */
	uint32_t family; /* of latency tables: 90 or 100 */
	enum core_dependence dependence;
	bool forwarding;
	enum core_predicates predicates;
	enum core_war war;
	uint32_t sb_visible, sb_release, drain_stall;
	enum core_order order;
	uint32_t ibuffer;
	uint32_t l0i_sets, l0i_line, l0i_ways, l0i_l1i_latency, l1i_miss_latency, launch_lines,
		prefetch_lines, branch_taken;
	bool const_cold;
	uint32_t rf_banks;
	enum core_rf_read rf_read_trace, rf_read_control; /* without and with control codes */
	bool rfc;
	enum core_rfc_guess rfc_guess;
	uint32_t result_queue;           /* 0: not modelled */
	uint32_t port_imad_wide;         /* cycles that IMAD.WIDE keeps the issue port longer */
	uint32_t interval[N_CORE_UNITS]; /* CORE_TENSOR: the least */
	uint32_t imad_wide;              /* that of IMAD.WIDE, instead of its unit's */
	bool fp32_on_int, fp64_shared;
	uint32_t tensor_rate;  /* half multiply-adds a cycle and sub-core */
	uint32_t fp64_latency; /* of the unit that sub-cores share */
	uint32_t sfu_latency;
	uint32_t mem_places, mem_first, mem_first_lanes, mem_interval, mem_interval_shared;
	uint32_t sm_bytes, shared_bytes, sm_interval;
	uint32_t l1_tag_banks;                    /* a power of 2 */
	uint32_t l1_tag_bits;                     /* of a line's number that name a bank */
	uint32_t l1_tag_fold;                     /* these doubled as often as 64 bits allow */
	uint32_t l1_ways, l1_reserved, cta_shmem; /* bytes; 0: none, and without the modern core */
	uint32_t shared_latency, l1_latency, ldgsts_latency, const_latency, s2r_latency;
	uint32_t link_bytes, prt;
	uint32_t barrier, barrier_per_warp, barrier_delay;
	uint32_t membar[3]; /* CTA, GPU, system */
	/*
	 * Millionths of a cycle that the GPU's distributor of
	 * CTAs is busy with placing one, and with one that ends.
	 */
	uint64_t cta_interval, cta_retire;
	uint32_t cta_latency, cta_latency_per_warp, warp_interval;
	uint64_t kernel_least
		[3]; /* millionths of cycles of a kernel, at the least: once, for a warp of a CTA, a CTA */
};

#endif
