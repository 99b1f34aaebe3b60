/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Power from counters measured on hardware (POWER-hw). There is one sample per statistics block, with counters from
 * the table and, in the hybrid mode, some counters from the simulation.
 *
 * Always true: values saved at a block have the original's type, unsigned 64 bits.
 */
#include "meter.h"
#include <stdlib.h>
#include "arena.h"

struct power_saved {
	uint64_t count[N_POWER_COUNTERS]; /* totals at the last block */
	uint64_t sum[N_POWER_COUNTERS];   /* -aggregate_power_stats: sums over all kernels */
	uint64_t sum_lanes, sum_warps;
};

void power_measured_start(struct power_meter *m) { m->saved = xcalloc(1, sizeof(*m->saved)); }

void power_measured_free(struct power_meter *m) { free(m->saved); }

/* Converts a total to unsigned 64 bits; negative totals wrap (POWER-hw-3). */
static uint64_t wrap_to_64_bits(double v) { return v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v; }

/* ---- the table's row (POWER-hw-1) ---------------------------------------------------------------------- */

static const struct power_hw_row *row_of_block(const struct power_meter *m, const struct power_block *b)
{
	const struct power_setup *s = m->setup;
	const struct power_hw_row *row;
	struct bytes name = {0};

	for (uint32_t i = 0; i < b->n; i++) {
		bytes_puts(&name, b->name[i]);
		if (b->n > 1)
			bytes_puts(&name, " ");
	}
	row = power_hw_find(&s->table, s->benchmark, name.n ? name.p : "");
	bytes_free(&name);
	return row;
}

/* ---- counters ------------------------------------------------------------------------------------------ */

/* Counters that come from the table or, if the hybrid mode selects it, from the simulation (POWER-hw-2). */
static const struct {
	enum power_counter counter;
	enum power_measured input;
} table_counters[] = {
	{POWER_DC_RH, POWER_HW_L1_RH},
	{POWER_DC_RM, POWER_HW_L1_RM},
	{POWER_DC_WH, POWER_HW_L1_WH},
	{POWER_DC_WM, POWER_HW_L1_WM},
	{POWER_L2_RH, POWER_HW_L2_RH},
	{POWER_L2_RM, POWER_HW_L2_RM},
	{POWER_L2_WH, POWER_HW_L2_WH},
	{POWER_L2_WM, POWER_HW_L2_WM},
	{POWER_MEM_RD, POWER_HW_DRAM_RD},
	{POWER_MEM_WR, POWER_HW_DRAM_WR},
	{POWER_NOC_A, POWER_HW_NOC},
	{POWER_CC_H, POWER_HW_CC_ACC},
	{POWER_SHRD_ACC, POWER_HW_SHRD_ACC},
};
#define N_TABLE_COUNTERS (sizeof(table_counters) / sizeof(*table_counters))

static bool is_input_simulated(const struct power_setup *s, enum power_measured input)
{
	return s->mode == POWER_HYBRID && s->from_sim[input];
}

/*
 * Returns the count since the last block. quirk Q7-17: the saved values of constant and shared memory accesses are
 * swapped (POWER-hw-3).
 */
static double counter_since_block(
	const struct power_meter *m, const struct power_totals *t, enum power_counter i)
{
	const uint64_t *saved = m->saved->count;

	if (i == POWER_CC_H)
		return t->count[i] - m->totals_at_sample.count[i] - (double)saved[POWER_SHRD_ACC];
	if (i == POWER_SHRD_ACC)
		return t->count[i] - (double)saved[POWER_CC_H];
	return t->count[i] - (double)saved[i];
}

static void set_counters_from_table(const struct power_meter *m, const struct power_totals *t,
	const double *value, struct power_sample *s)
{
	const struct power_setup *setup = m->setup;

	for (size_t i = 0; i < N_TABLE_COUNTERS; i++) {
		enum power_counter c = table_counters[i].counter;
		enum power_measured input = table_counters[i].input;

		s->count[c] = is_input_simulated(setup, input) ? counter_since_block(m, t, c) : value[input];
	}
	s->count[POWER_MEM_PRE] =
		is_input_simulated(setup, POWER_HW_DRAM_RD) ? counter_since_block(m, t, POWER_MEM_PRE) : 0;
	s->count[POWER_PIPE_A] = is_input_simulated(setup, POWER_HW_PIPE_DUTY) ? (double)power_duty_mean(m)
									       : value[POWER_HW_PIPE_DUTY];
	s->count[POWER_IDLE_CORE_N] = is_input_simulated(setup, POWER_HW_IDLE_SMS)
					      ? (double)power_idle_sms(m, t->active_cycles)
					      : value[POWER_HW_IDLE_SMS];
}

/* Sets the counters that always come from the simulation. */
static void set_simulated_counters(
	struct power_meter *m, const struct power_totals *t, struct power_sample *s)
{
	static const enum power_counter since[] = {
		POWER_TOT_INST, POWER_FP_INT, POWER_REG_RD, POWER_REG_WR, POWER_NON_REG_OPs};

