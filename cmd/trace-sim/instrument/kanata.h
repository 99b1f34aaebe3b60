/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipeline log (--pipeline) in the Kanata format, version 4: one line per command, with cycles in
 * ascending order.
 *
 * Callers may log stages and ends with cycles in the future. A heap stores the commands until
 * kanata_advance() passes their cycle. The memory is therefore proportional to the number of instructions in
 * flight.
 *
 * Always true:
 *  - Commands of one cycle are written in the order of the calls, except beginnings of stages, which are
 *    written at the end of the cycle. A stage that ends in the cycle in which it began is not written.
 *  - With a filter of cycles, the log begins at its first cycle, with the instructions in flight. An
 *    instruction that begins after the last cycle of the filter is not written. Every other instruction is
 *    written up to its end.
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

#define KANATA_TEXT   200 /* size of a label in bytes */
#define KANATA_THREAD 100 /* a thread id is the number of the SM times KANATA_THREAD, plus the warp slot */
#define KANATA_HIDDEN UINT64_MAX /* number of an instruction that is not in the log */

struct kanata;

/* Creates a log and writes its header. The filter *only must remain valid as long as the log. */
struct kanata *kanata_new(FILE *out, const struct filter *only);
void kanata_free(struct kanata *k);
const struct filter *kanata_filter(const struct kanata *k);

/*
 * Begins an instruction. `detail` is the text of its tooltip; both texts have fewer than KANATA_TEXT bytes.
 * Returns the handle of the instruction, which is valid until kanata_retire().
 */
uint32_t kanata_begin_inst(
	struct kanata *k, uint64_t cycle, uint32_t thread, const char *label, const char *detail);
/* Ends the current stage of an instruction, if it has one, and begins a new stage. */
void kanata_begin_stage(struct kanata *k, uint32_t handle, uint64_t cycle, enum stage stage);
/* Draws an arrow to an instruction from the instruction with the number `producer`. */
void kanata_draw_arrow(struct kanata *k, uint32_t handle, uint64_t cycle, uint64_t producer);
/* Ends an instruction. With `flushed`, marks it as not completed. */
void kanata_retire(struct kanata *k, uint32_t handle, uint64_t cycle, bool flushed);
/* Returns the number of an instruction in the file, or KANATA_HIDDEN if it is not in the file yet. */
uint64_t kanata_number(const struct kanata *k, uint32_t handle);
/* Writes the commands of the cycles before `now`. Later calls must not pass a cycle before `now`. */
void kanata_advance(struct kanata *k, uint64_t now);
/* Writes the commands up to `cycle`. Ends the remaining instructions, marked as flushed. */
void kanata_end(struct kanata *k, uint64_t cycle);
/* Prints the stages for the manual page. */
void kanata_print_man(FILE *out);

#endif
