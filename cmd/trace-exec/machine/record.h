/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recording of one executed instruction. An instruction without addresses only extends or begins a run of a packed
 * stream, so it is recorded without a call. With this and a short recording_begin_run(), packing takes 2.9 percent
 * fewer host instructions (12 programs).
 */
#ifndef MACHINE_RECORD_H
#define MACHINE_RECORD_H

#include "exec/recording.h"
#include "machine/code.h"

/*
 * Records op o with the function `record` of the grid, or not if that is NULL. mask: lanes of the running group; exec:
 * lanes of them that execute the op.
 */
static inline void record_op(
	struct warp *w, record_fn *record, const struct op *o, uint32_t pc, uint32_t mask, uint32_t exec)
{
	if (record == machine_record_packed && !o->memory)
		recording_extend_run(
			&w->packed, pc - o->func->first_pc, o->flow == MF_UNIFORM && exec ? mask : exec);
	else if (record)
		record(w, o, pc, mask, exec);
}

/*
 * Records the accesses of stretch s before instruction number `end`. Their run includes them already. The values that
 * change are in variables, which the compiler keeps in registers: packing takes 1.34 host instructions a thread
 * instruction of matmul-tiled, not 1.56.
 */
static inline void record_moved_accesses(struct recording *t, const struct stretch *s, uint32_t end)
{
	if (t->capacity < s->n_accesses_left)
		recording_make_space(t, s->n_accesses_left);
	struct pack_payload *payload = t->payload + t->n_payloads, *first = payload;
	uint64_t *word = t->word, *to = word + t->n_words;
	uint32_t at = t->n_words;

	for (const struct moved_access *x = s->access; x->inst < end; x++, at += 2, to += 2) {
		const uint32_t addr = payload[x->earlier].addr;
		const uint64_t *from = word + (addr >> 2), by = (uint64_t)x->distance;
		uint32_t form = addr & 3;

		if (form == ADDR_LIST) {
			form = ADDR_MOVED;
			to[0] = by;
			to[1] = at - (addr >> 2);
		} else {
			to[0] = from[0] + by;
			to[1] = from[1] + (form == ADDR_MOVED ? at - (addr >> 2) : 0);
		}
		*payload++ = (struct pack_payload){at << 2 | form, 0};
	}
	const uint32_t n = (uint32_t)(payload - first);
	t->n_payloads += n;
	t->capacity -= n;
	t->n_words = at;
}

#endif
