/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The duty of the pipelines (POWER-duty). The original adds up the duties of all SMs in each core cycle, in
 * single precision and in the order of the SMs. Here SMs run ahead or sleep, so each writes its duty of each
 * cycle to a row, and the rows are added up afterwards.
 *
 * Always true: the sum of a cycle is one float addition per SM, from 0, in ascending order. An SM with a duty
 * of 0 is left out, because it does not change the sum. The sum over cycles is one float addition per cycle.
 */
#include "meter.h"

/* Adds the duty of an SM in the next n cycles to t, an array indexed by cycle. */
static void add_duty_row(float *t, struct power_sm *p, uint32_t n)
{
	if (!p->n_row && power_duty_while_skipped(p) == 0)
		return;
	power_duty_fill_row(p, n);
	for (uint32_t k = 0; k < n; k++)
		t[k] += p->row[k];
	p->n_row = 0;
}

static void add_duty_of_ticks(struct power_meter *m, const float *t, uint32_t n)
{
	float duty = m->duty;

	for (uint32_t k = 0; k < n; k++) {
		float mean = t[k] / (float)m->gpu.sms;

		duty = duty + mean;
		m->duty_at_last_span += mean;
	}
	m->duty = duty;
}

/* Adds the duty of n cycles in which no SM ran. */
static void add_duty_of_sleep(struct power_meter *m, uint64_t n)
{
	float t = 0, duty = m->duty;

	for (uint32_t i = 0; i < m->gpu.sms; i++)
		t += power_duty_while_skipped(&m->sm[i]);
	t = t / (float)m->gpu.sms;
	if (t == 0)
		return;
	m->duty_at_last_span += (double)t * (double)n;
	for (; n; n--)
		duty = duty + t;
	m->duty = duty;
}

void power_duty_add_rows(struct power_meter *m, uint64_t now)
{
	uint64_t n = now - m->tables.row_start;
	bool ran = false;

	for (uint32_t i = 0; i < m->gpu.sms && !ran; i++)
		ran = m->sm[i].n_row != 0;
	if (ran && n <= POWER_DUTY_ROW) {
		memset(m->duty_per_tick, 0, n * sizeof(*m->duty_per_tick));
		for (uint32_t i = 0; i < m->gpu.sms; i++)
			add_duty_row(m->duty_per_tick, &m->sm[i], (uint32_t)n);
		add_duty_of_ticks(m, m->duty_per_tick, (uint32_t)n);
	} else {
		add_duty_of_sleep(m, n);
	}
	m->tables.row_start = now;
}

/* Returns the mean duty. quirk Q7-9: the limit is compared in double and returned in single precision. */
float power_duty_mean(const struct power_meter *m)
{
	float x = m->duty / (float)m->setup->interval;

	return (double)x < 0.8 ? x : 0.8f;
}

/*
 * quirk Q7-10: the original adds 1 per SM in single precision, so the sum does not grow beyond 2^24
 * (POWER-duty-3).
 */
#define FLOAT_WHOLE 16777216.0f

float power_idle_sms(const struct power_meter *m, uint64_t active_cycles)
{
	float active = active_cycles < 16777216 ? (float)active_cycles : FLOAT_WHOLE;

	return (float)m->gpu.sms - active / (float)m->setup->interval;
}
