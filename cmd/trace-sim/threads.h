/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A team of threads that work through phases together: thread 0 is the caller, the others spin for the next
 * phase a while and then sleep. Used by gpu.c; thread_index also by whoever keeps something per thread
 * (request pool, network marks, traffic, latency statistics).
 *
 * Always true: outside team_run() only thread 0 runs, and it sees all that the others wrote. Nothing here
 * decides what a phase computes: every result must be the same for any number of threads.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>

#define MAX_THREADS 64u
#define CACHE_LINE 64

/* 0 outside phases. */
extern _Thread_local unsigned thread_index;

struct team;

/* Threads to use when n are asked for: never more than the CPUs that this process may use, nor MAX_THREADS. */
unsigned team_size(unsigned n);
struct team *team_new(unsigned threads);	/* no thread is started before it is needed */
void team_delete(struct team *t);
/*
 * Are all ready to start at once? When not they are woken (the first time: started), and the caller had
 * better do this phase alone: waking takes longer than most phases.
 */
bool team_ready(struct team *t);
/* Run work(ctx, i) for all threads i, this one being 0; returns when all have. */
void team_run(struct team *t, void (*work)(void *ctx, unsigned thread), void *ctx);
/*
 * Order within a phase, for messages that end the program. A thread reports where it stands in an order of
 * things that all share; team_turn() then waits until no other thread is before that place any more, so
 * the first one in order speaks, as with one thread. Does nothing outside phases.
 */
void team_at(unsigned place);
void team_turn(void);

#endif
