/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads measured figures of kernels: CSV tables of Nsight Compute (both pages), Nsight Systems and nvprof,
 * plain CSV tables, and results. examples/plots/correlate reads the same tables, and its help text describes
 * them.
 *
 * Always true: rows before the head of the table and rows after its end are ignored. If several rows have a
 * metric of a launch, the first one is used.
 */
#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "arena.h"
#include "cli.h"
#include "measured.h"

#define COLUMNS_MAX 4096u
#define WORD_MAX    4096u /* maximum length of a word in bytes; longer words are truncated */
#define LAUNCH_MAX  (1u << 20)

/* Role of a column, determined by its title. */
enum column_role { ROLE_KERNEL, ROLE_METRIC, ROLE_VALUE, ROLE_UNIT, ROLE_ID, N_ROLES };

/* Titles of the column for each role. The first title that the table has is used. */
static const char *const titles[N_ROLES][4] = {
	[ROLE_KERNEL] = {"Kernel Name", "Kernel", "kernel", "Name"},
	[ROLE_METRIC] = {"Metric Name", "metric"},
	[ROLE_VALUE] = {"Metric Value", "value", "Avg"},
	[ROLE_UNIT] = {"Metric Unit"},
	[ROLE_ID] = {"ID", "id"},
};

struct measured_reader {
	struct html_measured *measured;
	const char *path;
	char **word; /* words of the current row */
	uint32_t n, cap;
	char **head; /* titles of the columns */
	char **unit; /* units of the columns */
	uint32_t n_head, n_units;
	int64_t role[N_ROLES]; /* column of each role; -1 if there is none */
	uint32_t line;         /* number of the row */
	bool has_sums;         /* a row covers all launches of a kernel */
	bool ended;            /* no row follows */
	struct table launches; /* launches by name and key */
	/* indices of `count` by name and metric; used if no column identifies launches */
	struct table counts;
	struct metric_count {
		char *name, *metric;
		uint32_t n;
	} * count;
	uint32_t n_counts, cap_counts;
};

/* ---- values ------------------------------------------------------------------------------------------- */

/*
 * Reads a number and the unit after it. A comma separates thousands or is the decimal point. Returns false if
 * it is not a number.
 */
static bool read_measured_number(const char *text, double *v, char unit[16])
{
	char digits[64], *end;
	size_t n = 0, comma = 0, last = 0;
	bool point = false;

	text += strspn(text, " ");
	for (; *text && strchr("0123456789.,-+eE", *text) && n + 1 < sizeof(digits); text++) {
		if (strchr("eE+", *text) && !n)
			break;
		point |= *text == '.';
		comma += *text == ',';
		last = *text == ',' ? n : last;
		digits[n++] = *text;
	}
	if (comma && (comma > 1 || point || n - last == 4)) { /* thousands */
		size_t to = 0;

		for (size_t i = 0; i < n; i++)
			if (digits[i] != ',')
				digits[to++] = digits[i];
		n = to;
	} else if (comma) {
		digits[last] = '.';
	}
	digits[n] = '\0';
	*v = strtod(digits, &end);
	text += strspn(text, " ");
	if (end == digits || *end || !isfinite(*v))
		return false;
	snprintf(unit, 16, "%.15s", text);
	return true;
}

static void store_measured_value(
	struct html_launch *to, const char *title, const char *text, const char *unit)
{
	char own[16], of_title[16];
	enum metric metric = metric_of_title(title, of_title);
	double v;

	if (metric == METRIC_NONE || !read_measured_number(text, &v, own) || v < 0)
		return;
	if (!unit || !*unit)
		unit = of_title;
	v = metric_convert_value(metric, title, v, unit, own);
	if (metric == METRIC_SM_CYCLES)
		to->sm_cycles = to->sm_cycles > 0 ? to->sm_cycles : v;
	else if (isnan(to->value[metric]))
		to->value[metric] = v;
}

/* ---- rows --------------------------------------------------------------------------------------------- */

/* Returns the word of a column in the current row, or "" if the row is shorter or the column is absent. */
static const char *word_of_column(const struct measured_reader *t, int64_t column)
{
	return column >= 0 && column < t->n ? t->word[column] : "";
}

static int64_t column_of_role(const struct measured_reader *t, enum column_role role)
{
	for (unsigned k = 0; k < 4 && titles[role][k]; k++)
		for (uint32_t i = 0; i < t->n; i++)
			if (!strcmp(t->word[i], titles[role][k]))
				return i;
	return -1;
}

static char **copy_row_words(struct measured_reader *t)
{
	char **words = xcalloc(t->n + 1u, sizeof(*words));

	for (uint32_t i = 0; i < t->n; i++)
		words[i] = xstrdup(t->word[i]);
	return words;
}

