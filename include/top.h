/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the cycles of the warp schedulers went, from the records of trace-sim --profile: one row for what is
 * told apart, of one run or of two beside each other.
 *
 * Always true: rows of kernels of equal names are one; cycles of SMs without a thread block are left out, and
 * what a profile does not give to an instruction (drained) has a row without one. Memory is that of the
 * distinct rows.
 */
#ifndef TOP_H
#define TOP_H

#include "results.h"
#include "table.h"

/* The parts of a profile, in its order: HOTSPOTS_REASON(name). */
#define HOTSPOTS_REASONS(X) \
	X(issue) \
	X(no_instruction) \
	X(scoreboard_memory) \
	X(scoreboard_arithmetic) \
	X(barrier) X(memory_barrier) X(unit_busy) X(collector_full) X(ldst_queue) X(drained)

enum hotspots_reason {
#define HOTSPOTS_REASON(name) TOP_##name,
	HOTSPOTS_REASONS(HOTSPOTS_REASON)
#undef HOTSPOTS_REASON
		HOTSPOTS_N_REASONS
};

/*
 * What a row is: one reason of one instruction (only what is no issue), all of an instruction, of a source
 * line, of a kernel, or one reason of the whole run.
 */
enum hotspots_by { HOTSPOTS_BY_STALL, HOTSPOTS_BY_PC, HOTSPOTS_BY_LINE, HOTSPOTS_BY_KERNEL, HOTSPOTS_BY_REASON, HOTSPOTS_N_BY };

struct hotspot {
	const char *kernel, *pc, *opcode, *line; /* "" where not told apart, or not known */
	int reason;                              /* an enum hotspots_reason, -1: several */
	uint64_t cycles[2], issues[2];           /* by side */
	uint64_t of[2][HOTSPOTS_N_REASONS];
};

struct top {
	struct hotspot *row;
	uint32_t n;
	uint64_t all[2]; /* cycles of SMs with a thread block */
	/* private */
	struct table found; /* rows by what they are */
	uint32_t cap;
	enum hotspots_by by;
};

struct top *hotspots_new(enum hotspots_by by); /* no rows yet, which are to be joined by that; the caller's */
/* Take what results_next() gave as RESULT_KERNEL. False: it is no kernel of a profile. */
bool hotspots_add(struct top *t, int side, const struct result_item *item);
/* Side 0 alone: most cycles first. Both: the largest change first. Equal ones by kernel, PC, line, reason. */
void hotspots_sort(struct top *t, bool both);
/*
 * A row's own reason, or the one of several that took most cycles of a side; issue only when there is no
 * other.
 */
enum hotspots_reason hotspots_main_reason(const struct hotspot *r, int side);
const char *hotspots_reason_name(int reason);
/* The word of an option --by; -1: none of them. */
int hotspots_by_find(const char *word);
#define HOTSPOTS_BY_WORDS "stall pc line kernel reason"
void hotspots_free(struct top *t);

#endif
