/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read-ahead: an idle thread reads thread blocks of the running kernel before they are placed. Used by launch.c,
 * which takes blocks, and by the idle worker of threads.c, which reads them.
 *
 * Always true: blocks are taken in the order of the file. Faults and warnings in a block are reported when it is
 * taken, so the output does not depend on how far a thread has read. The queue holds at most QUEUE_BLOCKS blocks
 * and QUEUE_BYTES bytes.
 * Left out: kernels that run at the same time, whose blocks are read when they are placed; the start of the next
 * kernel.
 */
#ifndef READAHEAD_H
#define READAHEAD_H

#include <stdbool.h>
#include "trace.h"

struct readahead;

struct readahead *readahead_new(struct code *code);
void readahead_delete(struct readahead *a);
/* Sets the options with which a trace must be opened, so that its warnings are queued. */
void readahead_queue_warnings(struct readahead *a, struct trace_options *o);
/*
 * Takes the next block, with the result of trace_next(); *codes: number of static instructions known up to this
 * block. The first call for a trace starts read-ahead for it.
 */
int readahead_next(struct readahead *a, struct trace *t, struct tblock *tb, uint32_t *codes, struct fault *f);
/*
 * Number of records of the longest among the first `warps` warps of the next block; 0: unknown, or there is no
 * block.
 */
uint32_t readahead_peek(struct readahead *a, const struct trace *t, uint32_t warps);
/* Stops read-ahead for t, before it is finished or closed. */
void readahead_forget(struct readahead *a, const struct trace *t);
/* Reads one block if the queue needs one; returns true if it did. Callable from any thread. */
bool readahead_step(void *a);

#endif
