/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipeline log (--pipeline) in the Kanata format, version 4: one line per command, with cycles in ascending order.
 *
 * Callers may log stages and ends with cycles in the future. Commands are in a heap until kanata_advance() passes their
 * cycle. So the memory is proportional to the number of instructions in flight.
 *
 * Always true:
 *  - Commands of one cycle are written in the order of the calls, except beginnings of stages, which are written at the
 *    end of the cycle. A stage that ends in the cycle in which it began is not written.
 *  - With a filter of cycles, the log begins at its first cycle, with the instructions in flight. An instruction that
 *    begins after the last cycle of the filter is not written. All others are written up to their ends.
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

#define KANATA_TEXT   200 /* size of a label */
#define KANATA_THREAD 100 /* a thread id is the number of the SM times this number, plus the warp slot */
#define KANATA_HIDDEN UINT64_MAX /* number of an instruction that is not in the log */

struct kanata;

/* Makes a log and writes its header. *only, the filter, must remain valid as long as the log. */
struct kanata *kanata_new(FILE *out, const struct filter *only);
void kanata_free(struct kanata *k);
const struct filter *kanata_filter(const struct kanata *k);

/*
 * Begins an instruction. `detail` is the text of its tooltip; both texts have less than KANATA_TEXT bytes. Returns the
 * handle of the instruction, which is valid until kanata_retire().
 */
uint32_t kanata_begin(
	struct kanata *k, uint64_t cycle, uint32_t thread, const char *label, const char *detail);
/* Ends the stage of an instruction, if it has one, and begins another. */
void kanata_stage(struct kanata *k, uint32_t handle, uint64_t cycle, enum stage stage);
/* Draws an arrow to an instruction from the instruction with the number `producer`. */
void kanata_wake(struct kanata *k, uint32_t handle, uint64_t cycle, uint64_t producer);
/* Ends an instruction; with `flushed`, one that has not completed. */
void kanata_retire(struct kanata *k, uint32_t handle, uint64_t cycle, bool flushed);
/* Returns the number of an instruction in the file; KANATA_HIDDEN: it is not in the file, or not yet. */
uint64_t kanata_number(const struct kanata *k, uint32_t handle);
/* Writes the commands of the cycles before `now`. Later calls must not have a cycle before `now`. */
void kanata_advance(struct kanata *k, uint64_t now);
/* Writes the commands up to `cycle`, and ends the instructions that are left as flushed. */
void kanata_end(struct kanata *k, uint64_t cycle);
/* Prints the stages for the manual page. */
void kanata_man(FILE *out);

#endif
