/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a kernel's trace: see trace_out.c. */
#ifndef TRACE_OUT_H
#define TRACE_OUT_H

#include <stdio.h>
#include "bytes.h"
#include "exec/exec.h"
#include "pack.h"

/* Record executed instructions of a warp as lines, or as records of a packed stream. */
record_fn trace_out_line, trace_out_record;

void trace_out_header(FILE *out, const struct grid *g, const struct occupancy *k);
void trace_out_block(FILE *out, const struct cta *c);
/*
 * Returns the static code for the records of a packed stream, which the caller frees, and appends the text of the
 * header to *header.
 */
struct pack_inst *trace_out_code(const struct grid *g, const struct occupancy *k, struct bytes *header);
/* Sets warp[] to the records of the block's warps, at most BLOCK_WARPS, valid as long as the block. */
void trace_out_warps(const struct cta *c, struct pack_warp *warp);
#define BLOCK_WARPS 32u
/*
 * Writes the header to a packed stream, between pack_begin_kernel and pack_end_kernel. Returns the static code; the caller
 * frees it.
 */
struct pack_inst *trace_out_packed_header(
	struct pack_writer *w, const struct grid *g, const struct occupancy *k);
void trace_out_packed_block(struct pack_writer *w, const struct cta *c);

#endif
