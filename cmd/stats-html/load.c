/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads results and profiles of trace-sim, and logs of Accel-Sim, into runs; see report.h. */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cli.h"
#include "demangle.h"
#include "input.h"
#include "report.h"

const char *const html_figure_names[N_HTML_FIGURES] = {
#define HTML_FIGURE(field, name) name,
	HTML_FIGURES(HTML_FIGURE)
#undef HTML_FIGURE
};

void html_warn(struct html_report *r, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	grow(&r->warning, &r->cap_warnings, r->n_warnings + 1, sizeof(*r->warning));
	r->warning[r->n_warnings++] = (struct html_named){xstrdup(text), 0};
}

static void add_named_value(
	struct html_named **list, uint32_t *n, uint32_t *cap, const char *name, double value)
{
	grow(list, cap, *n + 1, sizeof(**list));
	(*list)[(*n)++] = (struct html_named){xstrdup(name), value};
}

const char *html_option(const struct html_run *run, const char *name)
{
	for (uint32_t i = 0; i < run->n_options; i++)
		if (!strcmp(run->option[i].name, name))
			return run->option[i].name + strlen(name) + 1;
	return NULL;
}

static double option_number_of_run(const struct html_run *run, const char *name)
{
	const char *value = html_option(run, name);

	return value ? strtod(value, NULL) : 0;
}

static void add_run_option(struct html_run *run, const struct result_option *o)
{
	size_t name = strlen(o->name) + 1, value = strlen(o->value) + 1;
	char *both = xmalloc(name + value);

	memcpy(both, o->name, name);
	memcpy(both + name, o->value, value);
	grow(&run->option, &run->cap_options, run->n_options + 1, sizeof(*run->option));
	run->option[run->n_options++] = (struct html_named){both, 0};
}

double html_clock(const struct result_item *start)
{
	for (uint32_t i = 0; i < start->n_options; i++)
		if (!strcmp(start->option[i].name, "gpgpu_clock_domains"))
			return strtod(start->option[i].value, NULL) * 1e6;
	return 0;
}

static struct html_run *new_run(struct html_report *r, const char *path, const struct result_item *item)
{
	struct html_run *run;
	const char *slash = strrchr(path, '/');
	char name[300];

	grow(&r->run, &r->cap_runs, r->n_runs + 1, sizeof(*r->run));
	run = &r->run[r->n_runs++];
	memset(run, 0, sizeof(*run));
	snprintf(name, sizeof(name), item->run > 1 ? "%.250s#%u" : "%.250s", slash ? slash + 1 : path,
		item->run);
	run->name = xstrdup(name);
	for (uint32_t i = 0; i < item->n_options; i++)
		add_run_option(run, &item->option[i]);
	run->gpu = xstrdup(html_option(run, "given.config") ? html_option(run, "given.config") : "");
	run->hz = html_clock(item);
	run->sms = option_number_of_run(run, "gpgpu_n_clusters") *
		   option_number_of_run(run, "gpgpu_n_cores_per_cluster");
	run->n_units[HTML_UNIT_SM] = run->sms;
	run->n_units[HTML_UNIT_CHANNEL] = option_number_of_run(run, "gpgpu_n_mem");
	run->n_units[HTML_UNIT_SLICE] = run->n_units[HTML_UNIT_CHANNEL] *
					option_number_of_run(run, "gpgpu_n_sub_partition_per_mchannel");
	run->status = xstrdup("cut");
	return run;
}

static double value_of_result(const struct results *in, const char *name)
{
	const struct result_value *v = results_find(in, name);

	return v && isfinite(v->real) ? v->real : 0;
}

static void add_run_kernel(struct html_run *run, const struct results *in, const struct result_item *item)
{
	const struct result_kernel *k = &item->kernel;
	struct html_kernel *to;

	grow(&run->kernel, &run->cap_kernels, run->n_kernels + 1, sizeof(*run->kernel));
	to = &run->kernel[run->n_kernels++];
	*to = (struct html_kernel){.name = xstrdup(k->name),
		.shown = demangle(k->name, DEMANGLE_SHORT),
		.full = demangle(k->name, DEMANGLE_FULL),
		.id = k->id,
		.position = k->position,
		.launches = 1};
	snprintf(to->grid, sizeof(to->grid), "%s", k->grid);
	snprintf(to->block, sizeof(to->block), "%s", k->block);
	snprintf(to->status, sizeof(to->status), "%s", k->status);
	for (unsigned i = 0; i < N_HTML_FIGURES; i++)
		to->figure[i] = value_of_result(in, html_figure_names[i]);
	metric_of_results(to->metric, in, run->hz);
	to->start_cycle = value_of_result(in, "gpu_tot_sim_cycle") - to->figure[HTML_cycles];
	to->start_cycle = to->start_cycle < 0 ? 0 : to->start_cycle;
}

