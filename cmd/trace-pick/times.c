/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads execution times of the list's kernels from a CSV table of Nsight Systems (`nsys stats -r
 * cuda_gpu_trace -f csv`), Nsight Compute (`ncu --csv`, its details or its raw page) or stats-csv.
 *
 * Always true: the table has a row for each kernel of the list, or for each selected kernel that exists. Rows
 * are in the order of the list. Rows of copies and of units are ignored. Names are not compared, because
 * tools spell them differently. Any unit is allowed, but it must be the same in all rows.
 */
#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "diag.h"
#include "input.h"
#include "pick.h"

#define NO_COLUMN UINT32_MAX

struct table_reader {
	struct app *app;
	const char *file;
	uint64_t line;
	uint32_t column; /* number of the column of the next field */
	uint32_t name, time, metric;
	double *times; /* times in the order of the rows */
	uint32_t n_times, cap_times;
	bool head_read; /* true if the head line has been read */
	/* values of the current row */
	double value;
	bool has_value, is_copy, is_row_of_other_metric;
	char text[64]; /* text of the time, for messages */
	struct fault *fault;
	bool failed; /* true if *f has the reason */
};

static bool is_one_of(const char *s, size_t n, const char *const *names)
{
	for (; *names; names++)
		if (strlen(*names) == n && !memcmp(*names, s, n))
			return true;
	return false;
}

static const char *const time_heads[] = {"Duration (ns)", "Duration:dur_ns", "Duration",
	"gpu__time_duration.sum", "gpu_sim_cycle", "Metric Value", NULL};
static const char *const name_heads[] = {"Name", "Kernel Name", "kernel_name", NULL};
static const char *const metrics[] = {"Duration", "gpu__time_duration.sum", NULL};

static void on_head_field(struct table_reader *r, const char *s, size_t n)
{
	static const char *const metric[] = {"Metric Name", NULL};

	if (r->time == NO_COLUMN && is_one_of(s, n, time_heads))
		r->time = r->column;
	if (r->name == NO_COLUMN && is_one_of(s, n, name_heads))
		r->name = r->column;
	if (is_one_of(s, n, metric))
		r->metric = r->column;
}

static void on_row_field(struct table_reader *r, const char *s, size_t n)
{
	char digits[64], *end;
	size_t m = 0;

	if (r->column == r->name)
		r->is_copy = n && *s == '[';
	if (r->column == r->metric)
		r->is_row_of_other_metric = !is_one_of(s, n, metrics);
	if (r->column != r->time)
		return;
	for (size_t i = 0; i < n && m + 1 < sizeof(digits); i++)
		if (s[i] != ',') /* a comma separates thousands */
			digits[m++] = s[i];
	digits[m] = '\0';
	r->value = strtod(digits, &end);
	r->has_value = m && !*end && *digits >= '0' && *digits <= '9' && isfinite(r->value);
	diag_quote(r->text, sizeof(r->text), s, n);
}

static void on_csv_field(void *bytes, size_t n, void *ctx)
{
	struct table_reader *r = ctx;

	if (r->head_read)
		on_row_field(r, bytes, n);
	else
		on_head_field(r, bytes, n);
	r->column++;
}

static void check_times_head(struct table_reader *r)
{
	/* The table may be preceded by text, such as messages of ncu. */
	r->head_read = r->time != NO_COLUMN;
	if (!r->head_read)
		r->name = r->metric = NO_COLUMN;
}

static uint32_t max_rows_of_times(const struct app *a)
{
	return a->n_kernels > a->n_listed ? a->n_kernels : a->n_listed;
}

static void finish_times_row(struct table_reader *r)
{
	struct place at = {r->file, r->line, 0};

	if (r->failed || r->is_copy || r->is_row_of_other_metric || r->column <= r->time)
		return;
	if (!r->has_value && !r->n_times) /* this is the row of units that ncu prints */
		return;
	r->failed = true;
	if (!r->has_value || !(r->value > 0)) {
		fault_set(r->fault, at, "times", "invalid time '%s' (expected a number above 0)", r->text);
	} else if (r->n_times == max_rows_of_times(r->app)) {
		fault_set(r->fault, at, "times", "more rows than the %u kernels of the list",
			max_rows_of_times(r->app));
	} else {
		grow(&r->times, &r->cap_times, r->n_times + 1, sizeof(*r->times));
		r->times[r->n_times++] = r->value;
		r->failed = false;
	}
}

static void on_csv_row(int c, void *ctx)
{
	struct table_reader *r = ctx;

	(void)c;
	if (r->column && r->head_read)
		finish_times_row(r);
	else if (r->column)
		check_times_head(r);
	r->column = 0;
	r->has_value = r->is_copy = r->is_row_of_other_metric = false;
}

/* Reads all lines. Returns 0, or -1 and sets *r->f. */
static int read_lines(struct table_reader *r, struct csv_parser *p, struct input *in)
{
	const char *text;
	size_t n;
	int got;

	while ((got = input_line(in, &text, &n, r->fault)) > 0) {
		r->line = input_lineno(in);
		if (csv_parse(p, text, n, on_csv_field, on_csv_row, r) != n ||
			csv_parse(p, "\n", 1, on_csv_field, on_csv_row, r) != 1)
			return fault_set(r->fault, (struct place){r->file, r->line, 0}, "times", "%s",
				csv_strerror(csv_error(p)));
		if (r->failed)
			return -1;
	}
	if (got == 0)
		csv_fini(p, on_csv_field, on_csv_row, r);
	return got < 0 || r->failed ? -1 : 0;
}

/* Assigns the times to the kernels. Returns 0, or -1 and sets *f. */
static int assign_times(struct app *a, const struct table_reader *r, struct fault *f)
{
	const struct place at = {r->file, 0, 0};

	if (r->n_times != a->n_kernels && r->n_times != a->n_listed && a->n_kernels < a->n_listed)
		return fault_set(f, at, "times",
			"times of %u kernels (expected %u for the whole list, or %u for the selected kernels)",
			r->n_times, a->n_listed, a->n_kernels);
	if (r->n_times != a->n_kernels && r->n_times != a->n_listed)
		return fault_set(f, at, "times", "times of %u kernels (expected %u, the kernels of the list)",
			r->n_times, a->n_kernels);
	for (uint32_t i = 0; i < a->n_kernels; i++)
		a->kernel[i].time = r->times[r->n_times == a->n_kernels ? i : a->kernel[i].position - 1];
	a->has_times = true;
	return 0;
}

int times_parse(struct app *a, struct input *in, struct fault *f)
{
	struct table_reader r = {.app = a,
		.name = NO_COLUMN,
		.time = NO_COLUMN,
		.metric = NO_COLUMN,
		.file = input_name(in),
		.fault = f};
	struct csv_parser p;
	int status;

	if (csv_init(&p, 0))
		die("out of memory");
	status = read_lines(&r, &p, in);
	csv_free(&p);
	if (status == 0 && !r.head_read)
		status = fault_set(f, (struct place){r.file, 0, 0}, "times",
			"no column of times (expected one named 'Duration (ns)', 'gpu__time_duration.sum' or 'gpu_sim_cycle')");
	if (status == 0)
		status = assign_times(a, &r, f);
	free(r.times);
	return status;
}

void times_read(struct app *a, const char *path)
{
	struct fault f;
	struct input *in = input_open(path, &f);

	if (!in || times_parse(a, in, &f) < 0)
		die_fault(&f);
	input_close(in);
}
