/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resources in use on each SM, for kernels that share SMs (LAUNCH-place-5): concurrent kernels, and kernels of a
 * programmatic launch that started early (HOPPER-pdl-1).
 */
#include <stdlib.h>
#include "arena.h"
#include "launch.h"

bool occupied_is_in_use(const struct gpu *g) { return g->params.concurrent_kernels || g->launch->n_early; }

static uint32_t registers_of_cta(const struct kernel *k)
{
	return k->padded_threads * ((k->head->nregs + 3) / 4 * 4);
}

/* Returns the first of `padded` consecutive free threads of an SM; -1: there are none. */
static int find_free_thread_range(const struct gpu *g, const struct occupied *o, uint32_t padded)
{
	uint32_t threads = g->params.core.threads;

	for (uint32_t start = 0; start < threads && start + padded <= threads; start += padded) {
		uint32_t i = 0;

		while (i < padded && !bitset_test(o->thread, start + i))
			i += 32;
		if (i >= padded)
			return (int)start;
	}
	return -1;
}

bool occupied_fits(const struct gpu *g, const struct sm *s, const struct kernel *k, int *first)
{
	const struct core_params *c = &g->params.core;
	const struct occupied *o = &g->launch->occupied[s->id];

	if (o->threads + k->padded_threads > c->threads)
		return false;
	*first = find_free_thread_range(g, o, k->padded_threads);
	return *first >= 0 && o->shmem + k->head->shmem_bytes <= c->shmem_bytes &&
	       o->regs + registers_of_cta(k) <= c->registers && o->ctas + 1 <= c->max_ctas;
}

/* Adds the resources of a CTA of k to the resources in use on an SM, or subtracts them if `take` is false. */
static void update_resources_in_use(
	struct gpu *g, uint32_t sm, const struct kernel *k, uint32_t first, bool take)
{
	struct occupied *o = &g->launch->occupied[sm];
	uint32_t sign = take ? 1u : UINT32_MAX; /* 1, or -1 modulo 2^32 */

	for (uint32_t i = 0; i < k->padded_threads; i++)
		if (take)
			bitset_set(o->thread, first + i);
		else
			bitset_clear(o->thread, first + i);
	o->threads += sign * k->padded_threads;
	o->shmem += sign * k->head->shmem_bytes;
	o->regs += sign * registers_of_cta(k);
	o->ctas += sign;
}

void occupied_take(struct gpu *g, uint32_t sm, const struct kernel *k, uint32_t first)
{
	update_resources_in_use(g, sm, k, first, true);
}

void occupied_release(struct gpu *g, uint32_t sm, const struct kernel *k, uint32_t first)
{
	update_resources_in_use(g, sm, k, first, false);
}

void occupied_count(struct gpu *g)
{
	struct launch *l = g->launch;

	free(l->occupied);
	l->occupied = xcalloc(g->params.sms, sizeof(*l->occupied));
	for (uint32_t i = 0; i < g->params.sms; i++)
		for (uint32_t slot = 0; slot < MAX_CTAS; slot++) {
			const struct cta *c = &g->sm[i].cta[slot];

			if (c->kernel)
				occupied_take(g, i, c->kernel, c->first_thread);
		}
}
