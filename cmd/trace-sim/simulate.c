/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares and runs a simulation: reads the inputs, checks the options against them, and opens the outputs. */
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "cubin.h"
#include "gpus.h"
#include "icnt.h"
#include "isolate.h"
#include "simulate.h"

static bool warn_unknown_option(void *ctx, const struct fault *f)
{
	(void)ctx;
	diag_warn(f->place, "%s", f->text);
	return true;
}

void simulate_configure(struct gpuconf *c, const struct sim_args *a)
{
	struct fault f;

	gpuconf_init(c);
	if (a->pass_unknown)
		c->on_unknown = warn_unknown_option;
	for (uint32_t i = 0; i < a->n_config; i++)
		if ((a->shipped[i] ? gpuconf_shipped : gpuconf_file)(c, a->config[i], &f) < 0)
			die_fault(&f);
	for (uint32_t i = 0; i < a->n_define; i++)
		if (gpuconf_override(c, a->define[i], &f) < 0)
			die_fault(&f);
	if (!a->dump && !a->list)
		gpus_warn_idle_options(c);
}

static void read_cubins(struct gpu *g, const struct sim_args *a)
{
	struct fault f;

	if (!a->n_cubin)
		return;
	if (!g->params.modern.enabled)
		diag_warn(NOWHERE, "--cubin: ignored, because only -core_model modern reads control codes");
	g->joins.cubins = cubins_new();
	for (uint32_t i = 0; i < a->n_cubin; i++)
		if (cubins_add(g->joins.cubins, a->cubin[i], &f) < 0)
			die_fault(&f);
}

/*
 * Prepares --warm, which is the default with picks. No kernel may be running while an unselected kernel warms
 * the caches.
 */
static void prepare_warm(struct run *r, const struct isa *isa)
{
	if (!r->select)
		cli_usage("--warm requires -k");
	if (r->gpu.params.kernel_window > 1)
		die("--warm%s requires that kernels run one after the other, not up to %u at once (set -gpgpu_concurrent_kernel_sm 0 and -ptx_streams 0%s)",
			kselect_picks(r->select) ? ", the default with -k @FILE," : "",
			r->gpu.params.kernel_window, kselect_picks(r->select) ? ", or use --cold" : "");
	r->warm_code = code_new(isa);
}

/*
 * Prepares --sample-blocks. Kernels must run one at a time, so that each kernel has its own completion rate.
 * Accel-Sim's format has no field that marks a sampled kernel.
 */
static void prepare_sampling(struct run *r)
{
	if (r->format == FORMAT_ACCELSIM)
		cli_usage("--sample-blocks cannot be used with -F accelsim (expected text, json or msgpack)");
	if (r->gpu.params.kernel_window > 1)
		die("--sample-blocks requires that kernels run one after the other, not up to %u at once (set -gpgpu_concurrent_kernel_sm 0 and -ptx_streams 0)",
			r->gpu.params.kernel_window);
	r->gpu.sampling = true;
}

/* Fails if `output` is one of the input files. */
static void check_not_input(const struct run *r, const struct sim_args *a, const char *output)
{
	gpuconf_check_output(&r->conf, output);
	klist_check_output(&r->list, output);
	kselect_check_output(r->select, output);
	output_check_input(output, a->isa);
	icnt_check_output(&r->gpu.params, output);
	power_setup_protect_inputs(r, &a->power, output);
	for (uint32_t i = 0; i < a->n_cubin; i++)
		output_check_input(output, a->cubin[i]);
}

/*
 * Fails if `output` is one of the input files. Also fails for the name that `output` has while it is written, and
 * for the name of its checksums.
 */
static void check_not_overwriting(const struct run *r, const struct sim_args *a, const char *output)
{
	char *part, *sums;

	check_not_input(r, a, output);
	if (!output || !strcmp(output, "-"))
		return;
	part = output_part_path(output);
	sums = part_sums_path(part);
	check_not_input(r, a, part);
	check_not_input(r, a, sums);
	free(part);
	free(sums);
}

static void check_outputs(const struct run *r, const struct sim_args *a)
{
	const char *const output[] = {a->output, a->logs.events, a->logs.pipeline, a->logs.profile,
		a->logs.timeline, a->logs.net_report, a->power.report};

	for (size_t i = 0; i < sizeof(output) / sizeof(output[0]); i++)
		check_not_overwriting(r, a, output[i]);
}

/* Fails if the filter of a log selects only SMs or warp slots that the GPU lacks. */
static void check_log_filter(const struct params *p, const struct filter *f, const char *option)
{
	if (f->active && f->sm[0] >= p->sms)
		die("%s: the GPU has no SM %llu (expected 0 to %u)", option, (unsigned long long)f->sm[0],
			p->sms - 1);
	if (f->active && f->warp[0] >= p->core.warps)
		die("%s: an SM has no warp slot %llu (expected 0 to %u)", option,
			(unsigned long long)f->warp[0], p->core.warps - 1);
}

int simulate_run(struct run *r, const struct sim_args *a, struct isa *isa, const char *trace)
{
	struct output *out;
	struct logs logs = {0};
	struct power_files power = {.report = NULL};
	struct fault f;
	int status;

	if (klist_read(&r->list, trace, &f) < 0 || params_init(&r->gpu.params, &r->conf, &f) < 0)
		die_fault(&f);
	check_log_filter(&r->gpu.params, &a->logs.only, "--events-only");
	check_log_filter(&r->gpu.params, &a->logs.pipeline_only, "--pipeline-only");
	check_outputs(r, a);
	power_setup_read(&power, r, &a->power);
	read_cubins(&r->gpu, a);
	if (a->isolate) {
		power_setup_check_isolate(&power);
		run_check_kernels(r);
		status = isolate_run(r, isa, a->output, a->force, a->resume, a->threads);
		klist_free(&r->list);
		return status;
	}
	if (a->warm)
		prepare_warm(r, isa);
	if (a->sample_blocks)
		prepare_sampling(r);
	if (r->format != FORMAT_ACCELSIM && run_reads_change_figures(r))
		run_list_figures_alone(r, isa);
	logs_open_early(&logs, r, &a->logs);
	power_setup_open(&power, r, &a->power);
	if (gpu_init(&r->gpu, isa, &f) < 0)
		die_fault(&f);
	if (r->format != FORMAT_ACCELSIM && !run_reads_change_figures(r))
		run_list_figures(r);
	run_check_kernels(r);
	out = output_open_part(a->output, a->force);
	part_sums_discard(output_flushed_path(out));
	r->result = out;
	r->out = output_stream(out);
	if (r->format != FORMAT_ACCELSIM && !r->summary) {
		r->writer = record_open(r->out, (enum record_format)r->format);
		run_write_record(r, r->writer);
		run_compact_records(r, r->writer, true);
	} else if (!r->summary) {
		run_print_head(r, r->out);
	}
	logs_open(&logs, r, &a->logs);
	progress_start(r);
	status = run_application(r);
	progress_end(r);
	logs_close(&logs, r);
	power_setup_close(&power);
	gpu_free(&r->gpu);
	code_free(r->warm_code);
	klist_free(&r->list);
	output_commit(out);
	return status;
}
