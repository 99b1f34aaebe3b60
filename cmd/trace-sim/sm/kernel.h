/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loaded kernel (LAUNCH-loop): the state that its launch, its thread blocks on the SMs and the timeline need.
 * Always true: only gpu/launch.c creates and frees it. It does not change while an SM runs.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "trace.h"

struct core_control;

/* --sample-blocks: completion rate of thread blocks (gpu/sample.c). */
#define SAMPLE_WAVES 8u
struct sample_wave {
	double cycles_per_block; /* cycles per thread block */
	/* lines filled into the L2 since the first wave, as a fraction of the L2's capacity */
	double turnover;
};
struct block_rate {
	uint64_t blocks_done;   /* number of thread blocks completed at the end of the last wave */
	uint64_t last_wave_end; /* time of the end of the last wave */
	uint64_t wave_blocks;   /* thread blocks per wave */
	uint32_t n_waves;       /* number of waves */
	bool stopped;           /* true if no more thread blocks are launched */
	/* lines filled into the L2 up to the first wave's end, as a fraction of its capacity */
	double first_wave_turnover;
	struct sample_wave waves[SAMPLE_WAVES + 1];
	double per_block, deviation, drift; /* cycles per thread block when launching stopped */
};

struct kernel {
	struct trace *trace;
	const struct kernel_header *head;
	char *path;
	uint32_t uid;      /* number of the kernel: 1, 2, ... in load order */
	uint32_t position; /* position in the kernel list */
	uint64_t n_ctas;   /* number of CTAs */
	uint64_t next_cta; /* number of CTAs placed so far */
	uint32_t running_ctas;
	uint32_t delay;     /* core cycles before the first CTA may be placed */
	uint32_t cta_limit; /* maximum number of CTAs per SM; 0: not computed yet */
	uint32_t padded_threads;
	uint16_t stream; /* index into gpu.streams */
	bool launched, selected, done, ended;
	bool closing;         /* true when all CTAs have ended and the delay at the end has begun */
	bool may_have_ldgsts; /* true if its instructions may include LDGSTS */
	bool may_have_syncs;  /* true if its instructions may name mbarriers */
	bool held;            /* true if a kernel before it in its stream has not ended: ACQBULK waits */
	bool early; /* true if its thread blocks take the resources that running kernels have left */
	struct kernel *dependent; /* kernel that this one releases (HOPPER-pdl-2); NULL: none */
	bool may_form_gangs;      /* true if its thread blocks may form gangs */
	uint32_t cluster[3];      /* dimensions of a gang in thread blocks; zeros: not known yet */
	struct parked *parked;    /* thread blocks read but not placed (gpu/blocks.c); NULL: none */
	struct block_rate sample;
	uint64_t start_cycle; /* time of the kernel's launch */
	uint64_t delay_begin; /* time at which the launch delay and the minimum duration begin (HOPPER-pdl-3) */
	uint64_t placeable_at; /* time at which the launch delay ends */
	uint64_t code_base; /* address of pc 0 for the modern core, the same for all launches of a function */
	uint32_t n_codes;
	/* with PTX and the power model: true for an instruction of operand class FP, indexed by pc / 8; else NULL */
	bool *floating;
	const struct core_control *codes; /* control codes, indexed by pc / 16; NULL: none */
};

#endif
