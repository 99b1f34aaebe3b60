/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clusters: thread blocks that run together, on one thread, round robin. Without clusters each block is a
 * cluster.
 *
 * barrier.cluster counts lanes: a phase is over when all live lanes of the cluster have arrived. Always true:
 * the outcome depends only on the program, because blocks and warps run in a fixed order.
 */
#include <stdlib.h>
#include "exec/check.h"
#include "exec/spin.h"
#include "exec/stack.h"
#include "exec/warpgroup.h"

#define IDLE_LEAST 1024u /* initial step by which the clocks of a stuck cluster advance, in nanoseconds */
#define IDLE_MOST  (1ull << 40)
#define QUIET \
	8192u /* instructions of a warp without a change of memory, after which it is tested for spinning */

struct cluster *cluster_new(struct grid *g)
{
	struct cluster *c = xcalloc(1, sizeof(*c));

	c->n = g->cluster_size;
	c->cta = xcalloc(c->n, sizeof(struct cta *));
	for (uint32_t i = 0; i < c->n; i++) {
		c->cta[i] = cta_new(g);
		c->cta[i]->cluster = c;
		c->cta[i]->rank = i;
	}
	return c;
}

void cluster_free(struct cluster *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		cta_free(c->cta[i]);
	bulk_flight_free(c);
	free(c->cta);
	free(c);
}

void grid_block_id(const struct grid *g, uint64_t number, uint32_t id[3])
{
	const uint32_t *n = g->launch->grid, *k = g->cluster;
	uint64_t cluster = number / g->cluster_size, rank = number % g->cluster_size;

	id[0] = (uint32_t)(cluster % (n[0] / k[0]) * k[0] + rank % k[0]);
	cluster /= n[0] / k[0];
	id[1] = (uint32_t)(cluster % (n[1] / k[1]) * k[1] + rank / k[0] % k[1]);
	cluster /= n[1] / k[1];
	id[2] = (uint32_t)(cluster * k[2] + rank / k[0] / k[1]);
}

/* Ends the phase of barrier.cluster for the warp's lanes that have arrived. */
static void end_warp_cluster_wait(struct warp *w)
{
	bool waits = w->state == WARP_CLUSTER;

	w->cluster_phase_over |= w->cluster_arrived;
	w->cluster_arrived = 0;
	w->barrier_waiting_lanes &= ~w->cluster_waiting_lanes;
	w->cluster_waiting_lanes = 0;
	if (waits) {
		w->cluster_phase_over &= ~w->wait_mask;
		w->state = WARP_READY;
		w->waiting = NULL;
	}
	if (w->grid->machine)
		w->grid->machine->end_cluster_wait(w);
	else if (waits && !w->wait_mask)
		stack_select_other(w, 0);
}

/* Ends the phase of barrier.cluster if all live lanes have arrived. */
static void end_cluster_phase(struct cluster *c)
{
	if (!c->arrived)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t k = 0; k < c->cta[i]->n_warps; k++) {
			const struct warp *w = &c->cta[i]->warp[k];

			if (w->lanes & ~w->ended & ~w->cluster_arrived)
				return;
		}
	c->arrived = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		checker_note_barrier(c->cta[i]);
		for (uint32_t k = 0; k < c->cta[i]->n_warps; k++)
			end_warp_cluster_wait(&c->cta[i]->warp[k]);
	}
}

/*
 * Executes one turn of each block. Sets *moved to whether a warp was ready, and *done to the number of blocks
 * that have ended. Returns false if the launch has failed.
 */
static bool execute_round(struct cluster *c, bool *moved, uint32_t *done)
{
	struct grid *g = c->cta[0]->grid;

	*moved = false;
	*done = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		struct cta *b = c->cta[i];

		if (b->n_done < b->n_warps)
			*moved |= cta_execute_turn(b);
		if (b->clock > g->options->limit)
			cta_fail_over_limit(b);
		if (grid_failed(g, b->number))
			return false;
		end_cluster_phase(c);
		*done += b->n_done == b->n_warps;
	}
	return true;
}

