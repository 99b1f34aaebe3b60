/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of the number of a warp's registers (HOPPER-maxreg). Registers that a warp gives up are free for the other
 * warps of its thread block in the same sub-core.
 *
 * Always true: the warps of a thread block in a sub-core never have more registers than at its start. No count of free
 * registers is stored: it is the difference between these two numbers.
 */
#include "core/core.h"
#include "sm/kernel.h"

/* Returns the mask of the warps of w's thread block in w's sub-core. */
static uint64_t warps_of_pool(const struct sm *s, unsigned w)
{
	const struct cta *k = &s->cta[s->warp[w].cta];
	uint64_t set = 0;

	FOR_BITS64 (i, k->warps)
		if (s->modern->warp[i].sub == s->modern->warp[w].sub)
			set |= 1ull << i;
	return set;
}

/* Returns the number of free registers per lane. */
static uint32_t count_free_registers(const struct sm *s, uint64_t pool, uint32_t at_start)
{
	uint32_t used = 0;

	FOR_BITS64 (i, pool)
		used += s->modern->warp[i].registers;
	return bit_count64(pool) * at_start - used;
}

/* Gives w this number of registers if they are free. */
static bool take_registers(struct sm *s, unsigned w, uint32_t registers)
{
	struct core_warp *cw = core_warp_of(s, w);
	uint32_t at_start = core_round_registers(s->cta[s->warp[w].cta].kernel->head->nregs);

	if (registers > cw->registers &&
		registers - cw->registers > count_free_registers(s, warps_of_pool(s, w), at_start))
		return false;
	cw->registers = registers;
	return true;
}

/* Lets the warps that wait for registers of w's pool continue, from the lowest number on, if enough are free. */
static void serve_waiting_warps(struct sm *s, unsigned w)
{
	if (!s->maxreg_wait)
		return;
	FOR_BITS64 (i, s->maxreg_wait & warps_of_pool(s, w)) {
		if (!take_registers(s, (unsigned)i, core_warp_of(s, (unsigned)i)->wanted_registers))
			continue;
		s->maxreg_wait &= ~(1ull << i);
		core_sync_release_warp(s, (unsigned)i, s->clock + 1);
	}
}

bool core_maxreg_change(struct sm *s, unsigned w, uint32_t registers)
{
	if (!take_registers(s, w, registers)) {
		core_warp_of(s, w)->wanted_registers = registers;
		s->maxreg_wait |= 1ull << w;
		return false;
	}
	serve_waiting_warps(s, w);
	return true;
}

void core_maxreg_warp_exit(struct sm *s, unsigned w)
{
	core_warp_of(s, w)->registers = 0;
	s->maxreg_wait &= ~(1ull << w);
	serve_waiting_warps(s, w);
}