static void free_words(char **words, uint32_t n)
{
	for (uint32_t i = 0; words && i < n; i++)
		free(words[i]);
	free(words);
}

/* Takes the current row as the head of the table if it has a column of kernels. */
static void use_row_as_head(struct measured_reader *t)
{
	if (t->n < 2 || column_of_role(t, ROLE_KERNEL) < 0)
		return;
	for (int role = 0; role < N_ROLES; role++)
		t->role[role] = column_of_role(t, (enum column_role)role);
	for (uint32_t i = 0; i < t->n; i++)
		t->has_sums |= !strcmp(t->word[i], "Invocations") || !strcmp(t->word[i], "Instances");
	t->n_head = t->n;
	t->head = copy_row_words(t);
}

/*
 * Counts a row of a name and metric. Returns the count so far, which is the number of the launch in the
 * current row.
 */
static uint32_t count_metric(struct measured_reader *t, const char *name, const char *metric)
{
	uint64_t hash = table_hash(name, strlen(name)) ^ 3 * table_hash(metric, strlen(metric));

	FOR_TABLE (w, &t->counts, hash) {
		struct metric_count *c = &t->count[w.number];

		if (!strcmp(c->name, name) && !strcmp(c->metric, metric))
			return ++c->n;
	}
	table_add(&t->counts, hash, t->n_counts);
	grow(&t->count, &t->cap_counts, t->n_counts + 1, sizeof(*t->count));
	t->count[t->n_counts++] = (struct metric_count){xstrdup(name), xstrdup(metric), 1};
	return 1;
}

/* Finds or adds the launch with a name and a key. */
static struct html_launch *find_or_add_launch(struct measured_reader *t, const char *name, const char *key)
{
	struct html_measured *m = t->measured;
	uint64_t hash = table_hash(name, strlen(name)) ^ 3 * table_hash(key, strlen(key));

	FOR_TABLE (w, &t->launches, hash)
		if (!strcmp(m->launch[w.number].name, name) && !strcmp(m->launch[w.number].key, key))
			return &m->launch[w.number];
	if (m->n == LAUNCH_MAX)
		die_at((struct place){.file = t->path}, "more than %u launches", LAUNCH_MAX);
	table_add(&t->launches, hash, m->n);
	grow(&m->launch, &m->cap, m->n + 1, sizeof(*m->launch));
	m->launch[m->n] =
		(struct html_launch){.name = xstrdup(name), .key = xstrdup(key), .is_mean = t->has_sums};
	for (int i = 0; i < N_METRICS; i++)
		m->launch[m->n].value[i] = (double)NAN;
	return &m->launch[m->n++];
}

/*
 * Returns the name of a kernel without the number of its launch: "f(int)" for "f(int) [12]". The caller frees
 * it.
 */
static char *copy_name_without_launch(const char *text)
{
	size_t n = strlen(text), at;

	if (n < 4 || text[n - 1] != ']')
		return xstrdup(text);
	for (at = n - 1; at && text[at - 1] >= '0' && text[at - 1] <= '9';)
		at--;
	return at > 1 && at < n - 1 && text[at - 1] == '[' && text[at - 2] == ' ' ? xstrndup(text, at - 2)
										  : xstrdup(text);
}

static void store_launch_row(struct measured_reader *t, const char *name)
{
	bool by_metric = t->role[ROLE_METRIC] >= 0 && t->role[ROLE_VALUE] >= 0;
	const char *metric = word_of_column(t, t->role[ROLE_METRIC]);
	char number[24];
	const char *key = number;
	struct html_launch *to;

	if (by_metric && t->role[ROLE_ID] >= 0)
		key = word_of_column(t, t->role[ROLE_ID]);
	else
		snprintf(number, sizeof(number), "#%u", by_metric ? count_metric(t, name, metric) : t->line);
	to = find_or_add_launch(t, name, key);
	if (by_metric) {
		store_measured_value(to, metric, word_of_column(t, t->role[ROLE_VALUE]),
			word_of_column(t, t->role[ROLE_UNIT]));
		return;
	}
	for (uint32_t i = 0; i < t->n_head && i < t->n; i++) {
		bool mean = !strcmp(t->head[i], "Avg (ns)") || !strcmp(t->head[i], "Average");

		if (t->has_sums && mean)
			store_measured_value(to, "Duration", t->word[i], "ns");
		else
			store_measured_value(
				to, t->head[i], t->word[i], t->unit && i < t->n_units ? t->unit[i] : "");
	}
}

