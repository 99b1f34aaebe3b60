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

/* The parts of a profile, in its order: TOP_REASON(name). */
#define TOP_REASONS(X) \
	X(issue) \
	X(no_instruction) \
	X(scoreboard_memory) \
	X(scoreboard_arithmetic) \
	X(barrier) X(memory_barrier) X(unit_busy) X(collector_full) X(ldst_queue) X(drained)

enum top_reason {
#define TOP_REASON(name) TOP_##name,
	TOP_REASONS(TOP_REASON)
#undef TOP_REASON
		TOP_N_REASONS
};

/*
 * What a row is: one reason of one instruction (only what is no issue), all of an instruction, of a source
 * line, of a kernel, or one reason of the whole run.
 */
enum top_by { TOP_BY_STALL, TOP_BY_PC, TOP_BY_LINE, TOP_BY_KERNEL, TOP_BY_REASON, TOP_N_BY };

struct top_row {
	const char *kernel, *pc, *opcode, *line; /* "" where not told apart, or not known */
	int reason;                              /* an enum top_reason, -1: several */
	uint64_t cycles[2], issues[2];           /* by side */
	uint64_t of[2][TOP_N_REASONS];
};

struct top {
	struct top_row *row;
	uint32_t n;
	uint64_t all[2]; /* cycles of SMs with a thread block */
	/* private */
	struct table found; /* rows by what they are */
	uint32_t cap;
	enum top_by by;
};

struct top *top_new(enum top_by by); /* no rows yet, which are to be joined by that; the caller's */
/* Take what results_next() gave as RESULT_KERNEL. False: it is no kernel of a profile. */
bool top_add(struct top *t, int side, const struct result_item *item);
/* Side 0 alone: most cycles first. Both: the largest change first. Equal ones by kernel, PC, line, reason. */
void top_sort(struct top *t, bool both);
/*
 * A row's own reason, or the one of several that took most cycles of a side; issue only when there is no
 * other.
 */
enum top_reason top_main(const struct top_row *r, int side);
const char *top_reason_name(int reason);
/* The word of an option --by; -1: none of them. */
int top_by_find(const char *word);
#define TOP_BY_WORDS "stall pc line kernel reason"
void top_free(struct top *t);

#endif
