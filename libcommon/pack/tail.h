/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends of lines, and whole lines, that are stored as text: as differences from the previous text of the same static
 * instruction. Internal to libcommon.
 *
 * A text is a form with numbers. Numbers are decimal, hexadecimal with 8 or 16 digits, or groups: one number for each
 * active lane, as "T<lane>:<number> ". Always true: form, numbers and mask determine the text. Writer and reader keep
 * the same state, which restarts with each span. If the form equals the form of the previous text, only the numbers
 * are written, each as its difference from the best of several predictions. The earlier numbers determine which
 * prediction is best, so the choice is not stored.
 */
#ifndef PACK_TAIL_H
#define PACK_TAIL_H

#include "format.h"

#define TAIL_SLOTS  64u /* largest number of numbers outside of groups in a text */
#define TAIL_GROUPS 8u
#define GUESSES     7u

/* A text, split into form and numbers. */
struct shape_of_text {
	struct buf form; /* text in which numbers are replaced by kinds */
	uint64_t slot[TAIL_SLOTS], lane[TAIL_GROUPS][32];
	unsigned n_slots, n_groups;
};

/* Earlier numbers of a group: the last number of each lane, and the first number in the text before the last one. */
struct group_state {
	uint64_t last_number[32]; /* last number of each lane */
	uint64_t older;           /* first number in the text before the last one */
	uint32_t cost[GUESSES];   /* bits of each guess's differences, weighted towards recent texts */
};

struct tail_state {
	struct buf form;                        /* form of the last text */
	uint64_t slot[TAIL_SLOTS];              /* last numbers outside of groups */
	struct group_state *group[TAIL_GROUPS]; /* earlier numbers of each group */
};

struct tails {
	struct cur in, width, plane[8]; /* read positions in the columns */
	struct tail_state *state;       /* states by static instruction; NULL before the first text */
	struct shape_of_text shape;
	struct buf text;
	uint32_t n; /* number of static instructions */
};
void tails_new(struct tails *t, uint32_t n);
void tails_free(struct tails *t);
/* Begins a span that is read from the columns col. */
void tails_begin_span(struct tails *t, const struct cur col[N_COLUMNS]);
/* Appends the text of static instruction id for the lanes of mask to the columns. */
void tail_put(struct tails *t, uint32_t id, uint32_t mask, const uint8_t *text, size_t n,
	struct buf col[N_COLUMNS]);
/*
 * Reads the next text of static instruction id for the lanes of mask. The text is valid until the next text of id.
 * Returns false if it is damaged.
 */
bool tail_next(struct tails *t, uint32_t id, uint32_t mask, const uint8_t **text, size_t *n);
bool tails_are_valid(const struct tails *t);

#endif
