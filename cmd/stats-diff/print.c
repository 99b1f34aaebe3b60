/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints differences as text, JSON (one object per line) or Markdown. Always true: names, values and changes
 * are aligned within a kernel. A kernel without a difference is shown only with --all.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "output.h"
#include "record.h"

static void format_value(char *out, size_t cap, const struct result_value *v)
{
	char text[RECORD_REAL_CAP];

	if (v->is_whole)
		snprintf(out, cap, "%" PRIu64, v->count);
	else if (isfinite(v->real) && v->decimals == RESULT_EXACT)
		snprintf(out, cap, "%.6g", v->real);
	else
		snprintf(out, cap, "%s", isfinite(v->real) ? record_real_text(text, v->real) : "-");
}

static void format_figure_change(char *out, size_t cap, const struct change *c)
{
	if (!c->has_figure[0] || !c->has_figure[1])
		snprintf(out, cap, "%s", c->has_figure[0] ? "gone" : "new");
	else if (isinf(c->relative))
		snprintf(out, cap, "%s", "from 0");
	else if (fabs(c->relative) >= 10)
		snprintf(out, cap, "x%.1f", c->value[1].real / c->value[0].real);
	else if (c->relative != 0 && fabs(c->relative) < 5e-5)
		snprintf(out, cap, "%+.1e", c->relative);
	else
		snprintf(out, cap, c->relative != 0 ? "%+.2f%%" : "=", 100 * c->relative);
}

static const struct store_kernel *kernel_of(const struct diff *d, uint32_t k)
{
	return &d->store->kernel[k - 1];
}

void print_name(FILE *out, const char *text, enum diff_form form)
{
	char *shown = diag_quoted(text);

	for (const char *p = shown; *p; p++) {
		if (form == DIFF_MARKDOWN && strchr("|\\`*<[]", *p))
			putc('\\', out);
		putc(*p, out);
	}
	free(shown);
}

void print_name_padded(FILE *out, const char *text, int width)
{
	print_name(out, text, DIFF_TEXT);
	fprintf(out, "%*s", width - printed_width(text), "");
}

int printed_width(const char *text)
{
	char *shown = diag_quoted(text);
	size_t n = strlen(shown);

	free(shown);
	return (int)n;
}

static void print_kernel_name(const struct diff *d, FILE *out, uint32_t k)
{
	print_name(out, store_word(d->store, kernel_of(d, k)->name), d->options->form);
}

/* ---- text and Markdown ------------------------------------------------------------------------ */

struct cells {
	char value[2][48], change[32];
};

static void format_change_cells(struct cells *c, const struct change *ch)
{
	for (int s = 0; s < 2; s++) {
		if (ch->has_figure[s])
			format_value(c->value[s], sizeof(c->value[s]), &ch->value[s]);
		else
			strcpy(c->value[s], "-");
	}
	format_figure_change(c->change, sizeof(c->change), ch);
}

/* maximum number of figures shown per kernel, and of kernels shown, without --full */
#define MOST_CHANGES 10u
#define MOST_KERNELS 10u

/* Returns true if all differences are shown, because an option requests this or selects figures. */
static bool are_all_changes_shown(const struct diff *d)
{
	return d->options->full || d->options->all || d->options->select.n || d->options->form == DIFF_JSON;
}

static uint32_t shown_changes(const struct diff *d)
{
	return are_all_changes_shown(d) || d->n_changes <= MOST_CHANGES ? d->n_changes : MOST_CHANGES;
}

