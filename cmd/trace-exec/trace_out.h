/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a kernel's trace: see trace_out.c. */
#ifndef TRACE_OUT_H
#define TRACE_OUT_H

#include <stdio.h>
#include "exec/exec.h"
#include "pack.h"

/* What a grid keeps of its warps: lines, or records for a packed stream. */
record_fn trace_out_line, trace_out_record;

void trace_out_header(FILE *out, const struct grid *g, const struct occupancy *k);
void trace_out_block(FILE *out, const struct cta *c);
/* The last run gets its length. */
void trace_out_end_run(struct recording *t);
/*
 * The same to a packed stream, between pack_begin and
 * pack_end. NULL or the static code, which the caller frees.
 */
struct pack_inst *trace_out_packed_header(
	struct pack_writer *w, const struct grid *g, const struct occupancy *k);
void trace_out_packed_block(struct pack_writer *w, const struct cta *c);

#endif
