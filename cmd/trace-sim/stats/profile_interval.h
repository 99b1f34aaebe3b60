/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of a profile over time, written as records "interval" (trace-stats(5)): stall reasons, issue and
 * occupancy of each SM, accesses to each L2 slice, bytes of each DRAM channel.
 *
 * Always true: the records cover the run from its first to its last cycle. Without a given length there are
 * at most PROFILE_SAMPLES samples: when there would be more, every other one is dropped and the length is
 * doubled.
 */
#ifndef PROFILE_INTERVAL_H
#define PROFILE_INTERVAL_H

#include "gpu/gpu.h"
#include "record.h"

#define PROFILE_SAMPLES 256u

struct profile_interval;

/* Starts sampling every `cycles` cycles; 0: automatic, by the length of the run. */
struct profile_interval *profile_interval_start(struct gpu *g, uint64_t cycles);
/* Cycle of the next sample. */
uint64_t profile_interval_due(const struct profile_interval *n);
void profile_interval_sample(struct profile_interval *n, struct gpu *g);
/* Takes the last sample and writes all records. */
void profile_interval_end(struct profile_interval *n, struct gpu *g, struct record_writer *w);
void profile_interval_free(struct profile_interval *n);

#endif
