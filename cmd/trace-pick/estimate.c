/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates times (--times auto) by a roofline of a GPU with 80 SMs of four schedulers, from the counts of the traces.
 * A kernel's time is the time of its busiest resource, plus a cost for the launch and for each wave of thread blocks.
 *
 * The estimate distinguishes kernels of one name; it is no figure to report. A constant share of sectors misses;
 * latencies are not simulated.
 */
#include <math.h>
#include "pick.h"

#define SMS        80.0
#define SCHEDULERS 4.0
#define LAUNCH     3000.0 /* cycles */
#define WAVE       600.0
#define BLOCKS     8.0  /* thread blocks of an SM at a time */
#define L2_SECTORS 64.0 /* a cycle, of the whole GPU */
#define DRAM_SHARE 0.5  /* sectors that miss in the L2 */
#define DRAM       20.0 /* sectors a cycle */
#define HEAVY      4.0  /* issue slots of an instruction of a slow unit */

static double estimate(const struct pick_kernel *k)
{
	double sectors = (double)(k->tally.loads + k->tally.stores + k->tally.local),
	       waves = ceil((double)k->blocks / (SMS * BLOCKS));
	double busy = (double)k->blocks < SMS ? fmax((double)k->blocks, 1) : SMS; /* SMs with work */
	double slow = (double)(k->tally.of_class[CLASS_DP] + k->tally.of_class[CLASS_SFU]) * (HEAVY - 1);
	double issue = ((double)k->insts + slow) / (busy * SCHEDULERS);
	double memory = fmax(sectors / L2_SECTORS, sectors * DRAM_SHARE / DRAM);

	memory = fmax(memory, ((double)k->tally.shared + 32 * (double)k->tally.atomics) / busy);
	return LAUNCH + WAVE * waves + fmax(issue, memory);
}

void estimate_times(struct app *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		a->kernel[i].time = estimate(&a->kernel[i]);
	a->timed = true;
}
