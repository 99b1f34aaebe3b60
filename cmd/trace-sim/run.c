/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the outer loop, which loads, launches, simulates and reports kernels until the end of the list
 * (LAUNCH-loop).
 *
 * Always true: each finished kernel has one block (Accel-Sim's format) or one "kernel" record, in the order
 * in which kernels finish. A limit, a deadlock or a signal ends the run; a block for the simulated part is
 * written first. Unlike in the original, a kernel window above 1 drops no kernel and makes no extra block,
 * and a list may end with a copy.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "arena.h"
#include "stats/interval.h"
#include "stats/profile_record.h"
#include "gpu/power_read.h"
#include "gpu/window.h"
#include "threads/readahead.h"
#include "run.h"
#include "stats/timeline_counters.h"

/*
 * With --warm, passes the accesses of a kernel that is not selected through the tags of the caches. After the
 * last selected kernel, this is necessary only for picks.
 */
static void warm_unselected_kernel(struct run *r, uint32_t command)
{
	struct trace_options o = {.code = r->warm_code, .strict = r->strict};
	struct fault f;
	struct trace *t;

	if (!r->warm_code || (command > r->last_selected && !kselect_picks(r->select)))
		return;
	t = klist_open(&r->list, command, &o, &f);
	if (!t || warm_kernel(&r->gpu, t, r->warm_code, &f) < 0)
		die_fault(&f);
	trace_close(t);
}

/* Opens the trace of a kernel. Returns NULL and sets *f if it cannot be read. */
static struct trace *open_kernel(struct run *r, uint32_t command, struct fault *f)
{
	struct trace_options o = {
		.code = r->gpu.code, .strict = r->strict, .computes_hash = r->format != FORMAT_ACCELSIM};

	readahead_queue_warnings(r->gpu.readahead, &o);
	return klist_open(&r->list, command, &o, f);
}

/* Loads the kernel of the open trace t. */
static void load_opened_kernel(struct run *r, uint32_t command, struct trace *t)
{
	const struct command *c = &r->list.cmd[command];
	struct kernel *k;
	struct fault f;

	k = launch_load_kernel(&r->gpu, t, c->path, c->position, &f);
	if (!k)
		die_fault(&f);
	r->kernels_loaded++;
	r->ptx = k->head->ptx;
	if (r->ptx && r->gpu.launch->n_loaded == 1) /* PTX-launch */
		clocks_init(&r->gpu.clocks, r->gpu.params.hz);
}

static void load_kernel(struct run *r, uint32_t command)
{
	const struct command *c = &r->list.cmd[command];
	struct trace *t;
	struct fault f;

	if (c->missing)
		return;
	if (!kselect_needs_name(r->select) && !kselect_selects(r->select, c->position, NULL)) {
		warm_unselected_kernel(r, command);
		return;
	}
	t = open_kernel(r, command, &f);
	if (!t)
		die_fault(&f);
	if (!kselect_selects(r->select, c->position, trace_header(t)->name)) {
		trace_close(t);
		warm_unselected_kernel(r, command);
		return;
	}
	load_opened_kernel(r, command, t);
}

/* Returns true if the next command is a selected kernel that the kernel loaded last may have to release. */
static bool may_be_dependent(const struct run *r)
{
	const struct launch *l = r->gpu.launch;
	const struct kernel *last = l->loaded[l->n_loaded - 1];
	const struct command *c = &r->list.cmd[r->next_command];

	if (r->isolated || r->gpu.sampling || r->next_command == r->list.n_cmds || !last->launched ||
		l->n_loaded >= r->gpu.params.run_slots ||
		(last->head->arch < ARCH_HOPPER && !last->head->ptx))
		return false;
	return c->kind == CMD_KERNEL && !c->missing &&
	       (kselect_needs_name(r->select) || kselect_selects(r->select, c->position, NULL));
}

/*
 * Loads the next kernel of the list, in addition to the kernel window, if it has a programmatic launch in the stream of
 * the kernel loaded last (HOPPER-pdl-1). Does not report a trace that cannot be read: load_kernel() does, in its turn.
 */
static void load_dependent(struct run *r)
{
	const struct launch *l = r->gpu.launch;
	const struct kernel_header *h;
	struct trace *t;
	struct fault f;

	r->gpu.launch->started = false;
	if (!l->n_loaded || !may_be_dependent(r))
		return;
	t = open_kernel(r, r->next_command, &f);
	if (!t)
		return;
	h = trace_header(t);
	if (h->programmatic && h->stream == l->loaded[l->n_loaded - 1]->head->stream &&
		kselect_selects(r->select, r->list.cmd[r->next_command].position, h->name))
		load_opened_kernel(r, r->next_command++, t);
	else
		trace_close(t);
}

/*
 * Returns true if the copy fills the L2. With kernels from PTX, copies to the host also fill it (PTX-launch).
 */
static bool copy_warms_l2(const struct run *r, const struct command *c)
{
	return r->gpu.params.mem.memcpy_warms_l2 && (c->kind == CMD_MEMCPY || r->ptx);
}

/* Executes commands while kernels can be loaded (LAUNCH-loop-1). */
static void load_next_commands(struct run *r)
{
	while (r->gpu.launch->n_loaded < r->gpu.params.kernel_window && r->next_command < r->list.n_cmds) {
		uint32_t command = r->next_command++;
		const struct command *c = &r->list.cmd[command];

		if (c->kind == CMD_KERNEL)
			load_kernel(r, command);
		else if (copy_warms_l2(r, c))
			memory_host_copy(r->gpu.mem, c->address, c->bytes, gpu_now(&r->gpu));
	}
}

/* Returns the next cycle of the run in which a timeline, interval record, profile or power sample is due. */
static uint64_t next_sample_cycle(const struct run *r)
{
	uint64_t due = r->gpu.timeline ? timeline_due(r->gpu.timeline) : UINT64_MAX;

	if (r->intervals && interval_due(r->intervals) < due)
		due = interval_due(r->intervals);
	if (r->gpu.profile && profile_due(r->gpu.profile) < due)
		due = profile_due(r->gpu.profile);
	return power_next_sample_cycle(&r->gpu) < due ? power_next_sample_cycle(&r->gpu) : due;
}

/*
 * Sets *k to the number of steps that can be skipped before the next sample. Returns false if there are none.
 */
static bool find_skippable_steps(const struct run *r, struct skip *k)
{
	uint64_t left;

	if (!gpu_can_skip(&r->gpu, k))
		return false;
	left = next_sample_cycle(r) - gpu_now(&r->gpu) - 1;
	if (k->cycles > left)
		k->cycles = left;
	return k->cycles != 0;
}

static void take_due_samples(struct run *r)
{
	struct gpu *g = &r->gpu;

	if (g->timeline && gpu_now(g) >= timeline_due(g->timeline))
		timeline_sample(g->timeline, g);
	if (r->intervals && gpu_now(g) >= interval_due(r->intervals))
		interval_record(r->intervals, g, g->launch->n_loaded ? g->launch->loaded[0] : NULL);
	if (g->profile && gpu_now(g) >= profile_due(g->profile))
		profile_sample(g->profile, g);
}

/* Skips steps. The power model reads its counters before and after. */
static void skip_steps(struct gpu *g, const struct skip *skip)
{
	if (g->power)
		power_update_duty(g);
	gpu_skip(g, skip);
	if (g->power)
		power_update_duty(g);
}

/*
 * Returns true if k ends only when its memory traffic has ended: it is from PTX and the only running kernel
 * (PTX-launch-2).
 */
static bool must_drain_traffic(const struct run *r, const struct kernel *k)
{
	return k->head->ptx && launch_is_idle(&r->gpu);
}

/* Simulates until a kernel finishes, nothing is left to do, or the run must end (LAUNCH-loop-4). */
static struct kernel *simulate_kernel(struct run *r)
{
	struct gpu *g = &r->gpu;
	struct kernel *k = NULL;

	while (run_may_continue(r) && !progress_is_interrupted()) {
		struct skip skip;
		unsigned fired;

		if (g->launch->started)
			load_dependent(r);
		if (find_skippable_steps(r, &skip))
			skip_steps(g, &skip);
		fired = window_run(g, next_sample_cycle(r)) ? CLOCK_CORE : gpu_step(g);
		if ((fired & CLOCK_CORE) && g->cycle % DEADLOCK_PERIOD == 0 && run_is_deadlocked(r))
			g->deadlock = true;
		if (g->launch->dependents_due)
			dependent_update(g);
		progress_print_if_due(r);
		if (g->power)
			power_sample_if_due(g);
		if (gpu_now(g) >= next_sample_cycle(r))
			take_due_samples(r);
		if (!k)
			k = launch_pop_finished(g);
		if (k && !must_drain_traffic(r, k))
			return k;
	}
	return k ? k : launch_pop_finished(g);
}

static void hash_kernel(struct run *r, const struct kernel *k, unsigned char out[16])
{
	memset(out, 0, 16);
	if (k->next_cta == k->n_ctas)
		trace_hash(k->trace, out);
	memcpy(r->last_hash, out, sizeof(r->last_hash));
	XXH3_128bits_update(r->hash, out, 16);
}

static void write_kernel_record(struct run *r, const struct kernel *k)
{
	const struct kernel_header *h = k->head;
	bool stopped = k->sample.stopped && k->next_cta < k->n_ctas;
	struct sampled sampled;
	size_t name_size;
	struct kernel_record rec = {
		.position = k->position,
		.uid = k->uid,
		.name = h->name,
		.path = k->path,
		.stream = h->stream,
		.grid = {h->grid[0], h->grid[1], h->grid[2]},
		.block = {h->block[0], h->block[1], h->block[2]},
		.first_cycle = r->gpu.tot_cycle,
		.is_slice = h->is_slice,
		.unfinished = !k->done || (k->next_cta != k->n_ctas && !stopped),
		.cycles = r->gpu.cycle,
		.sampled = stopped ? &sampled : NULL,
	};

	if (stopped)
		sample_extrapolate(k, r->gpu.cycle, &sampled);
	hash_kernel(r, k, rec.hash);
	if (k->next_cta == k->n_ctas)
		rec.checksum = trace_checksum(k->trace);
	stats_kernel_record(r->writer, r->choice, &rec, r->figures_before, r->figures_now);
	r->last_outcome = (struct kernel_outcome){.checksum = rec.checksum,
		.figures_bytes = record_last_group(r->writer),
		.unfinished = rec.unfinished,
		.has_text_hash = k->next_cta == k->n_ctas};
	r->last_outcome.bytes_from_name = record_last_name(r->writer, &name_size);
	r->last_outcome.name_size = name_size;
}

/* Stores in *b the names and uids of the kernels that were launched since the last block. */
static void list_launched_kernels(const struct run *r, struct stats_block *b)
{
	const struct launch *l = r->gpu.launch;

	b->n = l->n_fresh;
	b->name = xcalloc(l->n_fresh + 1, sizeof(*b->name));
	b->uid = xcalloc(l->n_fresh + 1, sizeof(*b->uid));
	for (uint32_t i = 0; i < l->n_fresh; i++) {
		b->name[i] = l->fresh[i]->head->name;
		b->uid[i] = l->fresh[i]->uid;
	}
}

/* Prints the statistics block of kernel k (trace-stats(5)). If k is NULL, the block has no stream. */
static void print_kernel_stats_block(struct run *r, const struct kernel *k)
{
	struct stats_block b = {.stream = k ? k->head->stream : UINT64_MAX,
		.host_seconds = r->host_time ? progress_seconds() : -1};

	list_launched_kernels(r, &b);
	stats_print_block(&r->gpu, &b, r->out);
	free(b.name);
	free(b.uid);
}

/* Prints the block of the power report (POWER-report). */
static void report_kernel_power(struct run *r)
{
	struct stats_block b = {.n = 0};

	list_launched_kernels(r, &b);
	power_update_energies(&r->gpu, true);
	power_end_block(&r->gpu, b.name, b.uid, b.n);
	free(b.name);
	free(b.uid);
}

/* Adds the interval counters to the totals (LAUNCH-loop-5). */
static void add_counters_to_totals(struct run *r)
{
	struct gpu *g = &r->gpu;
	struct figures *f = r->figures_before;
	uint64_t insn = gpu_interval_insn(g);

	gpu_end_sample_period(g);
	g->tot_insn += insn;
	g->insn_before_interval += insn;
	g->tot_cycle += g->cycle;
	g->cycle = 0;
	g->tot_issued_ctas += g->issued_ctas;
	g->issued_ctas = 0;
	g->completed_ctas = 0;
	g->tot_occupancy_filled += g->occupancy_filled;
	g->tot_occupancy_slots += g->occupancy_slots;
	g->occupancy_filled = g->occupancy_slots = 0;
	memory_fold_counts(g->mem);
	g->launch->n_fresh = 0;
	r->figures_before = r->figures_now;
	r->figures_now = f;
}

static void finish_kernel(struct run *r, struct kernel *k)
{
	gpu_sync(&r->gpu);
	if (r->gpu.power)
		report_kernel_power(r);
	if (r->gpu.profile)
		profile_write_kernel(r->gpu.profile, &r->gpu, k);
	if (r->gpu.timeline && k)
		timeline_write_kernel(r->gpu.timeline, &r->gpu, k);
	if (r->intervals)
		interval_record(r->intervals, &r->gpu, k);
	if (r->format == FORMAT_ACCELSIM) {
		print_kernel_stats_block(r, k);
	} else {
		figures_fill(r->figures_now, &r->gpu);
		if (k && r->summary)
			summary_print_kernel(r, k);
		else if (k)
			write_kernel_record(r, k);
	}
	add_counters_to_totals(r);
	if (r->format == FORMAT_ACCELSIM && r->host_time)
		stats_print_speed(&r->gpu, progress_seconds(), r->out);
	if (!r->isolated)
		output_keep_part(r->result);
	if (k) {
		r->kernels_done += k->done;
		progress_kernel_done(r);
		launch_remove_kernel(&r->gpu, k);
	}
}

static void write_end_record(struct run *r)
{
	XXH128_canonical_t hash;

	gpu_sync(&r->gpu);
	figures_fill(r->figures_now, &r->gpu);
	if (r->summary) {
		summary_print_end(r);
		return;
	}
	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(r->hash));
	stats_end_record(
		r->writer, r->choice, r->status, r->limit, r->kernels_done, hash.digest, r->figures_now);
}

