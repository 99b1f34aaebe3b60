/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two phases of a step that threads may share (gpu.h), as the step calls them. With one thread, or in a machine
 * that is whole, each runs at once in the caller.
 */
#ifndef SHARE_H
#define SHARE_H

struct gpu;

/* Once, behind the address decoder and before network and memory: threads, parts, what each thread keeps. */
void share_init(struct gpu *g);
void share_free(struct gpu *g);
/* The part to which cluster id belongs. */
unsigned share_part_of(const struct gpu *g, uint32_t id);
/* Between steps, with a team: cut the machine into parts or make it whole, by the work of the last steps. */
void share_weigh(struct gpu *g);
/* The SMs' part of a core tick; g->ticked says how many were due. */
void share_sms(struct gpu *g);
/* Responses (with the core clock in fired) and the memory side (as the others in fired say). */
void share_memory(struct gpu *g, unsigned fired);

#endif
