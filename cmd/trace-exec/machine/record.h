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

#endif
