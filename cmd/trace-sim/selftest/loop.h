/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a bandwidth program as a compiler schedules it: loads far ahead of the sums that use them, all
 * of them complete before the loop branches, with matching control codes.
 *
 * A pass reads each row of a buffer once. The program asks the compiler to unroll several short passes, or a
 * part of a long one, into a turn; the code of all turns is the same. The order of loads and sums within a
 * turn follows a few rules, derived from code that nvcc 13.0 built for compute capabilities 8.0 and 9.0. A
 * turn resembles compiled code but does not equal it.
 */
#ifndef SELFTEST_LOOP_H
#define SELFTEST_LOOP_H

#include "cubin.h"
#include "selftest/micro.h"

struct loop {
	uint32_t pass;       /* rows of a pass; a row is one load of a warp, or a pair of loads */
	uint32_t total;      /* rows of the whole program, in whole turns */
	uint32_t start_rows; /* rows between the first SM and the last */
	uint32_t word;       /* bytes of a lane's load, 4 or 8 */
	bool pairs;          /* each row has a second one, one pass further, and the two are multiplied */
};

/* Rows of one turn of the loop. */
uint32_t loop_turn(const struct loop *l);
/* body() of a micro whose arg is a struct loop. */
void loop_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp);
/* Control codes of a micro with loop_body(). Caller deletes them. */
struct cubins *loop_codes(const struct micro *m);

#endif
