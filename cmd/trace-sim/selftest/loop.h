/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a bandwidth program, scheduled as by a compiler. Loads issue long before the sums that use
 * them. All loads complete before the loop branches. The control codes match this schedule.
 *
 * A pass reads each row of a buffer once. A turn is one iteration of the unrolled loop: several short passes,
 * or a part of a long pass. All turns have the same code. The order of loads and sums within a turn follows a
 * few rules, which are derived from code that nvcc 13.0 generated for compute capabilities 8.0 and 9.0. A
 * turn resembles compiled code but does not equal it.
 */
#ifndef SELFTEST_LOOP_H
#define SELFTEST_LOOP_H

#include "cubin.h"
#include "selftest/micro.h"

struct loop {
	uint32_t rows_per_pass; /* number of rows in a pass; a row is one load, or a pair of loads, of a warp */
	uint32_t total_rows;    /* number of rows that a warp reads in the whole run */
	uint32_t start_rows;    /* maximum distance between the rows at which two SMs start */
	uint32_t load_bytes;    /* size of a lane's load: 4 or 8 bytes */
	bool pairs;             /* true if each row is multiplied by the same row of the next pass */
};

/* Number of rows in one turn of the loop. */
uint32_t loop_turn_rows(const struct loop *l);
/* Writes the instructions of a warp: the body() of a struct micro whose arg is a struct loop. */
void loop_write_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp);
/* Returns the control codes of the instructions that loop_write_body() writes. The caller frees them. */
struct cubins *loop_codes(const struct micro *m);

#endif
