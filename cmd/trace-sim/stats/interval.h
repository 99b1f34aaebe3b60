/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --interval N: a record "interval" of the chosen figures every N core cycles of a kernel, and one for the rest at
 * its end, so that the intervals of a kernel add up to its own record. The simulation does not depend on it.
 */
#ifndef INTERVAL_H
#define INTERVAL_H

#include "stats.h"

struct interval;

/* Starts intervals of `cycles`, above 0. Writes figures that c chooses to w; the caller keeps both. */
struct interval *interval_start(uint64_t cycles, struct record_writer *w, struct figure_choice *c);
/* Cycle of the run at which the next record is due. */
uint64_t interval_due(const struct interval *n);
/*
 * Writes a record of the cycles since the last one, if there are any. k: kernel that the record names; NULL:
 * none.
 */
void interval_record(struct interval *n, struct gpu *g, const struct kernel *k);
void interval_free(struct interval *n);

#endif
