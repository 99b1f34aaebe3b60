/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates execution times (--times auto) from the counts of the traces, with a roofline model of a GPU that
 * has 80 SMs with four schedulers. The time of a kernel is the time of its busiest resource, plus a cost for
 * the launch, plus a cost for each wave of thread blocks.
 *
 * The estimate is only used to distinguish kernels of one name. It assumes that a constant share of sectors
 * misses, and ignores latencies.
 */
#include <math.h>
#include "pick.h"

#define SMS        80.0
#define SCHEDULERS 4.0
#define LAUNCH     3000.0 /* cycles */
#define WAVE       600.0
#define BLOCKS     8.0  /* number of resident thread blocks per SM */
#define L2_SECTORS 64.0 /* bandwidth of the L2 of the whole GPU, in sectors per cycle */
#define DRAM_SHARE 0.5  /* share of sectors that miss in the L2 */
#define DRAM       20.0 /* bandwidth of DRAM, in sectors per cycle */
#define HEAVY      4.0  /* number of issue slots that an instruction of a slow unit takes */

static double estimated_time(const struct pick_kernel *k)
{
	double sectors = (double)(k->tally.loads + k->tally.stores + k->tally.local),
	       waves = ceil((double)k->blocks / (SMS * BLOCKS));
	/* number of SMs with work */
	double busy = (double)k->blocks < SMS ? fmax((double)k->blocks, 1) : SMS;
	double slow = (double)(k->tally.of_class[CLASS_DP] + k->tally.of_class[CLASS_SFU]) * (HEAVY - 1);
	double issue = ((double)k->insts + slow) / (busy * SCHEDULERS);
	double memory = fmax(sectors / L2_SECTORS, sectors * DRAM_SHARE / DRAM);

	memory = fmax(memory, ((double)k->tally.shared + 32 * (double)k->tally.atomics) / busy);
	return LAUNCH + WAVE * waves + fmax(issue, memory);
}

void estimate_times(struct app *a)
{
	for (uint32_t i = 0; i < a->n_kernels; i++)
		a->kernel[i].time = estimated_time(&a->kernel[i]);
	a->has_times = true;
}
