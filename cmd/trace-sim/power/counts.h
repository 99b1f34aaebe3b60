/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of an SM for the power model, inline, for the stages that count (POWER-count, POWER-unit, POWER-duty).
 *
 * Always true: an SM without these counters (sm.power NULL) does nothing of this. Each thread writes to its own SMs'
 * counters; tables are constant while threads run.
 */
#ifndef POWER_COUNTS_H
#define POWER_COUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "bits.h"
#include "power.h"

#define POWER_NO_UNIT  N_POWER_UNITS /* power class none */
#define POWER_DUTY_ROW 512u          /* cycles */

/* A static instruction (POWER-class). */
struct power_op {
	uint8_t unit;       /* number of its counter from POWER_UNIT_FIRST on; POWER_NO_UNIT: none */
	uint8_t reads;      /* registers read from banks */
	uint8_t others;     /* operands that are no registers (POWER-ptx-3) */
	bool floating;      /* operand class FP at decode (POWER-decode-1) */
	bool load_constant; /* LDC */
};

/* Tables that all SMs share. */
struct power_tables {
	struct power_op *op;              /* by code handle */
	double active[N_POWER_UNITS][33]; /* increment of the counter, by active lanes */
	double idle[N_POWER_UNITS][33];   /* increment for the inactive lanes, by active lanes */
	uint32_t gating_group;            /* lanes; 0: a register access counts for 32 lanes */
	bool count_idle;                  /* inactive lanes count */
	uint32_t duty_divisor;            /* lanes of results a cycle */
	bool lanes_complete;              /* duty counts active lanes, not 32 */
	uint64_t row_start;               /* cycle of element 0 of each duty row */
};

struct power_sm {
	_Alignas(64) const struct power_tables *tables;
	uint64_t decoded, scheduled;     /* TOT_INST, FP_INT */
	uint64_t constant_loads;         /* CC_H */
	uint64_t shared_begun;           /* shared memory instructions whose passes have begun */
	uint64_t reg_reads, reg_writes;  /* lanes; reads of instructions that a unit took */
	uint64_t other_operands;         /* lanes */
	uint64_t unit_lanes, unit_warps; /* active lanes and instructions of a unit */
	double unit[N_POWER_UNITS];      /* running counts of units */
	double unit_before[N_POWER_UNITS],
		unit_marked[N_POWER_UNITS];  /* counts at the last sample, and at the last span */
	uint64_t warps_before, warps_marked; /* unit_warps at these times */
	/* duty (POWER-duty-1) */
	uint64_t completed; /* count at the start of the last cycle that was run */
	float duty;         /* duty of that cycle */
	bool live;          /* the SM had a thread block at the end of that cycle */
	uint32_t n_row;     /* elements of row that are set */
	float row[POWER_DUTY_ROW];
};

/* Lanes that a register access counts (POWER-count-4). */
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

/* Counts a decode of one instruction, or of two (POWER-decode-1). quirk Q7-3: FP_INT lacks some. */
static inline void power_count_decode(struct power_sm *p, const struct power_op *a, const struct power_op *b)
{
	p->decoded += 1u + (b != NULL);
	p->scheduled += 1u + (b && (!a->floating || b->floating));
}

/*
 * Counts a decode of PTX, whose buffer may hold instructions that the warp does not execute: operand classes
 * by pc / 8 of the code, one or two from pc on.
 */
static inline void power_count_decode_ptx(struct power_sm *p, const bool *floating, uint32_t pc, unsigned n)
{
	p->decoded += n;
	p->scheduled += 1u + (n > 1 && (!floating[pc / 8] || floating[pc / 8 + 1]));
}

/* Counts an instruction that a unit takes (POWER-unit-1). */
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

/* Counts the registers of an attempt. quirk Q7-20: only of an attempt that completes (POWER-count-5). */
static inline void power_count_writes(struct power_sm *p, uint32_t mask, unsigned registers)
{
	p->reg_writes += registers * power_register_lanes(p->tables, mask);
}

/*
 * Duty in the cycles after the last cycle that was run. quirk Q7-8: 0 while the SM sleeps, else the duty of
 * its last cycle.
 */
static inline float power_duty_kept(const struct power_sm *p) { return p->live ? 0 : p->duty; }

/* Sets the duty of the cycles before element k of the row. */
static inline void power_duty_fill(struct power_sm *p, uint32_t k)
{
	float kept = power_duty_kept(p);

	while (p->n_row < k)
		p->row[p->n_row++] = kept;
}

/* Starts a cycle of the SM; completed: instructions, or lanes, so far (POWER-duty-1). */
static inline void power_duty_begin(struct power_sm *p, uint64_t now, uint64_t completed)
{
	uint64_t done = completed - p->completed;
	uint32_t k = (uint32_t)(now - p->tables->row_start);

	if (!done && p->duty == 0)
		return;
	power_duty_fill(p, k);
	p->completed = completed;
	p->duty = (float)(p->tables->lanes_complete ? done : 32 * done) / (float)p->tables->duty_divisor;
	p->row[p->n_row++] = p->duty;
}

/* Ends that cycle; live: the SM has a thread block. */
static inline void power_duty_end(struct power_sm *p, bool live) { p->live = live; }

#endif
