/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GPU that runs micro-traces one after another. Its L2 can be warmed, which takes no simulated time.
 *
 * Always true: each figure is computed on a newly built GPU, in the process that needs the figure. Figures
 * therefore do not depend on each other or on their order.
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
/* Like bench_open(), with an event log, which must outlive the bench. */
struct bench *bench_open_logged(const struct params *p, const struct isa *isa, struct events *events);
void bench_close(struct bench *b);
/* Updates the tags of the L2 as if a cluster had read or written `bytes` bytes at addr, line by line. */
void bench_warm_l2(struct bench *b, uint64_t addr, uint64_t bytes, uint32_t cluster, bool write);
/*
 * Runs one kernel to its end. Returns its core cycles, including the launch latency. Ends the program on a
 * deadlock.
 */
uint64_t bench_run_kernel(struct bench *b, const struct micro *m);
/*
 * Runs a kernel until the fraction `to` of it is done. Returns the core cycles since the fraction `from` was
 * done, so that the start and the end of the kernel are excluded. BENCH_INSTS measures progress by issued
 * warp instructions, and requires warps of equal length. BENCH_CTAS measures progress by ended CTAs, and
 * requires many CTAs, because it is evaluated only after each window. The kernel is left unfinished, so the
 * only valid next call is bench_close().
 */
enum bench_count { BENCH_INSTS, BENCH_CTAS };
uint64_t bench_time_middle(
	struct bench *b, const struct micro *m, enum bench_count unit, double from, double to);
/*
 * Runs a kernel until at[n - 1] of its instructions have issued. Sets time[i] to the core cycle at which
 * at[i] of them had issued. The only valid next call is bench_close().
 */
void bench_time_insts(struct bench *b, const struct micro *m, const uint64_t *at, uint64_t *time, unsigned n);

#endif
