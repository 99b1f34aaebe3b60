/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the figures of a statistics record mean: unit, kind, formula and description by name.
 *
 * results/stats.def has one row a family of figures; trace-stats(5) is made from the same rows. Names
 * are as recorded: blanks of the original's names are '_', composite lines have an index or a prefix
 * ("mf_lat_table[7]", "dram[3].n_act"). A row's name holds [*] where a figure has any index.
 */
#ifndef FIGURE_H
#define FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How a kernel's own figure follows from two moments of a run, and what Accel-Sim's block shows. */
enum figure_kind {
	FIGURE_COUNTER,   /* difference; the block shows the running value */
	FIGURE_INTERVAL,  /* difference, or ratio of differences; so does the block */
	FIGURE_RATIO,     /* ratio of differences; the block shows that of running values */
	FIGURE_TOTAL,     /* running value in both, never subtracted */
	FIGURE_MAX,       /* largest so far in both */
	FIGURE_HISTOGRAM, /* a counter that is one entry of a table */
	N_FIGURE_KINDS
};

struct figure {
	const char *name;    /* pattern */
	const char *unit;    /* "-": a plain number */
	const char *formula; /* "A/B" of figures of the same record; "": not made of others */
	const char *help;
	enum figure_kind kind;
	bool sparse; /* left out where it is 0 (a ratio: where it is undefined) */
};

extern const struct figure figures_table[]; /* in the order of stats.def */
extern const size_t n_figures;

/* The row of a recorded name; NULL when it is none of ours. Safe in threads. */
const struct figure *figure_find(const char *name);
/* Does name belong to the family of pattern? [*] matches one index of any text but ']'. */
bool figure_matches(const char *pattern, const char *name);
void figure_man(FILE *out);                          /* the table of trace-stats(5) */
const char *figure_kind_name(enum figure_kind kind); /* "counter" */
/* Ends the program: option has the name of a figure that there is not, with the nearest one that there is. */
_Noreturn void figure_refuse(const char *option, const char *name);

#endif
