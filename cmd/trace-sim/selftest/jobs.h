/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Independent pieces of work, several at a time, each in a process of its own: a machine that is built, run
 * and thrown away leaves nothing behind. With one process everything runs in the caller's.
 */
#ifndef SELFTEST_JOBS_H
#define SELFTEST_JOBS_H

#include <stdint.h>

/* result[i] = work(ctx, i) for all i below n. Leaves with EXIT_TROUBLE when one of them did. */
void jobs_run(
	uint32_t n, unsigned processes, double (*work)(void *ctx, uint32_t i), void *ctx, double *result);

#endif