static void print_text_changes(const struct diff *d, FILE *out)
{
	struct cells *c = xcalloc(d->n_changes + 1u, sizeof(*c));
	int w[4] = {4, 1, 1, 6};

	for (uint32_t i = 0; i < shown_changes(d); i++) {
		int n[4];

		format_change_cells(&c[i], &d->change[i]);
		n[0] = printed_width(d->change[i].name);
		n[1] = (int)strlen(c[i].value[0]);
		n[2] = (int)strlen(c[i].value[1]);
		n[3] = (int)strlen(c[i].change);
		for (int k = 0; k < 4; k++)
			w[k] = n[k] > w[k] ? n[k] : w[k];
	}
	fprintf(out, "  %-*s  %*s  %*s  %*s\n", w[0], "name", w[1], "A", w[2], "B", w[3], "change");
	for (uint32_t i = 0; i < shown_changes(d); i++) {
		fputs("  ", out);
		print_name_padded(out, d->change[i].name, w[0]);
		fprintf(out, "  %*s  %*s  %*s\n", w[1], c[i].value[0], w[2], c[i].value[1], w[3],
			c[i].change);
	}
	free(c);
	if (shown_changes(d) < d->n_changes)
		fprintf(out, "  and %u more figures (--full)\n", d->n_changes - shown_changes(d));
}

static void print_markdown_changes(const struct diff *d, FILE *out)
{
	struct cells c;

	fputs("\n| name | A | B | change |\n|---|---:|---:|---:|\n", out);
	for (uint32_t i = 0; i < shown_changes(d); i++) {
		format_change_cells(&c, &d->change[i]);
		fputs("| ", out);
		print_name(out, d->change[i].name, DIFF_MARKDOWN);
		fprintf(out, " | %s | %s | %s |\n", c.value[0], c.value[1], c.change);
	}
	if (shown_changes(d) < d->n_changes)
		fprintf(out, "\nand %u more figures (--full)\n", d->n_changes - shown_changes(d));
	putc('\n', out);
}

static void print_changes(const struct diff *d, FILE *out, const struct pair *p)
{
	const struct store_kernel *a = kernel_of(d, p->kernel_a), *b = kernel_of(d, p->kernel_b);

	fputs(d->options->form == DIFF_MARKDOWN ? "**" : "  ", out);
	fprintf(out, "kernel %" PRIu32, a->position);
	if (a->position != b->position)
		fprintf(out, " (B: %" PRIu32 ")", b->position);
	putc(' ', out);
	print_kernel_name(d, out, p->kernel_a);
	fputs(d->options->form == DIFF_MARKDOWN ? "**\n" : "\n", out);
	if (!d->n_changes)
		return;
	if (d->options->form == DIFF_MARKDOWN)
		print_markdown_changes(d, out);
	else
		print_text_changes(d, out);
}