static bool begins_with_word(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/* Returns the number of the kind in "operations[KIND]", or HTML_KINDS if there are too many kinds. */
static uint32_t kind_of_operations(struct html_run *run, const char *name)
{
	const char *from = strchr(name, '[') + 1;
	size_t n = strcspn(from, "]");

	for (uint32_t i = 0; i < run->n_kinds; i++)
		if (strlen(run->kind[i]) == n && !memcmp(run->kind[i], from, n))
			return i;
	if (run->n_kinds == HTML_KINDS)
		return HTML_KINDS;
	run->kind[run->n_kinds] = xstrndup(from, n);
	return run->n_kinds++;
}

static int reason_of_figure(const char *name)
{
	const char *from = strchr(name, '[') + 1;
	size_t n = strcspn(from, "]");

	for (int i = 0; i < HOTSPOTS_N_REASONS; i++)
		if (strlen(hotspots_reason_name(i)) == n && !memcmp(hotspots_reason_name(i), from, n))
			return i;
	return n == 5 && !memcmp(from, "empty", 5) ? HOTSPOTS_N_REASONS : -1;
}

/* ---- over time ------------------------------------------------------------------------------------- */

static void add_map_value(struct html_run *run, enum html_unit unit, const char *name, double v)
{
	struct html_map *m = &run->map[unit];
	unsigned long at = strtoul(strchr(name, '[') + 1, NULL, 10);
	uint32_t old = m->cap, index = run->n_intervals - 1;

	if (at >= 1024)
		return;
	m->n_units = at >= m->n_units ? (uint32_t)at + 1 : m->n_units;
	grow(&m->value, &m->cap, (index + 1) * 1024, sizeof(*m->value));
	memset(m->value + old, 0, (m->cap - old) * sizeof(*m->value));
	m->value[index * 1024 + at] += (float)v;
}

static void add_interval(struct html_run *run, const struct results *in, const struct result_item *item)
{
	struct html_interval *to;

	grow(&run->interval, &run->cap_intervals, run->n_intervals + 1, sizeof(*run->interval));
	to = &run->interval[run->n_intervals++];
	*to = (struct html_interval){.first = (double)item->first_cycle,
		.cycles = (double)item->cycles,
		.insts = value_of_result(in, "gpu_sim_insn"),
		.l1 = value_of_result(in, "L1D_total_cache_accesses"),
		.l1_miss = value_of_result(in, "L1D_total_cache_misses"),
		.l2 = value_of_result(in, "L2_total_cache_accesses"),
		.l2_miss = value_of_result(in, "L2_total_cache_misses"),
		.dram_bytes =
			value_of_result(in, "dram_read_bytes") + value_of_result(in, "dram_write_bytes")};
	for (uint32_t i = 0; i < item->n_figures; i++) {
		const char *name = item->figure[i].name;
		double v = item->figure[i].value.real;

		if (begins_with_word(name, "sched_cycles[") && reason_of_figure(name) >= 0) {
			to->stall[reason_of_figure(name)] = v;
		} else if (begins_with_word(name, "sm[") && strstr(name, "].issued")) {
			add_map_value(run, HTML_UNIT_SM, name, v);
		} else if (begins_with_word(name, "sm[")) {
			to->warp_cycles += v;
		} else if (begins_with_word(name, "l2_slice[") && strstr(name, "].bytes")) {
			add_map_value(run, HTML_UNIT_SLICE, name, v);
			to->l2_bytes += v;
		} else if (begins_with_word(name, "dram_channel[")) {
			add_map_value(run, HTML_UNIT_CHANNEL, name, v);
			to->dram_bytes += v;
		}
	}
}

/* ---- profiles -------------------------------------------------------------------------------------- */

static struct html_kernel *kernel_at_position(struct html_run *run, const struct result_kernel *k)
{
	for (uint32_t i = 0; i < run->n_kernels; i++)
		if (run->kernel[i].position == k->position && !strcmp(run->kernel[i].name, k->name))
			return &run->kernel[i];
	return NULL;
}

/*
 * Finds or adds the instruction of a figure "pc[PC:OPCODE:FILE:LINE].COUNT". `name` is the whole name of the
 * figure. *hint is the number of the instruction found last.
 */
static struct html_inst *find_or_add_inst(
	struct html_run *run, const char *kernel, const char *name, uint32_t *hint)
{
	const char *end = strchr(name, ']');
	struct hotspots_inst is;
	struct html_inst *to;
	uint64_t hash;

	if (!end || end[1] != '.' || !hotspots_parse_inst(name + 3, (size_t)(end - name - 3), &is))
		return NULL;
	if (*hint < run->n_insts) {
		to = &run->inst[*hint];
		if (!strcmp(to->kernel, kernel) && begins_with_word(name, to->name) &&
			name + strlen(to->name) == end)
			return to;
	}
	hash = table_hash(name, (size_t)(end - name)) ^ table_hash(kernel, strlen(kernel));
	FOR_TABLE (w, &run->insts, hash) {
		to = &run->inst[w.number];
		if (!strncmp(to->name, name, (size_t)(end - name)) && !to->name[end - name] &&
			!strcmp(to->kernel, kernel)) {
			*hint = w.number;
			return to;
		}
	}
	table_add(&run->insts, hash, run->n_insts);
	grow(&run->inst, &run->cap_insts, run->n_insts + 1, sizeof(*run->inst));
	*hint = run->n_insts;
	to = &run->inst[run->n_insts++];
	*to = (struct html_inst){.kernel = xstrdup(kernel),
		.name = xstrndup(name, (size_t)(end - name)),
		.pc = xstrndup(is.pc, is.n_pc),
		.opcode = xstrndup(is.opcode, is.n_opcode),
		.file = hotspots_unquote_file(is.place, is.n_file),
		.line = is.line};
	run->has_lines |= is.line != 0;
	return to;
}

static void add_inst_figure(struct html_inst *to, const char *field, double v)
{
	int reason;

	if (begins_with_word(field, "cycles[")) {
		reason = reason_of_figure(field);
		if (reason >= 0 && reason < HOTSPOTS_N_REASONS) {
			to->cycles[reason] += v;
			to->total_cycles += v;
		}
		return;
	}
#define FIELD(name) \
	if (!strcmp(field, #name)) \
	to->name += v
	FIELD(issues);
	FIELD(lanes);
	FIELD(requests);
	FIELD(sectors);
	FIELD(l1_accesses);
	FIELD(l1_hits);
	FIELD(l2_accesses);
	FIELD(l2_hits);
	FIELD(bank_conflicts);
#undef FIELD
}

static void add_profile_kernel(struct html_run *run, const struct result_item *item)
{
	struct html_kernel *k = kernel_at_position(run, &item->kernel);
	uint32_t hint = UINT32_MAX;

	for (uint32_t i = 0; i < item->n_figures; i++) {
		const char *name = item->figure[i].name;
		double v = item->figure[i].value.real;

		if (begins_with_word(name, "sched_cycles[") && k) {
			int reason = reason_of_figure(name);

			if (reason >= 0 && reason < HOTSPOTS_N_REASONS)
				k->stall[reason] = v;
		} else if (begins_with_word(name, "operations[") && k) {
			uint32_t kind = kind_of_operations(run, name);

			if (kind < HTML_KINDS)
				k->operations[kind] = v;
		} else if (begins_with_word(name, "pc[")) {
			struct html_inst *to = find_or_add_inst(run, item->kernel.name, name, &hint);

			if (to)
				add_inst_figure(to, strchr(name, ']') + 2, v);
		}
	}
}

static bool is_profile(const struct result_item *item)
{
	for (uint32_t i = 0; i < item->n_figures; i++)
		if (begins_with_word(item->figure[i].name, "sched_cycles"))
			return true;
	return false;
}

/* ---- freeing -------------------------------------------------------------------------------- */

static void free_kernel(struct html_kernel *k)
{
	free(k->name);
	free(k->shown);
	free(k->full);
}

static void free_named(struct html_named *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(list[i].name);
	free(list);
}

static void free_run(struct html_run *run)
{
	free(run->name);
	free(run->gpu);
	free(run->status);
	free(run->hash);
	free_named(run->option, run->n_options);
	free_named(run->total, run->n_totals);
	free_named(run->peak, run->n_peaks);
	for (uint32_t i = 0; i < run->n_kernels; i++)
		free_kernel(&run->kernel[i]);
	free(run->kernel);
	for (uint32_t i = 0; i < run->n_insts; i++) {
		free(run->inst[i].kernel);
		free(run->inst[i].name);
		free(run->inst[i].pc);
		free(run->inst[i].opcode);
		free(run->inst[i].file);
	}
	free(run->inst);
	table_free(&run->insts);
	free(run->interval);
	for (uint32_t i = 0; i < run->n_kinds; i++)
		free(run->kind[i]);
	for (unsigned i = 0; i < N_HTML_UNITS; i++)
		free(run->map[i].value);
}

/* ---- files ----------------------------------------------------------------------------------------- */

/* Warns about kernels that the run skipped because they were missing. */
static void warn_of_skipped(struct html_report *r, const struct html_run *run)
{
	const char *kernels = html_option(run, "skipped.kernels"),
		   *at = html_option(run, "skipped.positions");

	if (kernels)
		html_warn(r, "%.200s: %.20s of the list's kernels were missing and skipped: %.60s%s",
			run->name, kernels, at ? at : "?", at && strlen(at) > 60 ? "..." : "");
}

static void finish_run_of_results(struct html_report *r, struct html_run *run, const struct result_item *item)
{
	warn_of_skipped(r, run);
	free(run->status);
	run->status = xstrdup(item->status);
	free(run->hash);
	run->hash = xstrdup(item->hash);
	if (strcmp(item->status, "complete"))
		html_warn(r, "%.200s: the run is not complete: status %.20s", run->name, item->status);
	if (strcmp(item->status, "complete") && strcmp(item->status, "limit")) {
		diag_error((struct place){.file = diag_keep(run->name)},
			"the run is not complete: status %.20s", item->status);
		r->status = EXIT_NO;
	}
	for (uint32_t i = 0; i < item->n_figures; i++)
		if (!strchr(item->figure[i].name, '[') && isfinite(item->figure[i].value.real))
			add_named_value(&run->total, &run->n_totals, &run->cap_totals, item->figure[i].name,
				item->figure[i].value.real);
	for (uint32_t i = 0; i < run->n_kernels; i++)
		if (*run->kernel[i].status)
			html_warn(r, "%.200s: kernel %u is unfinished", run->name, run->kernel[i].position);
}

/* Removes the last run, because its records are a profile. */
static void remove_profile_run(struct html_report *r, const char *path)
{
	free_run(&r->run[--r->n_runs]);
	diag_warn(
		(struct place){.file = path}, "a profile is not a result: skipped (expected --profile FILE)");
	html_warn(r, "%.200s: a profile is not a result: skipped", path);
}

void html_load_run(struct html_report *r, const char *path)
{
	struct result_item item;
	struct fault f;
	struct results *in = results_open(path, RESULT_INTERVALS, &f);
	int event;
	bool profile = false;

	if (!in)
		die_fault(&f);
	while ((event = results_next(in, &item, &f)) > 0) {
		struct html_run *run = r->n_runs ? &r->run[r->n_runs - 1] : NULL;

		assert(run || event == RESULT_START); /* the first event of results_next() is RESULT_START */
		if (event == RESULT_START) {
			new_run(r, path, &item);
			profile = false;
		} else if (event == RESULT_KERNEL && is_profile(&item)) {
			profile = true;
		} else if (event == RESULT_KERNEL) {
			add_run_kernel(run, in, &item);
		} else if (event == RESULT_INTERVAL) {
			add_interval(run, in, &item);
		} else if (event == RESULT_DONE && (profile || is_profile(&item))) {
			remove_profile_run(r, path);
		} else if (event == RESULT_DONE) {
			finish_run_of_results(r, run, &item);
		}
	}
	if (event < 0)
		die_fault(&f);
	results_close(in);
}

void html_load_profile(struct html_report *r, const char *path, uint32_t number)
{
	struct result_item item;
	struct fault f;
	struct results *in = results_open(path, RESULT_INTERVALS, &f);
	struct html_run *run = &r->run[number];
	bool any = false;
	int event;

	if (!in)
		die_fault(&f);
	run->n_intervals = 0;
	while ((event = results_next(in, &item, &f)) > 0) {
		if (event == RESULT_KERNEL && is_profile(&item)) {
			add_profile_kernel(run, &item);
			any = true;
		} else if (event == RESULT_INTERVAL) {
			add_interval(run, in, &item);
		}
		for (uint32_t i = 0; event == RESULT_DONE && i < item.n_figures; i++) {
			any |= begins_with_word(item.figure[i].name, "sched_cycles");
			if (begins_with_word(item.figure[i].name, "peak_"))
				add_named_value(&run->peak, &run->n_peaks, &run->cap_peaks,
					item.figure[i].name, item.figure[i].value.real);
		}
	}
	if (event < 0)
		die_fault(&f);
	if (!any)
		die_at((struct place){.file = path}, "no profile (expected a file of trace-sim --profile)");
	run->profiled = true;
	results_close(in);
}

/* ---- the end --------------------------------------------------------------------------------------- */

static int compare_inst_cycles(const void *pa, const void *pb)
{
	const struct html_inst *a = pa, *b = pb;

	if (a->total_cycles != b->total_cycles)
		return a->total_cycles > b->total_cycles ? -1 : 1;
	return strcmp(a->pc, b->pc) ? strcmp(a->pc, b->pc) : strcmp(a->kernel, b->kernel);
}

/* Merges the kernels of a run by name. Sums their figures and recomputes ratios. */
static void merge_kernels_by_name(struct html_run *run)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < run->n_kernels; i++) {
		struct html_kernel *k = &run->kernel[i], *to = NULL;

		for (uint32_t g = 0; g < n && !to; g++)
			to = strcmp(run->kernel[g].name, k->name) ? NULL : &run->kernel[g];
		if (!to) {
			run->kernel[n] = *k;
			run->kernel[n++].figure[HTML_occupancy] *= k->figure[HTML_cycles];
			continue;
		}
		to->launches++;
		for (unsigned f = 0; f < N_HTML_FIGURES; f++)
			to->figure[f] +=
				f == HTML_occupancy ? k->figure[f] * k->figure[HTML_cycles] : k->figure[f];
		for (unsigned f = 0; f < HOTSPOTS_N_REASONS; f++)
			to->stall[f] += k->stall[f];
		for (unsigned f = 0; f < HTML_KINDS; f++)
			to->operations[f] += k->operations[f];
		free_kernel(k);
	}
	run->n_kernels = n;
	for (uint32_t i = 0; i < n; i++) {
		double *f = run->kernel[i].figure;

		f[HTML_ipc] = f[HTML_cycles] > 0 ? f[HTML_insts] / f[HTML_cycles] : 0;
		f[HTML_occupancy] = f[HTML_cycles] > 0 ? f[HTML_occupancy] / f[HTML_cycles] : 0;
	}
}

void html_sort_and_merge(struct html_report *r)
{
	for (uint32_t i = 0; i < r->n_runs; i++) {
		struct html_run *run = &r->run[i];

		if (run->n_insts)
			qsort(run->inst, run->n_insts, sizeof(*run->inst), compare_inst_cycles);
		if (run->n_kernels > HTML_GROUP)
			merge_kernels_by_name(run);
		if (run->profiled && !run->has_lines && run->n_insts)
			html_warn(r,
				"%.200s: the trace has no source lines (expected -enable lineinfo 1 of the tracer, or .loc of PTX)",
				run->name);
	}
}

void html_free(struct html_report *r)
{
	for (uint32_t i = 0; i < r->n_runs; i++)
		free_run(&r->run[i]);
	free(r->run);
	free_named(r->warning, r->n_warnings);
	for (uint32_t i = 0; i < r->n_points; i++)
		free(r->point[i].name);
	free(r->point);
}
