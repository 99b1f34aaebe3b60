/* SPDX-License-Identifier: BSD-2-Clause */
/* Example of a dependence rule: an instruction waits for the results of all earlier instructions of its warp. */
#include "sm/depend.h"

static void look(struct sm *s, unsigned warp)
{
	s->hazard &= ~(1ull << warp);
	if (s->warp[warp].n_reserved)
		s->hazard |= 1ull << warp;
}

static void reserve(struct sm *s, unsigned warp, const struct uop *u, bool long_operation)
{
	depend_scoreboard.reserve(s, warp, u, long_operation);
}

static void release(struct sm *s, unsigned warp, unsigned reg)
{
	depend_scoreboard.release(s, warp, reg);
	if (s->ibuf >> warp & 1)
		look(s, warp);
}

static void release_all(struct sm *s, unsigned warp, const struct uop *u)
{
	depend_scoreboard.release_all(s, warp, u);
	if (s->ibuf >> warp & 1)
		look(s, warp);
}

static bool waits_long(const struct sm *s, unsigned warp) { return depend_scoreboard.waits_long(s, warp); }

const struct dependence_ops depend_in_turn = {look, reserve, release, release_all, waits_long};
