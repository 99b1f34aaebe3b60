/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine for micro-traces: built, its L2 warmed without spending time, kernels run one after another.
 *
 * Always true: a machine is built anew for each figure, by the thread or process that wants it, so figures do
 * not depend on each other nor on their order.
 */
#ifndef SELFTEST_BENCH_H
#define SELFTEST_BENCH_H

#include "run.h"
#include "selftest/micro.h"

struct bench {
	struct run run;
	uint32_t position;
	struct micro_text *text; /* of the kernel loaded last */
};

/* p: parameters that params_init() has checked. Dies where the machine cannot be built. */
struct bench *bench_open(const struct params *p, const struct isa *isa);
/* The same with an event log, which outlives the machine. */
struct bench *bench_open_logged(const struct params *p, const struct isa *isa, struct events *events);
void bench_close(struct bench *b);
/*
 * The sectors of so many bytes are read or written by the cluster, line after line: the L2's tags change,
 * nothing else.
 */
void bench_warm(struct bench *b, uint64_t addr, uint64_t bytes, uint32_t cluster, bool write);
/*
 * Run one kernel to its end: the core cycles that it took, its launch latency among them. Dies of a deadlock.
 */
uint64_t bench_kernel(struct bench *b, const struct micro *m);
/*
 * Run a kernel until the share `to` of it is done: the core cycles since that was the share `from`, so that
 * neither start nor end count. Done is counted in warp instructions that have issued, where all warps are
 * equally long, or in CTAs that have ended, where there are many (looked at after each window). The kernel is
 * left there; only bench_close() may follow.
 */
enum bench_count { BENCH_INSTS, BENCH_CTAS };
uint64_t bench_steady(struct bench *b, const struct micro *m, enum bench_count what, double from, double to);
/*
 * Run a kernel until at[n - 1] of its instructions have issued: time[i] is the core cycle of at[i]. Left
 * likewise.
 */
void bench_times(struct bench *b, const struct micro *m, const uint64_t *at, uint64_t *time, unsigned n);

#endif
