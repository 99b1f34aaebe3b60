/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Manages the kernel window and the run slots, selects kernels, and places CTAs; see launch.h. Checkpoints
 * and device-side launches are not modelled.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "arena.h"
#include "core/core.h"
#include "distributor.h"
#include "launch.h"
#include "power_read.h"
#include "window.h"
#include "threads/readahead.h"
#include "gpu/timeline.h"

static void append_kernel(struct kernel ***list, uint32_t *n, uint32_t *cap, struct kernel *k)
{
	grow(list, cap, *n + 1, sizeof(**list));
	(*list)[(*n)++] = k;
}

int launch_init(struct gpu *g)
{
	const struct params *p = &g->params;
	struct launch *l = xcalloc(1, sizeof(*l));

	g->launch = l;
	l->slot = xcalloc(p->run_slots ? p->run_slots : 1, sizeof(struct kernel *));
	l->last_cluster = p->clusters - 1;
	l->last_sm = xcalloc(p->clusters, sizeof(uint32_t));
	for (uint32_t c = 0; c < p->clusters; c++)
		l->last_sm[c] = p->sms_per_cluster - 1;
	if (p->concurrent_kernels)
		occupied_count(g);
	return 0;
}

void launch_free(struct gpu *g)
{
	struct launch *l = g->launch;

	if (!l)
		return;
	while (l->n_loaded)
		launch_remove_kernel(g, l->loaded[l->n_loaded - 1]);
	free(l->loaded);
	free(l->slot);
	free(l->last_sm);
	free(l->finished);
	free(l->fresh);
	free(l->occupied);
	gang_storage_free(g);
	free(l);
	g->launch = NULL;
}

/*
 * Returns the index of a stream id. Returns -1 and sets *f if there are too many streams. The search is
 * linear, because there are few streams.
 */
static int stream_index(struct gpu *g, uint64_t id, struct place at, struct fault *f)
{
	for (uint32_t i = 0; i < g->n_streams; i++)
		if (g->streams[i] == id)
			return (int)i;
	if (g->n_streams == MAX_STREAMS)
		return fault_set(
			f, at, "streams", "too many CUDA streams (expected at most %d)", MAX_STREAMS);
	g->streams[g->n_streams] = id;
	return (int)g->n_streams++;
}

/* The address is derived from a hash of the name, so that functions rarely share cache lines. */
uint64_t launch_code_base(const char *name)
{
	return 0xF0000000ull + (XXH3_64bits(name, strlen(name)) & 0xfff) * CORE_CODE_SPAN;
}

struct kernel *launch_load_kernel(
	struct gpu *g, struct trace *t, const char *path, uint32_t position, struct fault *f)
{
	struct launch *l = g->launch;
	const struct params *p = &g->params;
	struct kernel *k = xcalloc(1, sizeof(*k));
	struct place at = {.file = trace_path(t)};
	int stream;

	if (p->modern.enabled && trace_header(t)->ptx) {
		free(k);
		fault_set(f, at, "ptx-core",
			"-core_model modern cannot run a trace from PTX (trace with trace-exec --as sass)");
		return NULL;
	}
	k->trace = t;
	k->head = trace_header(t);
	k->path = xstrdup(path);
	k->position = position;
	k->n_ctas = kernel_blocks(k->head);
	k->padded_threads = (kernel_threads(k->head) + 31) / 32 * 32;
	/*
	 * quirk Q1-23: the latencies of all thread blocks delay the whole kernel once, computed in 32 bits
	 * like the original.
	 */
	k->delay = p->launch_latency + (uint32_t)k->n_ctas * p->tb_latency;
	stream = stream_index(g, k->head->stream, at, f);
	if (stream < 0 || kernel_threads(k->head) > p->core.threads) {
		if (stream >= 0)
			fault_set(f, at, "block-too-large",
				"thread block of %u threads (expected at most %u, as fit on an SM, -gpgpu_shader_core_pipeline)",
				kernel_threads(k->head), p->core.threads);
		free(k->path);
		free(k);
		return NULL;
	}
	k->stream = (uint16_t)stream;
	l->ptx |= k->head->ptx;
	l->n_gang_kernels += k->may_form_gangs = blocks_may_form_gangs(k->head);
	if (k->head->arch >= ARCH_HOPPER)
		window_allow_bulk_copies(g);
	k->uid = ++l->next_uid;
	k->code_base = launch_code_base(k->head->name);
	if (g->power && k->head->ptx)
		power_mark_ptx_floats(k);
	dependent_link(l, k);
	append_kernel(&l->loaded, &l->n_loaded, &l->cap_loaded, k);
	return k;
}

