/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the counters of the whole GPU and passes them to the power module (trace-sim-power(7)).
 *
 * Always true: every call is made between two steps or windows, with all units at the same cycle.
 */
#ifndef POWER_READ_H
#define POWER_READ_H

#include "gpu/gpu.h"
#include "power/meter.h"

/* Starts the power model. Called after sm_init() of all SMs. `setup` must outlive g. */
void power_start(struct gpu *g, const struct power_setup *setup);
void power_end(struct gpu *g);
/* Records the power class of a new static instruction. */
void power_classify_code(struct gpu *g, uint32_t code);
/* Marks the floating-point instructions of a loaded PTX kernel. */
void power_mark_ptx_floats(struct kernel *k);
/* Takes a sample if one is due; called after a step or a window. */
void power_sample_if_due(struct gpu *g);
/* Updates the duty figures; called before and after steps are skipped. */
void power_update_duty(struct gpu *g);
/*
 * Updates the energies at the end of an interval. With `closes`, the end of the interval is the end of a
 * kernel.
 */
void power_update_energies(struct gpu *g, bool closes);
/* Reports the power of the statistics block of n kernels; called after power_update_energies(). */
void power_end_block(struct gpu *g, char *const *name, const uint32_t *uid, uint32_t n);
/* Cycle of the run at which the next sample is due. */
static inline uint64_t power_next_sample_cycle(const struct gpu *g)
{
	return g->power ? g->power->next_sample_at : UINT64_MAX;
}

#endif
