/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures that records hold: those of the whole GPU that are not 0, unless -s or --all-figures choose others.
 *
 * Always true: a name is compared with the patterns of -s once. A figure that a record lacks is 0 where the run
 * record lists its name (trace-stats(5)).
 */
#ifndef STATS_CHOICE_H
#define STATS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include "arena.h"
#include "figure.h"
#include "namelist.h"
#include "record.h"
#include "table.h"

struct chosen_name {
	const char *text;
	const struct figure *about; /* NULL: not in stats.def */
	bool chosen;
};

struct figure_choice {
	struct namelist names; /* patterns of -s; none: figures of the whole GPU */
	bool all;              /* --all-figures: also zeros, and without -s also figures of single units */
	/* private */
	struct chosen_name *name;
	uint32_t n, cap;
	struct table rows;
	struct arena texts;
	const char **listed; /* names in the run record, in order */
	uint32_t n_listed, cap_listed;
};

/* Row of a name; hash: table_hash() of it. Valid until the next call. */
const struct chosen_name *choice_find(struct figure_choice *c, const char *name, uint64_t hash);
/* Adds a name to those that the run record lists, if it is chosen and zeros are left out. */
void choice_list(struct figure_choice *c, const char *name, uint64_t hash);
/*
 * Completes the list with the names of -s that records omit where they are 0 from the start. Ends the program if a
 * name or pattern of -s names no figure.
 */
void choice_complete(struct figure_choice *c);
/* Writes the group "figures": each listed name with its unit. */
void choice_record(struct figure_choice *c, struct record_writer *w);
void choice_free(struct figure_choice *c);

#endif