static void print_lone_kernel(const struct diff *d, FILE *out, int side, uint32_t k)
{
	bool markdown = d->options->form == DIFF_MARKDOWN;

	fprintf(out, "%s%s kernel %" PRIu32 " ", markdown ? "- " : "",
		side       ? "+"
		: markdown ? "\\-"
			   : "-",
		kernel_of(d, k)->position);
	print_kernel_name(d, out, k);
	fprintf(out, "%s\n", markdown ? side ? " (only in B)" : " (only in A)" : "");
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static json_t *json_value(bool has, const struct result_value *v)
{
	if (!has || !isfinite(v->real))
		return json_null();
	return v->is_whole && v->count <= INT64_MAX ? json_integer((json_int_t)v->count) : json_real(v->real);
}

static json_t *json_kernel(const struct diff *d, uint32_t k)
{
	if (!k)
		return json_null();
	return json_pack("{s:I,s:I}", "position", (json_int_t)kernel_of(d, k)->position, "id",
		(json_int_t)kernel_of(d, k)->id);
}

void print_json_line(json_t *o, FILE *out)
{
	if (!o || json_dumpf(o, out, JSON_COMPACT))
		die("out of memory: writing JSON");
	putc('\n', out);
	json_decref(o);
}

json_t *printed_json_string(const char *text)
{
	char *copy = record_utf8(text);
	json_t *s = json_string(copy);

	free(copy);
	return s;
}

static void print_json_pair(const struct diff *d, FILE *out, const struct pair *p, const char *heading)
{
	json_t *o = json_object(), *list = json_array();

	if (heading)
		json_object_set_new(o, "file", printed_json_string(heading));
	json_object_set_new(o, "kernel",
		printed_json_string(
			store_word(d->store, kernel_of(d, p->kernel_a ? p->kernel_a : p->kernel_b)->name)));
	json_object_set_new(o, "a", json_kernel(d, p->kernel_a));
	json_object_set_new(o, "b", json_kernel(d, p->kernel_b));
	for (uint32_t i = 0; i < d->n_changes && p->kernel_a && p->kernel_b; i++) {
		const struct change *c = &d->change[i];
		json_t *f = json_object();

		json_object_set_new(f, "name", printed_json_string(c->name));
		json_object_set_new(f, "a", json_value(c->has_figure[0], &c->value[0]));
		json_object_set_new(f, "b", json_value(c->has_figure[1], &c->value[1]));
		json_object_set_new(
			f, "change", isfinite(c->relative) ? json_real(c->relative) : json_null());
		json_object_set_new(f, "moved", json_boolean(c->moved));
		json_array_append_new(list, f);
	}
	json_object_set_new(o, "figures", list);
	print_json_line(o, out);
}

/* Prints the name of a file that only one directory has. */
void print_lone_file(enum diff_form form, FILE *out, const char *name, int side)
{
	if (form == DIFF_JSON) {
		json_t *o = json_object();

		json_object_set_new(o, "file", printed_json_string(name));
		json_object_set_new(o, "only_in", json_string(side ? "b" : "a"));
		print_json_line(o, out);
		return;
	}
	fprintf(out, "%sonly in %s: ", form == DIFF_MARKDOWN ? "### " : "", side ? "B" : "A");
	print_name(out, name, form);
	fputs(form == DIFF_MARKDOWN ? "\n\n" : "\n", out);
}

/* ---- the whole -------------------------------------------------------------------------------- */

void print_heading(const struct diff *d, FILE *out, const char *heading)
{
	if (d->options->form == DIFF_JSON)
		return;
	if (d->options->form == DIFF_MARKDOWN)
		fputs("### ", out);
	if (heading) {
		print_name(out, heading, d->options->form);
	} else {
		print_name(out, d->side[0].path, d->options->form);
		fputs(" -> ", out);
		print_name(out, d->side[1].path, d->options->form);
	}
	fputs(d->options->form == DIFF_MARKDOWN ? "\n\n" : "\n", out);
}

static void print_status_change(enum diff_form form, FILE *out, const char *a, const char *b)
{
	fputs(form == DIFF_MARKDOWN ? "status: A " : "  status: A ", out);
	print_name(out, a, form);
	fputs(", B ", out);
	print_name(out, b, form);
	fputs(form == DIFF_MARKDOWN ? "\n\n" : "\n", out);
}

/* Prints each pair of runs that differ in their status, and sets d->differs. */
static void compare_status(struct diff *d, FILE *out, const char *heading)
{
	for (uint32_t i = 0; i < d->side[0].n_runs && i < d->side[1].n_runs; i++) {
		const char *a = store_word(d->store, d->store->run[d->side[0].first_run + i].status);
		const char *b = store_word(d->store, d->store->run[d->side[1].first_run + i].status);

		if (!strcmp(a, b))
			continue;
		if (!d->differs)
			print_heading(d, out, heading);
		d->differs = true;
		if (d->options->form == DIFF_JSON)
			print_json_line(json_pack("{s:{s:o,s:o}}", "status", "a", printed_json_string(a), "b",
						printed_json_string(b)),
				out);
		else
			print_status_change(d->options->form, out, a, b);
	}
}

static void print_pair(struct diff *d, FILE *out, const struct pair *p, const char *heading)
{
	if (d->options->form == DIFF_JSON)
		print_json_pair(d, out, p, heading);
	else if (p->kernel_a && p->kernel_b)
		print_changes(d, out, p);
	else
		print_lone_kernel(d, out, p->kernel_b ? 1 : 0, p->kernel_a ? p->kernel_a : p->kernel_b);
}

void print_diff(struct diff *d, FILE *out, const char *heading)
{
	uint32_t shown = 0;
	bool headed;

	compare_status(d, out, heading);
	headed = d->differs;
	if (d->options->options)
		headed = option_print(d, out, heading, headed);
	for (uint32_t i = 0; i < d->n_pairs; i++) {
		const struct pair *p = &d->pair[i];
		bool both = p->kernel_a && p->kernel_b, moved = both ? compare_pair(d, p) > 0 : true;

		d->n_changed += both && moved;
		d->n_same += both && !moved;
		d->n_lone_kernels[0] += !p->kernel_b;
		d->n_lone_kernels[1] += !p->kernel_a;
		d->differs |= moved;
		if (!moved && !d->options->all)
			continue;
		if (!headed)
			print_heading(d, out, heading);
		headed = true;
		if (shown++ < MOST_KERNELS || are_all_changes_shown(d))
			print_pair(d, out, p, heading);
	}
	if (shown > MOST_KERNELS && !are_all_changes_shown(d))
		fprintf(out, "  and %u more kernels (--full)\n", shown - MOST_KERNELS);
	if (headed && d->options->form != DIFF_JSON)
		fprintf(out, "%s%u equal, %u different, %u only in A, %u only in B\n",
			d->options->form == DIFF_MARKDOWN ? "\nKernels: " : "  kernels: ", d->n_same,
			d->n_changed, d->n_lone_kernels[0], d->n_lone_kernels[1]);
}

/* ---- summary ---------------------------------------------------------------------------------- */

struct kernel_total {
	const char *name;
	uint64_t n;
	double cycles[2];
};

struct summary {
	struct kernel_total *kernel;
	uint32_t n_kernels, cap_kernels;
	double log_sum, cycles[2];
	uint64_t pairs;
};

static bool read_kernel_cycles(struct diff *d, uint32_t k, double *cycles)
{
	const struct store_value *v = store_load_figures(d->store, kernel_of(d, k));

	for (uint32_t i = 0; i < kernel_of(d, k)->n; i++) {
		if (!strcmp(d->store->column[v[i].column].name, "gpu_sim_cycle")) {
			*cycles = v[i].value.real;
			return *cycles > 0;
		}
	}
	return false;
}

static void add_kernel_total(struct summary *s, const char *name, double a, double b)
{
	uint32_t i = 0;

	while (i < s->n_kernels && s->kernel[i].name != name)
		i++;
	if (i == s->n_kernels) {
		grow(&s->kernel, &s->cap_kernels, s->n_kernels + 1, sizeof(*s->kernel));
		s->kernel[s->n_kernels++] = (struct kernel_total){.name = name};
	}
	s->kernel[i].n++;
	s->kernel[i].cycles[0] += a;
	s->kernel[i].cycles[1] += b;
	s->log_sum += log(a / b);
	s->cycles[0] += a;
	s->cycles[1] += b;
	s->pairs++;
}

static int compare_kernel_totals(const void *pa, const void *pb)
{
	const struct kernel_total *a = pa, *b = pb;
	double x = fabs(a->cycles[1] - a->cycles[0]), y = fabs(b->cycles[1] - b->cycles[0]);

	return x > y                         ? -1
	       : x < y                       ? 1
	       : a->cycles[0] > b->cycles[0] ? -1
	       : a->cycles[0] < b->cycles[0] ? 1
					     : strcmp(a->name, b->name);
}

static void print_kernel_totals(const struct diff *d, FILE *out, const struct summary *s)
{
	bool markdown = d->options->form == DIFF_MARKDOWN;

	fputs(markdown ? "\n| kernel | times | cycles A | cycles B | speed-up |\n|---|---:|---:|---:|---:|\n"
		       : "  times       cycles A       cycles B  speed-up  kernel\n",
		out);
	for (uint32_t i = 0; i < s->n_kernels && i < 10; i++) {
		const struct kernel_total *m = &s->kernel[i];

		if (markdown) {
			fputs("| ", out);
			print_name(out, m->name, DIFF_MARKDOWN);
			fprintf(out, " | %" PRIu64 " | %.0f | %.0f | %.4f |\n", m->n, m->cycles[0],
				m->cycles[1], m->cycles[0] / m->cycles[1]);
		} else {
			fprintf(out, "  %5" PRIu64 "  %13.0f  %13.0f  %8.4f  ", m->n, m->cycles[0],
				m->cycles[1], m->cycles[0] / m->cycles[1]);
			print_name(out, m->name, DIFF_TEXT);
			putc('\n', out);
		}
	}
}

static void print_json_summary(const struct diff *d, FILE *out, const struct summary *s, const char *heading)
{
	json_t *o = json_object(), *list = json_array();

	if (heading)
		json_object_set_new(o, "file", printed_json_string(heading));
	json_object_set_new(
		o, "speedup", s->pairs ? json_real(exp(s->log_sum / (double)s->pairs)) : json_null());
	json_object_set_new(o, "cycles_a", json_real(s->cycles[0]));
	json_object_set_new(o, "cycles_b", json_real(s->cycles[1]));
	json_object_set_new(o, "equal", json_integer(d->n_same));
	json_object_set_new(o, "different", json_integer(d->n_changed));
	json_object_set_new(o, "only_a", json_integer(d->n_lone_kernels[0]));
	json_object_set_new(o, "only_b", json_integer(d->n_lone_kernels[1]));
	for (uint32_t i = 0; i < s->n_kernels && i < 10; i++) {
		json_t *m = json_object();

		json_object_set_new(m, "kernel", printed_json_string(s->kernel[i].name));
		json_object_set_new(m, "times", json_integer((json_int_t)s->kernel[i].n));
		json_object_set_new(m, "cycles_a", json_real(s->kernel[i].cycles[0]));
		json_object_set_new(m, "cycles_b", json_real(s->kernel[i].cycles[1]));
		json_array_append_new(list, m);
	}
	json_object_set_new(o, "kernels", list);
	print_json_line(o, out);
}

static void print_totals(const struct diff *d, FILE *out, const struct summary *s)
{
	const char *in = d->options->form == DIFF_MARKDOWN ? "- " : "  ";

	fprintf(out, "%skernels: %u equal, %u different, %u only in A, %u only in B\n", in, d->n_same,
		d->n_changed, d->n_lone_kernels[0], d->n_lone_kernels[1]);
	if (!s->pairs)
		return;
	fprintf(out, "%sspeed-up (geometric mean of cycles A / B): %.4f\n", in,
		exp(s->log_sum / (double)s->pairs));
	fprintf(out, "%scycles of paired kernels: A %.0f, B %.0f (%+.2f%%)\n", in, s->cycles[0], s->cycles[1],
		100 * (s->cycles[1] - s->cycles[0]) / s->cycles[0]);
}

void print_summary(struct diff *d, FILE *out, const char *heading)
{
	struct summary s = {0};

	print_heading(d, out, heading);
	compare_status(d, out, heading);
	option_print(d, out, heading, true);
	for (uint32_t i = 0; i < d->n_pairs; i++) {
		const struct pair *p = &d->pair[i];
		bool both = p->kernel_a && p->kernel_b, moved = both ? compare_pair(d, p) > 0 : true;
		double a, b;

		d->n_changed += both && moved;
		d->n_same += both && !moved;
		d->n_lone_kernels[0] += !p->kernel_b;
		d->n_lone_kernels[1] += !p->kernel_a;
		d->differs |= moved;
		if (both && read_kernel_cycles(d, p->kernel_a, &a) && read_kernel_cycles(d, p->kernel_b, &b))
			add_kernel_total(&s, store_word(d->store, kernel_of(d, p->kernel_a)->name), a, b);
	}
	if (s.n_kernels)
		qsort(s.kernel, s.n_kernels, sizeof(*s.kernel), compare_kernel_totals);
	if (d->options->form == DIFF_JSON) {
		print_json_summary(d, out, &s, heading);
	} else {
		print_totals(d, out, &s);
		if (s.n_kernels)
			print_kernel_totals(d, out, &s);
	}
	free(s.kernel);
}
