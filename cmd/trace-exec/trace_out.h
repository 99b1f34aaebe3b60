/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a kernel's trace: see trace_out.c. */
#ifndef TRACE_OUT_H
#define TRACE_OUT_H

#include <stdio.h>
#include "exec/exec.h"
#include "pack.h"

/* Record executed instructions of a warp as lines, or as records of a packed stream. */
record_fn trace_out_line, trace_out_record;

void trace_out_header(FILE *out, const struct grid *g, const struct occupancy *k);
void trace_out_block(FILE *out, const struct cta *c);
/* Sets the length of the last run. */
void trace_out_end_run(struct recording *t);
/* Writes the header to a packed stream, between pack_begin and pack_end. Returns the static code; the caller frees it. */
struct pack_inst *trace_out_packed_header(
	struct pack_writer *w, const struct grid *g, const struct occupancy *k);
void trace_out_packed_block(struct pack_writer *w, const struct cta *c);

#endif