/* Returns the number of rounds without a change of memory after which to look for endless loops. */
static uint32_t first_watched_round(const struct cluster *c)
{
	uint64_t turn = c->cta[0]->grid->warp_turn;

	return turn < QUIET ? (uint32_t)(QUIET / turn) : 1;
}

void cluster_start(struct cluster *c, uint64_t number)
{
	c->number = number;
	c->arrived = c->unchanged_rounds = 0;
	c->watch_from_round = first_watched_round(c);
	c->idle_ns = 0;
	c->idle_step_ns = IDLE_LEAST;
	c->has_idled = false;
	bulk_flight_reset(c);
	for (uint32_t i = 0; i < c->n; i++)
		cta_start(c->cta[i], number * c->n + i);
}

/* Returns true if a warp has changed memory since the last call. */
static bool has_warp_changed_memory(struct cluster *c)
{
	bool changed = false;

	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t k = 0; k < c->cta[i]->n_warps; k++) {
			changed |= c->cta[i]->warp[k].changed;
			c->cta[i]->warp[k].changed = false;
		}
	return changed;
}

/*
 * Returns the number of instructions after which a loop of a warp counts as work. Single steps take twice as long as
 * a turn, so they are at most an eighth of the instructions since memory changed: 64 blocks of one warp, each of which
 * computes for 40523 instructions, take 360 million host instructions instead of 652 million.
 */
#define STEPS_LEAST 1024u
#define STEPS_MOST  65536u
static uint32_t steps_until_work(const struct cluster *c)
{
	uint64_t steps = (uint64_t)c->unchanged_rounds * c->cta[0]->grid->warp_turn / 8;

	return steps < STEPS_LEAST ? STEPS_LEAST : steps > STEPS_MOST ? STEPS_MOST : (uint32_t)steps;
}

/*
 * Returns true if all groups of lanes that can run spin, and no lane that waits for them can continue without
 * them.
 */
static bool do_all_groups_spin(struct warp *w, uint32_t steps)
{
	uint32_t spinning = 0;
	bool spins;

	do {
		spins = exec_does_spin(w, steps);
		if (spins)
			spinning |= w->stack[w->depth - 1].mask & w->live;
	} while (spins && w->grid->independent && stack_select_other(w, spinning));
	if (w->state == WARP_DONE)
		cta_count_ended_warp(w->cta);
	return spins && !(w->grid->independent && stack_release_waiting(w));
}

/* Returns true if every warp that is ready spins. */
static bool do_all_ready_warps_spin(struct cluster *c)
{
	uint32_t steps = steps_until_work(c);

	c->timed = false;
	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t k = 0; k < c->cta[i]->n_warps; k++) {
			struct warp *w = &c->cta[i]->warp[k];

			w->timed = false;
			if (warpgroup_is_ready(w) && !do_all_groups_spin(w, steps))
				return false;
			c->timed |= w->timed;
		}
	return true;
}

bool cluster_still_waits(struct cluster *c)
{
	bool waits = do_all_ready_warps_spin(c);

	c->watch_from_round = waits ? 0 : first_watched_round(c);
	c->unchanged_rounds = 0;
	return waits;
}

bool cluster_waits_for_write(const struct cluster *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (cta_waits_for_write(c->cta[i]))
			return true;
	return false;
}

bool cluster_advance_clocks(struct cluster *c)
{
	if (!c->timed || c->idle_step_ns > IDLE_MOST)
		return false;
	c->idle_ns += c->idle_step_ns;
	c->idle_step_ns *= 2;
	c->has_idled = true;
	return true;
}

/* Returns the number of instructions that the cluster's warps have executed. */
static uint64_t count_instructions(const struct cluster *c)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < c->n; i++)
		n += c->cta[i]->clock;
	return n;
}

