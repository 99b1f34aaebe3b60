/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a warp for a packed stream; see recording.c. id: number of the instruction, as in struct pack_run.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "exec/exec.h"

/* Ends the last run, before the records are read. */
void recording_end(struct recording *t);
/* Begins a run with one instruction. */
void recording_begin_run(struct recording *t, uint32_t id, uint32_t mask);

/* Records an instruction that the lanes of mask execute. */
static inline void recording_extend_run(struct recording *t, uint32_t id, uint32_t mask)
{
	if (id == t->next && mask == t->mask)
		t->next++;
	else
		recording_begin_run(t, id, mask);
}

/* Records n instructions from id on, n > 0, that the lanes of mask execute. */
static inline void recording_extend_run_by(struct recording *t, uint32_t id, uint32_t n, uint32_t mask)
{
	recording_extend_run(t, id, mask);
	t->next += n - 1;
}

/* Records an instruction with `bytes` bytes of text, which the caller adds to the warp's text. */
void recording_add_text(struct recording *t, uint32_t id, uint32_t mask, uint32_t bytes);
/* Records an access of the lanes of mask to the addresses a[] + base of all lanes. */
void recording_add_access(struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base);
/* Like recording_add_access(), with `bytes` bytes of text, which the caller adds to the warp's text. */
void recording_add_access_and_text(
	struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base, uint32_t bytes);

#endif
