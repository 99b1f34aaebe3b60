/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of trace-stats(5): the headings and rows of stats.def. */
#include <ctype.h>
#include <string.h>
#include "figure.h"
#include "roff.h"

enum { DENSE, SPARSE, DENSE_UNIT, SPARSE_UNIT }; /* names that stats.def uses in its rows */

/* A row of stats.def: a figure, or a section if heading is not NULL. */
static const struct man_figure {
	const char *heading;
	struct figure figure;
} man_figures[] = {
#define HEADING(title) {title, {NULL, NULL, NULL, NULL, FIGURE_COUNTER, false, false}},
#define FIGURE(name, kind, presence, unit, formula, help) \
	{NULL, {name, unit, formula, help, FIGURE_##kind, presence == SPARSE || presence == SPARSE_UNIT, \
		       presence >= DENSE_UNIT}},
#include "stats.def"
#undef FIGURE
};

/* Returns true if text begins with the name of a figure, which must stay in lower case. */
static bool begins_with_figure(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '-')
		n++;
	return !n || !strchr(" :,", text[n]);
}

static void print_man_figure(FILE *out, const struct figure *f)
{
	bool unit = strcmp(f->unit, "-") != 0;

	fprintf(out, ".It Va %s\n", f->name);
	if (begins_with_figure(f->help))
		roff_printf(out, "%s.", f->help);
	else
		roff_sentence(out, f->help);
	roff_printf(out, "(%s%s%s%s%s%s%s)", figure_kind_name(f->kind), f->sparse ? ", sparse" : "",
		f->unit_of_gpu ? ", per unit" : "", unit ? "; " : "", unit ? f->unit : "",
		*f->formula ? "; " : "", f->formula);
}

void figure_man(FILE *out)
{
	for (size_t i = 0; i < sizeof(man_figures) / sizeof(man_figures[0]); i++) {
		const struct man_figure *m = &man_figures[i];

		if (m->heading)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "", m->heading);
		else
			print_man_figure(out, &m->figure);
	}
	fputs(".El\n", out);
}
