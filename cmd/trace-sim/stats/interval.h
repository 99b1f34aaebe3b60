/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --interval N: a record "interval" of all figures every N core cycles of a kernel, and one of what is left
 * at its end, so that a kernel's intervals add up to its own record. Nothing of the simulation depends on it.
 */
#ifndef INTERVAL_H
#define INTERVAL_H

#include "stats.h"

struct interval;

/* cycles: N, above 0. Records go to w, which stays the caller's. */
struct interval *interval_start(uint64_t cycles, struct record_writer *w);
uint64_t interval_due(const struct interval *n); /* cycle of the run at which the next record is made */
/*
 * A record of what was since the last, nothing when no cycle was; k is the kernel it is told of, NULL: none.
 */
void interval_record(struct interval *n, struct gpu *g, const struct kernel *k);
void interval_free(struct interval *n);

#endif
