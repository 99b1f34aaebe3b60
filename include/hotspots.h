/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distribution of the warp schedulers' cycles, from the records of trace-sim --profile of one or two runs:
 * rows by instruction, source line, kernel or reason.
 *
 * Always true: kernels of equal names share their rows; cycles of SMs without a thread block are ignored;
 * cycles that the profile assigns to no instruction (drained) have a row without one. Memory is that of the
 * distinct rows.
 */
#ifndef HOTSPOTS_H
#define HOTSPOTS_H

#include "results.h"
#include "table.h"

/* Reasons of a profile in its order: HOTSPOTS_REASON(name). */
#define HOTSPOTS_REASONS(X) \
	X(issue) \
	X(no_instruction) \
	X(scoreboard_memory) \
	X(scoreboard_arithmetic) \
	X(barrier) X(memory_barrier) X(unit_busy) X(collector_full) X(ldst_queue) X(drained)

enum hotspots_reason {
#define HOTSPOTS_REASON(name) HOTSPOTS_##name,
	HOTSPOTS_REASONS(HOTSPOTS_REASON)
#undef HOTSPOTS_REASON
		HOTSPOTS_N_REASONS
};

/*
 * Contents of a row: cycles of one reason other than issue at an instruction; all cycles of an instruction, of a
 * source line, or of a kernel; or cycles of one reason in the whole run.
 */
enum hotspots_by {
	HOTSPOTS_BY_STALL,
	HOTSPOTS_BY_PC,
	HOTSPOTS_BY_LINE,
	HOTSPOTS_BY_KERNEL,
	HOTSPOTS_BY_REASON,
	HOTSPOTS_N_BY
};

/*
 * An instruction as the names of figures have it: "PC:OPCODE", "PC:OPCODE:LINE" or "PC:OPCODE:FILE:LINE". Not owned,
 * without a NUL; n_file 0: unknown.
 */
struct hotspots_inst {
	const char *pc, *opcode, *place; /* place: FILE:LINE or LINE */
	size_t n_pc, n_opcode, n_place, n_file;
	uint32_t line; /* 0: unknown */
};
/* Splits the n bytes of text between "pc[" and "]". Returns whether they name an instruction. */
bool hotspots_split(const char *text, size_t n, struct hotspots_inst *to);
#define HOTSPOTS_FILE_MAX 96u /* bytes of a name of a source file that figures have */
#define HOTSPOTS_FILE_CAP (4 * HOTSPOTS_FILE_MAX + 1u) /* the same, quoted, with the NUL */
/*
 * Writes the name of a source file as the names of figures have it: the end of a long one, from a component on if
 * possible; brackets, backslashes and unprintable bytes as \xNN. Returns out.
 */
const char *hotspots_quote_file(char out[HOTSPOTS_FILE_CAP], const char *file);
/* Returns the name that was quoted, for the caller to free. */
char *hotspots_unquote_file(const char *text, size_t n);

struct hotspot {
	const char *kernel, *pc, *opcode, *line;   /* "" where not distinguished or unknown */
	int reason;                                /* enum hotspots_reason, -1: several */
	uint64_t cycles[2], issues[2];             /* by side */
	uint64_t by_reason[2][HOTSPOTS_N_REASONS]; /* cycles by side and reason */
};

struct hotspots {
	struct hotspot *row;
	uint32_t n;
	uint64_t all[2]; /* cycles of SMs with a thread block, by side */
	/* private */
	struct table found; /* rows by kernel, PC, opcode, line and reason */
	uint32_t cap;
	enum hotspots_by by;
};

struct hotspots *hotspots_new(
	enum hotspots_by by); /* no rows yet, which are to be joined by that; the caller's */
/* Adds a RESULT_KERNEL of results_next(). False: it is no kernel of a profile. */
bool hotspots_add(struct hotspots *t, int side, const struct result_item *item);
/* Sorts the rows by cycles of side 0, or by change where both; then by kernel, PC, line and reason. */
void hotspots_sort(struct hotspots *t, bool both);
/*
 * Warns and returns true if rows by source line have no line at all; name: file of the profile. Such rows would be one
 * without a name.
 */
bool hotspots_lack_lines(const struct hotspots *t, const char *name);
/* Reason of a row, or the reason with most cycles of a side; issue only where there is no other. */
enum hotspots_reason hotspots_main_reason(const struct hotspot *r, int side);
const char *hotspots_reason_name(int reason);
/* Value of a word of the option --by, enum hotspots_by; -1: unknown. */
int hotspots_by_find(const char *word);
#define HOTSPOTS_BY_WORDS "stall pc line kernel reason"
void hotspots_free(struct hotspots *t);

#endif
