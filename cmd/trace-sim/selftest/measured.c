/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads measured files (measured.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "selftest/measured.h"

#define MAX_ROWS 1000000u

enum measured_column {
	ID,
	GPU,
	WORKLOAD,
	PARAMS,
	METRIC,
	VALUE,
	UNIT,
	MIN,
	MAX,
	CLOCK,
	TOOL,
	SOURCE,
	NOTE,
	N_COLUMNS
};

static const char *const column_name[N_COLUMNS] = {"id", "gpu", "workload", "params", "metric", "value",
	"unit", "min", "max", "clock_mhz", "tool", "source", "note"};

struct cell {
	const char *s;
	size_t n;
};

static struct place measured_place(const struct input *in, const char *line, const char *s)
{
	return (struct place){input_name(in), input_lineno(in), place_column(line, s)};
}

/* Splits a line at tabs. Returns the number of cells, or N_COLUMNS + 1 if there are more. */
static unsigned split_cells(struct cell c[N_COLUMNS], const char *line, size_t len)
{
	const char *end = line + len;
	unsigned n = 0;

	for (const char *s = line;; s++) {
		const char *tab = memchr(s, '\t', (size_t)(end - s));

		if (n == N_COLUMNS)
			return n + 1;
		c[n++] = (struct cell){s, (size_t)((tab ? tab : end) - s)};
		if (!tab)
			return n;
		s = tab;
	}
}

static int check_columns(const struct input *in, const char *line, size_t len, struct fault *f)
{
	struct cell c[N_COLUMNS];
	unsigned n = split_cells(c, line, len);
	char shown[64];

	for (unsigned i = 0; i < N_COLUMNS; i++) {
		if (i < n && c[i].n == strlen(column_name[i]) && !memcmp(c[i].s, column_name[i], c[i].n))
			continue;
		return fault_set(f, measured_place(in, line, i < n ? c[i].s : line + len), "measured-header",
			"column %u is '%s' (expected '%s')", i + 1,
			i < n ? diag_quote(shown, sizeof(shown), c[i].s, c[i].n) : "", column_name[i]);
	}
	if (n > N_COLUMNS)
		return fault_set(f, measured_place(in, line, line), "measured-header", "more than %u columns",
			(unsigned)N_COLUMNS);
	return 0;
}

/* Parses a decimal number at *s and moves *s past it. Unlike strtod() it does not depend on the locale. */
static bool parse_decimal(const char **s, double *out)
{
	const char *p = *s;
	double v = 0, scale = 1;
	int digits = 0, exponent = 0;
	bool negative = *p == '-', down;

	p += negative;
	for (; *p >= '0' && *p <= '9'; p++, digits++)
		v = v * 10 + (*p - '0');
	if (*p == '.' && p[1] != '.')
		for (p++; *p >= '0' && *p <= '9'; p++, digits++) {
			scale /= 10;
			v += scale * (*p - '0');
		}
	if (!digits)
		return false;
	if (*p == 'e' || *p == 'E') {
		const char *e = p + 1;

		down = *e == '-';
		e += *e == '-' || *e == '+';
		if (*e >= '0' && *e <= '9') {
			for (; *e >= '0' && *e <= '9' && exponent < 100; e++)
				exponent = exponent * 10 + (*e - '0');
			v *= pow(10, down ? -exponent : exponent);
			p = e;
		}
	}
	*out = negative ? -v : v;
	*s = p;
	return true;
}

/* Parses a number, or the first number of a list that is separated by commas. */
static bool parse_first_number(const char *text, double *out)
{
	double ignored;

	if (!parse_decimal(&text, out))
		return false;
	while (*text == ',' && (text++, parse_decimal(&text, &ignored)))
		;
	return !*text;
}

static int parse_row(
	struct measured *m, const struct input *in, const char *line, size_t len, struct fault *f)
{
	struct cell c[N_COLUMNS];
	const char *text[N_COLUMNS];
	unsigned n = split_cells(c, line, len);
	struct measured_row *r;

	if (n != N_COLUMNS)
		return fault_set(f, measured_place(in, line, line), "measured-row",
			"%s%u column%s (expected %u, separated by tabs)", n > N_COLUMNS ? "more than " : "",
			n > N_COLUMNS ? (unsigned)N_COLUMNS : n, n == 1 ? "" : "s", (unsigned)N_COLUMNS);
	for (unsigned i = 0; i < N_COLUMNS; i++)
		text[i] = arena_strndup(&m->arena, c[i].s, c[i].n);
	if (memchr(line, '\0', len))
		return fault_set(
			f, measured_place(in, line, line), "measured-row", "NUL byte (expected text)");
	if (!*text[ID] || !*text[WORKLOAD] || !*text[VALUE])
		return fault_set(f, measured_place(in, line, line), "measured-row", "row has no %s",
			!*text[ID]         ? "id"
			: !*text[WORKLOAD] ? "workload"
					   : "value");
	if (m->n_rows == MAX_ROWS)
		return fault_set(
			f, measured_place(in, line, line), "measured-row", "more than %u rows", MAX_ROWS);
	grow(&m->row, &m->cap_rows, m->n_rows + 1, sizeof(*m->row));
	r = &m->row[m->n_rows++];
	*r = (struct measured_row){.id = text[ID],
		.gpu = text[GPU],
		.workload = text[WORKLOAD],
		.params = text[PARAMS],
		.metric = text[METRIC],
		.text = text[VALUE],
		.unit = text[UNIT],
		.tool = text[TOOL],
		.source = text[SOURCE],
		.note = text[NOTE],
		.place = measured_place(in, line, line)};
	r->place.col = 0;
	r->is_number = parse_first_number(text[VALUE], &r->value);
	r->is_predicted = !strcmp(text[VALUE], MEASURED_NONE);
	if (r->is_number && !(fabs(r->value) <= 1e15))
		return fault_set(
			f, measured_place(in, line, c[VALUE].s), "measured-value", "value is beyond 1e15");
	if (*text[CLOCK] && (!parse_first_number(text[CLOCK], &r->clock_mhz) || r->clock_mhz < 0))
		return fault_set(f, measured_place(in, line, c[CLOCK].s), "measured-clock",
			"invalid clock (expected MHz or nothing)");
	return 0;
}

static const char *const with_words[] = {"#with", "#params"};

/* Returns the index in with_words[] of the word with which the line begins, or -1 if there is none. */
static int index_of_with_word(const char *line, size_t len)
{
	for (unsigned i = 0; i < sizeof(with_words) / sizeof(*with_words); i++) {
		size_t n = strlen(with_words[i]);

		if (len > n && !memcmp(line, with_words[i], n) && line[n] == ' ')
			return (int)i;
	}
	return -1;
}

/* Parses "#with TOOL NAME=VALUE ..." or "#params TOOL NAME=VALUE ...". `word` is an index in with_words[]. */
static int parse_with_line(
	struct measured *m, const struct input *in, const char *line, size_t len, int word, struct fault *f)
{
	size_t skip = strlen(with_words[word]);
	char *text = arena_strndup(&m->arena, line + skip, len - skip), *save = NULL;
	const char *tool = strtok_r(text, " \t", &save), *define;
	bool any = false;

	while ((define = strtok_r(NULL, " \t", &save))) {
		if (!strchr(define, '='))
			break;
		grow(&m->with, &m->cap_with, m->n_with + 1, sizeof(*m->with));
		m->with[m->n_with++] =
			(struct measured_with){tool, define, word == 1, measured_place(in, line, line)};
		any = true;
	}
	if (define || !any)
		return fault_set(f, measured_place(in, line, line), "measured-with",
			"incomplete line (expected '%s TOOL NAME=VALUE...')", with_words[word]);
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct measured_row *const *x = a, *const *y = b;
	int c = strcmp((*x)->id, (*y)->id);

	return c ? c : (*x)->place.line < (*y)->place.line ? -1 : 1;
}

/* Checks that the ids of the rows starting at `first` are unique. */
static int check_unique_ids(const struct measured *m, uint32_t first, struct fault *f)
{
	uint32_t n = m->n_rows - first;
	const struct measured_row **sorted = xcalloc(n + 1, sizeof(*sorted));
	int result = 0;

	for (uint32_t i = 0; i < n; i++)
		sorted[i] = &m->row[first + i];
	qsort(sorted, n, sizeof(*sorted), compare_ids);
	for (uint32_t i = 1; i < n && !result; i++) {
		char shown[64];

		if (!strcmp(sorted[i]->id, sorted[i - 1]->id))
			result = fault_set(f, sorted[i]->place, "measured-id", "duplicate id '%s'",
				diag_quote(shown, sizeof(shown), sorted[i]->id, strlen(sorted[i]->id)));
	}
	free(sorted);
	return result;
}

int measured_parse(struct measured *m, struct input *in, struct fault *f)
{
	uint32_t first = m->n_rows;
	bool header = false;
	const char *line;
	size_t len;
	int r;

	while ((r = input_line(in, &line, &len, f)) > 0) {
		int with = index_of_with_word(line, len);

		if (!len || (*line == '#' && with < 0))
			continue;
		if (with >= 0)
			r = parse_with_line(m, in, line, len, with, f);
		else if (header)
			r = parse_row(m, in, line, len, f);
		else
			r = check_columns(in, line, len, f);
		if (r < 0)
			return -1;
		header |= with < 0;
	}
	if (r == 0 && !header)
		return fault_set(f, (struct place){input_name(in), 0, 0}, "measured-header",
			"no line of column names (expected 'id gpu workload ...', separated by tabs)");
	return r < 0 ? -1 : check_unique_ids(m, first, f);
}

int measured_read(struct measured *m, const char *path, struct fault *f)
{
	struct input *in = input_open(path, f);
	int r = in ? measured_parse(m, in, f) : -1;

	input_close(in);
	return r;
}

void measured_free(struct measured *m)
{
	free(m->row);
	free(m->with);
	arena_free(&m->arena);
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* Returns the text after "key=", or NULL if the key is absent. */
static const char *find_param_value(const char *params, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = params; s; s = strpbrk(s, ", ")) {
		s += strspn(s, ", ");
		if (!strncmp(s, key, n) && s[n] == '=')
			return s + n + 1;
	}
	return NULL;
}

bool measured_param(const char *params, const char *key, double *value)
{
	const char *s = find_param_value(params, key);
	double from, to;

	if (!s || !parse_decimal(&s, &from))
		return false;
	if (s[0] == '.' && s[1] == '.') {
		s += 2;
		if (!parse_decimal(&s, &to) || from <= 0 || to <= 0)
			return false;
		from = sqrt(from * to);
	}
	*value = from;
	return !*s || *s == ',' || *s == ' ';
}

bool measured_row_param(
	const struct measured *with, const struct measured_row *r, const char *key, double *value)
{
	bool found = measured_param(r->params, key, value);

	for (uint32_t i = with->n_with; i > 0 && !found; i--)
		if (with->with[i - 1].is_param && !strcmp(with->with[i - 1].tool, r->tool))
			found = measured_param(with->with[i - 1].define, key, value);
	return found;
}

bool measured_copy_value(const char *params, const char *key, char *out, size_t cap)
{
	const char *s = find_param_value(params, key);
	size_t n = s ? strcspn(s, ",") : 0;

	if (!n || n >= cap)
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

const char *measured_path_of_config(const char *config, struct arena *a)
{
	const char *dot = config ? strrchr(config, '.') : NULL;

	if (!dot || strcmp(dot, ".config") != 0)
		return NULL;
	const size_t stem = (size_t)(dot - config);
	char *path = arena_alloc(a, stem + sizeof(".measured"), 1);
	memcpy(path, config, stem);
	memcpy(path + stem, ".measured", sizeof(".measured"));
	return access(path, R_OK) == 0 ? path : NULL;
}
