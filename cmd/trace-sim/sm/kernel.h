/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loaded kernel (LAUNCH-loop): its state for launching, for its thread blocks on the SMs and for the
 * timeline. Always true: only gpu/launch.c creates and frees it; it does not change while an SM runs.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "trace.h"

struct core_control;

/* --sample-blocks: rate of thread blocks (gpu/sample.c). */
#define SAMPLE_WAVES 8u
struct sample_wave {
	double took; /* cycles of a thread block */
	double turnover; /* lines filled into the L2 from the first wave to the end of this one, divided by its capacity */
};
struct block_rate {
	uint64_t mark, at; /* thread blocks and time at the end of the last wave */
	uint64_t wave;     /* thread blocks per wave */
	uint32_t n;        /* waves */
	bool stopped;      /* no more thread blocks are launched */
	double brought;    /* turnover of the L2 before the first wave's end */
	struct sample_wave waves[SAMPLE_WAVES + 1];
	double per_block, deviation, drift; /* cycles, when it was stopped */
};

struct kernel {
	struct trace *trace;
	const struct kernel_header *head;
	char *path;
	uint32_t uid;              /* 1, 2, ... in load order */
	uint32_t position;         /* position in the kernel list */
	uint64_t n_ctas, next_cta; /* next_cta: CTAs issued */
	uint32_t running_ctas;
	uint32_t delay;     /* D: ticks before the first CTA may be issued */
	uint32_t cta_limit; /* per SM; 0: not computed yet */
	uint32_t padded_threads;
	uint16_t stream; /* index into gpu.streams */
	bool launched, selected, done, ended;
	bool closing;        /* all CTAs have ended, and the delay is running */
	bool ldgsts;         /* its instructions may include LDGSTS */
	bool syncs;          /* its instructions may name mbarriers */
	bool may_gang;       /* its thread blocks are gangs, or may be */
	uint32_t cluster[3]; /* thread blocks of a cluster; zeros: not known yet */
	struct parked
		*parked; /* thread blocks that were read before they are placed (gpu/blocks.c); NULL: none */
	struct block_rate sample;
	uint64_t start_cycle; /* time of its launch */
	uint64_t code_base;   /* address of pc 0 for the modern core: one a function */
	uint32_t n_codes;
	bool *floating;                   /* operand class FP of PTX with power, by pc / 8; else NULL */
	const struct core_control *codes; /* control codes by pc / 16; NULL: none */
};

#endif
