/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of threads that execute phases together. Used by gpu/window.c; modules with data by thread (request
 * pool, network marks, traffic, latency statistics) use thread_index.
 *
 * A phase is a number of items. Each thread is assigned an equal range of them; a thread that has finished its
 * range takes items of other ranges that no thread has begun. The thread that runs an item is therefore
 * arbitrary, and no result may depend on it. The pool does not wait for a thread that is late or asleep.
 *
 * Always true: outside a phase only thread 0, the caller, runs, and it sees all writes of the others.
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

/* Number of processors in the affinity of this process, at most MAX_THREADS. */
unsigned threads_available(void);
struct threads *threads_new(unsigned threads); /* threads start in the first phase */
void threads_delete(struct threads *t);
/* Sets the work of an idle thread: between phases thread 1 calls step(ctx) until that returns false. */
void threads_set_idle_work(struct threads *t, bool (*step)(void *ctx), void *ctx);
/*
 * Calls work(ctx, i) once for each i below `items` (at most 65535), and returns when all are done. Wakes the
 * other threads.
 */
void threads_run(struct threads *t, void (*work)(void *ctx, unsigned item), void *ctx, unsigned items);
/* Lets the other threads sleep at once instead of spinning, because the next phase is not soon. */
void threads_park(struct threads *t);

#endif
