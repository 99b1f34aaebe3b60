/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples and spans (see meter.h). A sample consists of the counts since the previous sample. Its power is
 * computed and added to the sums of the kernel and of the run (POWER-sample). Spans do the same for the
 * energies (POWER-own).
 */
#include "meter.h"
#include <stdlib.h>
#include "arena.h"
#include "trace.h"

/*
 * Fills the tables of the increments by unit and active lanes (POWER-unit-2). quirk Q7-5: the increments contain the
 * factor. quirk Q7-6: the increment for inactive lanes is truncated after its multiplication.
 */
static void fill_increment_tables(struct power_meter *m)
{
	static const bool thirds[N_POWER_UNITS] = {[POWER_INT_MUL32_ACC - POWER_UNIT_FIRST] = true,
		[POWER_INT_DIV_ACC - POWER_UNIT_FIRST] = true,
		[POWER_FP_DIV_ACC - POWER_UNIT_FIRST] = true,
		[POWER_FP_SQRT_ACC - POWER_UNIT_FIRST] = true,
		[POWER_FP_LG_ACC - POWER_UNIT_FIRST] = true,
		[POWER_FP_SIN_ACC - POWER_UNIT_FIRST] = true,
		[POWER_FP_EXP_ACC - POWER_UNIT_FIRST] = true,
		[POWER_DP_DIV_ACC - POWER_UNIT_FIRST] = true,
		[POWER_TENSOR_ACC - POWER_UNIT_FIRST] = true,
		[POWER_TEX_ACC - POWER_UNIT_FIRST] = true};

	for (unsigned u = 0; u < N_POWER_UNITS; u++)
		for (unsigned lanes = 0; lanes <= 32; lanes++) {
			double f = m->setup->config.factor[POWER_UNIT_FIRST + u];
			unsigned off = 32 - lanes;
			double idle =
				thirds[u] ? (off >> 1) * f + (off >> 3) * f + (off >> 3) * f : (off >> 1) * f;

			m->tables.active[u][lanes] = lanes * f;
			m->tables.idle[u][lanes] = (double)(uint32_t)(int64_t)idle;
		}
}

/*
 * Returns the cycle of the first sample after `now` (POWER-sample-1). quirk Q7-2: with an interval of 1 the
 * first cycle of the run has no sample.
 */
static uint64_t next_power_sample_cycle(uint64_t now, uint32_t interval)
{
	uint32_t low = (uint32_t)now, left = interval - low % interval;

	if (now == 0 && interval == 1)
		return 2;
	return (uint64_t)low + left > UINT32_MAX ? (now | UINT32_MAX) + 1 : now + left;
}

struct power_meter *power_meter_new(const struct power_setup *s, const struct params *p)
{
	struct power_meter *m = xcalloc(1, sizeof(*m));

	m->setup = s;
	m->modern = p->modern.enabled;
	m->gpu = (struct power_gpu){(uint32_t)(p->hz[0] / 1000000), p->sms};
	m->tables.op = reserve(CODE_MAX, sizeof(*m->tables.op));
	m->tables.gating_group = s->gating_group;
	m->tables.count_idle = !s->clock_gated_lanes;
	m->tables.duty_counts_lanes = s->clock_gated_lanes;
	m->tables.duty_divisor = 32 * p->core.ex_wb_width;
	fill_increment_tables(m);
	m->sm = reserve(p->sms, sizeof(*m->sm));
	for (uint32_t i = 0; i < p->sms; i++)
		m->sm[i].tables = &m->tables;
	m->next_sample_at = s->mode == POWER_SIMULATED ? next_power_sample_cycle(0, s->interval) : UINT64_MAX;
	if (s->mode != POWER_SIMULATED)
		power_measured_start(m);
	power_files_write_headers(m);
	return m;
}

void power_meter_free(struct power_meter *m)
{
	if (!m)
		return;
	power_measured_free(m);
	reserve_free(m->tables.op, CODE_MAX, sizeof(*m->tables.op));
	reserve_free(m->sm, m->gpu.sms, sizeof(*m->sm));
	free(m);
}

/* ---- adding up counters ----------------------------------------------------------------------- */

static void add_sm_unit_counts(struct power_sm *p, double *count, double *before, uint64_t *warps, bool keep)
{
	if (p->unit_warps == *warps)
		return;
	for (unsigned u = 0; u < N_POWER_UNITS; u++)
		count[u] += p->unit[u] - before[u];
	if (!keep)
		return;
	memcpy(before, p->unit, sizeof(p->unit));
	*warps = p->unit_warps;
}