#define PATIENCE (1u << 20)
/*
 * Returns true if other clusters shall continue, although no endless loop was found: blocks that may communicate have
 * not changed memory for PATIENCE instructions of a warp. They may wait in a loop that counts, or whose lanes diverge
 * differently each time.
 */
static bool lets_others_continue(const struct cluster *c)
{
	const struct grid *g = c->cta[0]->grid;

	return g->order & ORDER_FENCE && c->unchanged_rounds * g->warp_turn >= PATIENCE;
}

enum cluster_state cluster_run(struct cluster *c)
{
	const uint64_t turn = c->cta[0]->grid->cluster_turn, before = count_instructions(c);
	bool moved;
	uint32_t done;

	c->changed = false;
	/*
	 * Warps that wait for a later time execute about 40 instructions here instead of a turn: a block of 16 warps
	 * that waits for 5 ms executes 4624 warp instructions instead of 1919744.
	 */
	if (c->has_idled) {
		c->has_idled = false;
		if (do_all_ready_warps_spin(c))
			return CLUSTER_STUCK;
	}
	for (;;) {
		if (!execute_round(c, &moved, &done))
			return CLUSTER_FAILED;
		if (done == c->n)
			return CLUSTER_DONE;
		if (!moved && !warpgroup_release(c)) {
			cluster_fail_deadlock(c);
			return CLUSTER_FAILED;
		}
		if (has_warp_changed_memory(c)) {
			c->changed = true;
			c->idle_step_ns = IDLE_LEAST;
			c->unchanged_rounds = 0;
			c->watch_from_round = first_watched_round(c);
		} else if (++c->unchanged_rounds >= c->watch_from_round) {
			c->watch_from_round = 2 * c->unchanged_rounds;
			if (do_all_ready_warps_spin(c)) {
				c->watch_from_round =
					0; /* the next call tests for spinning in its first round */
				return CLUSTER_STUCK;
			}
		}
		if (count_instructions(c) - before >= turn || lets_others_continue(c))
			return CLUSTER_READY;
	}
}

void cluster_fail_deadlock(struct cluster *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->cta[i]->n_done < c->cta[i]->n_warps) {
			cta_fail_deadlock(c->cta[i]);
			return;
		}
}

/* Checks that all live lanes of a warp arrive together at a barrier with .aligned. */
static bool check_arrive_together(struct warp *w, const struct op *o, uint32_t m)
{
	return !w->grid->options->check || !stmt_has(o->stmt, M_ALIGNED) || check_divergence(w, o, m);
}

void cluster_arrive(struct warp *w, const struct op *o, uint32_t m)
{
	struct cluster *c = w->cta->cluster;
	uint32_t again = m & (w->cluster_arrived | w->cluster_phase_over);

	if (!check_arrive_together(w, o, m))
		return;
	if (again) {
		exec_fail(w, o, again, "barrier",
			"second arrival at barrier.cluster (expected a wait before it)");
		return;
	}
	w->cluster_arrived |= m;
	c->arrived += bit_count32(m);
	checker_note_barrier(w->cta);
}

bool cluster_must_wait(struct warp *w, uint32_t m)
{
	end_cluster_phase(w->cta->cluster);
	return !(m & ~w->cluster_arrived);
}

void cluster_wait_in_groups(struct warp *w, const struct op *o)
{
	w->waiting = o;
	w->wait_mask = 0;
	w->state = WARP_CLUSTER;
}

bool cluster_wait(struct warp *w, const struct op *o, uint32_t m)
{
	uint32_t early = m & ~(w->cluster_arrived | w->cluster_phase_over);

	if (!check_arrive_together(w, o, m))
		return true;
	if (early) {
		exec_fail(w, o, early, "barrier", "wait for barrier.cluster (expected an arrival before it)");
		return true;
	}
	end_cluster_phase(w->cta->cluster);
	w->cluster_phase_over &= ~m;
	if (!(m & w->cluster_arrived))
		return true;
	w->waiting = o;
	w->wait_mask = m;
	w->state = WARP_CLUSTER;
	return false;
}
