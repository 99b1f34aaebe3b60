/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures of power for records (POWER-own): energies of spans, and the means of the original.
 *
 * Always true: the energies are running sums, so the difference between two moments is the energy of the
 * kernel or interval between them. Power is energy divided by time.
 */
#include "power/meter.h"
#include "stats_int.h"

static void record_component_energy(struct stats_sink *s, const struct power_energies *e, unsigned i)
{
	char name[64];

	snprintf(name, sizeof(name), "power_component[%s]", power_component_names[i]);
	stats_record_ratio(s, name, e->joule[i], e->seconds, 1);
	snprintf(name, sizeof(name), "energy_component[%s]", power_component_names[i]);
	stats_record_real(s, name, e->joule[i]);
}

/* Records the original's figures over the samples of the kernel. */
static void record_sample_power(struct stats_sink *s, const struct power_sums *p)
{
	stats_record_count(s, p->n, "power_samples");
	stats_record_real(s, "power_sampled_average", p->n ? p->total / (double)p->n : 0);
	stats_record_real(s, "power_sampled_maximum", p->highest.total);
	stats_record_real(s, "power_sampled_minimum", p->lowest.total);
}

void stats_emit_power(struct stats_sink *s, const struct gpu *g)
{
	const struct power_meter *m = g->power;
	const struct power_energies *e = &m->energy_with_open_span;
	double joules = power_energies_total(e);

	stats_record_ratio(s, "power_average", joules, e->seconds, 1);
	stats_record_real(s, "energy_kernel_joules", joules);
	stats_record_real(s, "energy_seconds", e->seconds);
	stats_record_ratio(
		s, "energy_per_instruction", joules, (double)(g->tot_insn + gpu_interval_insn(g)), 1);
	stats_record_product(s, "energy_delay_product", joules, e->seconds);
	s->sparse = true;
	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		if (e->joule[i] != 0)
			record_component_energy(s, e, i);
	record_sample_power(s, &m->shown);
	stats_record_count(s, m->setup->unvalidated, "power_unvalidated");
	s->sparse = false;
}
