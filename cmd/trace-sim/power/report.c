/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The power report of the original (POWER-report), with a section for each statistics block. Numbers have the
 * format of C++ streams, 6 significant digits.
 */
#include "meter.h"
#include <math.h>

/* Returns a mean. quirk Q7-21: without a sample the mean is 0 / 0, which is the negative NaN on x86. */
static double mean_of(double sum, uint64_t n) { return n ? sum / (double)n : copysign((double)NAN, -1.0); }

static void put_report_line(
	struct bytes *b, const char *prefix, const char *name, const char *comma, double v)
{
	bytes_puts(b, prefix);
	bytes_puts(b, name);
	bytes_puts(b, comma);
	bytes_puts(b, " = ");
	bytes_general(b, v, 6);
	bytes_puts(b, "\n");
}

/* Returns the comma after a component's name. quirk Q7-14: no comma follows the names of three figures. */
static const char *component_comma(unsigned i) { return i == POWER_CONSTP || i == POWER_STATICP ? "" : ","; }
static const char *counter_comma(unsigned i) { return i == POWER_constant_power ? "" : ","; }

static void put_components(struct bytes *b, const char *prefix, const double *watt)
{
	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		put_report_line(b, prefix, power_component_names[i], component_comma(i), watt[i]);
}

static void put_power_counters(struct bytes *b, const char *prefix, const double *count)
{
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		put_report_line(b, prefix, power_counter_names[i], counter_comma(i), count[i]);
}

static void put_means(struct bytes *b, const struct power_sums *s)
{
	double watt[N_POWER_COMPONENTS], count[N_POWER_COUNTERS];

	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		watt[i] = mean_of(s->watt[i], s->n);
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		count[i] = mean_of(s->count[i], s->n);
	bytes_puts(b, "Kernel Average Power Data:\n");
	put_report_line(b, "kernel_avg_power", "", "", s->n ? s->total / (double)s->n : 0);
	put_components(b, "gpu_avg_", watt);
	put_power_counters(b, "gpu_avg_", count);
	put_report_line(b, "gpu_avg_threads_per_warp", "", "", mean_of(s->threads, s->n));
	put_power_counters(b, "gpu_tot_", s->count);
}

static void put_extreme(struct bytes *b, const char *title, const char *name, const char *prefix,
	const struct power_extreme *e)
{
	bytes_puts(b, title);
	put_report_line(b, name, "", "", e->total);
	put_components(b, prefix, e->watt);
	put_power_counters(b, prefix, e->count);
}

static void put_kernel_names(struct bytes *b, const struct power_block *k)
{
	bytes_puts(b, "kernel_name = ");
	for (uint32_t i = 0; i < k->n; i++)
		bytes_printf(b, "%s ", k->name[i]);
	bytes_puts(b, "\nkernel_launch_uid = ");
	for (uint32_t i = 0; i < k->n; i++)
		bytes_printf(b, "%u ", k->uid[i]);
	bytes_puts(b, "\n\n");
}

void power_report_block(const struct power_meter *m, const struct power_block *k)
{
	struct bytes b = {0};

	if (!m->setup->report)
		return;
	put_kernel_names(&b, k);
	put_means(&b, &m->kernel);
	put_extreme(&b, "\nKernel Maximum Power Data:\n", "kernel_max_power", "gpu_max_", &m->kernel.highest);
	put_extreme(&b, "\nKernel Minimum Power Data:\n", "kernel_min_power", "gpu_min_", &m->kernel.lowest);
	bytes_puts(&b, "\nAccumulative Power Statistics Over Previous Kernels:\n");
	put_report_line(&b, "gpu_tot_avg_power", "", "", mean_of(m->run.total, m->run.n));
	put_report_line(&b, "gpu_tot_max_power", "", "", m->run.highest.total);
	put_report_line(&b, "gpu_tot_min_power", "", "", m->run.lowest.total);
	bytes_puts(&b, "\n\n");
	fwrite(b.p, 1, b.n, m->setup->report);
	bytes_free(&b);
}
