/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the names of metrics in profilers, their units, and the figures of results with which they are
 * compared; see metric.h.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "metric.h"
#include "results.h"

const struct metric_info metric_info[N_METRICS] = {
	[METRIC_CYCLES] = {"cycles", "cycles", "", false},
	[METRIC_TIME] = {"time", "time (ns)", "ns", false},
	[METRIC_WARP_INSTRUCTIONS] = {"warp instructions", "warp instructions", "", false},
	[METRIC_THREAD_INSTRUCTIONS] = {"thread instructions", "thread instructions", "", false},
	[METRIC_L1_HIT_RATE] = {"L1 hit rate", "L1 hit rate (%)", "%", true},
	[METRIC_L2_HIT_RATE] = {"L2 hit rate", "L2 hit rate (%)", "%", true},
	[METRIC_DRAM_READ_BYTES] = {"bytes read from DRAM", "bytes read from DRAM", "bytes", false},
	[METRIC_DRAM_WRITE_BYTES] = {"bytes written to DRAM", "bytes written to DRAM", "bytes", false},
	[METRIC_DRAM_BYTES] = {"bytes of DRAM", "bytes of DRAM", "bytes", false},
	[METRIC_DRAM_BANDWIDTH] = {"DRAM bandwidth", "DRAM bandwidth (bytes/s)", "bytes/s", false},
	[METRIC_OCCUPANCY] = {"occupancy", "occupancy (%)", "%", true},
};

static const struct {
	const char *title;
	enum metric metric;
} metric_titles[] = {
	{"cycles", METRIC_CYCLES},
	{"gpu_sim_cycle", METRIC_CYCLES},
	{"sm__cycles_elapsed.max", METRIC_CYCLES},
	{"gpc__cycles_elapsed.max", METRIC_CYCLES},
	{"sm__cycles_elapsed.avg", METRIC_CYCLES},
	{"Elapsed Cycles", METRIC_CYCLES},
	{"elapsed_cycles_sm", METRIC_SM_CYCLES},
	{"time", METRIC_TIME},
	{"duration", METRIC_TIME},
	{"gpu__time_duration.sum", METRIC_TIME},
	{"gpu__time_duration.avg", METRIC_TIME},
	{"Duration", METRIC_TIME},
	{"GPU Time", METRIC_TIME},
	{"warp_instructions", METRIC_WARP_INSTRUCTIONS},
	{"instructions", METRIC_WARP_INSTRUCTIONS},
	{"smsp__inst_executed.sum", METRIC_WARP_INSTRUCTIONS},
	{"sm__inst_executed.sum", METRIC_WARP_INSTRUCTIONS},
	{"inst_executed", METRIC_WARP_INSTRUCTIONS},
	{"thread_instructions", METRIC_THREAD_INSTRUCTIONS},
	{"smsp__thread_inst_executed.sum", METRIC_THREAD_INSTRUCTIONS},
	{"thread_inst_executed", METRIC_THREAD_INSTRUCTIONS},
	{"l1_hit_rate", METRIC_L1_HIT_RATE},
	{"l1tex__t_sector_hit_rate.pct", METRIC_L1_HIT_RATE},
	{"global_hit_rate", METRIC_L1_HIT_RATE},
	{"tex_cache_hit_rate", METRIC_L1_HIT_RATE},
	{"L1/TEX Hit Rate", METRIC_L1_HIT_RATE},
	{"l2_hit_rate", METRIC_L2_HIT_RATE},
	{"lts__t_sector_hit_rate.pct", METRIC_L2_HIT_RATE},
	{"l2_tex_hit_rate", METRIC_L2_HIT_RATE},
	{"L2 Hit Rate", METRIC_L2_HIT_RATE},
	{"dram_read_bytes", METRIC_DRAM_READ_BYTES},
	{"dram__bytes_read.sum", METRIC_DRAM_READ_BYTES},
	{"dram_write_bytes", METRIC_DRAM_WRITE_BYTES},
	{"dram__bytes_write.sum", METRIC_DRAM_WRITE_BYTES},
	{"dram_bytes", METRIC_DRAM_BYTES},
	{"dram__bytes.sum", METRIC_DRAM_BYTES},
	{"dram_bandwidth", METRIC_DRAM_BANDWIDTH},
	{"dram__bytes.sum.per_second", METRIC_DRAM_BANDWIDTH},
	{"Memory Throughput", METRIC_DRAM_BANDWIDTH},
	{"occupancy", METRIC_OCCUPANCY},
	{"achieved_occupancy", METRIC_OCCUPANCY},
	{"sm__warps_active.avg.pct_of_peak_sustained_active", METRIC_OCCUPANCY},
	{"Achieved Occupancy", METRIC_OCCUPANCY},
};

static const struct {
	const char *name;
	double factor;
} time_units[] = {{"ns", 1}, {"nsecond", 1}, {"nsec", 1}, {"us", 1e3}, {"usecond", 1e3}, {"usec", 1e3},
	{"ms", 1e6}, {"msecond", 1e6}, {"msec", 1e6}, {"s", 1e9}, {"second", 1e9}, {"sec", 1e9}};

static const struct {
	const char *prefix;
	double factor;
} byte_scales[] = {{"", 1}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}, {"ki", 1024}, {"mi", 1048576},
	{"gi", 1073741824}};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* ---- measured values ------------------------------------------------------------------------------- */

