/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profile records of the whole GPU (--profile): the profiles of all SMs (sm/profile.h), summed for each
 * kernel.
 */
#ifndef PROFILE_RECORD_H
#define PROFILE_RECORD_H

#include "gpu/gpu.h"
#include "record.h"

struct profile;

/*
 * Starts the profiles of all SMs of g. Writes records to w. interval: cycles between samples; 0: automatic.
 */
struct profile *profile_start(struct gpu *g, struct record_writer *w, uint64_t interval);
/* Cycle of the next sample, and a function that takes a sample (profile_interval.h). */
uint64_t profile_due(const struct profile *p);
void profile_sample(struct profile *p, struct gpu *g);
/*
 * Writes the record of finished kernel k. If k is NULL, only counts idle cycles. Called after gpu_sync() and
 * before the interval is folded.
 */
void profile_write_kernel(struct profile *p, struct gpu *g, const struct kernel *k);
/* Writes the "end" record. */
void profile_end(struct profile *p, struct gpu *g, const char *status, uint32_t kernels);
void profile_free(struct profile *p, struct gpu *g);

#endif