	for (size_t i = 0; i < sizeof(since) / sizeof(*since); i++)
		s->count[since[i]] = t->count[since[i]] - m->totals_at_sample.count[since[i]];
	s->count[POWER_IC_H] = counter_since_block(m, t, POWER_IC_H);
	s->count[POWER_IC_M] = counter_since_block(m, t, POWER_IC_M);
	power_add_unit_counts(m, s, false, true);
}

static double lanes_per_warp(uint64_t lanes, uint64_t warps)
{
	return warps ? (double)((float)lanes / (float)warps) : 0;
}

/*
 * Replaces, for -aggregate_power_stats, counts of s by sums over all kernels. The sums are truncated at each addition
 * (POWER-hw-5).
 */
static void add_to_aggregate(struct power_saved *v, struct power_sample *s, uint64_t lanes, uint64_t warps)
{
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++) {
		bool unit = i >= POWER_UNIT_FIRST && i < POWER_UNIT_FIRST + N_POWER_UNITS;

		if (!unit && i != POWER_TOT_INST && i != POWER_FP_INT)
			continue;
		v->sum[i] = (uint64_t)((double)v->sum[i] + s->count[i]);
		s->count[i] = (double)v->sum[i];
	}
	v->sum_lanes += lanes;
	v->sum_warps += warps;
	s->threads = lanes_per_warp(v->sum_lanes, v->sum_warps);
}

/*
 * Computes the power of integer and floating-point units from the counts of each other. quirk Q7-18:
 * -aggregate_power_stats swaps these counts.
 */
static void set_power_of_swapped_counts(const struct power_meter *m, struct power_sample *s)
{
	const double *energy = m->setup->config.energy;
	double t = power_model_seconds(&m->gpu, s->cycles), *w = s->watt;
	double others = s->dynamic - w[POWER_INTP] - w[POWER_FPUP] - w[POWER_DPUP];

	w[POWER_INTP] = (s->count[POWER_FPU_ACC] + s->count[POWER_DPU_ACC]) * energy[POWER_ENERGY_int] / t;
	if (s->count[POWER_INT_ACC] == 0)
		w[POWER_FPUP] = w[POWER_DPUP] = 0;
	s->dynamic = others + w[POWER_INTP] + s->count[POWER_INT_ACC] * energy[POWER_ENERGY_fpu] / t;
	s->total = s->dynamic + w[POWER_CONSTP] + w[POWER_STATICP];
}

/* ---- the sample ---------------------------------------------------------------------------------------- */

/* Sets the counters of units and the duties to 0 at a statistics block (POWER-hw-4). */
static void clear_sm_unit_counts(struct power_meter *m)
{
	for (uint32_t i = 0; i < m->gpu.sms; i++) {
		struct power_sm *p = &m->sm[i];

		memset(p->unit, 0, sizeof(p->unit));
		memset(p->unit_at_sample, 0, sizeof(p->unit_at_sample));
		p->duty = 0;
	}
}

static void add_sample_energy(struct power_meter *m, const struct power_sample *s)
{
	double seconds = power_model_seconds(&m->gpu, s->cycles);

	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		m->energy.joule[i] += s->watt[i] * seconds;
	m->energy.seconds += seconds;
	m->energy_with_open_span = m->energy;
}

void power_measured_sample(struct power_meter *m, const struct power_block *b)
{
	const struct power_setup *setup = m->setup;
	const struct power_hw_row *row = row_of_block(m, b);
	const struct power_totals *t = b->totals;
	uint64_t lanes = t->unit_lanes - m->totals_at_sample.unit_lanes,
		 warps = t->unit_warps - m->totals_at_sample.unit_warps;
	struct power_sample s = {.threads = lanes_per_warp(lanes, warps)};
	double volt = is_input_simulated(setup, POWER_HW_VOLTAGE) ? 1 : row->value[POWER_HW_VOLTAGE];

	s.cycles = is_input_simulated(setup, POWER_HW_CYCLES)
			   ? (double)b->cycles
			   : (double)(uint64_t)(row->value[POWER_HW_CYCLES] + 0.5);
	set_counters_from_table(m, t, row->value, &s);
	set_simulated_counters(m, t, &s);
	if (setup->aggregate)
		add_to_aggregate(m->saved, &s, lanes, warps);
	power_model(&setup->config, &m->gpu, &s);
	if (setup->aggregate)
		set_power_of_swapped_counts(m, &s);
	if (setup->voltage_scaling)
		power_model_scale_voltage(&setup->config, volt, &s);
	m->last_sample = s;
	power_sums_add(&m->kernel, &s);
	power_sums_add(&m->run, &s);
	add_sample_energy(m, &s);
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		m->saved->count[i] = wrap_to_64_bits(t->count[i]);
	m->saved->count[POWER_CC_H] =
		wrap_to_64_bits(t->count[POWER_CC_H] - m->totals_at_sample.count[POWER_CC_H]);
	m->totals_at_sample = *t;
	clear_sm_unit_counts(m);
}
