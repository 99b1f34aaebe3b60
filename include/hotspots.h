/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distribution of the warp schedulers' cycles, from the records of trace-sim --profile of one or two runs:
 * rows by instruction, source line, kernel or reason.
 *
 * Always true: kernels of equal names share their rows; cycles of SMs without a thread block are ignored; cycles
 * that the profile assigns to no instruction (drained) have a row without instruction. Memory grows only with the
 * number of distinct rows.
 */
#ifndef HOTSPOTS_H
#define HOTSPOTS_H

#include "results.h"
#include "table.h"

/* Reasons of a profile, in the profile's order: HOTSPOTS_REASON(name). */
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
 * Parts of an instruction in a figure's name: "PC:OPCODE", "PC:OPCODE:LINE" or "PC:OPCODE:FILE:LINE". The texts are
 * not owned and have no NUL; n_file is 0 if the file is unknown.
 */
struct hotspots_inst {
	const char *pc;
	const char *opcode;
	const char *place;                      /* FILE:LINE or LINE */
	size_t n_pc, n_opcode, n_place, n_file; /* lengths of the texts in bytes */
	uint32_t line;                          /* source line; 0: unknown */
};
/* Splits the n bytes of text between "pc[" and "]" of a figure's name. Returns true if they name an instruction. */
bool hotspots_parse_inst(const char *text, size_t n, struct hotspots_inst *to);
#define HOTSPOTS_FILE_MAX 96u                          /* longest name of a source file in a figure's name */
#define HOTSPOTS_FILE_CAP (4 * HOTSPOTS_FILE_MAX + 1u) /* size of a quoted file name, with the NUL */
/*
 * Writes the name of a source file as in figures' names: brackets, backslashes and unprintable bytes as \xNN, and
 * only the end of a long name, from the start of a path component if possible. Returns out.
 */
const char *hotspots_quote_file(char out[HOTSPOTS_FILE_CAP], const char *file);
/* Reverses hotspots_quote_file(). The caller frees the result. */
char *hotspots_unquote_file(const char *text, size_t n);

struct hotspot {
	const char *kernel, *pc, *opcode, *line;   /* "" if unknown, or if rows do not distinguish it */
	int reason;                                /* one of enum hotspots_reason; -1: several */
	uint64_t cycles[2];                        /* cycles of each side of the comparison */
	uint64_t issues[2];                        /* issues of each side of the comparison */
	uint64_t by_reason[2][HOTSPOTS_N_REASONS]; /* cycles of each side by reason */
};

struct hotspots {
	struct hotspot *row;
	uint32_t n;               /* number of rows */
	uint64_t total_cycles[2]; /* cycles of SMs with a thread block, of each side */
	/* private */
	struct table rows; /* rows by kernel, PC, opcode, line and reason */
	uint32_t cap;
	enum hotspots_by row_contents; /* contents of a row */
};

/* returns an empty table with rows of kind `by`; the caller frees it */
struct hotspots *hotspots_new(enum hotspots_by by);
/* Adds a RESULT_KERNEL of results_next(). Returns false if it has no figures of a profile. */
bool hotspots_add(struct hotspots *t, int side, const struct result_item *item);
/* Sorts the rows by the cycles of side 0, or, if both is true, by the change; then by kernel, PC, line and reason. */
void hotspots_sort(struct hotspots *t, bool both);
/*
 * Warns and returns true if the rows are by source line and no row has a line: the output would be a single row
 * without a name. name is the profile's file.
 */
bool hotspots_lack_lines(const struct hotspots *t, const char *name);
/*
 * Returns the reason of a row. For a row of several reasons, returns the one with the most cycles on a side, and
 * issue only if the row has no other reason.
 */
enum hotspots_reason hotspots_main_reason(const struct hotspot *r, int side);
const char *hotspots_reason_name(int reason);
/* Returns the enum hotspots_by that the value of --by names; -1 if it is unknown. */
int hotspots_by_find(const char *word);
#define HOTSPOTS_BY_WORDS "stall pc line kernel reason"
void hotspots_free(struct hotspots *t);

#endif
