/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs independent jobs, several at a time. Each worker is a process, so the GPU that it builds leaves no
 * state in the caller. With one process all jobs run in the caller.
 */
#ifndef SELFTEST_JOBS_H
#define SELFTEST_JOBS_H

#include <stdint.h>

/* Sets result[i] = work(ctx, i) for all i below n. Exits with EXIT_TROUBLE if a worker has failed. */
void jobs_run(
	uint32_t n, unsigned processes, double (*work)(void *ctx, uint32_t i), void *ctx, double *result);

#endif
