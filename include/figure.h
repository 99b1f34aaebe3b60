/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meaning of the figures of a statistics record: unit, kind, formula and description of each name.
 *
 * results/stats.def has one row for each family of figures; trace-stats(5) is made from these rows. Names are as in
 * the records: '_' replaces the blanks of Accel-Sim's names, and the values of a line with several values have an
 * index or a prefix ("mf_lat_table[7]", "dram[3].n_act"). A row's name contains [*] where a figure has an index.
 */
#ifndef FIGURE_H
#define FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Derivation of a kernel's figure from the run's values before and after the kernel, and the value that Accel-Sim
 * prints.
 */
enum figure_kind {
	FIGURE_COUNTER,   /* difference; Accel-Sim prints the running value */
	FIGURE_INTERVAL,  /* difference, or ratio of differences; Accel-Sim prints the same */
	FIGURE_RATIO,     /* ratio of differences; Accel-Sim prints the ratio of running values */
	FIGURE_TOTAL,     /* running value, never subtracted; Accel-Sim prints the same */
	FIGURE_MAX,       /* largest value so far; Accel-Sim prints the same */
	FIGURE_HISTOGRAM, /* a counter that is one entry of a table */
	N_FIGURE_KINDS
};

struct figure {
	const char *name;      /* pattern of the names that the row covers */
	const char *unit;      /* unit; "-": the figure is a plain number */
	const char *formula;   /* "A/B", the quotient of two figures of the record; "": not derived */
	const char *help;      /* description for trace-stats(5) */
	enum figure_kind kind; /* derivation of the kernel's figure */
	bool sparse;           /* records omit the figure where it is 0 (a ratio: where it is undefined) */
	bool unit_of_gpu;      /* figure of a single SM, slice, channel, bank or link */
};

extern const struct figure figures_table[]; /* rows in the order of stats.def */
extern const size_t n_figures;

/* Returns the row of a recorded name; NULL if there is none. The function is thread-safe. */
const struct figure *figure_find(const char *name);
/* Returns true if name belongs to the family that pattern names. [*] matches one index, any text without ']'. */
bool figure_matches(const char *pattern, const char *name);
void figure_man(FILE *out);                          /* prints the table of trace-stats(5) */
const char *figure_kind_name(enum figure_kind kind); /* returns the name of a kind, such as "counter" */
/*
 * Ends the program because the value of option names an unknown figure; the message suggests the nearest known name.
 */
_Noreturn void figure_die_unknown(const char *option, const char *name);

#endif
