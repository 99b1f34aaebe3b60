/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of dependence rules. A rule decides when an instruction of a warp waits for an earlier one (SM-score). It
 * is a row in arch/depend.def and a struct dependence_ops of the same name; depend.c has the table.
 *
 * A rule maintains two states that other code reads. The warp's bit in sm.hazard is set exactly while its next
 * instruction must wait. warp.n_reserved is the number of outstanding results, for which fences and the end of a warp
 * wait. A rule may use the sets warp.reserved and warp.longop, which are initially empty.
 * Always true: each reserved register is released, some more than once (quirk Q2-19). A call for a warp changes only
 * the warp's SM, so SMs may run in parallel.
 */
#ifndef DEPEND_H
#define DEPEND_H

#include "scoreboard.h"
#include "sm.h"

struct dependence_ops {
	/* Updates the hazard bit of the warp after its next instruction, warp.head, has changed. */
	void (*update_hazard)(struct sm *s, unsigned warp);
	/*
	 * Reserves the destinations of u, which has issued. long_operation is true if u is a long operation and the
	 * scheduler distinguishes these (sched_policy.needs_longop).
	 */
	void (*reserve)(struct sm *s, unsigned warp, const struct uop *u, bool long_operation);
	/* Releases register reg after an earlier instruction has written it. */
	void (*release)(struct sm *s, unsigned warp, unsigned reg);
	/*
	 * Releases all destinations of u, and clears the marks of a long operation. warp.insts_in_pipe still counts u.
	 * The caller tests afterwards whether the warp is drained.
	 */
	void (*release_all)(struct sm *s, unsigned warp, const struct uop *u);
	/* Returns true if the warp's next instruction waits for a long operation. */
	bool (*waits_long)(const struct sm *s, unsigned warp);
};

#define DEPENDENCE(name) extern const struct dependence_ops depend_##name;
#include "arch/depend.def"
#undef DEPENDENCE
extern const struct dependence_ops *const depend_rules[N_DEPENDENCES];

/* Functions that call the SM's rule; the rule of the original is inlined. p is &s->warp[warp]. */
static inline void depend_update_hazard(struct sm *s, const struct warp *p, unsigned warp)
{
	if (s->depend == &depend_scoreboard)
		scoreboard_update_hazard(s, p, warp);
	else
		s->depend->update_hazard(s, warp);
}
static inline bool depend_waits_for_long_op(const struct sm *s, unsigned warp)
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
