/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of warp scheduler policies, and functions that policies share. Files: issue.c (the stage, one
 * issue), policy.c (the table), sched_*.c (one policy or family each). A policy is a row in arch/sched.def and
 * a struct sched_policy of that name.
 *
 * Always true: a policy's private state of a scheduler is in its struct sched. It also reads masks, last and
 * dynamic_id.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "sm.h"

/* Results of one cycle of a scheduler; they determine the kind of a cycle without an issue. */
enum sched_seen { SEEN_VALID = 1, SEEN_READY = 2, SEEN_ISSUED = 4 };

/* All functions but pick may be NULL. */
struct sched_policy {
	void (*init)(struct sm *s, unsigned k); /* struct sched is all zero before */
	/* Returns the first of these warps (at least one) in the order of scheduler k. */
	unsigned (*pick)(const struct sm *s, unsigned k, uint64_t warps);
	/* Returns the running warps that scheduler k considers; NULL: all. */
	uint64_t (*considered)(const struct sm *s, unsigned k, uint64_t running);
	/*
	 * Runs a cycle of scheduler k and returns a mask of enum sched_seen; NULL: the warp chosen by pick()
	 * issues.
	 */
	unsigned (*cycle)(struct sm *s, unsigned k);
	/* pick is sched_after_last(); initially the warp that issued last is the place before its first slot */
	bool rotates_from_last;
	bool round_robin_visits; /* visits warps one by one, instead of all of them before any issue */
	bool updates_when_idle;  /* the state changes even in a cycle without an issue */
	bool needs_longop;       /* calls depend_waits_long() */
};

#define SCHED(name, argument, greedy, form) extern const struct sched_policy sched_##name;
#include "arch/sched.def"
#undef SCHED
extern const struct sched_policy *const sched_policies[N_SCHEDS];

/* Private state of scheduler k, as the policy's own struct. */
#define SCHED_STATE(type, s, k) \
	((type *)(void *)((s)->sched[k].state + 0 * sizeof(char[sizeof(type) <= SCHED_BYTES ? 1 : -1])))

/* Warps that are not waiting. Memory barriers due for clearing still count as waiting. */
static inline uint64_t sched_running(const struct sm *s)
{
	return s->live & ~(s->done | s->at_barrier | s->membar | s->atomic | s->dep_wait);
}

/* Returns whether a live warp is "waiting", as in the original: clears a memory barrier whose time has come. */
bool warp_waiting(struct sm *s, unsigned warp);
/*
 * Visits a live warp and issues its instructions, if it can (SM-sched-4). Returns their number; adds to *seen.
 */
unsigned sched_visit(struct sm *s, unsigned sched, unsigned warp, unsigned *seen);
/* Warps whose next instruction has no free slot in the pipeline register before its unit. */
uint64_t sched_blocked(const struct sm *s);

/* sched_order.c: cycle of policies without one of their own, and orders for pick(). */
unsigned sched_ordered(struct sm *s, unsigned k);
unsigned sched_oldest(const struct sm *s, uint64_t warps); /* warps is not empty */
static inline unsigned sched_after_last(const struct sm *s, unsigned k, uint64_t warps)
{
	return bit_next_cyclic64(warps, (unsigned)s->last[k] + s->core->schedulers);
}

#endif
