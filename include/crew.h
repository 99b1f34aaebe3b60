/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that all execute one function, for work that is divided by a counter or a queue. (trace-sim's cycles need
 * phases, and have cmd/trace-sim/threads.)
 *
 * Always true: the work is complete without any of these threads, since the caller takes part in it. Threads that
 * the system refuses are left out.
 */
#ifndef CREW_H
#define CREW_H

struct crew;

/* Starts up to n threads that execute fn(ctx). */
struct crew *crew_start(unsigned n, void *(*fn)(void *ctx), void *ctx);
/* Returns the number of threads that were started. */
unsigned crew_size(const struct crew *c);
/* Waits for all threads to return, and frees the crew. */
void crew_join(struct crew *c);

#endif
