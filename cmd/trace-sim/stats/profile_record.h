/* SPDX-License-Identifier: BSD-2-Clause */
/* Profile records of a whole machine (--profile): what the SMs' profiles (sm/profile.h) say of a kernel. */
#ifndef PROFILE_RECORD_H
#define PROFILE_RECORD_H

#include "gpu/gpu.h"
#include "record.h"

struct profile;

/* Every SM of g is profiled from now on; records go to w. */
struct profile *profile_start(struct gpu *g, struct record_writer *w);
/* The record of a finished kernel; the machine is synchronised, the interval not folded. */
void profile_kernel(struct profile *p, struct gpu *g, const struct kernel *k);
void profile_end(struct profile *p, struct gpu *g, const char *status, uint32_t kernels);
void profile_free(struct profile *p, struct gpu *g);

#endif