static void process_measured_row(struct measured_reader *t)
{
	char *name;

	if (t->ended)
		return;
	if (!t->head) {
		use_row_as_head(t);
		return;
	}
	if (t->n + 1 < t->n_head) {
		t->ended = t->n && strncmp(t->word[0], "==", 2) != 0 && *t->word[0];
		return;
	}
	name = copy_name_without_launch(word_of_column(t, t->role[ROLE_KERNEL]));
	if (!*name && !t->measured->n && !t->unit) {
		t->unit = copy_row_words(t);
		t->n_units = t->n;
	} else if (*name && strncmp(name, "[CUDA mem", 9) != 0) {
		store_launch_row(t, name);
	}
	free(name);
}

static void on_measured_field(void *text, size_t n, void *ctx)
{
	struct measured_reader *t = ctx;

	if (t->n == COLUMNS_MAX)
		return;
	grow(&t->word, &t->cap, t->n + 1, sizeof(*t->word));
	t->word[t->n++] = xstrndup(text ? text : "", text ? (n < WORD_MAX ? n : WORD_MAX) : 0);
}

static void on_measured_row(int end, void *ctx)
{
	struct measured_reader *t = ctx;

	(void)end;
	t->line++;
	process_measured_row(t);
	for (uint32_t i = 0; i < t->n; i++)
		free(t->word[i]);
	t->n = 0;
}

/* ---- files -------------------------------------------------------------------------------------------- */

static void free_reader(struct measured_reader *t)
{
	for (uint32_t i = 0; i < t->n_counts; i++) {
		free(t->count[i].name);
		free(t->count[i].metric);
	}
	free(t->count);
	free_words(t->head, t->n_head);
	free_words(t->unit, t->n_units);
	free(t->word);
	table_free(&t->launches);
	table_free(&t->counts);
}

static void read_measured_csv(struct html_measured *m, const char *path)
{
	struct measured_reader t = {.measured = m, .path = path};
	struct csv_parser parser;
	FILE *in = fopen(path, "r");
	char buffer[4096];
	size_t n;

	if (!in)
		die_at((struct place){.file = path}, "cannot be opened: %s", strerror(errno));
	if (csv_init(&parser, CSV_APPEND_NULL))
		die("out of memory");
	while ((n = fread(buffer, 1, sizeof(buffer), in)) > 0)
		if (csv_parse(&parser, buffer, n, on_measured_field, on_measured_row, &t) != n)
			die_at((struct place){.file = path}, "malformed table: %s",
				csv_strerror(csv_error(&parser)));
	if (ferror(in))
		die_at((struct place){.file = path}, "cannot be read: %s", strerror(errno));
	csv_fini(&parser, on_measured_field, on_measured_row, &t);
	csv_free(&parser);
	fclose(in);
	if (!t.head)
		die_at((struct place){.file = path, .line = 1},
			"no column Kernel Name, Kernel, Name or kernel (expected a table of kernels)");
	free_reader(&t);
}

static void read_measured_results(struct html_measured *m, const char *path)
{
	struct result_item item;
	struct fault f;
	struct results *in = results_open(path, 0, &f);
	double hz = 0;
	int event;

	if (!in)
		die_fault(&f);
	while ((event = results_next(in, &item, &f)) > 0) {
		if (event == RESULT_START)
			hz = html_clock(&item);
		if (event != RESULT_KERNEL)
			continue;
		if (m->n == LAUNCH_MAX)
			die_at((struct place){.file = path}, "more than %u launches", LAUNCH_MAX);
		grow(&m->launch, &m->cap, m->n + 1, sizeof(*m->launch));
		m->launch[m->n] = (struct html_launch){.name = xstrdup(item.kernel.name), .key = xstrdup("")};
		metric_of_results(m->launch[m->n++].value, in, hz);
	}
	if (event < 0)
		die_fault(&f);
	results_close(in);
}

void measured_read(struct html_measured *m, const char *path)
{
	size_t n = strlen(path);
	bool any = false;

	*m = (struct html_measured){.path = path};
	if (n > 4 && !strcmp(path + n - 4, ".csv"))
		read_measured_csv(m, path);
	else
		read_measured_results(m, path);
	for (uint32_t i = 0; i < m->n; i++) {
		metric_derive_missing(m->launch[i].value);
		any |= m->launch[i].sm_cycles > 0;
		for (int k = 0; k < N_METRICS; k++)
			any |= metric_is_comparable((enum metric)k, m->launch[i].value[k], 1);
	}
	if (!any)
		die_at((struct place){.file = path},
			"no known metric in %u kernels (expected a column or metric of examples/plots/correlate, such as cycles)",
			m->n);
}

void measured_free(struct html_measured *m)
{
	for (uint32_t i = 0; i < m->n; i++) {
		free(m->launch[i].name);
		free(m->launch[i].key);
	}
	free(m->launch);
}
