/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the counters of the timeline (gpu/timeline.h), and ends its file. */
#ifndef TIMELINE_COUNTERS_H
#define TIMELINE_COUNTERS_H

#include "gpu/timeline.h"

/* Takes a sample of all counters. */
void timeline_sample(struct timeline *t, struct gpu *g);
/* Cycle of the next sample. */
uint64_t timeline_due(const struct timeline *t);
/* Writes the counters and the slices of thread blocks that still run, ends the file and frees t. */
void timeline_end(struct timeline *t, struct gpu *g);

#endif
