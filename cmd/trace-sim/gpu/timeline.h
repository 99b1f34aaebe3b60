/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timeline (--timeline): Chrome trace events, which Perfetto and chrome://tracing open. A microsecond
 * there is a core cycle here. Tracks: process "kernels" has a thread for each stream, where a kernel is a
 * slice from its first thread block on and its launch latency one before, and the counters of the whole
 * machine, of each memory channel and of groups of SMs; process "SM n" has a thread for each CTA slot.
 *
 * Always true: events lie within 0 and the run's cycles; on a track they do not overlap. CTAs are shown of
 * some SMs, evenly spread. Counters are kept as running values at the ends of intervals; without a wanted
 * interval there are at most TIMELINE_SAMPLES of them: when they become more, every other one is dropped and
 * intervals are twice as long from then on. Nothing of the simulation depends on it.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdio.h>
#include "gpu/gpu.h"

#define TIMELINE_SAMPLES 4096u
#define TIMELINE_SMS     8u /* unless told otherwise */

struct timeline;

/* interval: core cycles, 0: see above. sms: how many to show. */
struct timeline *timeline_start(const struct gpu *g, FILE *out, uint64_t interval, uint32_t sms);
/* A thread block is placed; one has ended, end being the first cycle without it. */
void timeline_cta(struct timeline *t, uint64_t now, uint32_t sm, unsigned slot, const struct kernel *k);
void timeline_cta_end(struct timeline *t, uint64_t end, uint32_t sm, unsigned slot);
void timeline_kernel(struct timeline *t, const struct gpu *g, const struct kernel *k); /* finished */

#endif
