/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read-ahead: an idle thread reads thread blocks of the running kernel into a queue before they are placed. launch.c
 * removes blocks from the queue; an idle worker of threads.c reads them.
 *
 * Always true: blocks leave the queue in the order of the file. Faults and warnings are reported when their block
 * leaves the queue, so the output does not depend on how far a thread has read. The queue is full with QUEUE_BLOCKS
 * blocks or QUEUE_BYTES bytes. There is no read-ahead for kernels that run at the same time, and none for the next
 * kernel.
 */
#ifndef READAHEAD_H
#define READAHEAD_H

#include <stdbool.h>
#include "trace.h"

struct readahead;

struct readahead *readahead_new(struct code *code);
void readahead_delete(struct readahead *a);
/* Sets the options of a trace that will be opened, so that its warnings are queued with the blocks. */
void readahead_queue_warnings(struct readahead *a, struct trace_options *o);
/*
 * Stores the next block of t in *tb, and returns the result of trace_next(). Sets *codes to the number of static
 * instructions that are known after this block. The first call for a trace starts its read-ahead.
 */
int readahead_next(struct readahead *a, struct trace *t, struct tblock *tb, uint32_t *codes, struct fault *f);
/*
 * Returns the largest number of records of one of the first `warps` warps of the next block; 0: the number is not
 * known, or there is no block.
 */
uint32_t readahead_longest_warp(struct readahead *a, const struct trace *t, uint32_t warps);
/* Stops read-ahead for t. Called before t is finished or closed. */
void readahead_stop(struct readahead *a, const struct trace *t);
/* Reads one block if the queue needs one. Returns true if it has read one. Any thread may call it. */
bool readahead_step(void *a);

#endif
