/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power counters of an SM: inline functions for the pipeline stages that count (POWER-count, POWER-unit,
 * POWER-duty).
 *
 * Always true: no function here is called for an SM without these counters (sm.power is NULL). Each thread
 * writes only the counters of the SMs that it runs. Tables are constant while threads run.
 */
#ifndef POWER_COUNTS_H
#define POWER_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "bits.h"
#include "power.h"

#define POWER_NO_UNIT  N_POWER_UNITS /* value of power_op.unit for instructions without a power class */
#define POWER_DUTY_ROW 512u          /* cycles */

/* Power properties of a static instruction (POWER-class). */
struct power_op {
	uint8_t unit;       /* counter of its unit, relative to POWER_UNIT_FIRST; POWER_NO_UNIT: none */
	uint8_t reads;      /* number of registers read from banks */
	uint8_t others;     /* number of operands other than registers (POWER-ptx-3) */
	bool floating;      /* true if its operand class at decode is FP (POWER-decode-1) */
	bool load_constant; /* true if the instruction is LDC */
};

/* Tables that all SMs share. */
struct power_tables {
	struct power_op *op; /* properties of instructions, indexed by code handle */
	/* increment of the counter, by unit and number of active lanes */
	double active[N_POWER_UNITS][33];
	/* increment for the inactive lanes, by unit and number of active lanes */
	double idle[N_POWER_UNITS][33];
	uint32_t gating_group;  /* number of lanes per gating group; 0: no gating */
	bool count_idle;        /* true if inactive lanes are counted */
	uint32_t duty_divisor;  /* maximum number of result lanes per cycle */
	bool duty_counts_lanes; /* true if the duty counts active lanes, not 32 per instruction */
	uint64_t row_start;     /* cycle to which element 0 of each duty row belongs */
};

struct power_sm {
	_Alignas(64) const struct power_tables *tables;
	uint64_t decoded;            /* TOT_INST */
	uint64_t scheduled;          /* FP_INT */
	uint64_t constant_loads;     /* CC_H */
	uint64_t shared_insts_begun; /* number of shared memory instructions whose passes have begun */
	/* number of lanes; reg_reads: lanes of instructions that a unit has accepted */
	uint64_t reg_reads, reg_writes;
	uint64_t other_operands;    /* number of other operands, counted in lanes */
	uint64_t unit_lanes;        /* active lanes of accepted instructions */
	uint64_t unit_warps;        /* number of accepted instructions */
	double unit[N_POWER_UNITS]; /* running counts of the units */
	double unit_at_sample[N_POWER_UNITS],
		/* values of `unit` at the last sample and at the end of the last span */
		unit_at_span_end[N_POWER_UNITS];
	uint64_t warps_at_sample;   /* unit_warps at the last sample */
	uint64_t warps_at_span_end; /* unit_warps at the end of the last span */
	/* duty (POWER-duty-1) */
	uint64_t completed; /* number of completed instructions or lanes at the start of the last cycle */
	float duty;         /* duty of that cycle */
	bool live;          /* true if the SM had a thread block at the end of that cycle */
	uint32_t n_row;     /* number of elements of `row` that are set */
	float row[POWER_DUTY_ROW];
};

/* Number of lanes that a register access counts (POWER-count-4). */
static inline uint32_t power_register_lanes(const struct power_tables *t, uint32_t mask)
{
	uint32_t n = 0;

	if (!t->gating_group)
		return 32;
	for (uint32_t i = 0; i < 32; i += t->gating_group) {
		uint32_t size = t->gating_group < 32 - i ? t->gating_group : 32 - i;

		if (mask >> i & (size == 32 ? UINT32_MAX : (1u << size) - 1))
			n += t->gating_group;
	}
	return n;
}

/*
 * Counts the decode of instruction a, and of b unless it is NULL (POWER-decode-1). quirk Q7-3: FP_INT misses
 * some.
 */
static inline void power_count_decode(struct power_sm *p, const struct power_op *a, const struct power_op *b)
{
	p->decoded += 1u + (b != NULL);
	p->scheduled += 1u + (b && (!a->floating || b->floating));
}

/*
 * Counts the decode of n (1 or 2) PTX instructions starting at pc. floating: operand class of each instruction of
 * the code, because the buffer may hold instructions that the warp does not execute.
 */
static inline void power_count_decode_ptx(struct power_sm *p, const bool *floating, uint32_t pc, unsigned n)
{
	p->decoded += n;
	p->scheduled += 1u + (n > 1 && (!floating[pc / 8] || floating[pc / 8 + 1]));
}

/* Counts an instruction that a unit accepts (POWER-unit-1). lanes: number of its active lanes. */
static inline void power_count_unit(struct power_sm *p, uint32_t code, uint32_t mask, unsigned lanes)
{
	const struct power_tables *t = p->tables;
	const struct power_op *op = &t->op[code];

	p->reg_reads += op->reads * power_register_lanes(t, mask);
	p->constant_loads += op->load_constant;
	p->other_operands += op->others ? op->others * power_register_lanes(t, mask) : 0;
	if (op->unit == POWER_NO_UNIT)
		return;
	p->unit[op->unit] += t->active[op->unit][lanes];
	if (t->count_idle)
		p->unit[op->unit] += t->idle[op->unit][lanes];
	p->unit_lanes += lanes;
	p->unit_warps++;
}

/*
 * Counts the registers that a writeback writes. quirk Q7-20: only a writeback that completes is counted
 * (POWER-count-5).
 */
static inline void power_count_writes(struct power_sm *p, uint32_t mask, unsigned registers)
{
	p->reg_writes += registers * power_register_lanes(p->tables, mask);
}

/*
 * Duty in the cycles after the last cycle that was run. quirk Q7-8: the duty is 0 if the SM had a thread block,
 * otherwise that of the last cycle.
 */
static inline float power_duty_while_skipped(const struct power_sm *p) { return p->live ? 0 : p->duty; }

/* Sets the elements of p->row up to but not including element k. */
static inline void power_duty_fill_row(struct power_sm *p, uint32_t k)
{
	float kept = power_duty_while_skipped(p);

	while (p->n_row < k)
		p->row[p->n_row++] = kept;
}

/*
 * Starts cycle `now` of an SM (POWER-duty-1). completed: number of completed instructions, or lanes, so far.
 */
static inline void power_duty_begin(struct power_sm *p, uint64_t now, uint64_t completed)
{
	uint64_t done = completed - p->completed;
	uint32_t k = (uint32_t)(now - p->tables->row_start);

	if (!done && p->duty == 0)
		return;
	power_duty_fill_row(p, k);
	p->completed = completed;
	p->duty = (float)(p->tables->duty_counts_lanes ? done : 32 * done) / (float)p->tables->duty_divisor;
	p->row[p->n_row++] = p->duty;
}

/* Ends the cycle. live: true if the SM has a thread block. */
static inline void power_duty_end(struct power_sm *p, bool live) { p->live = live; }

#endif
