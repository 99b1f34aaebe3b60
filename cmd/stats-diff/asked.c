/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names on the command line that must occur in the results: kernels of -k, patterns of -s, and full names outside
 * stats.def. Otherwise a misspelt name would compare nothing and find everything equal.
 */
#include <stdlib.h>
#include <string.h>
#include "compare.h"

void asked_add(struct diff_options *o, const char *option, const char *name)
{
	o->asked = xrealloc(o->asked, o->n_asked + 1, sizeof(*o->asked));
	o->asked[o->n_asked++] = (struct asked){option, xstrdup(name), false};
}

void asked_names(struct diff_options *o, const char *option, const struct namelist *l)
{
	for (size_t i = 0; i < l->n; i++) {
		bool full = !strpbrk(l->pattern[i], "*?");

		if (full ? !figure_find(l->pattern[i]) : !strcmp(option, "-s"))
			asked_add(o, option, l->pattern[i]);
	}
}

void asked_figure(const struct diff_options *o, const char *name)
{
	for (uint32_t i = 0; i < o->n_asked; i++)
		o->asked[i].met |= namelist_matches(o->asked[i].name, name);
}

void asked_kernel(const struct diff_options *o)
{
	for (uint32_t i = 0; i < o->n_asked; i++)
		o->asked[i].met |= !strcmp(o->asked[i].option, "-k");
}

void asked_check(const struct diff_options *o)
{
	char q[80];

	for (uint32_t i = 0; i < o->n_asked; i++) {
		const struct asked *a = &o->asked[i];

		if (a->met)
			continue;
		if (!strcmp(a->option, "-k"))
			die("-k selects no kernel of either side");
		if (!strpbrk(a->name, "*?["))
			figure_die_unknown(a->option, a->name);
		die("%s: no figure %s on either side", a->option,
			diag_quote(q, sizeof(q), a->name, strlen(a->name)));
	}
}

void asked_free(struct diff_options *o)
{
	for (uint32_t i = 0; i < o->n_asked; i++)
		free(o->asked[i].name);
	free(o->asked);
}
