/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters on the timeline (gpu/timeline.h), and its end. */
#ifndef TIMELINE_COUNTERS_H
#define TIMELINE_COUNTERS_H

#include "gpu/timeline.h"

void timeline_sample(struct timeline *t, struct gpu *g);
uint64_t timeline_due(const struct timeline *t);      /* cycle of the next sample */
void timeline_end(struct timeline *t, struct gpu *g); /* counters, what is still open; frees t */

#endif
