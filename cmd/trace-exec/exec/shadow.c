/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States of the bytes of shared memory: whether they were written, and whether copies in flight access them. shared.c
 * checks accesses by these states.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/shadow.h"
#include "exec/undefined.h"
#include "exec/warpgroup.h"

#define STORED_READS_MAX UINT8_MAX /* largest number of stored reads of a thread block that reports name */

void checker_start_cta(struct cta *c)
{
	struct shared_shadow *s = c->check;

	race_start_cta(c);
	flight_reset(c);
	warpgroup_start_cta(c);
	if (!c->grid->options->check || !c->shared_bytes)
		return;
	if (!s) {
		s = c->check = xcalloc(1, sizeof(*s));
		s->bytes = c->shared_bytes;
		s->byte_state = xcalloc(s->bytes + BEYOND_END, 1);
		s->valid_epoch = xcalloc(shadow_words(s), sizeof(*s->valid_epoch));
		s->warps = xcalloc(shadow_words(s), sizeof(*s->warps));
	}
	s->epoch++;
	s->bulk = false;
	memset(s->byte_state, 0, s->bytes);
	if (s->n_stored)
		memset(s->stored_at, 0, shadow_words(s));
	s->n_stored = 0;
	if (c->grid->reserved_at != UINT32_MAX) /* the system initialises the reserved memory */
		memset(s->byte_state + c->grid->reserved_at, WRITTEN, RESERVED_SHARED);
}

void checker_free_cta(struct cta *c)
{
	struct shared_shadow *s = c->check;

	if (s) {
		free(s->byte_state);
		free(s->valid_epoch);
		free(s->warps);
		free(s->byte_warps);
		free(s->stored_at);
		free(s->stored);
	}
	free(s);
	c->check = NULL;
	race_free_cta(c);
	flight_free(c);
	warpgroup_free_cta(c);
}

void checker_note_barrier(struct cta *c)
{
	struct shared_shadow *s = c->check;

	if (s)
		s->epoch++;
	race_start_epoch(c);
}

void checker_mark_in_flight(struct cta *c, const uint8_t *at, uint64_t bytes, bool in_flight)
{
	const struct cta *owner = c;
	uint32_t off = c->check ? shadow_offset(&owner, at) : UINT32_MAX;

	if (off != UINT32_MAX) {
		struct shared_shadow *s = owner->check;

		memset(s->byte_state + off, in_flight ? IN_FLIGHT : WRITTEN, bytes);
	}
}

void checker_mark_bulk(struct cta *c, const uint8_t *at, uint64_t bytes, uint8_t state, bool in_flight)
{
	const struct cta *owner = c;
	uint32_t off = c->check ? shadow_offset(&owner, at) : UINT32_MAX;
	struct shared_shadow *s = owner->check;

	if (off == UINT32_MAX)
		return;
	s->bulk = true;
	for (uint64_t i = 0; i < bytes; i++)
		s->byte_state[off + i] = (uint8_t)(in_flight ? s->byte_state[off + i] | state
							     : s->byte_state[off + i] & ~state);
}

const uint8_t *checker_bulk_states(const struct cta *c)
{
	const struct shared_shadow *s = c->check;

	return s && s->bulk && bulk_flight_is_any(c) ? s->byte_state : NULL;
}

void checker_mark_written(struct cta *c, const uint8_t *at, uint64_t bytes)
{
	const struct cta *owner = c;
	uint32_t off = c->check ? shadow_offset(&owner, at) : UINT32_MAX;

	if (off != UINT32_MAX) {
		struct shared_shadow *s = owner->check;

		memset(s->byte_state + off, WRITTEN, bytes);
	}
	checker_mark_heap_initialised(c->grid->mem, at, bytes);
}

bool checker_is_shared(const struct cta *c, const uint8_t *at) { return shadow_offset(&c, at) != UINT32_MAX; }

/* Returns 1 + the number of the read by op o, which is noted; 0 if there are too many. */
static uint32_t note_stored_read(struct shared_shadow *s, const struct op *o, const struct unset_read *read)
{
	if (read->stored_read) /* the value came from shared memory */
		return read->stored_read;
	for (uint32_t i = 0; i < s->n_stored; i++)
		if (s->stored[i] == o)
			return i + 1;
	if (s->n_stored == STORED_READS_MAX)
		return 0;
	if (!s->stored_at)
		s->stored_at = xcalloc(shadow_words(s), 1);
	grow(&s->stored, &s->cap_stored, s->n_stored + 1, sizeof(*s->stored));
	s->stored[s->n_stored++] = o;
	return s->n_stored;
}

void checker_mark_unwritten(
	const struct cta *c, const uint8_t *at, const struct op *o, const struct unset_read *read)
{
	const struct cta *owner = c;
	uint32_t off = shadow_offset(&owner, at), stored;
	struct shared_shadow *s = owner->check;

	if (off == UINT32_MAX) {
		checker_mark_heap_uninitialised(c->grid->mem, at);
		return;
	}
	if (!s)
		return;
	s->byte_state[off] = 0;
	stored = owner == c ? note_stored_read(s, o, read) : 0;
	if (s->stored_at)
		s->stored_at[off / 4] = (uint8_t)stored;
}
