/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the schedulers share (part 2 section 5). Files: issue.c (the stage, one issue), sched_order.c (lrr,
 * gto, old, warp_limiting), sched_two_level.c, sched_rrr.c.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "sm.h"

/* What one scheduler met in one cycle; it decides the idle, scoreboard or stall bucket. */
enum seen { SEEN_VALID = 1, SEEN_READY = 2, SEEN_ISSUED = 4 };

/* Warps that are not waiting; memory barriers that are due for clearing still count as waiting. */
static inline uint64_t sched_running(const struct sm *s)
{
	return s->live & ~(s->done | s->at_barrier | s->membar | s->atomic | s->dep_wait);
}

/* "waiting" of a live warp, as the original evaluates it: clears a memory barrier whose time has come. */
bool warp_waiting(struct sm *s, unsigned warp);
/* Visit a live warp: issue from it what can be (section 5.3). Returns how many; adds to *seen. */
unsigned sched_visit(struct sm *s, unsigned sched, unsigned warp, unsigned *seen);
/* warp_limiting: those of the running warps of scheduler k that it looks at. */
uint64_t sched_limit(const struct sm *s, unsigned k, uint64_t running);

/* Those whose next instruction finds no room in the pipeline register before its unit. */
uint64_t sched_blocked(const struct sm *s);
/* lrr, gto, old, warp_limiting: the one of these warps that scheduler k looks at first. */
unsigned sched_pick(const struct sm *s, unsigned k, uint64_t warps);

/* One cycle of scheduler k by each policy; the result is a mask of enum seen. */
unsigned sched_ordered(struct sm *s, unsigned k);
unsigned sched_two_level(struct sm *s, unsigned k);
unsigned sched_rrr(struct sm *s, unsigned k);
void sched_two_level_init(struct sm *s, unsigned k);

#endif
