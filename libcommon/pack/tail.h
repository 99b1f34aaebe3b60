/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ends of lines, and whole lines, that are stored as text: as differences from the previous text of the same static
 * instruction. Internal to libcommon.
 *
 * A text is a form with numbers. Numbers are decimal, hexadecimal with 8 or 16 digits, or groups: one number for each
 * active lane, as "T<lane>:<number> ", or in a part with STYLE_VALUES register values (values.h). Always true: form,
 * numbers and mask determine the text. Writer and reader keep the same state, which restarts with each span.
 *
 * If the form equals the form of the previous text, only the numbers are written, each as its difference from the best
 * of several predictions. The earlier numbers determine which prediction is best, so the choice is not stored. If the
 * form differs, the whole text is written; with STYLE_VALUES, the form and its numbers.
 */
#ifndef PACK_TAIL_H
#define PACK_TAIL_H

#include "format.h"
#include "values.h"

#define TAIL_MOST   (1u << 20) /* size in bytes that no text and no form has */
#define TAIL_SLOTS  64u        /* largest number of numbers outside of groups in a text */
#define TAIL_GROUPS 8u
#define GUESSES     7u

/*
 * Bytes of a form that represent numbers: DECIMAL, HEX8 or HEX16 represents one number; GROUP followed by one of these
 * represents one number for each active lane; VALUES represents a group of register values (values.h). A text that
 * contains bytes below ' ' has no form and is always written whole.
 */
enum { DECIMAL = 1, HEX8, HEX16, GROUP, VALUES };

/* A text, split into form and numbers. */
struct shape_of_text {
	struct buf form; /* text in which numbers are replaced by kinds */
	uint64_t slot[TAIL_SLOTS], lane[TAIL_GROUPS][32];
	struct value_group values[VALUE_GROUPS]; /* register values */
	unsigned n_slots, n_groups, n_values;
	uint32_t address; /* low half of the first active lane's address; 0: no active lane has one */
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
	struct value_group *values; /* last register values, VALUE_GROUPS groups; NULL: none yet */
};

struct tails {
	struct cur in, width, plane[8]; /* read positions in the columns */
	struct tail_state *state;       /* states by static instruction; NULL before the first text */
	struct shape_of_text shape;
	struct buf text;
	uint32_t n;       /* number of static instructions */
	bool with_values; /* true if the part has STYLE_VALUES */
};

/* Splits a text into form and numbers. values: it may have groups of values. Returns false if the text has no form. */
bool tail_split_text(struct shape_of_text *s, bool values, uint32_t mask, const uint8_t *p, size_t n);
/* Sets `out` to the text with this form and the numbers of s. */
void tail_join_text(struct buf *out, const struct buf *form, const struct shape_of_text *s, uint32_t mask);
/* Returns true if the writer could have written this form of a text. */
bool tail_form_is_valid(const uint8_t *form, size_t n);

void tails_new(struct tails *t, uint32_t n, bool values);
void tails_free(struct tails *t);
/* Begins a span that is read from the columns col. */
void tails_begin_span(struct tails *t, const struct cur col[N_COLUMNS]);
/*
 * Appends the text of static instruction id for the lanes of mask to the columns. address: address of the first lane;
 * 0: no lane has one.
 */
void tail_put(struct tails *t, uint32_t id, uint32_t mask, uint64_t address, const uint8_t *text, size_t n,
	struct buf col[N_COLUMNS]);
/*
 * Reads the next text of static instruction id for the lanes of mask with this address. The text is valid until the
 * next text of id. Returns false if it is damaged.
 */
bool tail_next(
	struct tails *t, uint32_t id, uint32_t mask, uint64_t address, const uint8_t **text, size_t *n);
bool tails_are_valid(const struct tails *t);

#endif
