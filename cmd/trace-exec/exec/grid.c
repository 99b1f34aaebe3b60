/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A launch: its thread blocks (cluster by cluster), several at once on several threads if their order has no
 * effect.
 *
 * Blocks run one after another, in the order of their numbers, when the order could have an effect: a kernel
 * uses the old value of an atomic on global memory, adds floating-point numbers by atomics, mixes operations of
 * atomics, prints, allocates, or has fences or volatile accesses by which blocks may communicate.
 *
 * The blocks of a kernel that uses old values of atomics and that fits on the GPU at once continue alternately.
 * Such blocks may claim their work from a counter until there is none, and on a GPU each gets a similar share.
 *
 * Always true: blocks start and are delivered in the order of their numbers; the reported failure is that of
 * the lowest block that fails, because all lower blocks run to their end; instructions count against the limit
 * in the same order.
 */
#include <stdlib.h>
#include <string.h>
#include "crew.h"
#include "exec/call.h"
#include "exec/check.h"
#include "exec/warpgroup.h"

#define FIRST_INDEPENDENT    70    /* since sm_70 each lane has its own program counter */
#define TURN                 8192u /* number of instructions after which another warp runs */
#define SHARING_TURN         128u  /* the same number if blocks continue alternately */
#define SHARING_CLUSTER_TURN 1024u /* number of instructions after which another cluster runs then */

#define FIRST_RESERVED 80 /* since sm_80 each block has reserved bytes of shared memory */

uint32_t grid_shared_unit(uint32_t sm) { return sm >= 80 ? 128 : 256; }

/* Rounds a number of bytes up to the unit of the allocation of shared memory. */
static uint32_t round_shared(const struct grid *g, uint32_t bytes)
{
	return (uint32_t)round_up_u64(bytes, grid_shared_unit(g->launch->kernel->module->target));
}

/* Places the reserved bytes of shared memory of a kernel or of its functions that use them. */
static void place_reserved(struct grid *g, unsigned reserved)
{
	g->shared_window = g->shared_bytes;
	g->reserved_at = UINT32_MAX;
	if (reserved & RESERVED_FIRST) {
		g->reserved_at = 0;
		g->shared_window = max_u32(g->shared_bytes, RESERVED_SHARED);
	} else if (reserved) {
		g->reserved_at = round_shared(g, g->shared_bytes);
		g->shared_window = g->reserved_at + RESERVED_SHARED;
	}
}

/* Offset in the reserved bytes of the part that cooperative groups use for tiles of several warps. */
#define TILES_AT 64u

uint64_t grid_sreg_value(const struct grid *g, unsigned sreg)
{
	bool has_reserved = g->launch->kernel->module->target >= FIRST_RESERVED;
	uint32_t at = g->reserved_at == UINT32_MAX ? 0 : g->reserved_at;

	switch (sreg) {
	case S_TOTAL_SMEM: return round_shared(g, g->shared_bytes);
	case S_AGGR_SMEM: return round_shared(g, g->shared_bytes) + (has_reserved ? RESERVED_SHARED : 0);
	case S_RESERVED_SMEM_BEGIN:
	case S_RESERVED_SMEM_0: return at;
	case S_RESERVED_SMEM_1: return at + TILES_AT;
	case S_RESERVED_SMEM_END:
	case S_RESERVED_SMEM_CAP: return at + RESERVED_SHARED;
	default: return 0; /* clocks, counters and the environment */
	}
}

void grid_prepare(struct grid *g)
{
	const struct launch *l = g->launch;
	const struct func *k = l->kernel;
	const struct program *p = g->code->prog;
	uint8_t *on = xcalloc(p->n_funcs, 1);
	unsigned reserved = 0;

	g->threads = l->block[0] * l->block[1] * l->block[2];
	g->warps = (g->threads + LANES - 1) / LANES;
	g->kernel = k->number;
	g->shared_static = func_dynamic_start(k);
	g->shared_bytes = l->dyn_shared ? g->shared_static + l->dyn_shared : k->shared_end;
	g->independent = g->options->stack == STACK_VOLTA ||
			 (g->options->stack == STACK_TARGET && k->module->target >= FIRST_INDEPENDENT);
	g->machine = k->machine;
	g->independent |= k->machine != NULL;
	g->cluster_size = 1;
	for (unsigned i = 0; i < 3; i++) {
		g->cluster[i] = l->cluster[0] ? l->cluster[i] : k->cluster[0] ? k->cluster[i] : 1;
		g->cluster_size *= g->cluster[i];
	}
	call_find_reachable(g->code, g->kernel, on);
	g->order = 0;
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (on[i]) {
			g->order |= g->code->frame[i].order;
			reserved |= g->code->frame[i].reserved;
		}
	place_reserved(g, reserved);
	free(on);
}

