/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tallies: how often each recipe that refers to another memory instruction was right. Internal to libcommon; fit.c
 * uses them.
 */
#ifndef PACK_FIT_TALLY_H
#define PACK_FIT_TALLY_H

#include "addr.h"

#define TALLIES_MAX  32u /* largest number of distinct recipes counted for an instruction and phase */
#define TALLIES_BEST 3u  /* largest number of tallies of a phase that become recipes */

struct fit_tally {
	uint64_t constant;
	union {
		struct {
			uint32_t ref;
			uint8_t op;
			int8_t shift;
			uint16_t far; /* 1: ref did not run recently */
		};
		uint64_t key; /* all of these as one word, for comparison */
	};
	uint32_t hits;
};

/* Tallies of an instruction and phase, in the slots of a hash table. */
struct fit_tallies {
	uint32_t used; /* set of the slots that are or were in use; the others have no hits */
	struct fit_tally slot[TALLIES_MAX];
};

/* An execution of a memory instruction: its addresses, also as a list, and three of its active lanes. */
struct fit_access {
	const struct recorded *recorded;
	const uint64_t *addr;
	unsigned n; /* number of active lanes */
	unsigned first_lane;
	unsigned second_lane; /* equal to first_lane if one lane is active */
	unsigned last_lane;
};

void fit_access_set(struct fit_access *x, const struct recorded *g, uint64_t storage[32]);
/*
 * Counts the recipes based on instruction ref, whose lanes are `from`, that yield these addresses. far: ref did not run
 * recently.
 */
void fit_count_recipes(
	struct fit_tallies **t, uint32_t ref, bool far, const struct lanes *from, const struct fit_access *x);
bool fit_prefer(const struct fit_tally *x, const struct fit_tally *y);
/* Returns the best tally from slot `from` on, or NULL. moved: includes OP_MOVED. */
struct fit_tally *fit_best_tally(struct fit_tallies *t, uint32_t from, bool moved);
/* Moves the best tallies to the front, in their order. */
void fit_sort_best(struct fit_tallies *t);

static inline struct recipe fit_recipe(const struct fit_tally *t)
{
	return (struct recipe){.op = t->op, .shift = t->shift, .ref = t->ref, .constant = t->constant};
}

#endif
