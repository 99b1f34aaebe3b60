/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A launch: its thread blocks one after another.
 *
 * Always true: blocks end in the order of their numbers; a failure is that of the lowest block that failed.
 */
#include <stdlib.h>
#include "exec.h"

void grid_prepare(struct grid *g)
{
	const struct launch *l = g->l;
	const struct func *k = l->kernel;
	uint32_t fixed = k->shared_end;

	g->threads = l->block[0] * l->block[1] * l->block[2];
	g->warps = (g->threads + LANES - 1) / LANES;
	for (g->kernel = 0; g->code->prog->func[g->kernel] != k; g->kernel++)
		;
	if (fixed < g->code->prog->shared_end)
		fixed = g->code->prog->shared_end;
	g->shared_static = (fixed + 15) / 16 * 16;
	g->shared_bytes = l->dyn_shared ? g->shared_static + l->dyn_shared : fixed;
}

bool grid_run(struct grid *g, bool (*done)(void *ctx, struct cta *c), void *ctx)
{
	const struct launch *l = g->l;
	uint64_t n = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	struct cta *c;
	bool good = true;

	pthread_mutex_init(&g->lock, NULL);
	c = cta_new(g);
	for (uint64_t i = 0; good && i < n; i++)
		good = cta_run(c, i) && (!done || done(ctx, c));
	cta_free(c);
	pthread_mutex_destroy(&g->lock);
	return good;
}
