/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the names from the command line that must occur in the results: kernels of -k, patterns of -s, and
 * full names that are not in stats.def. Without this check, a misspelt name would select no figure, and the
 * results would be considered equal.
 */
#include <stdlib.h>
#include <string.h>
#include "compare.h"

void required_add(struct diff_options *o, const char *option, const char *name)
{
	o->required = xrealloc(o->required, o->n_required + 1, sizeof(*o->required));
	o->required[o->n_required++] = (struct required){option, xstrdup(name), false};
}

void required_add_list(struct diff_options *o, const char *option, const struct namelist *l)
{
	for (size_t i = 0; i < l->n; i++) {
		bool full = !strpbrk(l->pattern[i], "*?");

		if (full ? !figure_find(l->pattern[i]) : !strcmp(option, "-s"))
			required_add(o, option, l->pattern[i]);
	}
}

void required_note_figure(const struct diff_options *o, const char *name)
{
	for (uint32_t i = 0; i < o->n_required; i++)
		o->required[i].found |= namelist_matches(o->required[i].name, name);
}

void required_note_kernel(const struct diff_options *o)
{
	for (uint32_t i = 0; i < o->n_required; i++)
		o->required[i].found |= !strcmp(o->required[i].given_by, "-k");
}

void required_check(const struct diff_options *o)
{
	char q[80];

	for (uint32_t i = 0; i < o->n_required; i++) {
		const struct required *a = &o->required[i];

		if (a->found)
			continue;
		if (!strcmp(a->given_by, "-k"))
			die("-k selects no kernel of either side");
		if (!strpbrk(a->name, "*?["))
			figure_die_unknown(a->given_by, a->name);
		die("%s: no figure %s on either side", a->given_by,
			diag_quote(q, sizeof(q), a->name, strlen(a->name)));
	}
}

void required_free(struct diff_options *o)
{
	for (uint32_t i = 0; i < o->n_required; i++)
		free(o->required[i].name);
	free(o->required);
}