enum metric metric_of_title(const char *title, char unit[16])
{
	const char *open = strstr(title, " ("), *last = strrchr(title, '(');
	size_t n, end;

	title += strspn(title, " ");
	n = open && open >= title ? (size_t)(open - title) : strlen(title);
	while (n && title[n - 1] == ' ')
		n--;
	end = last ? strlen(last) : 0;
	while (end && last[end - 1] == ' ')
		end--;
	*unit = '\0';
	if (end > 2 && last[end - 1] == ')' && end - 2 < 16)
		snprintf(unit, 16, "%.*s", (int)(end - 2), last + 1);
	for (size_t i = 0; i < COUNT(metric_titles); i++)
		if (strlen(metric_titles[i].title) == n && !memcmp(metric_titles[i].title, title, n))
			return metric_titles[i].metric;
	return METRIC_NONE;
}

/* Returns the factor of a unit such as "Kbyte" or "KiB/s", or 0 if it is not a unit of bytes. */
static double bytes_factor(const char *unit)
{
	static const char *const endings[] = {"byte", "bytes", "b"};
	size_t n = strcspn(unit, "/"), size;

	for (size_t i = 0; i < COUNT(byte_scales); i++)
		for (size_t k = 0; k < COUNT(endings); k++) {
			size = strlen(byte_scales[i].prefix);
			if (n == size + strlen(endings[k]) &&
				!strncasecmp(unit, byte_scales[i].prefix, size) &&
				!strncasecmp(unit + size, endings[k], n - size))
				return byte_scales[i].factor;
		}
	return 0;
}

static double unit_factor(const char *unit)
{
	double bytes = bytes_factor(unit);

	for (size_t i = 0; i < COUNT(time_units); i++)
		if (!strcasecmp(time_units[i].name, unit))
			return time_units[i].factor;
	return bytes > 0 ? bytes : 1;
}

double metric_convert_value(
	enum metric metric, const char *title, double v, const char *unit, const char *shown)
{
	bool percent = strchr(unit, '%') || strchr(shown, '%');

	if (metric == METRIC_DRAM_BANDWIDTH && percent && strstr(title, "Memory Throughput"))
		return (double)NAN; /* with this unit the value is a percentage of the peak */
	if (metric == METRIC_OCCUPANCY && !percent && v <= 1)
		return 100 * v;
	return v * unit_factor(*shown ? shown : unit);
}

void metric_derive_missing(double v[N_METRICS])
{
	if (isnan(v[METRIC_DRAM_BYTES]))
		v[METRIC_DRAM_BYTES] = v[METRIC_DRAM_READ_BYTES] + v[METRIC_DRAM_WRITE_BYTES];
	if (isnan(v[METRIC_DRAM_BANDWIDTH]) && v[METRIC_TIME] > 0)
		v[METRIC_DRAM_BANDWIDTH] = v[METRIC_DRAM_BYTES] / v[METRIC_TIME] * 1e9;
}

/* ---- results --------------------------------------------------------------------------------------- */

static double figure_of_results(const struct results *in, const char *name)
{
	const struct result_value *v = results_find(in, name);

	return v && isfinite(v->real) ? v->real : (double)NAN;
}

static double hit_rate_of_results(const struct results *in, const char *accesses, const char *misses)
{
	double all = figure_of_results(in, accesses);

	return all > 0 ? 100 * (1 - figure_of_results(in, misses) / all) : (double)NAN;
}

void metric_of_results(double v[N_METRICS], const struct results *in, double hz)
{
	v[METRIC_CYCLES] = figure_of_results(in, "gpu_sim_cycle");
	v[METRIC_TIME] = hz > 0 ? v[METRIC_CYCLES] / hz * 1e9 : (double)NAN;
	v[METRIC_WARP_INSTRUCTIONS] = figure_of_results(in, "gpgpu_n_tot_w_icount");
	v[METRIC_THREAD_INSTRUCTIONS] = figure_of_results(in, "gpu_sim_insn");
	v[METRIC_L1_HIT_RATE] = hit_rate_of_results(in, "L1D_total_cache_accesses", "L1D_total_cache_misses");
	v[METRIC_L2_HIT_RATE] = hit_rate_of_results(in, "L2_total_cache_accesses", "L2_total_cache_misses");
	v[METRIC_DRAM_READ_BYTES] = figure_of_results(in, "dram_read_bytes");
	v[METRIC_DRAM_WRITE_BYTES] = figure_of_results(in, "dram_write_bytes");
	v[METRIC_DRAM_BYTES] = v[METRIC_DRAM_BANDWIDTH] = (double)NAN;
	v[METRIC_OCCUPANCY] = 100 * figure_of_results(in, "achieved_occupancy");
	metric_derive_missing(v);
}

/* ---- pairs ----------------------------------------------------------------------------------------- */

bool metric_is_comparable(enum metric metric, double measured, double simulated)
{
	return isfinite(measured) && isfinite(simulated) &&
	       (measured > 0 || metric_info[metric].is_percent) && (simulated > 0 || metric != METRIC_CYCLES);
}

double metric_error(enum metric metric, double measured, double simulated)
{
	return metric_info[metric].is_percent ? simulated - measured : 100 * (simulated / measured - 1);
}