/* Clusters of a launch on one thread that have started and have not been delivered. */
struct resident_clusters {
	struct cluster **cluster; /* clusters in the order of their numbers; NULL: not allocated */
	enum cluster_state *state;
	uint32_t n, cap;
	bool paused; /* all clusters waited when the launch paused; others may have written memory since then */
};

struct grid_team {
	struct grid *grid;
	bool (*deliver)(void *ctx, struct cta *c);
	void *ctx;
	uint64_t clusters;
	pthread_mutex_t lock;            /* protects n_started, n_delivered and succeeded */
	pthread_cond_t delivery_changed; /* signals that `n_delivered` has changed */
	uint64_t n_started;              /* number of clusters that have started */
	uint64_t n_delivered;            /* number of clusters that were delivered */
	bool succeeded;
	struct resident_clusters resident;
};

/* Returns true if the launch failed in block c. Earlier findings in that block often explain the failure. */
static bool is_failed_block(struct grid *g, const struct cta *c)
{
	return c->number == atomic_load(&g->first_failed);
}

/*
 * Delivers a CTA that has ended or failed, after all lower ones: counts it, reports its findings, calls done.
 */
static void deliver_cta(struct grid_team *t, struct cta *c, bool good)
{
	struct grid *g = t->grid;

	for (uint32_t i = 0; i < c->n_warps; i++) {
		g->warp_insts += c->warp[i].insts;
		g->thread_insts += c->warp[i].thread_insts;
	}
	g->has_outside_effect |= c->has_outside_effect;
	g->reads_timer |= c->reads_timer;
	if (good && g->warp_insts > g->options->limit)
		cta_fail_over_limit(c);
	good = good && !grid_failed(g, c->number);
	if (good) {
		race_report_warps(c);
		clash_report(c);
	}
	if (good || is_failed_block(g, c))
		exec_print_findings(c);
	t->succeeded = t->succeeded && good && (!t->deliver || t->deliver(t->ctx, c));
}

/* Returns true if the order of the blocks could have an effect. */
static bool does_block_order_matter(const struct grid *g)
{
	return (g->order & (g->order - 1)) || g->order & (ORDER_SHOWS | ORDER_FENCE);
}

/*
 * Executes a cluster until it ends or waits for others. The clocks of its blocks do not depend on the number of
 * threads.
 */
static enum cluster_state run_cluster(const struct grid *g, struct cluster *c)
{
	enum cluster_state state = cluster_run(c);

	while (state == CLUSTER_STUCK && !does_block_order_matter(g) &&
		(cluster_advance_clocks(c) || warpgroup_release(c)))
		state = cluster_run(c);
	return state;
}

static void *run_clusters(void *arg)
{
	struct grid_team *t = arg;
	struct cluster *c = cluster_new(t->grid);

	pthread_mutex_lock(&t->lock);
	while (t->succeeded && t->n_started < t->clusters) {
		uint64_t n = t->n_started++;

		pthread_mutex_unlock(&t->lock);
		cluster_start(c, n);
		enum cluster_state state = run_cluster(t->grid, c);
		if (state == CLUSTER_STUCK)
			cluster_fail_deadlock(c);
		pthread_mutex_lock(&t->lock);
		while (t->n_delivered != n)
			pthread_cond_wait(&t->delivery_changed, &t->lock);
		for (uint32_t i = 0; i < c->n && t->succeeded; i++)
			deliver_cta(t, c->cta[i], state == CLUSTER_DONE);
		t->n_delivered++;
		pthread_cond_broadcast(&t->delivery_changed);
	}
	pthread_mutex_unlock(&t->lock);
	cluster_free(c);
	return NULL;
}

