/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipeline log (--pipeline) in the Kanata format, version 4: a line a command, cycles in ascending order.
 *
 * Callers may give stages and ends that lie in the future. Commands wait in a heap until kanata_advance() passes their
 * cycle. So memory is bounded by the instructions in flight.
 *
 * Always true:
 *  - Commands of one cycle are written in the order of the calls, except that a stage is written at the end of its
 *    cycle. A stage that ends in the cycle in which it began is not written.
 *  - With a choice of cycles, the log begins at its first cycle, with the instructions in flight then. An instruction
 *    that begins after its last cycle is not written; the others are written up to their ends.
 */
#ifndef KANATA_H
#define KANATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "instrument/filter.h"

enum stage {
	STAGE_NONE,
#define STAGE(id, name, text) STAGE_##id,
#include "instrument/stages.def"
#undef STAGE
	N_STAGES
};

#define KANATA_TEXT   200        /* size of a label */
#define KANATA_THREAD 100        /* thread id: SM times this, plus warp slot */
#define KANATA_HIDDEN UINT64_MAX /* number of an instruction that is not in the log */

struct kanata;

/* Writes the header. only: choice of cycles; it must stay valid. */
struct kanata *kanata_new(FILE *out, const struct filter *only);
void kanata_free(struct kanata *k);
const struct filter *kanata_choice(const struct kanata *k);

/*
 * Begins an instruction; detail: text of its tooltip. Both texts have less than KANATA_TEXT bytes. Returns its handle,
 * valid until kanata_retire().
 */
uint32_t kanata_begin(
	struct kanata *k, uint64_t cycle, uint32_t thread, const char *label, const char *detail);
/* Ends the stage of an instruction, if it has one, and begins another. */
void kanata_stage(struct kanata *k, uint32_t handle, uint64_t cycle, enum stage stage);
/* Draws an arrow from the instruction with this number to the instruction of the handle. */
void kanata_wake(struct kanata *k, uint32_t handle, uint64_t cycle, uint64_t producer);
/* Ends an instruction. flushed: it has not completed. */
void kanata_retire(struct kanata *k, uint32_t handle, uint64_t cycle, bool flushed);
/* Number of an instruction in the file; KANATA_HIDDEN: it is not written, or not yet. */
uint64_t kanata_number(const struct kanata *k, uint32_t handle);
/* Writes the commands of the cycles before now. No later call has a cycle before now. */
void kanata_advance(struct kanata *k, uint64_t now);
/* Writes the commands up to the cycle and flushes all instructions that are left. */
void kanata_end(struct kanata *k, uint64_t cycle);
/* Prints the stages for the manual page. */
void kanata_man(FILE *out);

#endif
