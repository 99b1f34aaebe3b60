/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lookup of figures by recorded name.
 *
 * A name is looked up as it is first, then with '*' for every index, so a row with literal indices takes precedence
 * over a family (tests/unit/test_figure.c). Names longer than NAME_MAX_LEN have no row.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include "cli.h"
#include "diag.h"
#include "figure.h"
#include "table.h"

enum { DENSE, SPARSE, DENSE_UNIT, SPARSE_UNIT }; /* names that stats.def uses in its rows */

const struct figure figures_table[] = {
#define FIGURE(name, kind, presence, unit, formula, help) \
	{name, unit, formula, help, FIGURE_##kind, presence == SPARSE || presence == SPARSE_UNIT, \
		presence >= DENSE_UNIT},
#include "stats.def"
#undef FIGURE
};
const size_t n_figures = sizeof(figures_table) / sizeof(figures_table[0]);

/* Length of the longest name that may have a row; some names contain an opcode and a source file. */
#define NAME_MAX_LEN 800

static struct table rows;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Returns the row of a name of n bytes; NULL if there is none. */
static const struct figure *find_row_by_name(const char *name, size_t n)
{
	FOR_TABLE (w, &rows, table_hash(name, n)) {
		const struct figure *row = &figures_table[w.number];

		if (!strncmp(row->name, name, n) && !row->name[n])
			return row;
	}
	return NULL;
}

static void fill_row_table(void)
{
	for (uint32_t i = 0; i < n_figures; i++)
		table_add(&rows, table_hash(figures_table[i].name, strlen(figures_table[i].name)), i);
}

/* Writes name to out with '*' for every index. Returns the length; 0 if a bracket is not closed. */
static size_t make_family_name(char *out, const char *name, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		const char *end;

		out[len++] = name[i];
		if (name[i] != '[')
			continue;
		end = memchr(name + i, ']', n - i);
		if (!end || end == name + i + 1)
			return 0;
		out[len++] = '*';
		i = (size_t)(end - name) - 1;
	}
	return len;
}

const struct figure *figure_find(const char *name)
{
	const struct figure *row;
	size_t n = strlen(name);
	char key[2 * NAME_MAX_LEN];

	if (!n || n > NAME_MAX_LEN)
		return NULL;
	pthread_once(&once, fill_row_table);
	row = find_row_by_name(name, n);
	if (row)
		return row;
	n = make_family_name(key, name, n);
	return n ? find_row_by_name(key, n) : NULL;
}

bool figure_matches(const char *pattern, const char *name)
{
	while (*pattern) {
		if (*pattern == '*' && pattern[1] == ']') {
			size_t n = strcspn(name, "]");

			if (!n)
				return false;
			name += n;
			pattern++;
		} else if (*pattern++ != *name++) {
			return false;
		}
	}
	return !*name;
}

const char *figure_kind_name(enum figure_kind kind)
{
	static const char *const names[N_FIGURE_KINDS] = {
		"counter", "interval", "ratio", "total", "max", "histogram"};

	return kind < N_FIGURE_KINDS ? names[kind] : "?";
}

void figure_die_unknown(const char *option, const char *name)
{
	const char *near = cli_nearest(name, figures_table, n_figures, sizeof(figures_table[0]));
	char q[80];

	diag_quote(q, sizeof(q), name, strlen(name));
	if (near)
		die("%s: unknown figure %s, did you mean %s?", option, q, near);
	die("%s: unknown figure %s (stats-csv --list prints all)", option, q);
}
