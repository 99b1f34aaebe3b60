/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of threads that execute phases together. Used by gpu/window.c. Modules with separate data for each thread
 * (request pool, network marks, traffic, latency statistics) use thread_index.
 *
 * A phase has a number of items. Each thread is assigned an equal range of items. A thread that has finished its range
 * runs items of other ranges that no thread has started. The thread that runs an item is therefore arbitrary, and no
 * result may depend on it. The pool does not wait for a thread that is late or asleep.
 *
 * Always true: outside a phase only thread 0, the caller, runs, and it sees all writes of the other threads.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_THREADS 64u
#define CACHE_LINE  64

/* Index of this thread in its pool; 0 outside phases. */
extern _Thread_local unsigned thread_index;

struct threads;

/* Makes a pool; its threads are started in the first phase. */
struct threads *threads_new(unsigned threads);
void threads_delete(struct threads *t);
/* Sets the work of thread 1 between phases: it calls step(ctx) until step() returns false. */
void threads_set_idle_work(struct threads *t, bool (*step)(void *ctx), void *ctx);
/*
 * Runs a phase: calls work(ctx, i) once for each i below `items` (at most 65535), in all threads, and returns when all
 * calls have returned.
 */
void threads_run(struct threads *t, void (*work)(void *ctx, unsigned item), void *ctx, unsigned items);
/* Lets idle threads sleep at once instead of spinning. Called if the next phase is not soon. */
void threads_park(struct threads *t);

#endif