/* ---- one thread: the next cluster starts when a cluster spins ---- */

#define RESIDENT_MAX 4096u

static bool start_next_cluster(struct grid_team *t, struct resident_clusters *r)
{
	if (t->n_started == t->clusters || r->n == RESIDENT_MAX)
		return false;
	if (r->n == r->cap) {
		uint32_t cap = r->cap ? 2 * r->cap : 4;

		r->cluster = xrealloc(r->cluster, cap, sizeof(struct cluster *));
		r->state = xrealloc(r->state, cap, sizeof(*r->state));
		memset(r->cluster + r->cap, 0, (cap - r->cap) * sizeof(struct cluster *));
		r->cap = cap;
	}
	if (!r->cluster[r->n])
		r->cluster[r->n] = cluster_new(t->grid);
	cluster_start(r->cluster[r->n], t->n_started++);
	r->state[r->n] = CLUSTER_READY;
	r->n++;
	return true;
}

/* Delivers the leading clusters that have ended, and makes their structures available again. */
static void deliver_finished_clusters(struct grid_team *t, struct resident_clusters *r)
{
	uint32_t k = 0;

	for (; k < r->n && r->state[k] == CLUSTER_DONE && t->succeeded; k++)
		for (uint32_t i = 0; i < r->cluster[k]->n && t->succeeded; i++)
			deliver_cta(t, r->cluster[k]->cta[i], true);
	for (uint32_t i = 0; k && i < r->n; i++) { /* free structures move to the end */
		struct cluster *c = r->cluster[i];

		if (i + k < r->n) {
			r->cluster[i] = r->cluster[i + k];
			r->cluster[i + k] = c;
			r->state[i] = r->state[i + k];
		}
	}
	r->n -= k;
}

/* Advances the clocks of clusters that wait for a time. Returns false if there are none. */
static bool advance_idle_clocks(struct resident_clusters *r)
{
	bool passed = false;

	for (uint32_t i = 0; i < r->n; i++)
		passed |= cluster_advance_clocks(r->cluster[i]);
	return passed;
}

/* Lets warps continue that wait for their warpgroups. Returns false if there are none. */
static bool release_warpgroups(struct resident_clusters *r)
{
	bool released = false;

	for (uint32_t i = 0; i < r->n; i++)
		released |= warpgroup_release(r->cluster[i]);
	return released;
}

/* Returns true if a cluster waits for a write to a buffer. Such a write can happen while the launch is paused. */
static bool waits_for_outside_write(const struct grid_team *t)
{
	const struct resident_clusters *r = &t->resident;

	for (uint32_t i = 0; !t->grid->race && i < r->n; i++)
		if (r->state[i] == CLUSTER_STUCK && cluster_waits_for_write(r->cluster[i]))
			return true;
	return false;
}

/* Returns true if the clusters of a paused launch wait for the same memory as before. */
static bool waits_as_before(struct grid_team *t)
{
	struct resident_clusters *r = &t->resident;

	for (uint32_t i = 0; i < r->n; i++)
		if (r->state[i] == CLUSTER_STUCK && !cluster_still_waits(r->cluster[i]))
			return false;
	return t->succeeded;
}

/*
 * Executes each cluster, starting at number `from`, until it ends or waits, or for a turn. Returns true if a cluster
 * has ended, has changed memory or is ready.
 */
static bool run_resident_clusters(struct grid_team *t, uint32_t from)
{
	struct resident_clusters *r = &t->resident;
	bool progress = false;

	for (uint32_t i = from; i < r->n && t->succeeded; i++) {
		if (r->state[i] == CLUSTER_DONE)
			continue;
		r->state[i] = run_cluster(t->grid, r->cluster[i]);
		progress |=
			r->state[i] == CLUSTER_DONE || r->state[i] == CLUSTER_READY || r->cluster[i]->changed;
		t->succeeded = r->state[i] != CLUSTER_FAILED;
		for (uint32_t k = 0; !t->succeeded && k < r->cluster[i]->n; k++)
			if (is_failed_block(t->grid, r->cluster[i]->cta[k]))
				exec_print_findings(r->cluster[i]->cta[k]);
	}
	return progress;
}

