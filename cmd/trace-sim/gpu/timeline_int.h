/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of the timeline. Only for gpu/timeline.c, which writes thread blocks and kernels, and
 * stats/timeline_counters.c, which samples the counters of the GPU.
 */
#ifndef TIMELINE_INT_H
#define TIMELINE_INT_H

#include "gpu/timeline.h"

#define PID_KERNELS 1u
#define PID_SM      2u  /* process id of SM 0 in the trace */
#define SM_GROUPS   8u  /* maximum number of groups of neighbouring SMs; instructions are counted per group */
#define PART_TEXT   64u /* maximum length of the text of a value, for example "SM 100-107":1.23457e-05, */

/*
 * Counters since the start of the run; `warps` is the current number. timeline.part_values has the values of
 * channels and groups of SMs.
 */
struct timeline_sample {
	uint64_t cycle, insts, l1_accesses, l1_misses, l2_accesses, l2_misses, dram_bytes, flits_out,
		flits_in;
	uint32_t warps;
};

struct open_cta {
	uint64_t start; /* cycle of the CTA's placement */
	uint64_t id;
	uint32_t kernel; /* uid of the kernel; 0 if the slot has no CTA */
};

struct open_kernel {
	uint32_t uid;
	uint64_t start_cycle; /* cycle of the kernel's first thread block */
	char *name;           /* name of the kernel as a quoted JSON string */
};

struct timeline {
	FILE *out;
	bool interval_given;              /* true if the interval was given and so does not change */
	uint64_t interval;                /* cycles between samples */
	uint64_t next_sample_at;          /* cycle of the next sample */
	uint64_t *shown;                  /* set of the SMs that have tracks in the timeline */
	struct open_cta (*cta)[MAX_CTAS]; /* running CTAs by SM and slot */
	uint32_t *named_slots;            /* set of the CTA slots of each SM whose names have been written */
	bool is_stream_named[MAX_STREAMS];
	struct open_kernel *kernel;
	uint32_t n_kernels, cap_kernels;
	struct timeline_sample *sample;
	uint32_t n_samples, cap_samples;
	uint32_t channels;     /* number of memory channels */
	uint32_t groups;       /* number of groups of SMs */
	uint64_t *part_values; /* for each sample, values of the channels and of the groups of SMs */
	uint32_t cap_part_values;
	char *text;       /* buffer for the values of a counter */
	char *by_channel; /* values last written, by memory channel */
	char *by_group;   /* values last written, by group of SMs */
};

/* Appends a zeroed sample. */
struct timeline_sample *timeline_new_sample(struct timeline *t);
/* Writes the slices of thread blocks that are still running at `end`, the end of the run. */
void timeline_close(struct timeline *t, uint32_t sms, uint64_t end);
void timeline_free(struct timeline *t);

#endif
