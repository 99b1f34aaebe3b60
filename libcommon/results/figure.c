/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lookup of figures by recorded name.
 *
 * Always true of stats.def (tests/unit/test_figure.c checks it): a name is looked up as it stands first, then
 * with every index replaced by '*'; so a row with literal indices wins over a family, and two lookups in
 * one hash table decide. Names longer than NAME_MAX_LEN are nobody's.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include "cli.h"
#include "diag.h"
#include "figure.h"

#define DENSE  false
#define SPARSE true

const struct figure figures_table[] = {
#define FIGURE(name, kind, sparse, unit, formula, help) {name, unit, formula, help, FIGURE_##kind, sparse},
#include "stats.def"
#undef FIGURE
};
const size_t n_figures = sizeof(figures_table) / sizeof(figures_table[0]);

#define NAME_MAX_LEN 200
#define SLOTS        1024 /* a power of two well above the number of rows */

_Static_assert(sizeof(figures_table) / sizeof(figures_table[0]) < SLOTS / 2, "too few slots for stats.def");

static uint16_t slots[SLOTS]; /* row + 1; 0: free */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t hash_name(const char *s, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h ^ h >> 15;
}

/* Where the row of name (n bytes) is, or would go. */
static uint32_t slot_of(const char *name, size_t n)
{
	uint32_t s = hash_name(name, n) % SLOTS;

	for (; slots[s]; s = (s + 1) % SLOTS) {
		const char *row = figures_table[slots[s] - 1].name;

		if (!strncmp(row, name, n) && !row[n])
			break;
	}
	return s;
}

static void fill_slots(void)
{
	for (size_t i = 0; i < n_figures; i++) {
		uint32_t s = slot_of(figures_table[i].name, strlen(figures_table[i].name));

		if (!slots[s])
			slots[s] = (uint16_t)(i + 1);
	}
}

/* name with what stands between brackets replaced by '*'; 0 when a bracket is not closed. */
static size_t family(char *out, const char *name, size_t n)
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
	size_t n = strlen(name);
	char key[2 * NAME_MAX_LEN];
	uint32_t s;

	if (!n || n > NAME_MAX_LEN)
		return NULL;
	pthread_once(&once, fill_slots);
	s = slot_of(name, n);
	if (!slots[s]) {
		n = family(key, name, n);
		s = n ? slot_of(key, n) : s;
	}
	return slots[s] ? &figures_table[slots[s] - 1] : NULL;
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

void figure_refuse(const char *option, const char *name)
{
	const char *near = cli_nearest(name, figures_table, n_figures, sizeof(figures_table[0]));
	char q[80];

	diag_quote(q, sizeof(q), name, strlen(name));
	if (near)
		die("%s: found no figure %s, wanted perhaps %s", option, q, near);
	die("%s: found no figure %s, wanted one that stats-csv --list shows", option, q);
}
