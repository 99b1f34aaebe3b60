/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a kernel's trace: see trace_out.c. */
#ifndef TRACE_OUT_H
#define TRACE_OUT_H

#include <stdio.h>
#include "exec/exec.h"

/* What ptxas says of a kernel; 0: no limit. */
struct occupancy {
	uint32_t regs, shared;
};

void trace_out_header(FILE *out, const struct grid *g, const struct occupancy *k);
void trace_out_block(FILE *out, const struct cta *c);

#endif
