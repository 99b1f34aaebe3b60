/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of warp scheduler policies, and functions that policies share. issue.c has the issue stage, policy.c the
 * table of policies, and each sched_*.c a policy or a family of policies. A policy is a row in arch/sched.def and a
 * struct sched_policy of the same name.
 *
 * Always true: the private state of a policy for a scheduler is in sm.sched[k]. Otherwise a policy reads only the
 * masks, `last` and `dynamic_id` of struct sm.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "sm.h"

/* Findings of a scheduler in a cycle. They determine the kind of a cycle without an issue (enum warp_occupancy). */
enum sched_seen { SEEN_VALID = 1, SEEN_READY = 2, SEEN_ISSUED = 4 };

/* All functions but pick may be NULL. */
struct sched_policy {
	void (*init)(struct sm *s, unsigned k); /* initialises sm.sched[k], which is zeroed */
	/* Returns the warp of the mask `warps` that is first in the order of scheduler k; the mask is not 0. */
	unsigned (*pick)(const struct sm *s, unsigned k, uint64_t warps);
	/* Returns the mask of the warps in `running` that scheduler k considers; NULL: all of them. */
	uint64_t (*considered)(const struct sm *s, unsigned k, uint64_t running);
	/*
	 * Runs a cycle of scheduler k. Returns a mask of enum sched_seen. NULL: the warp that pick() returns issues.
	 */
	unsigned (*cycle)(struct sm *s, unsigned k);
	/* true: pick is sched_pick_after_last(), and sm.last[k] is initially the slot before the first */
	bool rotates_from_last;
	/* true: visits warps until one issues; false: visits all before any issue */
	bool round_robin_visits;
	bool updates_when_idle; /* true if the policy's state changes even in a cycle without an issue */
	bool needs_longop;      /* true if the policy calls depend_waits_for_long_op() */
};

#define SCHED(name, argument, greedy, form) extern const struct sched_policy sched_##name;
#include "arch/sched.def"
#undef SCHED
extern const struct sched_policy *const sched_policies[N_SCHEDS];

/* Private state of scheduler k, as a pointer to the policy's struct `type`. */
#define SCHED_STATE(type, s, k) \
	((type *)(void *)((s)->sched[k].state + 0 * sizeof(char[sizeof(type) <= SCHED_BYTES ? 1 : -1])))

/*
 * Returns the mask of warps that are not waiting. A warp at a memory barrier waits until warp_is_waiting() clears it.
 */
static inline uint64_t sched_running_warps(const struct sm *s)
{
	return s->live & ~(s->done | s->at_barrier | s->membar | s->atomic_wait | s->dep_wait);
}

/*
 * Returns true if a live warp is waiting. First clears the warp's memory barrier if the awaited results have arrived.
 */
bool warp_is_waiting(struct sm *s, unsigned warp);
/*
 * Visits a live warp and issues one or two of its instructions, if possible (SM-sched-4). Returns their number. Sets
 * bits of enum sched_seen in *seen.
 */
unsigned sched_visit(struct sm *s, unsigned sched, unsigned warp, unsigned *seen);
/* Returns the mask of warps whose next instruction has no free slot in the pipeline register before its unit. */
uint64_t sched_blocked_warps(const struct sm *s);

/* sched_order.c: the cycle of policies without a cycle(), and orders for pick(). */
unsigned sched_default_cycle(struct sm *s, unsigned k);
unsigned sched_pick_oldest(const struct sm *s, uint64_t warps); /* `warps` must not be 0 */
static inline unsigned sched_pick_after_last(const struct sm *s, unsigned k, uint64_t warps)
{
	return bit_next_cyclic64(warps, (unsigned)s->last[k] + s->core->schedulers);
}

#endif
