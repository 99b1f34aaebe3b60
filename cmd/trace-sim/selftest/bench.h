/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GPU for micro-traces: it is built, its L2 is warmed in no simulated time, and kernels run one after
 * another.
 *
 * Always true: a GPU is built anew for each figure, in the process that computes it, so figures depend
 * neither on each other nor on their order.
 */
#ifndef SELFTEST_BENCH_H
#define SELFTEST_BENCH_H

#include "run.h"
#include "selftest/micro.h"

struct bench {
	struct run run;
	uint32_t position;
	struct micro_text *text; /* text of the kernel loaded last */
};

/* Builds a GPU from parameters that params_init() has checked. Ends the program if it cannot be built. */
struct bench *bench_open(const struct params *p, const struct isa *isa);
/* The same with an event log, which must outlive the bench. */
struct bench *bench_open_logged(const struct params *p, const struct isa *isa, struct events *events);
void bench_close(struct bench *b);
/*
 * Reads or writes the sectors of `bytes` bytes as the cluster would, line by line. Only the tags of the L2
 * change.
 */
void bench_warm(struct bench *b, uint64_t addr, uint64_t bytes, uint32_t cluster, bool write);
/*
 * Runs one kernel to its end. Returns its core cycles, including the launch latency. Ends the program on a
 * deadlock.
 */
uint64_t bench_kernel(struct bench *b, const struct micro *m);
/*
 * Runs a kernel until the fraction `to` of it is done. Returns the core cycles since the fraction `from` was
 * done, so that neither its start nor its end counts. BENCH_INSTS counts issued warp instructions and
 * requires warps of equal length; BENCH_CTAS counts ended CTAs, and requires many of them because it is
 * evaluated after each window. The kernel remains unfinished: only bench_close() may follow.
 */
enum bench_count { BENCH_INSTS, BENCH_CTAS };
uint64_t bench_steady(struct bench *b, const struct micro *m, enum bench_count unit, double from, double to);
/*
 * Runs a kernel until at[n - 1] of its instructions have issued. time[i]: core cycle in which at[i] of them
 * had. Only bench_close() may follow.
 */
void bench_times(struct bench *b, const struct micro *m, const uint64_t *at, uint64_t *time, unsigned n);

#endif
