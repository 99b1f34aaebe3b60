/* SPDX-License-Identifier: BSD-2-Clause */
/* Example of a dependence rule: an instruction waits for the results of all earlier instructions of its warp. */
#include "sm/depend.h"

static void in_turn_update_hazard(struct sm *s, unsigned warp)
{
	s->hazard &= ~(1ull << warp);
	if (s->warp[warp].n_reserved)
		s->hazard |= 1ull << warp;
}

static void in_turn_reserve(struct sm *s, unsigned warp, const struct uop *u, bool long_operation)
{
	depend_scoreboard.reserve(s, warp, u, long_operation);
}

static void in_turn_release(struct sm *s, unsigned warp, unsigned reg)
{
	depend_scoreboard.release(s, warp, reg);
	if (s->ibuf >> warp & 1)
		in_turn_update_hazard(s, warp);
}

static void in_turn_release_all(struct sm *s, unsigned warp, const struct uop *u)
{
	depend_scoreboard.release_all(s, warp, u);
	if (s->ibuf >> warp & 1)
		in_turn_update_hazard(s, warp);
}

static bool in_turn_waits_long(const struct sm *s, unsigned warp)
{
	return depend_scoreboard.waits_long(s, warp);
}

const struct dependence_ops depend_in_turn = {
	in_turn_update_hazard, in_turn_reserve, in_turn_release, in_turn_release_all, in_turn_waits_long};
