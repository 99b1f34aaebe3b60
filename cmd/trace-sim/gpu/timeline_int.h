/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timeline while it is written: what gpu/timeline.c, which is told of thread blocks and kernels, and
 * stats/timeline_counters.c, which reads the machine's counters, share. For the two alone.
 */
#ifndef TIMELINE_INT_H
#define TIMELINE_INT_H

#include "gpu/timeline.h"

#define PID_KERNELS 1u
#define PID_SM      2u  /* of SM 0 */
#define SM_GROUPS   8u  /* at most: neighbours, whose instructions are counted together */
#define PART_TEXT   64u /* bytes of "SM 100-107":1.23457e-05, at most */

/* Running values, but for the warps. Those by channel and by group of SMs stand in timeline.part. */
struct timeline_sample {
	uint64_t cycle, insts, l1, l1_miss, l2, l2_miss, dram_bytes, flits_out, flits_in;
	uint32_t warps;
};

struct open_cta {
	uint64_t start;
	uint64_t id;
	uint32_t kernel;
}; /* kernel 0: none */

struct open_kernel {
	uint32_t uid;
	uint64_t first; /* cycle of its first thread block */
	char *name;     /* as JSON has it */
};

struct timeline {
	FILE *out;
	bool fixed; /* the interval was given */
	uint64_t interval, due;
	uint64_t *shown;                  /* bit set of SMs */
	struct open_cta (*cta)[MAX_CTAS]; /* by SM */
	uint32_t *slot_named;             /* by SM: bit set of CTA slots */
	bool stream_named[MAX_STREAMS];
	struct open_kernel *kernel;
	uint32_t n_kernels, cap_kernels;
	struct timeline_sample *sample;
	uint32_t n_samples, cap_samples;
	uint32_t channels, groups;
	uint64_t *part; /* by sample: DRAM bytes by channel, thread instructions by group of SMs */
	uint32_t cap_part;
	char *text, *by_channel, *by_group; /* room for such a counter's values, and those written last */
};

/* One more sample, with nothing in it. */
struct timeline_sample *timeline_new_sample(struct timeline *t);
/* The slices of thread blocks that still run at the end. */
void timeline_close(struct timeline *t, uint32_t sms, uint64_t end);
void timeline_free(struct timeline *t);

#endif