static int finish_run(struct run *r)
{
	if (r->gpu.profile)
		profile_end(r->gpu.profile, &r->gpu, r->status, r->kernels_done);
	if (r->gpu.timeline)
		timeline_end(r->gpu.timeline, &r->gpu);
	if (r->format != FORMAT_ACCELSIM) {
		if (!r->isolated)
			write_end_record(r);
		if (r->writer)
			record_close(r->writer);
	} else if (!strcmp(r->status, "complete") || !strcmp(r->status, "limit")) {
		if (r->limit)
			fputs("GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n",
				r->out);
		fputs("GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n",
			r->out);
	} else {
		fprintf(r->out, "GPGPU-Sim: ** %s **\n", r->status);
	}
	XXH3_freeState(r->hash);
	return !strcmp(r->status, "complete") || !strcmp(r->status, "limit") ? EXIT_GOOD : EXIT_NO;
}

/* Returns true, and sets r->status, if a deadlock or a signal ends the run. */
static bool must_end_now(struct run *r)
{
	if (r->gpu.deadlock)
		r->status = "deadlock";
	else if (progress_is_interrupted())
		r->status = "interrupted";
	else
		return false;
	return true;
}

/* Runs the kernels of the list until its end, or until a limit, a deadlock or a signal ends the run. */
static void run_kernels(struct run *r)
{
	struct launch *l = r->gpu.launch;

	while (r->next_command < r->list.n_cmds || l->n_loaded) {
		struct kernel *k;
		const char *limit;
		bool whole;

		load_next_commands(r);
		if (!l->n_loaded)
			break;
		launch_kernels(&r->gpu);
		k = simulate_kernel(r);
		if (r->gpu.deadlock)
			report_deadlock(r, stderr);
		limit = run_reached_limit(r);
		if (!k && (limit || must_end_now(r)))
			k = l->n_loaded ? l->loaded[0] : NULL;
		whole = k && k->done && k->next_cta == k->n_ctas;
		finish_kernel(r, k);
		if (must_end_now(r))
			break;
		/*
		 * -gpgpu_max_cta is tested after each block. quirk Q1-21: finish_kernel() resets the count of
		 * completed thread blocks, so a whole kernel does not reach -gpgpu_max_completed_cta. Unlike
		 * in the original, the run ends with the kernel in which a limit is reached.
		 */
		if (whole || !limit)
			limit = run_reached_limit(r);
		if (limit) {
			r->status = "limit";
			r->limit = limit;
			break;
		}
	}
}

int run_application(struct run *r)
{
	int status;

	r->hash = XXH3_createState();
	if (!r->hash)
		die("out of memory");
	XXH3_128bits_reset(r->hash);
	r->figures_before = figures_new();
	r->figures_now = figures_new();
	r->status = "complete";
	if (r->interval && r->writer)
		r->intervals = interval_start(r->interval, r->writer, r->choice);
	run_kernels(r);
	if (r->selection && !r->kernels_loaded &&
		!strcmp(r->status, "complete")) /* no kernel has a selected name */
		die("-k '%s' matches none of %u kernel%s", r->selection, r->list.n_kernels,
			r->list.n_kernels == 1 ? "" : "s");
	figures_free(r->figures_before);
	r->figures_before = NULL;
	interval_free(r->intervals);
	status = finish_run(r);
	figures_free(r->figures_now);
	return status;
}
