/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of counters measured on hardware (POWER-hw-1): comma-separated values without quotes.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "power_int.h"

#define COLUMNS (2 + N_POWER_HW)

/* Splits a line at its commas. Returns the number of columns, at most COLUMNS + 1. */
static unsigned split_power_row(char *line, char *column[COLUMNS])
{
	unsigned n = 0;

	for (char *p = line; p; n++) {
		char *comma = strchr(p, ',');

		if (n == COLUMNS)
			return n + 1;
		column[n] = p;
		if (comma)
			*comma++ = '\0';
		p = comma;
	}
	return n;
}

static int parse_counter_row(struct power_hw_table *t, char *line, struct place at, struct fault *f)
{
	struct power_hw_row row = {.line = at.line};
	char *column[COLUMNS], q[64];
	const char *end;
	unsigned n = split_power_row(line, column);

	if (n != COLUMNS)
		return fault_set(f, at, "power-table", "%u columns (expected %d)%s", n, (int)COLUMNS,
			n > COLUMNS ? " or more" : "");
	if (at.line == 1 && !power_read_number(column[2], &end, &row.value[0])) /* the row is the header */
		return 0;
	for (unsigned i = 0; i < N_POWER_HW; i++) {
		at.col = place_column(line, column[2 + i]);
		if (!power_read_number(column[2 + i], &end, &row.value[i]) || end[strspn(end, " \t")])
			return fault_set(f, at, "power-table", "invalid value '%s' (expected a number)",
				diag_quote(q, sizeof(q), column[2 + i], strlen(column[2 + i])));
	}
	at.col = place_column(line, column[2 + POWER_HW_CYCLES]);
	if (row.value[POWER_HW_CYCLES] < 0.5 || row.value[POWER_HW_CYCLES] > 1e15)
		return fault_set(
			f, at, "power-table", "%g cycles (expected 0.5 to 1e15)", row.value[POWER_HW_CYCLES]);
	row.benchmark = xstrdup(column[0]);
	row.kernel = xstrdup(column[1]);
	grow(&t->row, &t->cap, t->n + 1, sizeof(*t->row));
	t->row[t->n++] = row;
	return 0;
}

int power_hw_parse(struct power_hw_table *t, const char *name, const char *bytes, size_t n, struct fault *f)
{
	struct place at = {.file = name};
	struct bytes line = {0};
	int r = 0;

	t->file = name;
	for (size_t i = 0; i < n && r == 0;) {
		i += power_line(&line, bytes + i, n - i);
		at.line++;
		if (line.n && line.p[line.n - 1] == '\r')
			line.p[--line.n] = '\0';
		if (strlen(line.p) != line.n)
			r = fault_set(f, at, "power-table", "NUL byte (expected text)");
		else if (!line.n)
			r = fault_set(f, at, "power-table", "empty line (expected %d columns)", (int)COLUMNS);
		else
			r = parse_counter_row(t, line.p, at, f);
	}
	bytes_free(&line);
	return r;
}

int power_hw_read(struct power_hw_table *t, const char *path, struct fault *f)
{
	struct bytes b = {0};
	int r = power_load(&b, path, f);

	*t = (struct power_hw_table){.file = diag_keep(path)};
	if (r == 0)
		r = power_hw_parse(t, t->file, b.p, b.n, f);
	bytes_free(&b);
	return r;
}

void power_hw_free(struct power_hw_table *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		free(t->row[i].benchmark);
		free(t->row[i].kernel);
	}
	free(t->row);
	*t = (struct power_hw_table){0};
}

const struct power_hw_row *power_hw_find(
	const struct power_hw_table *t, const char *benchmark, const char *kernel)
{
	const struct power_hw_row *first = NULL;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct power_hw_row *r = &t->row[i];

		if (strcmp(r->benchmark, benchmark) != 0)
			continue;
		if (!*r->kernel || !strcmp(r->kernel, kernel))
			return r;
		first = first ? first : r;
	}
	return first;
}
