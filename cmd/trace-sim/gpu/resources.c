/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the number of CTAs of a kernel that fit on an SM, and the resulting L1 size (LAUNCH-limit,
 * LAUNCH-l1). This is done once per kernel, before its first CTA is placed.
 */
#include <stdlib.h>
#include "launch.h"

/* Number of bytes of shared memory of a CTA, including the system's part (LAUNCH-limit-5). */
static uint64_t cta_shmem(const struct params *p, const struct kernel *k)
{
	return (uint64_t)k->head->shmem_bytes + p->modern.cta_shmem;
}

static uint32_t ctas_by_resources(const struct params *p, const struct kernel *k)
{
	const struct core_params *c = &p->core;
	uint32_t m = c->threads / k->padded_threads, regs = (k->head->nregs + 3) / 4 * 4;

	if (cta_shmem(p, k))
		m = min_u32(m, (uint32_t)(c->shmem_bytes / cta_shmem(p, k)));
	if (k->head->nregs)
		m = min_u32(m, c->registers / (k->padded_threads * regs));
	return min_u32(m, c->max_ctas);
}

_Noreturn static void die_cta_too_large(const struct params *p, const struct kernel *k)
{
	const struct core_params *c = &p->core;

	die_at((struct place){.file = k->path},
		"thread block does not fit on an SM: %u threads, %llu bytes of shared memory, %u registers (expected at most %u, %u and %u, of -gpgpu_shader_core_pipeline, -gpgpu_shmem_size, -gpgpu_shader_registers)",
		k->padded_threads, (unsigned long long)cta_shmem(p, k),
		k->padded_threads * ((k->head->nregs + 3) / 4 * 4), c->threads, c->shmem_bytes, c->registers);
}

/*
 * Sets the L1 size (LAUNCH-l1-1). `ctas` is the number of CTAs per SM. quirk Q1-22: for small grids this is
 * the reduced number. Cache lines keep their array positions when the geometry changes.
 */
static void resize_l1(struct gpu *g, const struct kernel *k, uint32_t ctas)
{
	const struct params *p = &g->params;
	const struct core_params *c = &p->core;
	uint64_t need = cta_shmem(p, k) * ctas;
	enum alloc_policy alloc = c->l1d.alloc;
	uint32_t rows, i = 0;

	while (i < c->n_shmem_options && c->shmem_option_bytes[i] < need)
		i++;
	if (i == c->n_shmem_options)
		die_at((struct place){.file = k->path},
			"%llu bytes of shared memory for %u CTAs exceed the largest of -gpgpu_shmem_option",
			(unsigned long long)need, ctas);
	rows = params_set_l1_rows(p, c->shmem_option_bytes[i]);
	if (!rows)
		die_at((struct place){.file = k->path},
			"a shared memory of %u KiB (-gpgpu_shmem_option) leaves nothing of the %u KiB of -gpgpu_unified_l1d_size to the L1",
			c->shmem_option_bytes[i] / 1024, c->unified_l1_kb);
	if (c->l1d.streaming)
		alloc = k->head->shmem_bytes ? ALLOC_ON_FILL : ALLOC_ON_MISS;
	for (i = 0; i < p->sms; i++)
		(p->modern.l1_ways ? cache_resize_sets : cache_set_ways)(ldst_l1d(&g->sm[i]), rows, alloc);
}

uint32_t resources_ctas_per_sm(struct gpu *g, struct kernel *k)
{
	const struct params *p = &g->params;
	uint32_t most, m;

	if (k->cta_limit)
		return k->cta_limit;
	m = most = ctas_by_resources(p, k);
	if (k->n_ctas < (uint64_t)m * p->sms)
		m = (uint32_t)((k->n_ctas + p->sms - 1) / p->sms);
	if (!m) {
		if (!p->core.ignore_resources)
			die_cta_too_large(p, k);
		return k->cta_limit = 1;
	}
	if (p->core.adaptive_l1 && !k->early)
		resize_l1(g, k, p->modern.cta_shmem ? most : m);
	return k->cta_limit = m;
}