void power_add_unit_counts(struct power_meter *m, struct power_sample *s, bool marked, bool keep)
{
	for (uint32_t i = 0; i < m->gpu.sms; i++) {
		struct power_sm *p = &m->sm[i];

		add_sm_unit_counts(p, s->count + POWER_UNIT_FIRST,
			marked ? p->unit_at_span_end : p->unit_at_sample,
			marked ? &p->warps_at_span_end : &p->warps_at_sample, keep);
	}
}

/* Returns the mean number of threads per warp. Both sums have 32 bits (POWER-duty-4). */
static double threads_per_warp(const struct power_totals *now, const struct power_totals *before)
{
	uint32_t lanes = (uint32_t)(now->unit_lanes - before->unit_lanes);
	uint32_t warps = (uint32_t)(now->unit_warps - before->unit_warps);

	return warps ? (double)((float)lanes / (float)warps) : 0;
}

/* Sets the counts and the threads of s to the differences between two totals. */
static void set_count_differences(
	const struct power_totals *now, const struct power_totals *before, struct power_sample *s)
{
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		s->count[i] = now->count[i] - before->count[i];
	s->threads = threads_per_warp(now, before);
}

/* quirk Q7-1: samples ignore the ends of kernels. */

/* ---- samples (POWER-sample) ------------------------------------------------------------------------ */

void power_meter_take_sample(struct power_meter *m, uint64_t now, const struct power_totals *t)
{
	const struct power_setup *setup = m->setup;
	struct power_sample s = {.cycles = setup->interval};

	set_count_differences(t, &m->totals_at_sample, &s);
	power_add_unit_counts(m, &s, false, true);
	s.count[POWER_PIPE_A] = (double)power_duty_mean(m);
	s.count[POWER_IDLE_CORE_N] =
		(double)power_idle_sms(m, t->active_cycles - m->totals_at_sample.active_cycles);
	power_model(&setup->config, &m->gpu, &s);
	if (setup->voltage_scaling)
		power_model_scale_voltage(&setup->config, 1, &s);
	m->last_sample = s;
	power_files_write_row(m, &s);
	m->totals_at_sample = *t;
	m->duty = 0;
	power_steady_sample(m, &s, t->insts);
	power_sums_add(&m->kernel, &s);
	power_sums_add(&m->run, &s);
	m->next_sample_at = next_power_sample_cycle(now, setup->interval);
	power_meter_close_span(m, now, t);
}

void power_meter_report_block(struct power_meter *m, const struct power_block *b)
{
	if (m->setup->mode == POWER_MEASURED || m->setup->mode == POWER_HYBRID)
		power_measured_sample(m, b);
	power_steady_end(m, b->totals->insts, true);
	power_report_block(m, b);
	power_files_write_row(m, &m->last_sample); /* quirk Q7-19: the original writes an additional row */
	power_steady_end(m, b->totals->insts, true);
	m->shown = m->kernel;
	m->block_at = b->now;
	m->kernel = (struct power_sums){0};
	memset(&m->last_sample.watt, 0, sizeof(m->last_sample.watt));
	memset(&m->last_sample.count, 0, sizeof(m->last_sample.count));
}

/* ---- spans (POWER-own) ------------------------------------------------------------------------------ */

static void add_time_span(struct power_meter *m, uint64_t now, const struct power_totals *t, bool keep,
	struct power_energies *e)
{
	double cycles = (double)(now - m->last_span_end), seconds = power_model_seconds(&m->gpu, cycles),
	       duty;
	struct power_sample s = {.cycles = cycles};

	if (now == m->last_span_end || m->setup->mode != POWER_SIMULATED)
		return;
	set_count_differences(t, &m->totals_at_span_end, &s);
	power_add_unit_counts(m, &s, true, keep);
	duty = m->duty_at_last_span / cycles;
	s.count[POWER_PIPE_A] = duty < 0.8 ? duty : 0.8;
	s.count[POWER_IDLE_CORE_N] =
		m->gpu.sms - (double)(t->active_cycles - m->totals_at_span_end.active_cycles) / cycles;
	power_model(&m->setup->config, &m->gpu, &s);
	if (m->setup->voltage_scaling)
		power_model_scale_voltage(&m->setup->config, 1, &s);
	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		e->joule[i] += s.watt[i] * seconds;
	e->seconds += seconds;
}

void power_meter_close_span(struct power_meter *m, uint64_t now, const struct power_totals *t)
{
	add_time_span(m, now, t, true, &m->energy);
	m->totals_at_span_end = *t;
	m->last_span_end = now;
	m->duty_at_last_span = 0;
	m->energy_with_open_span = m->energy;
}

void power_meter_update_open_span(struct power_meter *m, uint64_t now, const struct power_totals *t)
{
	m->energy_with_open_span = m->energy;
	if (now != m->block_at)
		m->shown = m->kernel;
	add_time_span(m, now, t, false, &m->energy_with_open_span);
}
