/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many CTAs of a kernel fit on an SM, and the L1 size that follows (LAUNCH-limit, LAUNCH-l1).
 * Computed once per kernel, at the first query, which is when its first CTA is about to be placed.
 */
#include <stdlib.h>
#include "launch.h"

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* Shared memory that a CTA takes, with what the system keeps of it (LAUNCH-limit-5). */
static uint64_t shmem_of(const struct params *p, const struct kernel *k)
{
	return (uint64_t)k->head->shmem_bytes + p->modern.cta_shmem;
}

static uint32_t by_resources(const struct params *p, const struct kernel *k)
{
	const struct core_params *c = &p->core;
	uint32_t m = c->threads / k->padded_threads, regs = (k->head->nregs + 3) / 4 * 4;

	if (shmem_of(p, k))
		m = least(m, (uint32_t)(c->shmem_bytes / shmem_of(p, k)));
	if (k->head->nregs)
		m = least(m, c->registers / (k->padded_threads * regs));
	return least(m, c->max_ctas);
}

_Noreturn static void too_small(const struct params *p, const struct kernel *k)
{
	const struct core_params *c = &p->core;

	die_at((struct place){.file = k->path},
		"found a thread block that needs %u threads, %llu bytes of shared memory and %u registers, wanted at most %u, %u and %u (-gpgpu_shader_core_pipeline, -gpgpu_shmem_size, -gpgpu_shader_registers)",
		k->padded_threads, (unsigned long long)shmem_of(p, k),
		k->padded_threads * ((k->head->nregs + 3) / 4 * 4), c->threads, c->shmem_bytes, c->registers);
}

/*
 * LAUNCH-l1-1, in single precision as the original. quirk Q1-22: the count is the one reduced for
 * small grids, and lines keep their places in the array, wherever the new geometry finds them.
 */
static void resize_l1(struct gpu *g, const struct kernel *k, uint32_t ctas)
{
	const struct params *p = &g->params;
	const struct core_params *c = &p->core;
	uint64_t need = shmem_of(p, k) * ctas;
	enum alloc_policy alloc = c->l1d.alloc;
	uint32_t rows, i = 0;

	while (i < c->n_shmem_options && c->shmem_option_bytes[i] < need)
		i++;
	if (i == c->n_shmem_options)
		die_at((struct place){.file = k->path},
			"found %llu bytes of shared memory for %u CTAs, wanted at most the largest of -gpgpu_shmem_option",
			(unsigned long long)need, ctas);
	rows = params_l1_rows(p, c->shmem_option_bytes[i]);
	if (!rows)
		die_at((struct place){.file = k->path},
			"found a shared memory of %u KiB (-gpgpu_shmem_option), wanted one that leaves the L1 a part of the %u KiB of -gpgpu_unified_l1d_size",
			c->shmem_option_bytes[i] / 1024, c->unified_l1_kb);
	if (c->l1d.streaming)
		alloc = k->head->shmem_bytes ? ALLOC_ON_FILL : ALLOC_ON_MISS;
	for (i = 0; i < p->sms; i++)
		(p->modern.l1_ways ? cache_set_sets : cache_set_ways)(ldst_l1d(&g->sm[i]), rows, alloc);
}

uint32_t resources_limit(struct gpu *g, struct kernel *k)
{
	const struct params *p = &g->params;
	uint32_t most, m;

	if (k->cta_limit)
		return k->cta_limit;
	m = most = by_resources(p, k);
	if (k->n_ctas < (uint64_t)m * p->sms)
		m = (uint32_t)((k->n_ctas + p->sms - 1) / p->sms);
	if (!m) {
		if (!p->core.ignore_resources)
			too_small(p, k);
		return k->cta_limit = 1;
	}
	if (p->core.adaptive_l1)
		resize_l1(g, k, p->modern.cta_shmem ? most : m);
	return k->cta_limit = m;
}
