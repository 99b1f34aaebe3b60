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
#include <stdint.h>

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
 * Whether to share the phases of one kind. How much sharing gains or costs depends on the machine, on who
 * else uses it and on the phase, so it is tried: some phases alone, some shared, by the clock, and then many
 * in the better way until it is tried again.
 */
struct team_choice {
	uint64_t ns[2], work[2];	/* of the phases tried alone, and shared */
	uint64_t start;
	unsigned state, left;		/* phases left in the state */
	bool share, timed;		/* the phase that is on */
};
/*
 * Before a phase: share it? False also while threads have to be woken (the first time: started), for that
 * takes longer than most phases.
 */
bool team_choose(struct team *t, struct team_choice *c);
void team_chosen(struct team_choice *c, uint32_t work);	/* behind it, with the amount of work it was */
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
