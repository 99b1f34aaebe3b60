/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PREEXIT and ACQBULK: the dependence between kernels of a programmatic launch (HOPPER-pdl). gpu/dependent.c starts
 * and releases kernels; this file executes the instructions on an SM.
 */
#include "core/core.h"
#include "sm/kernel.h"

void grid_execute_preexit(struct sm *s, unsigned w)
{
	struct cta *c = &s->cta[s->warp[w].cta];

	if (!c->preexited && c->kernel->dependent)
		s->ended[s->n_ended++] = (uint8_t)(s->warp[w].cta | CTA_PREEXITED);
	c->preexited = true;
}

bool grid_start_wait(struct sm *s, unsigned w)
{
	if (!s->cta[s->warp[w].cta].kernel->held)
		return false;
	s->grid_wait |= 1ull << w;
	return true;
}

void grid_end_waits(struct sm *s, const struct kernel *k, uint64_t now)
{
	uint64_t warps = 0;

	for (unsigned slot = 0; s->grid_wait && slot < MAX_CTAS; slot++)
		if (s->cta[slot].kernel == k)
			warps |= s->grid_wait & s->cta[slot].warps;
	if (!warps)
		return;
	sm_flush_counters(s, now);
	s->grid_wait &= ~warps;
	if (!s->modern)
		s->dep_wait &= ~warps;
	else
		FOR_BITS64 (w, warps)
			core_sync_release_warp(s, (unsigned)w, s->clock + 1);
	s->changed = true;
	sm_wake(s);
}
