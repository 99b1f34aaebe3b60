/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timeline (--timeline): Chrome trace events, which Perfetto and chrome://tracing open. One microsecond
 * of the file is one core cycle. Process "kernels" has a thread per stream. Each kernel has a slice there
 * that begins at its first thread block, preceded by a slice for its launch latency. The process also has the
 * counters of the whole GPU, of each memory channel and of groups of SMs. Process "SM n" has a thread per CTA
 * slot.
 *
 * Always true: all events are between cycle 0 and the last cycle of the run. The events of a track do not
 * overlap. CTAs are shown for some evenly spaced SMs. Counters are sampled at the ends of intervals. Without
 * a given interval there are at most TIMELINE_SAMPLES samples: before that number is exceeded, every other
 * sample is dropped and the interval is doubled. The simulation does not depend on the timeline.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdio.h>
#include "gpu/gpu.h"

#define TIMELINE_SAMPLES 4096u
#define TIMELINE_SMS     8u /* default value of --timeline-sms */

struct timeline;

/*
 * Starts the timeline. `interval` is in core cycles; 0 means automatic. `sms` is the number of SMs to show.
 */
struct timeline *timeline_start(const struct gpu *g, FILE *out, uint64_t interval, uint32_t sms);
/* Record the placement and the end of a thread block. `end` is the first cycle without the block. */
void timeline_begin_cta(struct timeline *t, uint64_t now, uint32_t sm, unsigned slot, const struct kernel *k);
void timeline_end_cta(struct timeline *t, uint64_t end, uint32_t sm, unsigned slot);
/* Writes the slices of a finished kernel. */
void timeline_write_kernel(struct timeline *t, const struct gpu *g, const struct kernel *k);

#endif
