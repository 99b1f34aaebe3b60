/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces as packed streams: header and runs, without lines. They have a file of their own because the library
 * of --run does not contain the packer.
 */
#include "trace_out.h"

void trace_out_write_packed_header(
	struct pack_writer *w, const struct grid *g, const struct occupancy *k, struct pack_code *code)
{
	struct bytes text = {0};

	*code = trace_out_static_code(g, k, &text);
	pack_begin_records(w, text.p, text.n, code);
	bytes_free(&text);
}

void trace_out_write_packed_block(struct pack_writer *out, const struct cta *c)
{
	struct pack_warp warp[BLOCK_WARPS];
	char lines[BLOCK_LINES];

	trace_out_put_block_lines(lines, c);
	trace_out_fill_warps(c, warp);
	pack_block(out, c->id, lines, warp, c->n_warps);
}
