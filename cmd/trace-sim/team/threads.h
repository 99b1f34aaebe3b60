/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A team of threads that work through phases together. Used by gpu.c; thread_index also by whoever keeps
 * something per thread (request pool, network marks, traffic, latency statistics). tuner.h decides which
 * phases are worth it.
 *
 * A phase is cut into slices, TEAM_SLICES for each thread of the team, the first of them the largest. A thread
 * does its own slices and then those that others have not begun, so who does a slice is a matter of luck, and
 * nothing else may depend on it. A thread that is late or asleep is not waited for.
 *
 * Always true: outside team_run() only thread 0, the caller, runs, and it sees all that the others wrote.
 * Nothing here decides what a phase computes: every result must be the same for any number of threads.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include "diag.h"

#define MAX_THREADS 64u
#define TEAM_SLICES 4u
#define CACHE_LINE  64

/* 0 outside phases. */
extern _Thread_local unsigned thread_index;

struct team;

/* Threads to use when n are asked for: never more than the CPUs that this process may use, nor MAX_THREADS. */
unsigned team_size(unsigned n);
/*
 * Is a number of CPUs given by WARPTOOLS_CPUS? Then it is not time that matters but whether the result is the same:
 * whatever can be shared is.
 */
bool team_tested(void);
/* The slice to which the i-th of n things belongs, below threads * TEAM_SLICES. */
unsigned team_slice(unsigned i, unsigned n, unsigned threads);

struct team *team_new(unsigned threads); /* no thread is started before it is needed */
void team_delete(struct team *t);
/* Between phases one of the others calls step(ctx), true: something was done, instead of waiting. */
void team_meanwhile(struct team *t, bool (*step)(void *ctx), void *ctx);
/* Is there anybody to share a phase with at once? Wakes (the first time: starts) those who sleep. */
bool team_ready(struct team *t);
/*
 * Run work(ctx, i) once for each slice i below threads * TEAM_SLICES; returns when all are done. False: nobody else
 * came.
 */
bool team_run(struct team *t, void (*work)(void *ctx, unsigned slice), void *ctx);
/*
 * The message that ends the program: outside phases at once; in a phase the slice is given up, and of all
 * slices' faults that of the lowest place is told at its end, as one thread would that goes from place to place.
 */
_Noreturn void team_fail(unsigned place, const struct fault *f);

#endif
