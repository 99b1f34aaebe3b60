/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a kernel's trace: see trace_out.c. */
#ifndef TRACE_OUT_H
#define TRACE_OUT_H

#include <stdio.h>
#include "exec/exec.h"
#include "pack.h"

/* What ptxas says of a kernel; 0: no limit. */
struct occupancy {
	uint32_t regs, shared;
};

#define TRACE_LINE_ROOM 1024u /* bytes of a line, at most */

/* Parts of lines, for lower/: what stands behind them. A mask has 8 digits; addresses of the lanes of m, a blank first. */
char *trace_out_mask(char *p, uint32_t mask);
char *trace_out_number(char *p, int64_t v);
char *trace_out_addresses(char *p, const uint64_t *a, uint32_t m);

void trace_out_header(FILE *out, const struct grid *g, const struct occupancy *k);
void trace_out_block(FILE *out, const struct cta *c);
/* The same to a packed stream, between pack_begin and pack_end. NULL or the static code, which the caller frees. */
struct pack_inst *trace_out_packed_header(
	struct pack_writer *w, const struct grid *g, const struct occupancy *k);
void trace_out_packed_block(struct pack_writer *w, const struct cta *c);

#endif
