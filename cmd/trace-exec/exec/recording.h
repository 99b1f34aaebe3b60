/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of a warp for a packed stream; see recording.c. id: number of the instruction, as in struct pack_run.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include "exec/exec.h"
#include "exec/lanes.h"
#include "pack.h"

/* Ends the last run, before the records are read. */
void recording_end(struct recording *t);
/* Begins a run with one instruction. */
void recording_begin_run(struct recording *t, uint32_t id, uint32_t mask);

/* Records an instruction that the lanes of mask execute. */
static inline void recording_extend_run(struct recording *t, uint32_t id, uint32_t mask)
{
	if (id == t->next && mask == t->last_run_mask)
		t->next++;
	else
		recording_begin_run(t, id, mask);
}

/* Records n instructions starting at id, n > 0, that the lanes of mask execute. */
static inline void recording_extend_run_by(struct recording *t, uint32_t id, uint32_t n, uint32_t mask)
{
	recording_extend_run(t, id, mask);
	t->next += n - 1;
}

/* Records an instruction with `bytes` bytes of text, which the caller adds to the warp's text. */
void recording_add_text(struct recording *t, uint32_t id, uint32_t mask, uint32_t bytes);
/* Records an access of the lanes of mask to the addresses a[] + base of all lanes. */
void recording_add_access(struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base);
/* Adds n words that were written at the end of word[], as an access of the given form. */
static inline void recording_end_access(struct recording *t, uint32_t form, uint32_t n)
{
	t->payload[t->n_payloads++] = (struct pack_payload){t->n_words << 2 | form, 0};
	t->n_words += n;
	t->capacity--;
}

static inline void recording_put_stride(struct recording *t, uint64_t first, uint64_t stride)
{
	uint64_t *to = t->word + t->n_words;

	to[0] = first;
	to[1] = stride;
	recording_end_access(t, ADDR_STRIDE, 2);
}

/* Makes space for `accesses` further accesses, or for more. */
void recording_make_space(struct recording *t, uint32_t accesses);

/*
 * Records an access of the lanes of mask, from the first of them at `first` on with a stride from each lane to the
 * next, active or not. The stride of one lane or none must be 0.
 */
void recording_add_line(struct recording *t, uint32_t id, uint32_t mask, uint64_t first, uint32_t stride);
/* Like recording_add_access(), with `bytes` bytes of text, which the caller adds to the warp's text. */
void recording_add_access_and_text(
	struct recording *t, uint32_t id, uint32_t mask, const uint64_t *a, uint64_t base, uint32_t bytes);

#endif
