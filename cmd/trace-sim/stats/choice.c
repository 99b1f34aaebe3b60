/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of figures; see choice.h. */
#include <stdlib.h>
#include <string.h>
#include "choice.h"
#include "diag.h"

const struct chosen_name *choice_find(struct figure_choice *c, const char *name, uint64_t hash)
{
	struct chosen_name *to;

	FOR_TABLE (w, &c->rows, hash)
		if (!strcmp(c->name[w.number].text, name))
			return &c->name[w.number];
	grow(&c->name, &c->cap, c->n + 1, sizeof(*c->name));
	table_add(&c->rows, hash, c->n);
	to = &c->name[c->n++];
	to->text = arena_strndup(&c->texts, name, strlen(name));
	to->description = figure_find(name);
	to->chosen = c->names.n ? namelist_find(&c->names, name) >= 0
				: c->all_figures || !to->description || !to->description->unit_of_gpu;
	return to;
}

/* Appends a name to c->listed unless the list has it. */
static void add_chosen_name(struct figure_choice *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_listed; i++)
		if (!strcmp(c->listed[i], name))
			return;
	grow(&c->listed, &c->cap_listed, c->n_listed + 1, sizeof(*c->listed));
	c->listed[c->n_listed++] = name;
}

void choice_list_name(struct figure_choice *c, const char *name, uint64_t hash)
{
	const struct chosen_name *n = choice_find(c, name, hash);

	if (n->chosen && !c->all_figures && !(n->description && n->description->sparse))
		add_chosen_name(c, n->text);
}

static bool is_pattern(const char *name) { return strpbrk(name, "*?") != NULL; }

/* Returns true if a pattern may match a figure of this run or of stats.def. */
static bool may_match_figure(const struct figure_choice *c, const char *pattern)
{
	if (strchr(pattern, '[')) /* a pattern may have any index in place of the figure's */
		return true;
	for (uint32_t i = 0; i < c->n; i++)
		if (namelist_matches(pattern, c->name[i].text))
			return true;
	for (size_t i = 0; i < n_figures; i++)
		if (namelist_matches(pattern, figures_table[i].name))
			return true;
	return false;
}

void choice_resolve_names(struct figure_choice *c)
{
	for (size_t i = 0; i < c->names.n; i++) {
		const char *name = c->names.pattern[i];
		const struct figure *f = figure_find(name);
		char q[80];

		if (is_pattern(name) && !may_match_figure(c, name))
			die("-s: no figure matches %s (stats-csv --list prints all)",
				diag_quote(q, sizeof(q), name, strlen(name)));
		if (!is_pattern(name) && !f)
			figure_die_unknown("-s", name);
		if (!is_pattern(name) && !c->all_figures && f->sparse && f->kind != FIGURE_RATIO)
			add_chosen_name(c, name);
	}
}

void choice_write_record(struct figure_choice *c, struct record_writer *w)
{
	if (c->all_figures)
		return;
	record_group(w, "figures");
	for (uint32_t i = 0; i < c->n_listed; i++) {
		const struct figure *f = figure_find(c->listed[i]);

		record_string(w, c->listed[i], f ? f->unit : "-");
	}
	record_group_end(w);
}

void choice_free(struct figure_choice *c)
{
	free(c->name);
	free(c->listed);
	table_free(&c->rows);
	arena_free(&c->texts);
	namelist_free(&c->names);
}
