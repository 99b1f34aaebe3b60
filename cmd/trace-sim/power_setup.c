/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the options and input files of the power model, and opens its output files; see power_setup.h. */
#include "power_setup.h"
#include <stdlib.h>
#include <time.h>
#include "bytes.h"

#define DEFAULT_REPORT "accelwattch_power_report.log"

/* ---- options (POWER-options) ------------------------------------------------------------------------ */

static _Noreturn void reject_power_option(const struct gpuconf *c, enum conf_id id, const char *why)
{
	struct fault f;

	conf_fault(c, id, &f, "%s", why);
	die_fault(&f);
}

static enum power_mode power_mode_of(int64_t number)
{
	return number < 0    ? POWER_NO_SAMPLES
	       : number == 0 ? POWER_SIMULATED
	       : number == 2 ? POWER_HYBRID
			     : POWER_MEASURED;
}

/* Parses the value "DEVIATION:NUMBER" of -steady_state_definition (POWER-file-3). */
static void parse_steady_definition(struct power_setup *s, const struct gpuconf *c)
{
	const char *text = conf_text(c, OPT_steady_state_definition);
	char *end;

	s->steady_deviation = strtod(text, &end);
	if (end == text || *end != ':')
		reject_power_option(
			c, OPT_steady_state_definition, "watts and a number of samples, DEVIATION:NUMBER");
	text = end + 1;
	s->steady_samples = strtod(text, &end);
	if (end == text || *end || !(s->steady_deviation >= 0 && s->steady_samples >= 0))
		reject_power_option(
			c, OPT_steady_state_definition, "watts and a number of samples, DEVIATION:NUMBER");
}

/*
 * Sets from_sim[] of each input that hybrid mode takes from the simulation instead of from measurements
 * (POWER-hw-2).
 */
