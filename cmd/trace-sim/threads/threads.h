/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A team of threads that work through phases together. Used by gpu/window.c; thread_index also by whoever
 * keeps something per thread (request pool, network marks, traffic, latency statistics).
 *
 * A phase is a number of items. Each thread is dealt as many, side by side, and does its own, then those of
 * others that nobody has begun; so who does an item is a matter of luck, and nothing else may depend on it. A
 * thread that is late or asleep is not waited for.
 *
 * Always true: outside team_run() only thread 0, the caller, runs, and it sees all that the others wrote.
 * Nothing here decides what a phase computes: every result must be the same for any number of threads.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_THREADS 64u
#define CACHE_LINE  64

/* 0 outside phases. */
extern _Thread_local unsigned thread_index;

struct team;

/* Number of processors in the affinity of this process, at most MAX_THREADS. */
unsigned threads_available(void);
struct team *team_new(unsigned threads); /* no thread is started before it is needed */
void team_delete(struct team *t);
/* Between phases one of the others calls step(ctx), true: something was done, instead of waiting. */
void team_meanwhile(struct team *t, bool (*step)(void *ctx), void *ctx);
/*
 * Run work(ctx, i) once for each i below items, at most 65535; returns when all are done. Wakes (the first
 * time: starts) those who sleep.
 */
void team_run(struct team *t, void (*work)(void *ctx, unsigned item), void *ctx, unsigned items);
/* The next phase is not soon: the others are to sleep, and not to look for it for a while. */
void team_rest(struct team *t);

#endif
