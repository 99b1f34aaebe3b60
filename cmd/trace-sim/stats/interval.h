/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --interval N: writes a record "interval" with the chosen figures every N core cycles of a kernel, and one for the
 * remaining cycles at its end. So the figures of a kernel's intervals add up to those of the kernel. The simulation
 * does not depend on this option.
 */
#ifndef INTERVAL_H
#define INTERVAL_H

#include "stats.h"

struct interval;

/*
 * Starts intervals of `cycles` cycles (above 0). Records are written to w and have the figures that c
 * selects. The caller owns w and c.
 */
struct interval *interval_start(uint64_t cycles, struct record_writer *w, struct figure_choice *c);
/* Cycle of the run at which the next record is due. */
uint64_t interval_due(const struct interval *n);
/*
 * Writes a record of the cycles since the last record, if there are any. k: kernel that the record names;
 * NULL: none.
 */
void interval_record(struct interval *n, struct gpu *g, const struct kernel *k);
void interval_free(struct interval *n);

#endif