static void read_hybrid_inputs(struct power_setup *s, const struct gpuconf *c)
{
	static const struct {
		enum power_measured input;
		enum conf_id option;
	} rows[] = {
#define ROW(input, option) {POWER_HW_##input, OPT_accelwattch_hybrid_perfsim_##option}
		ROW(L1_RH, L1_RH), ROW(L1_RM, L1_RM), ROW(L1_WH, L1_WH), ROW(L1_WM, L1_WM), ROW(L2_RH, L2_RH),
		ROW(L2_RM, L2_RM), ROW(L2_WH, L2_WH), ROW(L2_WM, L2_WM), ROW(CC_ACC, CC_ACC),
		ROW(SHRD_ACC, SHARED_ACC), ROW(DRAM_RD, DRAM_RD), ROW(DRAM_WR, DRAM_WR), ROW(NOC, NOC),
		ROW(PIPE_DUTY, PIPE_DUTY), ROW(IDLE_SMS, NUM_SM_IDLE), ROW(CYCLES, CYCLES),
		ROW(VOLTAGE, VOLTAGE)
#undef ROW
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		s->from_sim[rows[i].input] = conf_bool(c, rows[i].option);
}

static void read_power_options(struct power_setup *s, const struct gpuconf *c, const struct params *p)
{
	s->mode = power_mode_of(conf_num(c, OPT_power_simulation_mode));
	s->interval = p->sample_cycles;
	s->aggregate = conf_bool(c, OPT_aggregate_power_stats) &&
		       (s->mode == POWER_MEASURED || s->mode == POWER_HYBRID);
	s->voltage_scaling = conf_bool(c, OPT_dvfs_enabled);
	s->clock_gated_lanes = p->core.clock_gated_lanes;
	s->gating_group =
		conf_bool(c, OPT_gpgpu_clock_gated_reg_file) ? conf_uint(c, OPT_n_regfile_gating_group) : 0;
	s->traces = conf_bool(c, OPT_power_trace_enabled);
	s->level = (int)conf_num(c, OPT_power_trace_zlevel);
	s->steady = conf_bool(c, OPT_steady_power_levels_enabled);
	if (s->steady)
		parse_steady_definition(s, c);
	if (conf_bool(c, OPT_gpgpu_clock_gated_reg_file) && !s->gating_group)
		reject_power_option(c, OPT_n_regfile_gating_group, "at least 1 lane");
	if (conf_bool(c, OPT_power_per_cycle_dump))
		reject_power_option(
			c, OPT_power_per_cycle_dump, "0: areas and leakage of McPAT are not computed");
	if (p->hz[0] < 1e6)
		reject_power_option(c, OPT_gpgpu_clock_domains,
			"a core clock of at least 1 MHz with -power_simulation_enabled");
}

/* ---- input files -------------------------------------------------------------------------------------- */

static bool mode_needs_measurements(const struct gpuconf *c)
{
	enum power_mode mode = power_mode_of(conf_num(c, OPT_power_simulation_mode));

	return mode == POWER_MEASURED || mode == POWER_HYBRID;
}

static void read_measured_counters(struct power_setup *s, const struct gpuconf *c)
{
	const char *path = conf_path(c, OPT_hw_perf_file_name);
	struct fault f;

	s->benchmark = conf_text(c, OPT_hw_perf_bench_name);
	if (power_hw_read(&s->table, path, &f) < 0)
		die_fault(&f);
	if (!power_hw_find(&s->table, s->benchmark, ""))
		die_at((struct place){.file = s->table.file},
			"no row of benchmark '%s' (-hw_perf_bench_name)", s->benchmark);
}

void power_setup_read(struct power_files *p, struct run *r, const struct power_args *a)
{
	const struct gpuconf *c = &r->conf;
	struct power_setup *s = &p->setup;
	struct fault f;

	if (!conf_bool(c, OPT_power_simulation_enabled)) {
		if (a->report || a->energies)
			die("%s requires -power_simulation_enabled 1",
				a->report ? "--power-report" : "--power-energies");
		return;
	}
	read_power_options(s, c, &r->gpu.params);
	read_hybrid_inputs(s, c);
	if (r->gpu.params.modern.enabled && !a->energies)
		reject_power_option(c, OPT_power_simulation_enabled,
			"0 with -core_model modern, which the shipped energies do not describe, or --power-energies FILE");
	power_config_init(&s->config);
	if (a->energies && power_energies_read(&s->config, a->energies, &f) < 0)
		die_fault(&f);
	if (power_xml_read(&s->config, conf_path(c, OPT_accelwattch_xml_file), NULL, NULL, &f) < 0)
		die_fault(&f);
	s->unvalidated = a->energies != NULL;
	if (mode_needs_measurements(c))
		read_measured_counters(s, c);
	r->gpu.power_setup = s;
}

void power_setup_protect_inputs(const struct run *r, const struct power_args *a, const char *output)
{
	if (!conf_bool(&r->conf, OPT_power_simulation_enabled))
		return;
	output_check_input(output, conf_path(&r->conf, OPT_accelwattch_xml_file));
	if (mode_needs_measurements(&r->conf))
		output_check_input(output, conf_path(&r->conf, OPT_hw_perf_file_name));
	output_check_input(output, a->energies);
}

/* ---- output files (POWER-file) ---------------------------------------------------------------- */

/*
 * Writes a file name to `out`: `begin` and the date from ctime(), with dashes instead of blanks and colons.
 */
static void write_dated_name(char *out, size_t cap, const char *begin)
{
	time_t now = time(NULL);
	char date[32] = "";
	size_t n;

	ctime_r(&now, date);
	n = strcspn(date, "\n");
	for (size_t i = 0; i < n; i++)
		if (date[i] == ' ' || date[i] == '\t' || date[i] == ':')
			date[i] = '-';
	snprintf(out, cap, "%s__%.*s.log.gz", begin, (int)n, date);
}

/*
 * Opens FILE.KIND.gz next to the FILE of --power-report. Without that option, opens a file whose name has the
 * date, as in the original.
 */
static struct output *open_power_trace(const struct power_args *a, const char *kind, const char *original)
{
	struct bytes name = {0};
	struct output *o;
	char dated[128];

	write_dated_name(dated, sizeof(dated), original);
	if (a->report)
		bytes_printf(&name, "%s.%s.gz", a->report, kind);
	else
		bytes_puts(&name, dated);
	o = output_open_part(name.p, a->force || !a->report);
	bytes_free(&name);
	return o;
}

void power_setup_check_isolate(const struct power_files *p)
{
	if (p->setup.traces || p->setup.steady)
		die("-power_trace_enabled and -steady_power_levels_enabled cannot be used with --isolate");
}

void power_setup_open(struct power_files *p, const struct run *r, const struct power_args *a)
{
	struct power_setup *s = &p->setup;
	const char *report = a->report ? a->report : r->format == FORMAT_ACCELSIM ? DEFAULT_REPORT : NULL;

	if (!r->gpu.power_setup)
		return;
	if ((s->traces || s->steady) && !report)
		die("-power_trace_enabled and -steady_power_levels_enabled require --power-report FILE or -F accelsim");
	if (report) {
		p->report = output_open_part(report, a->force || !a->report);
		s->report = output_stream(p->report);
	}
	if (s->traces) {
		p->power_trace = open_power_trace(a, "power", "gpgpusim_power_trace_report");
		p->metric_trace = open_power_trace(a, "metric", "gpgpusim_metric_trace_report");
		s->power_trace = output_stream(p->power_trace);
		s->metric_trace = output_stream(p->metric_trace);
	}
	if (s->steady) {
		p->steady = open_power_trace(a, "steady", "gpgpusim_steady_state_tracking_report");
		s->steady_file = output_stream(p->steady);
	}
}

void power_setup_close(struct power_files *p)
{
	struct output *const all[] = {p->report, p->power_trace, p->metric_trace, p->steady};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i])
			output_commit(all[i]);
	power_hw_free(&p->setup.table);
}
