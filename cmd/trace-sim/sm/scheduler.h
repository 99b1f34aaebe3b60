/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a warp scheduler policy is, and what policies share. Files: issue.c (the stage, one issue), policy.c
 * (the table), sched_*.c (one policy or one family a file). A policy is one row in arch/sched.def and one
 * struct sched_policy of that row's name.
 *
 * Always true: what a policy remembers of a scheduler is in its struct sched, which it alone knows; all else
 * that it decides by is masks, last and dynamic_id.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "sm.h"

/* What one scheduler met in one cycle; it decides the idle, scoreboard or stall bucket. */
enum sched_seen { SEEN_VALID = 1, SEEN_READY = 2, SEEN_ISSUED = 4 };

/* All functions but pick may be NULL. */
struct sched_policy {
	void (*init)(struct sm *s, unsigned k); /* struct sched is all zero before */
	/* Which of these warps (some) scheduler k looks at first. */
	unsigned (*pick)(const struct sm *s, unsigned k, uint64_t warps);
	/* Those of the running warps of scheduler k that it looks at; NULL: all. */
	uint64_t (*looked_at)(const struct sm *s, unsigned k, uint64_t running);
	/*
	 * One cycle of scheduler k, a mask of enum sched_seen; NULL: the warp that pick() names first issues.
	 */
	unsigned (*cycle)(struct sm *s, unsigned k);
	/* pick is sched_after_last(); the warp that issued last is at first a place before its own */
	bool rotates_from_last;
	bool in_turn;      /* looks at each warp only when its turn comes, not at all of them before any */
	bool updates_when_idle; /* a cycle without an issue changes what it remembers */
	bool needs_longop; /* asks for depend_waits_long() */
};

#define SCHED(name, argument, greedy, form) extern const struct sched_policy sched_##name;
#include "arch/sched.def"
#undef SCHED
extern const struct sched_policy *const sched_policies[N_SCHEDS];

/* What a policy remembers of scheduler k, as its own struct. */
#define SCHED_STATE(type, s, k) \
	((type *)(void *)((s)->sched[k].state + 0 * sizeof(char[sizeof(type) <= SCHED_BYTES ? 1 : -1])))

/* Warps that are not waiting; memory barriers that are due for clearing still count as waiting. */
static inline uint64_t sched_running(const struct sm *s)
{
	return s->live & ~(s->done | s->at_barrier | s->membar | s->atomic | s->dep_wait);
}

/* "waiting" of a live warp, as the original evaluates it: clears a memory barrier whose time has come. */
bool warp_waiting(struct sm *s, unsigned warp);
/* Visit a live warp: issue from it what can be (SM-sched-4). Returns how many; adds to *seen. */
unsigned sched_visit(struct sm *s, unsigned sched, unsigned warp, unsigned *seen);
/* Those whose next instruction finds no room in the pipeline register before its unit. */
uint64_t sched_blocked(const struct sm *s);

/* sched_order.c: the cycle of policies that have none of their own, and what others may pick by. */
unsigned sched_ordered(struct sm *s, unsigned k);
unsigned sched_oldest(const struct sm *s, uint64_t warps); /* of some */
static inline unsigned sched_after_last(const struct sm *s, unsigned k, uint64_t warps)
{
	return bit_next_cyclic64(warps, (unsigned)s->last[k] + s->core->schedulers);
}

#endif
