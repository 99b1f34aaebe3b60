/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread blocks of the kernel that is running, read before they are placed, by a thread that has nothing else
 * to do. Used by launch.c (taking) and threads.c's idle workers (reading).
 *
 * Always true: blocks are handed out in the order of the file, with the faults and warnings that reading them
 * met told when they are handed out and not before, so a run is the same whoever has read how far. What waits
 * is bounded by WAITING blocks and WAITING_BYTES.
 * Leaves out: kernels that run at the same time, whose blocks are read when they are placed; the start of the
 * next kernel.
 */
#ifndef READAHEAD_H
#define READAHEAD_H

#include <stdbool.h>
#include "trace.h"

struct readahead;

struct readahead *readahead_new(struct code *code);
void readahead_delete(struct readahead *a);
/* Options by which a trace must be opened whose warnings are to wait. */
void readahead_watch(struct readahead *a, struct trace_options *o);
/*
 * As trace_next(), and *codes static instructions are known up to this block. The first call for a trace
 * makes it the one that is read ahead.
 */
int readahead_next(struct readahead *a, struct trace *t, struct tblock *tb, uint32_t *codes, struct fault *f);
/*
 * Records of the longest of the first warps of the block that readahead_next() gives next; 0: it is not
 * known, or there is none. What reading it meets is told when it is handed out.
 */
uint32_t readahead_peek(struct readahead *a, const struct trace *t, uint32_t warps);
/* Before t is finished or closed: nothing of it is read any more. */
void readahead_forget(struct readahead *a, const struct trace *t);
/* Read one block, if there is anything to read; from any thread. */
bool readahead_step(void *a);

#endif
