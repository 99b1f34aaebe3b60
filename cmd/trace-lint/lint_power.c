/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the files of the power model (trace-sim-power(7)) by reading them as trace-sim does, if the configuration
 * requests power.
 */
#include <math.h>
#include <string.h>
#include "lint.h"
#include "params.h"
#include "power.h"

#define FACTOR_MAX 1000.0 /* factors in published files are at most 84 */

/* Reports a parameter that the reader accepts but that is probably wrong. */
static void report_suspicious_param(void *ctx, const struct power_param *p)
{
	struct report *rep = ctx;
	char q[80];

	diag_quote(q, sizeof(q), p->name, strlen(p->name));
	if (isnan(p->value))
		report_at(rep, RULE_POWER_ELEMENT, p->place, "unknown parameter '%s' has no effect", q);
	else if (p->value < 0 || p->value > FACTOR_MAX)
		report_at(rep, RULE_POWER_FACTOR, p->place, "%s is %g (expected 0 to %g)", q, p->value,
			FACTOR_MAX);
}

static bool uses_counter_table(const struct gpuconf *c) { return conf_num(c, OPT_power_simulation_mode) > 0; }

static void check_counter_rows(struct report *rep, const struct gpuconf *c)
{
	struct power_hw_table t;
	const char *benchmark = conf_text(c, OPT_hw_perf_bench_name);
	struct fault f;

	if (power_hw_read(&t, conf_path(c, OPT_hw_perf_file_name), &f) < 0)
		report_fault(rep, &f);
	else if (!power_hw_find(&t, benchmark, ""))
		report_at(rep, RULE_POWER_TABLE, (struct place){.file = t.file},
			"no row of benchmark '%s' (-hw_perf_bench_name)", benchmark);
	power_hw_free(&t);
}

void lint_power(struct report *rep, const struct gpuconf *c)
{
	struct power_config power;
	struct fault f;

	if (!conf_bool(c, OPT_power_simulation_enabled))
		return;
	power_config_init(&power);
	if (power_xml_read(&power, conf_path(c, OPT_accelwattch_xml_file), report_suspicious_param, rep, &f) <
		0)
		report_fault(rep, &f);
	if (uses_counter_table(c))
		check_counter_rows(rep, c);
}

#define CYCLES_PER_INST 20 /* rough estimate of the number of cycles between two instructions of a warp */

/*
 * Warns if the interval of a power sample is longer than the kernel. Such a kernel has no mean power. The
 * kernel's cycles are estimated from its instructions.
 */
void lint_power_kernel(struct lint *l, uint64_t insts)
{
	const struct params *p = l->params;
	const struct kernel_header *h = l->head;
	uint64_t blocks = kernel_blocks(h), warps = blocks * kernel_warps(h), waves, cycles;

	if (!l->power || !warps)
		return;
	waves = (blocks + p->sms - 1) / p->sms;
	cycles = p->launch_latency + blocks * p->tb_latency + waves * CYCLES_PER_INST * (insts / warps + 1);
	if (p->sample_cycles > cycles)
		report_at(l->rep, RULE_POWER_SAMPLE, (struct place){.file = trace_path(l->trace)},
			"a power sample of %u cycles is longer than the kernel of roughly %llu (-gpgpu_runtime_stat)",
			p->sample_cycles, (unsigned long long)cycles);
}
