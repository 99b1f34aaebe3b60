/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a bandwidth program as a compiler schedules it: loads far ahead of the sums that take them, all
 * of them back before the loop jumps, with the control codes that say so.
 *
 * A pass reads each row of a buffer once. The program asks the compiler for turns of several short passes or
 * of a part of a long one; a turn's code is the same each time. How loads and sums lie in a turn was read off
 * such code, built by nvcc 13.0 for compute capabilities 8.0 and 9.0, and is made here by a few rules, so a
 * turn is like the compiled one, not equal to it.
 */
#ifndef SELFTEST_LOOP_H
#define SELFTEST_LOOP_H

#include "cubin.h"
#include "selftest/micro.h"

struct loop {
	uint32_t pass;  /* rows of a pass: loads of a warp, or pairs of them */
	uint32_t total; /* rows altogether, whole turns */
	uint32_t apart; /* rows between the first SM and the last */
	uint32_t word;  /* bytes of a lane's load, 4 or 8 */
	bool pairs;     /* each row has a second one, a pass further on, and both are multiplied */
};

/* Rows of one turn of the loop. */
uint32_t loop_turn(const struct loop *l);
/* body() of a micro whose what is a struct loop. */
void loop_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp);
/* The control codes of its kernel, the caller's. */
struct cubins *loop_codes(const struct micro *m);

#endif