static enum grid_state run_on_one_thread(struct grid_team *t, bool pauses)
{
	struct resident_clusters *r = &t->resident;
	/* index of the first cluster to execute: the newest in a round that starts one, else 0 */
	uint32_t from = 0;

	if (r->paused && pauses && waits_as_before(t))
		return GRID_PAUSED;
	r->paused = false;
	while (t->succeeded && (r->n || t->n_started < t->clusters)) {
		bool progress = start_next_cluster(t, r);

		if (progress)
			from = r->n - 1;
		progress |= run_resident_clusters(t, from);
		deliver_finished_clusters(t, r);
		from = 0;
		if (!t->succeeded || progress)
			continue;
		r->paused = pauses && waits_for_outside_write(t);
		if (r->paused)
			return GRID_PAUSED;
		if (!advance_idle_clocks(r) && !release_warpgroups(r)) {
			cluster_fail_deadlock(r->cluster[0]);
			t->succeeded = false;
		}
	}
	return t->succeeded ? GRID_DONE : GRID_FAILED;
}

/* Returns the number of threads for the launch: 1 when the order of its blocks could have an effect. */
static unsigned count_threads(const struct grid *g, uint64_t clusters)
{
	uint64_t n = g->options->threads;

	if (g->options->order || does_block_order_matter(g))
		return 1;
	return (unsigned)(n > clusters ? clusters : n ? n : 1);
}

/* Returns true if the clusters continue alternately: they may claim work, and the GPU executes all of them at once. */
static bool do_clusters_alternate(const struct grid *g, uint64_t clusters)
{
	return g->order & ORDER_CLAIM && !g->options->order && clusters > 1 &&
	       clusters * g->cluster_size <= g->n_resident;
}

struct grid_team *grid_begin(struct grid *g, bool (*done)(void *ctx, struct cta *c), void *ctx)
{
	const struct launch *l = g->launch;
	struct grid_team *t = xcalloc(1, sizeof(*t));

	*t = (struct grid_team){.grid = g,
		.deliver = done,
		.ctx = ctx,
		.clusters = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] / g->cluster_size,
		.succeeded = true};
	g->n_threads = count_threads(g, t->clusters);
	g->mem->has_threads |= g->n_threads > 1;
	bool alternate = do_clusters_alternate(g, t->clusters);
	g->warp_turn = alternate ? SHARING_TURN : TURN;
	g->cluster_turn = alternate ? SHARING_CLUSTER_TURN : UINT64_MAX;
	atomic_store(&g->first_failed, UINT64_MAX);
	pthread_mutex_init(&g->lock, NULL);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->delivery_changed, NULL);
	race_start(g);
	if (g->machine)
		g->machine->open(g);
	return t;
}

enum grid_state grid_continue(struct grid_team *t, bool pauses)
{
	struct crew *crew;

	if (t->grid->n_threads == 1)
		return run_on_one_thread(t, pauses);
	crew = crew_start(t->grid->n_threads - 1, run_clusters, t);
	run_clusters(t);
	crew_join(crew);
	return t->succeeded ? GRID_DONE : GRID_FAILED;
}

void grid_end(struct grid_team *t)
{
	struct grid *g = t->grid;
	struct resident_clusters *r = &t->resident;

	for (uint32_t i = 0; i < r->cap; i++)
		if (r->cluster[i])
			cluster_free(r->cluster[i]);
	free(r->cluster);
	free(r->state);
	race_report(g, t->succeeded);
	if (g->machine)
		g->machine->close(g);
	pthread_cond_destroy(&t->delivery_changed);
	pthread_mutex_destroy(&t->lock);
	pthread_mutex_destroy(&g->lock);
	free(t);
}

bool grid_run(struct grid *g, bool (*done)(void *ctx, struct cta *c), void *ctx)
{
	struct grid_team *t = grid_begin(g, done, ctx);
	bool good = grid_continue(t, false) == GRID_DONE;

	grid_end(t);
	return good;
}
