/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of trace-network(5): the rows of icnt.def and network.def. */
#include <string.h>
#include "arch/icnt_int.h"
#include "roff.h"

/* ---- rows of network.def ------------------------------------------------------------------ */

static void print_man_row(FILE *out, const char *name, const char *text)
{
	fprintf(out, ".It Cm %s\n", name);
	roff_sentence(out, text);
}

void icnt_man_topologies(FILE *out)
{
	for (size_t i = 0; i < N_TOPOLOGIES; i++)
		print_man_row(out, icnt_topologies[i].name, icnt_topologies[i].text);
}

void icnt_man_allocators(FILE *out)
{
#define ALLOCATOR(name, id, text) print_man_row(out, #name, text);
#include "arch/network.def"
}

void icnt_man_arbiters(FILE *out)
{
#define ARBITER(name, id, text) print_man_row(out, #name, text);
#include "arch/network.def"
}

void icnt_man_policies(FILE *out)
{
#define POLICY(name, id, text) print_man_row(out, #name, text);
#include "arch/network.def"
}

static const char *const need_text[] = {
	[NEED_ANY] = "",
	[NEED_PAIR] = "Needs 2 virtual channels in each class.",
	[NEED_FOUR] = "Needs 4 virtual channels in each class.",
	[NEED_NODES] = "Needs a virtual channel for each node in each class.",
	[NEED_RADIX] = "Needs k virtual channels in each class.",
	[NEED_TWICE] = "Needs 2k - 1 virtual channels in each class, and c = k.",
	[NEED_FIRST] = "Needs 2 virtual channels in each class, which begin at 0.",
	[NEED_TWO] = "Needs num_vcs of at least 2.",
	[NEED_THREE] = "Needs num_vcs = 3.",
	[NEED_UNSET] = "Refused.",
};

void icnt_man_routings(FILE *out)
{
	const struct icnt_routing_row *r = icnt_routings;

	for (size_t i = 0; i < N_ROUTINGS; i++, r++) {
		if (!i || r->topology != r[-1].topology)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "",
				icnt_topologies[r->topology].name);
		print_man_row(out, r->name, r->text);
		if (*need_text[r->need])
			roff_text(out, need_text[r->need]);
	}
	fputs(".El\n", out);
}

/* ---- rows of icnt.def --------------------------------------------------------------------- */

/* A row of icnt.def: an entry, or a section if heading is not NULL. */
static const struct man_entry {
	const char *heading, *unit, *help;
	enum icnt_id id;
} man_entries[] = {
#define HEADING(title)                                 {title, NULL, NULL, N_ICNT},
#define ICNT(name, kind, def, least, most, unit, help) {NULL, unit, help, ICNT_##name},
#include "arch/icnt.def"
#undef ICNT
};

/* Writes "; 1 to 64" to out, or nothing if any value is valid. */
static void format_man_bounds(char *out, size_t cap, const struct icnt_entry *e)
{
	bool least = e->least != INT32_MIN, most = e->most != INT32_MAX;

	out[0] = '\0';
	if (e->kind == KIND_WORD || e->kind == KIND_IDLE)
		return;
	if (least && most && e->least == e->most)
		snprintf(out, cap, "; only %lld", (long long)e->least);
	else if (least && most)
		snprintf(out, cap, "; %lld to %lld", (long long)e->least, (long long)e->most);
	else if (least)
		snprintf(out, cap, "; at least %lld", (long long)e->least);
	else if (most)
		snprintf(out, cap, "; at most %lld", (long long)e->most);
}

static void print_man_entry(FILE *out, const struct man_entry *m)
{
	const struct icnt_entry *e = &icnt_entries[m->id];
	char bounds[64];

	fprintf(out, ".It Va %s\n", e->name);
	if (*m->help)
		roff_sentence(out, m->help);
	format_man_bounds(bounds, sizeof(bounds), e);
	roff_printf(out, "(%s%s%s%s%s)", *e->def ? e->def : "empty", *m->unit ? " " : "", m->unit, bounds,
		e->kind == KIND_NUMBERS || e->kind == KIND_REALS ? "; also a list" : "");
}

void icnt_man_entries(FILE *out)
{
	for (size_t i = 0; i < sizeof(man_entries) / sizeof(man_entries[0]); i++) {
		const struct man_entry *m = &man_entries[i];

		if (m->heading)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "", m->heading);
		else
			print_man_entry(out, m);
	}
	fputs(".El\n", out);
}
