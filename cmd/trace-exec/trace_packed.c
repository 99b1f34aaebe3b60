/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces as packed streams: header and runs, without lines. In a file of its own because the library of --run
 * has no packed streams.
 */
#include <stdlib.h>
#include "bytes.h"
#include "trace_out.h"

struct pack_inst *trace_out_packed_header(
	struct pack_writer *w, const struct grid *g, const struct occupancy *k)
{
	uint32_t n = g->code->prog->n_insts;
	struct pack_inst *inst = xcalloc(n + 1, sizeof(*inst));
	struct bytes text = {0};
	FILE *f = bytes_stream(&text);

	trace_out_header(f, g, k);
	fclose(f);
	for (uint32_t i = 0; i < n; i++)
		inst[i] = (struct pack_inst){8 * i, g->code->op[i].memory ? g->code->op[i].bytes : 0};
	pack_records(w, text.p, text.n, inst, n);
	bytes_free(&text);
	return inst;
}

void trace_out_packed_block(struct pack_writer *out, const struct cta *c)
{
	struct pack_warp warp[32];

	for (uint32_t i = 0; i < c->n_warps; i++) {
		struct warp *w = &c->warp[i];
		const struct recording *t = &w->packed;

		trace_out_end_run(&w->packed);
		warp[i] = (struct pack_warp){
			t->run, t->more, t->word, w->out.p, t->n_runs, t->n_more, t->n_words, w->out.n};
	}
	pack_block(out, c->id, warp, c->n_warps);
}
