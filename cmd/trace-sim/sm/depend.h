/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a rule of dependence is: which instructions of a warp wait for which earlier ones (SM-score). A rule
 * is one row in arch/depend.def and one struct dependence_ops of that row's name; depend.c has the table.
 *
 * A rule keeps two things for all others to see: a warp's bit in sm.collide, set exactly while its next
 * instruction must wait, and warp.n_reserved, results to come of what it has issued, which fences and the end
 * of a warp wait for. It may use the sets warp.reserved and warp.longop, which are empty at first, for what
 * it likes.
 * Always true of the calls: what was reserved is released, some of it more than once (quirk Q2-19); the calls
 * for a warp are its own alone, so that SMs may run side by side.
 */
#ifndef DEPEND_H
#define DEPEND_H

#include "scoreboard.h"
#include "sm.h"

struct dependence_ops {
	/* The warp has a new next instruction, warp.head: must it wait? */
	void (*look)(struct sm *s, unsigned warp);
	/*
	 * u is issued; long_operation: it is one, and the scheduler asks for those
	 * (sched_policy.needs_longop).
	 */
	void (*reserve)(struct sm *s, unsigned warp, const struct uop *u, bool long_operation);
	/* Destination reg of an earlier instruction is written. */
	void (*release)(struct sm *s, unsigned warp, unsigned reg);
	/*
	 * All destinations of u are, and it is a long operation no more. It is about to leave the pipeline, and
	 * is in it still: whether that drains the warp is seen then.
	 */
	void (*release_all)(struct sm *s, unsigned warp, const struct uop *u);
	/* Does the warp's next instruction wait for a long operation? */
	bool (*waits_long)(const struct sm *s, unsigned warp);
};

#define DEPENDENCE(name) extern const struct dependence_ops depend_##name;
#include "arch/depend.def"
#undef DEPENDENCE
extern const struct dependence_ops *const depend_rules[N_DEPENDENCES];

/* The rule of the original is in place. p: sm.warp[warp], which callers have at hand. */
static inline void depend_look(struct sm *s, const struct warp *p, unsigned warp)
{
	if (s->depend == &depend_scoreboard)
		scoreboard_look(s, p, warp);
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