void launch_kernels(struct gpu *g)
{
	struct launch *l = g->launch;

	for (uint32_t i = 0; i < l->n_loaded; i++) {
		struct kernel *k = l->loaded[i];
		uint32_t s = 0;

		if (k->launched || !dependent_may_start(g, k))
			continue;
		while (s < g->params.run_slots && l->slot[s])
			s++;
		if (s == g->params.run_slots)
			return;
		l->slot[s] = k;
		k->launched = true;
		k->start_cycle = gpu_now(g);
		dependent_start(g, k);
		l->delayed += k->delay != 0;
		l->kernels_with_ctas++;
		l->retry = true;
	}
}

/* Returns true if -gpgpu_max_cta is reached. */
static bool is_cta_limit_reached(const struct gpu *g)
{
	return g->params.max_cta && g->tot_issued_ctas + g->issued_ctas >= g->params.max_cta;
}

bool launch_has_placeable_ctas(const struct gpu *g)
{
	return g->launch->kernels_with_ctas && !is_cta_limit_reached(g);
}

static bool has_unplaced_ctas(const struct kernel *k)
{
	return k && k->next_cta < k->n_ctas && !k->sample.stopped;
}

bool launch_may_place_cta_of(const struct gpu *g, const struct kernel *k)
{
	return has_unplaced_ctas(k) && !is_cta_limit_reached(g);
}

/*
 * Returns true if a launched kernel has CTAs left and no delay. If no kernel has, the run slots need not be
 * searched for each SM.
 */
static bool is_any_kernel_ready(const struct launch *l)
{
	for (uint32_t i = 0; i < l->n_loaded; i++)
		if (l->loaded[i]->launched && has_unplaced_ctas(l->loaded[i]) && !l->loaded[i]->delay)
			return true;
	return false;
}

/* The slot selected last is kept while its kernel has CTAs, even if -gpgpu_max_cta is reached (LAUNCH-place-4). */
struct kernel *launch_next_kernel(struct gpu *g)
{
	struct launch *l = g->launch;
	uint32_t n = g->params.run_slots;
	struct kernel *k = l->slot[l->selected_slot];

	if (!(has_unplaced_ctas(k) && !k->delay)) {
		uint32_t i;

		for (i = 0; i < n; i++) {
			uint32_t s = (i + l->selected_slot + 1) % n;

			k = l->slot[s];
			if (launch_may_place_cta_of(g, k) && !k->delay) {
				l->selected_slot = s;
				break;
			}
		}
		if (i == n)
			return NULL;
	}
	if (!k->selected) {
		k->selected = true;
		append_kernel(&l->fresh, &l->n_fresh, &l->cap_fresh, k);
	}
	return k;
}

bool launch_cta_fits(struct gpu *g, struct sm *s, struct kernel *k, int *first)
{
	uint32_t limit = resources_ctas_per_sm(g, k);

	return occupied_is_in_use(g) ? limit && occupied_fits(g, s, k, first) : s->live_ctas < limit;
}

