/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The choice of figures for records: figures of the whole GPU that are not 0, unless -s or --all-figures
 * choose others.
 *
 * Always true: a name is compared with the patterns of -s only once. If the run record lists a figure and
 * another record does not have it, it is 0 there (trace-stats(5)).
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
	const struct figure *description; /* row of stats.def; NULL: the name is not there */
	bool chosen;
};

struct figure_choice {
	struct namelist names; /* patterns of -s; if empty, figures of the whole GPU are chosen */
	/* --all-figures: zeros are written, too, and without -s also figures of single units */
	bool all_figures;
	/* private */
	struct chosen_name *name;
	uint32_t n, cap;
	struct table rows;
	struct arena texts;
	const char **listed; /* names in the run record, in order */
	uint32_t n_listed, cap_listed;
};

/* Returns the row of a name. The row is valid until the next call. hash: table_hash() of the name. */
const struct chosen_name *choice_find(struct figure_choice *c, const char *name, uint64_t hash);
/* Adds a name to the list of the run record if it is chosen and zeros are left out. */
void choice_list_name(struct figure_choice *c, const char *name, uint64_t hash);
/*
 * Completes the list with names of -s for figures that the tables leave out while they are 0. Ends the
 * program if a name or pattern of -s matches no figure.
 */
void choice_resolve_names(struct figure_choice *c);
/* Writes the group "figures": each listed name with its unit. */
void choice_write_record(struct figure_choice *c, struct record_writer *w);
void choice_free(struct figure_choice *c);

#endif
