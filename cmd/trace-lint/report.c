/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and counts findings; report.h has the invariants. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "report.h"

void report_init(struct report *r)
{
	for (int n = 0; n < N_RULES; n++)
		r->level[n] = rule_level(&rules[n]);
	r->level[N_RULES] = LEVEL_ERROR;
	r->limit = 10;
}

void report_set_accel_sim_levels(struct report *r)
{
	for (int n = 0; n < N_RULES; n++)
		r->level[n] = rule_level_for_accel_sim(&rules[n]);
}

static enum lint_level level_of_rule(const struct report *r, unsigned n)
{
	return r->werror && r->level[n] == LEVEL_WARNING ? LEVEL_ERROR : r->level[n];
}

static void print_finding(struct report *r, unsigned n, const struct fault *f)
{
	uint64_t line = f->place.line ? f->place.line : 1;
	uint32_t col = f->place.col ? f->place.col : 1;
	const char *file = f->place.file ? f->place.file : "-", *level = lint_level_name(level_of_rule(r, n));
	char shown[1024], text[4 * sizeof(f->text)];

	if (!r->json) {
		diag_quote(shown, sizeof(shown), file, strlen(file));
		diag_quote(text, sizeof(text), f->text, strlen(f->text));
		fprintf(r->out, "%s:%" PRIu64 ":%" PRIu32 ": %s: %s: %s\n", shown, line, col, level, f->id,
			text);
		return;
	}
	record_begin(r->json, "finding");
	record_string(r->json, "file", file);
	record_uint(r->json, "line", line, "-");
	record_uint(r->json, "col", col, "-");
	record_string(r->json, "level", level);
	record_string(r->json, "id", f->id);
	record_string(r->json, "text", f->text);
	record_end(r->json);
}

void report_fault(struct report *r, const struct fault *f)
{
	int found = rule_find(f->id);
	unsigned n = found < 0 ? N_RULES : (unsigned)found;

	if (r->level[n] == LEVEL_OFF)
		return;
	r->count[n]++;
	if (r->limit && r->printed[n] >= r->limit && n < N_RULES) {
		r->suppressed[n]++;
		return;
	}
	r->printed[n]++;
	print_finding(r, n, f);
}

void report_at(struct report *r, enum rule_name n, struct place at, const char *fmt, ...)
{
	struct fault f = {at, rules[n].id, ""};
	va_list args;

	va_start(args, fmt);
	vsnprintf(f.text, sizeof(f.text), fmt, args);
	va_end(args);
	report_fault(r, &f);
}

void report_count_only(struct report *r, enum rule_name n)
{
	if (!report_is_rule_on(r, n))
		return;
	r->count[n]++;
	r->suppressed[n]++;
}

void report_file_end(struct report *r, const char *file)
{
	for (unsigned n = 0; n < N_RULES; n++) {
		if (r->suppressed[n] && !r->json) {
			char shown[1024];

			fprintf(r->out, "%s:1:1: %s: %s: %" PRIu64 " more like it\n",
				diag_quote(shown, sizeof(shown), file, strlen(file)),
				lint_level_name(level_of_rule(r, n)), rules[n].id, r->suppressed[n]);
		} else if (r->suppressed[n]) {
			record_begin(r->json, "more");
			record_string(r->json, "file", file);
			record_string(r->json, "level", lint_level_name(level_of_rule(r, n)));
			record_string(r->json, "id", rules[n].id);
			record_uint(r->json, "count", r->suppressed[n], "-");
			record_end(r->json);
		}
	}
	memset(r->printed, 0, sizeof(r->printed));
	memset(r->suppressed, 0, sizeof(r->suppressed));
}

uint64_t report_count_of_level(const struct report *r, enum lint_level level)
{
	uint64_t total = 0;

	for (unsigned n = 0; n <= N_RULES; n++)
		if (level_of_rule(r, n) == level)
			total += r->count[n];
	return total;
}

static void write_lint_summary(struct report *r)
{
	record_begin(r->json, "end");
	record_uint(r->json, "errors", report_count_of_level(r, LEVEL_ERROR), "-");
	record_uint(r->json, "warnings", report_count_of_level(r, LEVEL_WARNING), "-");
	record_uint(r->json, "notes", report_count_of_level(r, LEVEL_NOTE), "-");
	record_uint(r->json, "kernels", r->kernels, "-");
	record_uint(r->json, "instructions", r->insts, "-");
	record_group(r->json, "rules");
	for (unsigned n = 0; n < N_RULES; n++)
		if (r->count[n])
			record_uint(r->json, rules[n].id, r->count[n], "-");
	record_group_end(r->json);
	record_end(r->json);
}

/* Prints the number n, the noun in the singular or plural, and the text `after`. */
static void print_count(FILE *out, uint64_t n, const char *noun, const char *after)
{
	fprintf(out, "%" PRIu64 " %s%s%s", n, noun, n == 1 ? "" : "s", after);
}

static void print_summary_line(const struct report *r)
{
	print_count(r->out, report_count_of_level(r, LEVEL_ERROR), "error", ", ");
	print_count(r->out, report_count_of_level(r, LEVEL_WARNING), "warning", ", ");
	print_count(r->out, report_count_of_level(r, LEVEL_NOTE), "note", " in ");
	print_count(r->out, r->kernels, "kernel", " (");
	print_count(r->out, r->insts, "instruction", ")\n");
}

void report_end(struct report *r, bool quiet)
{
	if (r->json && !quiet)
		write_lint_summary(r);
	else if (!quiet)
		print_summary_line(r);
	if (r->json)
		record_close(r->json);
}