/* Translates the static instructions that the last block read has added. `codes` is their number after this block. */
static void translate_new_code(struct gpu *g, const struct kernel *k, uint32_t codes)
{
	struct fault f;

	for (uint32_t h = g->n_uops; h < codes; h = ++g->n_uops) {
		if (uop_make(&g->uops[h], code_at(g->code, h), &g->params, &f) < 0) {
			f.place.file = f.place.file ? f.place.file : k->path;
			die_fault(&f);
		}
		g->launch->seen_ldgsts |= (g->uops[h].flags & UOP_LDGSTS) != 0;
		g->launch->seen_syncs |= (g->uops[h].flags & UOP_SYNC) != 0;
		g->launch->seen_marks |= code_at(g->code, h)->kind == KIND_MARK;
		if (g->core_code)
			core_code_add(g->core_code, h, code_at(g->code, h), &g->uops[h]);
		if (g->power)
			power_classify_code(g, h);
	}
}

/* Places the next CTA of k on SM s (LAUNCH-place-6). */
uint32_t launch_place_cta(struct gpu *g, struct sm *s, struct kernel *k, int first)
{
	struct launch *l = g->launch;
	uint32_t slot = 0, codes;
	struct fault f;

	while (slot < MAX_CTAS && s->cta[slot].kernel)
		slot++;
	assert(slot < MAX_CTAS);
	if (occupied_is_in_use(g))
		occupied_take(g, s->id, k, (uint32_t)first);
	else
		first = (int)(slot * k->padded_threads);
	switch (blocks_next(g, k, &s->cta[slot].block, &codes, &f)) {
	case 0:
		fault_set(&f, (struct place){.file = trace_path(k->trace)}, "blocks-missing",
			"%llu thread blocks (expected %llu, the size of the grid)",
			(unsigned long long)k->next_cta, (unsigned long long)k->n_ctas);
		/* fall through */
	case -1: die_fault(&f);
	}
	g->unknown_recs += s->cta[slot].block.n_unknown;
	translate_new_code(g, k, codes);
	if (l->seen_marks)
		blocks_drop_marks(g, &s->cta[slot].block);
	k->may_have_ldgsts = l->seen_ldgsts;
	k->may_have_syncs = l->seen_syncs;
	if (!k->next_cta && g->params.modern.enabled)
		core_join(&g->joins, g->params.modern.dependence, g->code, k, &s->cta[slot].block);
	k->running_ctas++;
	if (!s->live_ctas)
		g->cluster[s->cluster].needs_flush = true;
	sm_place_cta(s, gpu_now(g), slot, (uint32_t)first, k);
	g->cluster[s->cluster].live_threads += kernel_threads(k->head);
	bitset_set(g->live, s->cluster);
	if (g->events)
		events_log_cta(g->events, gpu_now(g), s->id, slot, k->next_cta);
	if (g->timeline)
		timeline_begin_cta(g->timeline, gpu_now(g), s->id, slot, k);
	if (++k->next_cta == k->n_ctas) {
		l->kernels_with_ctas--;
		readahead_stop(g->readahead, k->trace);
		if (trace_finish(k->trace, &f) < 0)
			die_fault(&f);
	}
	if (l->on_cta_placed)
		l->on_cta_placed(l->ctx, k);
	return slot;
}

/* Returns the kernel that would provide the next CTA for SM s (LAUNCH-place-3). */
static struct kernel *candidate_kernel(struct gpu *g, struct sm *s)
{
	struct kernel *k = s->kernel;

	if (occupied_is_in_use(g))
		return launch_next_kernel(g);
	if (k && launch_may_place_cta_of(g, k))
		return k;
	if (s->live_threads)
		return k;
	s->kernel = launch_next_kernel(g);
	return s->kernel;
}

/*
 * Places one CTA in cluster c, on the first SM in round robin that has enough free resources. Returns false
 * if no SM has.
 */
static bool place_in_cluster(struct gpu *g, uint32_t c)
{
	uint32_t per = g->params.sms_per_cluster;

	for (uint32_t i = 0, last = g->launch->last_sm[c]; i < per; i++) {
		uint32_t j = (i + last + 1) % per;
		struct sm *s = &g->sm[c * per + j];
		struct kernel *k = candidate_kernel(g, s);
		int first = 0;

		if (!launch_may_place_cta_of(g, k) || !launch_cta_fits(g, s, k, &first))
			continue;
		launch_place_cta(g, s, k, first);
		g->launch->last_sm[c] = j;
		return true;
	}
	return false;
}

