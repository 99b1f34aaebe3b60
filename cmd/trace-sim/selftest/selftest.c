/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the selftest (selftest.h): rows, a configuration for each tool, simulation, exit status. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "icnt.h"
#include "output.h"
#include "selftest/fit.h"
#include "selftest/jobs.h"
#include "selftest/selftest.h"
#include "selftest/table.h"

/* GPUs whose names in measured files differ from the names of their configurations. */
static const struct {
	const char *name, *alias;
} aliases[] = {
	{"a100-40", "a100-sxm4-40"},
	{"a100-80", "a100-pcie"},
	{"v100", "titan-v"},
	{"rtx2070", "titan-rtx"},
};

static bool is_row_of_gpu(const struct measured_row *r, const char *name)
{
	if (!name || !strcmp(r->gpu, name))
		return true;
	for (unsigned i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (!strcmp(aliases[i].name, name) && !strcmp(aliases[i].alias, r->gpu))
			return true;
	return false;
}

/* ---- configurations ------------------------------------------------------------------------- */

static void subject_init(struct subject *s, const struct gpuconf *c, const struct selftest *t)
{
	struct fault f;

	if (params_init(&s->params, c, &f) < 0)
		die_fault(&f);
	icnt_check_output(&s->params, t->output);
	s->isa = t->isa;
	s->arch = conf_uint(c, OPT_gpgpu_compute_capability_major) * 10 +
		  conf_uint(c, OPT_gpgpu_compute_capability_minor);
	if (isa_arch_of((int)s->arch) < 0)
		die("compute capability %u.%u is not supported (-gpgpu_compute_capability_major, -gpgpu_compute_capability_minor)",
			s->arch / 10, s->arch % 10);
}

/*
 * Applies the #with lines of a tool to c, a shallow copy of the configuration. Returns false if the tool has
 * no such line.
 */
static bool apply_tool_options(struct gpuconf *c, const struct measured *m, const char *tool)
{
	bool any = false;
	struct fault f;

	for (uint32_t i = 0; i < m->n_with; i++)
		if (!m->with[i].is_param && !strcmp(m->with[i].tool, tool)) {
			if (gpuconf_override(c, m->with[i].define, &f) < 0)
				die_fault(&f);
			any = true;
		}
	return any;
}

/*
 * Returns the subject for the rows of a tool. Creates the subject at the first call. Subject 0 is the
 * configuration itself.
 */
static const struct subject *find_subject(struct subjects *s, const struct selftest *t, const char *tool)
{
	struct gpuconf *c;

	for (uint32_t i = 0; i < s->n_subjects; i++)
		if (!strcmp(s->tool[i], tool))
			return &s->subject[i];
	c = xcalloc(1, sizeof(*c));
	*c = *t->conf;
	if (*tool && (s->n_subjects == MAX_SUBJECTS || !apply_tool_options(c, s->measured, tool))) {
		free(c);
		return &s->subject[0];
	}
	s->tool[s->n_subjects] = tool;
	subject_init(&s->subject[s->n_subjects], c, t);
	free(c);
	return &s->subject[s->n_subjects++];
}

struct subjects *subjects_new(const struct selftest *t, const struct measured *with)
{
	struct subjects *s = xcalloc(1, sizeof(*s));

	s->measured = with;
	find_subject(s, t, "");
	return s;
}

const struct subject *subjects_for_tool(struct subjects *s, const struct selftest *t, const char *tool)
{
	return find_subject(s, t, tool);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void read_measured_files(const struct selftest *t, struct measured *rows, struct measured *with)
{
	struct fault f;

	if (t->shipped && measured_read(with, t->shipped, &f) < 0)
		die_fault(&f);
	for (uint32_t i = 0; i < t->n_measured; i++)
		if (measured_read(rows, t->measured[i], &f) < 0)
			die_fault(&f);
	if (!t->n_measured && !t->shipped)
		die("no measured file next to the configuration (expected --measured FILE)");
	for (uint32_t i = 0; i < rows->n_with; i++) {
		grow(&with->with, &with->cap_with, with->n_with + 1, sizeof(*with->with));
		with->with[with->n_with++] = rows->with[i];
	}
	for (uint32_t i = 0; i < with->n_with; i++)
		if (with->with[i].is_param && !probe_has_parameter(with->with[i].define)) {
			fault_set(&f, with->with[i].place, "measured-params",
				"invalid '%s' (expected NAME=NUMBER, a parameter of a workload)",
				with->with[i].define);
			die_fault(&f);
		}
}

/* Returns true if a pattern of --only matches the row. A row without a probe has no group. */
static bool only_pattern_matches(const char *pattern, const struct figure_row *f)
{
	return namelist_matches(pattern, f->row->id) ||
	       (f->subject && namelist_matches(pattern, f->probe.group));
}

static bool only_list_matches(const struct namelist *only, const struct figure_row *f)
{
	for (size_t i = 0; i < only->n; i++)
		if (only_pattern_matches(only->pattern[i], f))
			return true;
	return !only->n;
}

/* Appends a row of the measured file unless --only excludes it. */
static void append_figure_row(struct figure_table *table, struct subjects *s, const struct selftest *t,
	const struct measured_row *r)
{
	struct figure_row *f = &table->row[table->n];

	*f = (struct figure_row){.row = r, .subject = subjects_for_tool(s, t, r->tool)};
	if (!probe_for_row(&f->probe, r, s->measured, f->subject, &f->reason))
		f->subject = NULL;
	table->n += only_list_matches(t->only, f);
}

/* Warns about each pattern of --only that matches no row, which is probably misspelt. */
static void warn_of_unused_patterns(const struct namelist *only, const struct figure_table *table)
{
	for (size_t i = 0; i < only->n; i++) {
		uint32_t k = 0;

		while (k < table->n && !only_pattern_matches(only->pattern[i], &table->row[k]))
			k++;
		if (k == table->n)
			diag_warn(NOWHERE, "--only: no row or group matches '%s'", only->pattern[i]);
	}
}

static double simulate_row(void *ctx, uint32_t i)
{
	const struct figure_row *const *simulated_rows = ctx;

	return simulated_rows[i]->probe.kind->run(&simulated_rows[i]->probe, simulated_rows[i]->subject);
}

/*
 * Returns true for bandwidths. Each takes seconds, because all SMs are busy. Such jobs run first, so that no
 * worker ends long after the others.
 */
static bool is_bandwidth_row(const struct figure_row *r) { return !strcmp(r->probe.kind->unit, "GB/s"); }

void selftest_simulate(struct figure_table *t, unsigned threads)
{
	struct figure_row **simulated_rows = xcalloc(t->n + 1, sizeof(*simulated_rows));
	double *result = xcalloc(t->n + 1, sizeof(*result));
	uint32_t n = 0;

	for (int first = 1; first >= 0; first--)
		for (uint32_t i = 0; i < t->n; i++)
			if (t->row[i].subject && is_bandwidth_row(&t->row[i]) == first)
				simulated_rows[n++] = &t->row[i];
	jobs_run(n, threads, simulate_row, simulated_rows, result);
	for (uint32_t i = 0; i < n; i++)
		simulated_rows[i]->simulated = result[i];
	free(simulated_rows);
	free(result);
}

static bool is_within_tolerance(const struct figure_table *t, double tolerance)
{
	for (uint32_t i = 0; i < t->n && tolerance >= 0; i++)
		if (t->row[i].subject && !t->row[i].row->is_predicted &&
			!(fabs(table_error(&t->row[i])) <= tolerance))
			return false;
	return true;
}

int selftest_run(const struct selftest *t)
{
	struct measured files = {.n_rows = 0}, shipped = {.n_rows = 0},
			*rows = t->n_measured ? &files : &shipped;
	struct subjects *subjects;
	struct figure_table table = {.config = t->name ? t->name : "the configuration",
		.measured_name = t->n_measured ? t->measured[0] : t->shipped};
	struct output *out;
	bool good;

	if (t->n_fit && t->format != SELFTEST_TEXT)
		die("--fit cannot be used with this format (expected -F text)");
	read_measured_files(t, &files, &shipped);
	subjects = subjects_new(t, &shipped);
	table.row = xcalloc(rows->n_rows + 1, sizeof(*table.row));
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		if (is_row_of_gpu(&rows->row[i], t->name))
			append_figure_row(&table, subjects, t, &rows->row[i]);
		else
			table.n_rows_of_other_gpus++;
	}
	if (t->only->n && !table.n)
		die("--only matches no row of %s", table.measured_name);
	warn_of_unused_patterns(t->only, &table);
	out = output_open_part(t->output, t->force);
	if (t->n_fit) {
		fit_run(t, &table, subjects, output_stream(out));
		good = true;
	} else {
		selftest_simulate(&table, t->threads);
		table_print(&table, t->format, output_stream(out));
		good = is_within_tolerance(&table, t->tolerance);
	}
	output_commit(out);
	free(table.row);
	free(subjects);
	measured_free(&files);
	measured_free(&shipped);
	return good ? EXIT_GOOD : EXIT_NO;
}
