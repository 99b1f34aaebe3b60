/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops in which lanes wait for a write, and the notes of writes by which they are found; see spin.c. */
#ifndef SPIN_H
#define SPIN_H

#include "exec/exec.h"

/*
 * Returns true if the warp returns within `steps` instructions to an earlier state without changing memory, if need be
 * while its clocks are stopped. It spins until another warp changes memory or, if it reads a clock, until time passes.
 */
bool exec_does_spin(struct warp *w, uint32_t steps);
/*
 * Returns true if the running lanes execute the same atomic or ordered load twice within `steps` instructions, without
 * changing memory. They then probably wait for a write by another lane.
 */
bool exec_does_poll(struct warp *w, uint32_t steps);
/* Notes that the lanes of m write to the host addresses at[]. */
static inline void exec_note_write(struct warp *w, const struct op *o, uint32_t m, uint8_t *const *at)
{
	bool may_be_local = o->space == SP_LOCAL || o->space == SP_GENERIC;
	uintptr_t local = (uintptr_t)w->local, size = (uintptr_t)w->local_stride * LANES;

	if (!may_be_local || !size || !m || (uintptr_t)at[bit_lowest32(m)] - local >= size) {
		w->changed = true;
		return;
	}
	w->changed_local = true;
	FOR_BITS32 (i, m)
		w->changed |= (uintptr_t)at[i] - local >= size;
}

#endif