/*
 * A pass that places no CTA would fail again in the same state. The next pass therefore waits for a change of
 * state that may allow one.
 */
void launch_ctas(struct gpu *g, const uint64_t *among)
{
	struct launch *l = g->launch;
	uint32_t n = g->params.clusters, last = l->last_cluster;
	bool placed = false;

	l->retry = l->retry && is_any_kernel_ready(l);
	if (!l->retry)
		return;
	if (l->n_gang_kernels && gang_place_all(g))
		return;
	for (uint32_t i = 0; i < n && l->kernels_with_ctas; i++) {
		uint32_t c = (i + last + 1) % n;

		if (!distributor_can_place(g))
			return;
		if (among && !bitset_test(among, c))
			continue;
		if (place_in_cluster(g, c)) {
			l->last_cluster = c;
			distributor_count_placement(g);
			g->issued_ctas++;
			placed = true;
		}
	}
	l->retry = placed;
}

bool launch_may_place_cta(const struct gpu *g)
{
	return (g->launch->retry && g->launch->kernels_with_ctas) || launch_min_delay(g);
}

bool launch_has_ptx(const struct gpu *g) { return g->launch->ptx; }

uint32_t launch_peek_longest_warp(struct gpu *g)
{
	struct launch *l = g->launch;

	for (uint32_t i = 0; i < l->n_loaded; i++) {
		const struct kernel *k = l->loaded[i];
		uint32_t records;

		if (!k->launched || !has_unplaced_ctas(k))
			continue;
		records = blocks_peek_longest_warp(g, k);
		return records ? records - 1 : 0;
	}
	return 0;
}

uint32_t launch_min_delay(const struct gpu *g)
{
	uint32_t least = 0;

	for (uint32_t s = 0; g->launch->delayed && s < g->params.run_slots; s++) {
		const struct kernel *k = g->launch->slot[s];

		if (k && k->delay && (!least || k->delay < least))
			least = k->delay;
	}
	return least;
}

uint32_t launch_min_final_delay(const struct gpu *g)
{
	uint32_t least = 0;

	for (uint32_t s = 0; g->launch->delayed && s < g->params.run_slots; s++) {
		const struct kernel *k = g->launch->slot[s];

		if (k && k->closing && k->delay && (!least || k->delay < least))
			least = k->delay;
	}
	return least;
}

/* Returns true if an SM waits for the acknowledgement of a store. Begins with the SM that the last call found. */
static bool is_any_store_outstanding(struct gpu *g)
{
	uint32_t *at = &g->launch->storing_sm;

	for (uint32_t i = 0; i < g->params.sms; i++, *at = (*at + 1) % g->params.sms)
		for (uint32_t w = 0; w < MAX_WARPS; w++)
			if (g->sm[*at].warp[w].stores)
				return true;
	return false;
}

/*
 * Delays the end of kernel k to its minimum duration (-core_kernel_least). If stores are outstanding, a fence of the
 * whole GPU ends the kernel, at the earliest when they are acknowledged. Returns false if there is no delay.
 */
static bool delay_kernel_end(struct gpu *g, struct kernel *k)
{
	const struct modern_params *m = &g->params.modern;
	const uint64_t *part = m->kernel_least;
	uint64_t millionths = part[0] + k->padded_threads / 32 * part[1] + k->next_cta * part[2];
	uint64_t end = k->delay_begin + millionths / MILLION;

	if (!m->enabled)
		return false;
	if (is_any_store_outstanding(g))
		end = max_u64(end, gpu_now(g) + m->membar[1]);
	if (end <= gpu_now(g) + 1)
		return false;
	k->closing = true;
	k->delay = (uint32_t)(end - gpu_now(g));
	g->launch->delayed++;
	return true;
}

