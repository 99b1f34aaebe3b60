/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches that wait for the host or for other launches, and the work that is queued after them. The caller of each
 * function holds cudart.lock.
 */
#ifndef PAUSE_H
#define PAUSE_H

#include "cudart/graph.h"

/* launch.c: a launch that has begun. */
struct begun_launch;
/* Executes the launch to its end and frees it. Returns false if pauses is true and the launch waits for others. */
bool launch_continue(struct begun_launch *l, bool pauses);
/* Writes the name of the kernel and the number of the launch for messages. */
void launch_describe(const struct begun_launch *l, char *out, size_t cap);

/* Keeps a launch on stream s that has paused. */
void pause_launch(struct begun_launch *l, struct stream *s);
/* Returns true if work on stream s must be queued because earlier work is not done. */
bool pause_must_queue(const struct stream *s);
/* Queues a copy of the work. Returns 0 or a status. */
int pause_queue_work(struct stream *s, const struct graph_work *w);
/* Returns true if a launch waits, or work is queued after one. */
bool pause_has_tasks(void);
/* Returns true if the recording of the event is queued. */
bool pause_has_event(const struct event *event);

/*
 * Wait until the work on stream s, the recording of the event, or all work is done. A launch that no thread of
 * the program can release fails. Return 0 or the status of a kernel that failed.
 */
int pause_wait_stream(const struct stream *s);
int pause_wait_event(const struct event *event);
int pause_wait_all(void);
/* Reports launches that still wait at the end of the program. */
void pause_report_waiting(void);

/*
 * work_is_kept() returns true if the stream records its work or has to queue it, so that the caller must not
 * execute the work. It sets *status as capture_blocks_work() does. work_keep() records or queues a copy of the work.
 */
bool work_is_kept(const struct stream *s, int *status);
int work_keep(struct stream *s, const struct graph_work *w);

#endif
