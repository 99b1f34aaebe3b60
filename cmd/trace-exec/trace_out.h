/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a kernel's trace: see trace_out.c. */
#ifndef TRACE_OUT_H
#define TRACE_OUT_H

#include <stdio.h>
#include "bytes.h"
#include "exec/exec.h"
#include "machine/machine.h"
#include "pack.h"

/* Records executed instructions of a warp of PTX as lines. */
record_fn trace_out_write_line;
/* Returns the function that records a kernel's instructions; packed: for a packed stream. */
record_fn *trace_out_record_function(const struct func *kernel, bool packed);
/* Returns true if the launch is recorded as records, not as text. */
bool trace_out_has_records(const struct grid *g);

void trace_out_write_header(FILE *out, const struct grid *g, const struct occupancy *k);
void trace_out_write_block(FILE *out, const struct cta *c);
/*
 * Returns the static code for the records of a packed stream, to be freed by pack_code_free(), and appends the text of
 * the header to *header.
 */
struct pack_code trace_out_static_code(const struct grid *g, const struct occupancy *k, struct bytes *header);
/* Stores the lines that follow the block's id in text, for a block that is written as records. */
void trace_out_put_block_lines(char text[BLOCK_LINES], const struct cta *c);
/* Sets warp[] to the records of the block's warps, at most BLOCK_WARPS. They are valid as long as the block. */
void trace_out_fill_warps(const struct cta *c, struct pack_warp *warp);
#define BLOCK_WARPS 32u
/*
 * Writes the header to a packed stream, between pack_begin_kernel() and pack_end_kernel(). Sets *code to the static
 * code, to be freed by pack_code_free() after pack_end_kernel().
 */
void trace_out_write_packed_header(
	struct pack_writer *w, const struct grid *g, const struct occupancy *k, struct pack_code *code);
void trace_out_write_packed_block(struct pack_writer *w, const struct cta *c);

#endif