static void finish_launched_kernel(struct gpu *g, struct kernel *k)
{
	struct launch *l = g->launch;

	k->done = true;
	l->dependents_due |= l->n_early != 0;
	l->n_early -= k->early;
	for (uint32_t i = 0; g->params.modern.enabled && i < g->params.sms; i++)
		core_empty_caches(&g->sm[i]);
	append_kernel(&l->finished, &l->n_finished, &l->cap_finished, k);
	for (uint32_t s = 0; s < g->params.run_slots; s++)
		if (l->slot[s] == k) {
			l->slot[s] = NULL;
			if (k->next_cta < k->n_ctas)
				l->kernels_with_ctas--;
		}
}

void launch_advance_delays(struct gpu *g, uint64_t n)
{
	struct launch *l = g->launch;

	for (uint32_t s = 0; l->delayed && s < g->params.run_slots; s++)
		if (l->slot[s] && l->slot[s]->delay) {
			l->slot[s]->delay -= (uint32_t)n;
			if (!l->slot[s]->delay && l->slot[s]->closing && is_any_store_outstanding(g))
				l->slot[s]->delay = 1;
			if (l->slot[s]->delay)
				continue;
			l->delayed--;
			l->retry = true;
			if (l->slot[s]->closing)
				finish_launched_kernel(g, l->slot[s]);
		}
}

/* LAUNCH-end-1. The SM itself decremented its counts when the last warp of the CTA ended. */
void launch_cta_ended(struct gpu *g, struct sm *s, uint32_t slot)
{
	struct cta *c = &s->cta[slot];
	struct kernel *k = c->kernel;

	g->completed_ctas++;
	distributor_count_cta_end(g);
	if (g->timeline)
		timeline_end_cta(g->timeline, gpu_now(g) + 1, s->id, slot);
	g->cluster[s->cluster].live_threads -= c->threads;
	if (!g->cluster[s->cluster].live_threads) {
		bitset_clear(g->live, s->cluster);
		g->cluster_idled = true;
	}
	if (occupied_is_in_use(g))
		occupied_release(g, s->id, k, c->first_thread);
	gang_cta_ended(g, s, slot);
	c->kernel = NULL;
	if (!s->live_ctas)
		s->kernel = NULL;
	k->running_ctas--;
	if (g->sampling)
		sample_count_ended_cta(g, k);
	g->launch->retry = true;
	g->launch->dependents_due |= k->dependent != NULL;
	if (!k->running_ctas && !launch_may_place_cta_of(g, k)) {
		if (s->kernel == k)
			s->kernel = NULL;
		if (!delay_kernel_end(g, k))
			finish_launched_kernel(g, k);
	}
}

bool launch_is_idle(const struct gpu *g)
{
	for (uint32_t s = 0; s < g->params.run_slots; s++)
		if (g->launch->slot[s])
			return false;
	return true;
}

struct kernel *launch_pop_finished(struct gpu *g)
{
	struct launch *l = g->launch;
	struct kernel *k;

	if (!l->n_finished)
		return NULL;
	k = l->finished[0];
	memmove(l->finished, l->finished + 1, --l->n_finished * sizeof(*l->finished));
	return k;
}

void launch_remove_kernel(struct gpu *g, struct kernel *k)
{
	struct launch *l = g->launch;

	l->delayed -= k->launched && k->delay;
	l->n_gang_kernels -= k->may_form_gangs;
	blocks_free(k);
	for (uint32_t i = 0; i < l->n_loaded; i++)
		if (l->loaded[i] == k) {
			memmove(l->loaded + i, l->loaded + i + 1, (--l->n_loaded - i) * sizeof(*l->loaded));
			break;
		}
	for (uint32_t s = 0; s < g->params.run_slots; s++)
		if (l->slot[s] == k)
			l->slot[s] = NULL;
	for (uint32_t i = 0; i < l->n_fresh; i++)
		if (l->fresh[i] == k)
			memmove(l->fresh + i, l->fresh + i + 1, (--l->n_fresh - i) * sizeof(*l->fresh));
	for (uint32_t i = 0; i < g->params.sms; i++)
		if (g->sm[i].kernel == k)
			g->sm[i].kernel = NULL;
	readahead_stop(g->readahead, k->trace);
	trace_close(k->trace);
	free(k->floating);
	free(k->path);
	free(k);
}
