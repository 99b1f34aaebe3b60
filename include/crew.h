/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that all execute one function, which divides the work by a counter or a queue. (The cycles of trace-sim
 * need phases; cmd/trace-sim/threads provides them.)
 *
 * Always true: the caller does part of the work, so the work also completes if the system starts fewer threads or
 * none.
 */
#ifndef CREW_H
#define CREW_H

struct crew;

/* Returns the number of processors on which this process may run, at most `most`. */
unsigned crew_processors(unsigned most);
/* Starts up to n threads that execute fn(ctx). */
struct crew *crew_start(unsigned n, void *(*fn)(void *ctx), void *ctx);
/* Returns the number of threads that were started. */
unsigned crew_size(const struct crew *c);
/* Waits for all threads to return, and frees the crew. */
void crew_join(struct crew *c);

#endif
