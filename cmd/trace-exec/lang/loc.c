/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source positions of instructions: .loc.
 *
 * inlined_at gives the position of the inlined call. If this call is itself in an inlined function, a .loc with its
 * position gives the outer call. The search for it is done when a message needs it.
 */
#include <string.h>
#include "lang/parser.h"

#define CALLS_MAX 64u /* maximum depth of inlined calls */

/* Parses FILE LINE COLUMN. */
static bool parse_position(struct parser *p, uint32_t *file, uint32_t *line, uint32_t *col)
{
	int64_t v[3];

	for (unsigned i = 0; i < 3; i++)
		if (!constant_take_number(p, &v[i]))
			return false;
	*file = (uint32_t)v[0];
	*line = (uint32_t)v[1];
	*col = (uint32_t)v[2];
	return true;
}

/* Parses the label of a function's name in a debug section, and an offset from it. */
static bool parse_name_label(struct parser *p)
{
	if (p->token.kind == TOK_NAME && !parser_next(p))
		return false;
	if (parser_at_punct(p, '+') && !parser_next(p))
		return false;
	return p->token.kind != TOK_INT || parser_next(p);
}

bool loc_parse(struct parser *p)
{
	struct module *m = p->module;
	struct loc l = {0};

	if (!parse_position(p, &l.file, &l.line, &l.col))
		return false;
	while (parser_at_punct(p, ',')) {
		const char *name = parser_next(p) ? parser_take_name(p, "function_name or inlined_at") : NULL;

		if (!name)
			return false;
		if (strcmp(name, "inlined_at") ? !parse_name_label(p)
					       : !parse_position(p, &l.call_file, &l.call_line, &l.call_col))
			return false;
	}
	p->loc_file = l.file;
	p->loc_line = l.line;
	grow(&m->loc, &m->cap_locs, m->n_locs + 1, sizeof(*m->loc));
	m->loc[m->n_locs++] = l;
	p->loc = m->n_locs;
	return true;
}

/* Returns the last .loc of the function before `l` that has the position of the call in `l`; NULL if there is none. */
static const struct loc *find_call(const struct func *f, const struct loc *l)
{
	for (const struct loc *c = l; c-- > f->module->loc + f->first_loc;)
		if (c->file == l->call_file && c->line == l->call_line && c->col == l->call_col)
			return c;
	return NULL;
}

/* Sets out[n], or the last element if n is too large, to the position. Returns the number of elements. */
static unsigned add_position(
	const struct module *m, uint32_t file, uint32_t line, struct place *out, unsigned n, unsigned most)
{
	n = n < most ? n : most - 1;
	if (!line || file >= m->n_files || !m->file[file])
		return n;
	out[n] = (struct place){m->file[file], line, 0};
	return n + 1;
}

unsigned loc_positions(const struct func *f, const struct stmt *in, struct place *out, unsigned most)
{
	const struct module *m = f->module;
	unsigned n = add_position(m, in->loc_file, in->loc_line, out, 0, most);
	const struct loc *l = in->loc ? &m->loc[in->loc - 1] : NULL;

	for (unsigned i = 0; n && l && l->call_line && i < CALLS_MAX; i++) {
		n = add_position(m, l->call_file, l->call_line, out, n, most);
		l = find_call(f, l);
	}
	return n;
}
