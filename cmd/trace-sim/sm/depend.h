/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of dependence rules: which instructions of a warp wait for which earlier ones (SM-score). A rule is
 * a row in arch/depend.def and a struct dependence_ops of that name; depend.c has the table.
 *
 * A rule maintains two public states: the warp's bit in sm.hazard, set exactly while its next instruction must
 * wait, and warp.n_reserved, the number of results to come, which fences and the end of a warp wait for. It may
 * use the sets warp.reserved and warp.longop, which are initially empty.
 * Always true of the calls: each reserved register is released, some more than once (quirk Q2-19). Calls for a
 * warp touch only that warp's SM, so SMs may run in parallel.
 */
#ifndef DEPEND_H
#define DEPEND_H

#include "scoreboard.h"
#include "sm.h"

struct dependence_ops {
	/* Sets the hazard bit of the warp, which has a new next instruction warp.head. */
	void (*look)(struct sm *s, unsigned warp);
	/*
	 * Reserves the destinations of u, which is issued. long_operation: u is one and the scheduler needs to
	 * know (sched_policy.needs_longop).
	 */
	void (*reserve)(struct sm *s, unsigned warp, const struct uop *u, bool long_operation);
	/* Releases register reg, which an earlier instruction has written. */
	void (*release)(struct sm *s, unsigned warp, unsigned reg);
	/*
	 * Releases all destinations of u, and its mark as a long operation. u is still counted in the pipeline;
	 * the caller tests afterwards whether the warp is drained.
	 */
	void (*release_all)(struct sm *s, unsigned warp, const struct uop *u);
	/* Returns whether the warp's next instruction waits for a long operation. */
	bool (*waits_long)(const struct sm *s, unsigned warp);
};

#define DEPENDENCE(name) extern const struct dependence_ops depend_##name;
#include "arch/depend.def"
#undef DEPENDENCE
extern const struct dependence_ops *const depend_rules[N_DEPENDENCES];

/* Calls inline the rule of the original. p: sm.warp[warp]. */
static inline void depend_update_hazard(struct sm *s, const struct warp *p, unsigned warp)
{
	if (s->depend == &depend_scoreboard)
		scoreboard_update_hazard(s, p, warp);
	else
		s->depend->look(s, warp);
}
static inline bool depend_waits_long(const struct sm *s, unsigned warp)
{
	return s->depend->waits_long(s, warp);
}
static inline void depend_reserve(
	struct sm *s, struct warp *p, unsigned warp, const struct uop *u, bool long_operation)
{
	if (s->depend == &depend_scoreboard)
		scoreboard_reserve(p, u, long_operation);
	else
		s->depend->reserve(s, warp, u, long_operation);
}
static inline void depend_release(struct sm *s, unsigned warp, unsigned reg)
{
	if (s->depend == &depend_scoreboard)
		scoreboard_release(s, warp, reg);
	else
		s->depend->release(s, warp, reg);
}
static inline void depend_release_all(struct sm *s, struct warp *p, unsigned warp, const struct uop *u)
{
	if (s->depend == &depend_scoreboard)
		scoreboard_release_all(s, p, warp, u);
	else
		s->depend->release_all(s, warp, u);
}

#endif
